import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { metal3ApiVersion } from '../../src/api/index.ts';
import {
  fleet,
  type HostApi,
  type HostRig,
  hostObject,
  putSecret,
  startHostApi,
  startHostRig,
} from '../../src/hosts/testing/rig.ts';
import { createIronicProvisioners, type Provisioners } from '../../src/provisioners/index.ts';
import {
  createFakeBmc,
  type FakeIronic,
  startFakeIronic,
  targetsOf,
} from '../../src/provisioners/ironic/testing/index.ts';
import { until } from './hosts-lock-rig.ts';

const name = 'old-1';
const key = { namespace: fleet, name };
const rebootOnce = 'reboot.metal3.io';

/** Ironic that speaks API 1.86 services nothing: the first that can is 1.87. */
describe('live updates on an Ironic that cannot service hosts', () => {
  const bmc = createFakeBmc(1);
  let ironic: FakeIronic;
  let provisioners: Provisioners;
  let api: HostApi;
  let rig: HostRig;
  before(async () => {
    ironic = await startFakeIronic({ bmcs: [bmc], newestMinor: 86 });
    provisioners = createIronicProvisioners({ url: ironic.url, delays: { shortMs: 20, longMs: 20, awayMs: 20 } });
    api = await startHostApi();
    rig = await startHostRig(api, { provisioners });
    await putSecret(api, `${name}-bmc`, { username: bmc.username, password: bmc.password });
    const address = `redfish+${bmc.redfishAddress}${bmc.systemPath}`;
    const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
    const spec = { bmc: { address, credentialsName: `${name}-bmc` }, bootMACAddress: bmc.macs[0] ?? '', image };
    await api.hosts.create(hostObject(name, { spec }));
  });
  after(async () => {
    await rig.stop();
    await api.close();
    await provisioners.close();
    await ironic.stop();
  });

  const hostNow = () => api.hosts.get(key);
  const liveUpdates = async () => (await hostNow()).status?.conditions?.find(({ type }) => type === 'LiveUpdates');
  const powers = () => ironic.requests.filter(({ line }) => line.endsWith('/states/power')).map(({ body }) => body);
  const annotate = () =>
    api.hosts.patch(key, { type: 'merge', body: { metadata: { annotations: { [rebootOnce]: '' } } } });

  it('are ignored, and a condition says so and why', async () => {
    await until('the host is provisioned and on', async () => {
      const { status } = await hostNow();
      return status?.provisioning.state === 'provisioned' && status.poweredOn === true;
    });
    await until('its settings are known', async () => {
      const { items } = await api.firmwareSettings.list({ namespace: fleet });
      return items[0]?.status?.lastUpdated !== undefined;
    });
    const spec = { firmwareSettings: 'onReboot', firmwareUpdates: 'onReboot' } as const;
    await api.updatePolicies.create({ apiVersion: metal3ApiVersion, kind: 'HostUpdatePolicy', metadata: key, spec });
    const settings = { ProcTurboMode: 'Disabled' };
    await api.firmwareSettings.patch(key, { type: 'merge', body: { spec: { settings } } });
    await until('a condition says that they are ignored', async () => (await liveUpdates())?.reason === 'NotSupported');
    assert.equal((await liveUpdates())?.status, 'False');
    assert.match(
      (await liveUpdates())?.message ?? '',
      /^live updates are ignored: Ironic speaks API 1\.86, and live updates need 1\.87/,
    );
  });

  it('a reboot is only a reboot', async () => {
    const before = powers().length;
    await annotate();
    await until('the annotation is gone and the host is on', async () => {
      const { metadata, status } = await hostNow();
      return metadata.annotations?.[rebootOnce] === undefined && status?.poweredOn === true && bmc.isOn;
    });
    assert.deepEqual(targetsOf(ironic.requests).includes('service'), false);
    assert.notEqual(powers().length, before, 'it was not rebooted');
    assert.equal(bmc.bios.get('ProcTurboMode'), 'Enabled');
    const { status } = await hostNow();
    assert.deepEqual([status?.operationalStatus, status?.operationHistory?.service?.start ?? null], ['OK', null]);
  });

  it('are made once Ironic is upgraded', async () => {
    await ironic.stop();
    await ironic.start({ newestMinor: 87 });
    await until('it waits for its reboot', async () => {
      // Somebody looks at the host: at rest it is looked at once a minute only.
      await api.hosts.patch(key, {
        type: 'merge',
        body: { metadata: { annotations: { 'example.com/looked-at': String(ironic.requests.length) } } },
      });
      return (await liveUpdates())?.reason === 'WaitsForReboot';
    });
    await annotate();
    await until('its live update has ended', async () => {
      const { service } = (await hostNow()).status?.operationHistory ?? {};
      return (service?.end ?? null) !== null;
    });
    assert.equal(bmc.bios.get('ProcTurboMode'), 'Disabled');
    assert.equal(targetsOf(ironic.requests).filter((target) => target === 'service').length, 1);
    assert.equal((await hostNow()).status?.operationalStatus, 'OK');
  });
});
