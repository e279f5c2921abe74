import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createHostAdmission } from '../../src/hosts/admission/host-rules.ts';
import {
  fleet,
  type HostApi,
  type HostRig,
  putHost,
  startHostApi,
  startHostRig,
  until,
  untilGone,
} from '../../src/hosts/testing/rig.ts';
import { createDemoProvisioners } from '../../src/provisioners/testing/demo/index.ts';

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };

/** The names that Metal3's demo knows, with how far each comes. */
const demo: readonly (readonly [name: string, state: string, errorType: string | undefined, isProvisioned: boolean])[] =
  [
    ['demo-registering', 'registering', undefined, false],
    ['demo-registration-error', 'registering', 'registration error', false],
    ['demo-inspecting', 'inspecting', undefined, false],
    ['demo-preparing', 'preparing', undefined, false],
    ['demo-preparing-error', 'preparing', 'preparation error', false],
    ['demo-available', 'available', undefined, false],
    ['demo-provisioning', 'provisioning', undefined, true],
    ['demo-provisioned', 'provisioned', undefined, true],
    ['demo-validation-error', 'provisioning', 'provisioning error', true],
  ];

describe('demo hosts, with admission', () => {
  let api: HostApi;
  let rig: HostRig;
  before(async () => {
    const admission = createHostAdmission();
    api = await startHostApi(admission.rules);
    rig = await startHostRig(api, { provisioners: createDemoProvisioners() });
    admission.attach(rig.controllers.view);
  });
  after(async () => {
    await rig.stop();
    await api.close();
  });

  for (const [index, [name, state, errorType, isProvisioned]] of demo.entries()) {
    it(`${name} comes as far as ${state}${errorType === undefined ? '' : ` with a ${errorType}`}`, async () => {
      const bmc = { address: `redfish://10.66.0.${index + 1}/redfish/v1/Systems/1`, credentialsName: `${name}-bmc` };
      await putHost(api, name, { spec: { bmc, ...(isProvisioned ? { image } : {}) } });
      const host = await until(
        api.hosts,
        name,
        ({ status }) => status?.provisioning.state === state && status.errorType === errorType,
      );
      assert.equal(host.status?.operationalStatus, errorType === undefined ? 'OK' : 'error');
      if (state === 'available') assert.equal(host.status?.poweredOn, true);
      await assert.rejects(putHost(api, `${name}-twin`, { spec: { bmc }, hasNoSecret: true }), /has this BMC already/);
      await api.hosts.delete({ namespace: fleet, name });
      await untilGone(api.hosts, name);
    });
  }
});
