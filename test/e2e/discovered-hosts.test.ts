import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BareMetalHost, type BareMetalHostDiscovery, metal3ApiVersion } from '../../src/api/index.ts';
import { type DiscoveryControllers, startDiscoveryControllers } from '../../src/discovery/index.ts';
import { createHostAdmission } from '../../src/hosts/index.ts';
import {
  fleet,
  type HostApi,
  type HostRig,
  putSecret,
  startHostApi,
  startHostRig,
  until,
  untilGone,
  untilState,
} from '../../src/hosts/testing/rig.ts';
import { type KubeClient, type KubeObject, systemClock } from '../../src/kube/index.ts';
import {
  createDemoArrivals,
  createDemoProvisioners,
  type DemoArrival,
} from '../../src/provisioners/testing/demo/index.ts';

const image = { url: 'http://images.example/a.qcow2', checksum: 'abc' };
const discoveries = {
  group: 'metal3.io',
  version: 'v1alpha1',
  resource: 'baremetalhostdiscoveries',
  namespaced: true,
  kind: 'BareMetalHostDiscovery',
};

function machine(number: number): DemoArrival {
  const mac = `52:54:00:aa:00:0${number}`;
  const systemVendor = { manufacturer: 'Demo', productName: 'Rack Server', serialNumber: `SN000${number}` };
  const hardware = {
    systemVendor,
    ramMebibytes: 1024,
    cpu: { arch: 'x86_64', count: 4 },
    nics: [{ name: 'eno1', mac }],
  };
  return { bootMac: mac, details: { hardware, hostname: `plugged-${number}` } };
}

function powerOf({ status }: BareMetalHost): string | undefined {
  const found = status?.conditions?.find(({ type }) => type === 'PowerManagement');
  return found === undefined ? undefined : `${found.status} ${found.reason}`;
}

describe('machines that come by themselves, with discovery, admission and the demo', () => {
  const arrivals = createDemoArrivals();
  let api: HostApi;
  let rig: HostRig;
  let discovery: DiscoveryControllers;
  let client: KubeClient;
  before(async () => {
    const admission = createHostAdmission();
    api = await startHostApi(admission.rules);
    rig = await startHostRig(api, { provisioners: createDemoProvisioners({ arrivals }) });
    admission.attach(rig.controllers.view);
    client = await api.connect();
    discovery = startDiscoveryControllers({
      ...{ client, clock: systemClock, random: Math.random, sources: [arrivals.source] },
      settings: { claimNamespace: fleet },
    });
    await discovery.whenSynced();
    await client.resource<BareMetalHostDiscovery & KubeObject>(discoveries).create({
      apiVersion: metal3ApiVersion,
      kind: 'BareMetalHostDiscovery',
      metadata: { namespace: fleet, name: 'all' },
      spec: { resourceNameTemplate: { hardwareDetails: 'hostname' }, pollIntervalSeconds: 5 },
    });
  });
  after(async () => {
    await discovery?.stop();
    await client?.close();
    await rig?.stop();
    await api?.close();
  });

  it('become available, are provisioned, and are managed once their BMC is told, without an inspection', async () => {
    const id = arrivals.arrive(machine(1));
    const found = await untilState(api, 'plugged-1', 'available');
    assert.equal(found.status?.provisioning.ID, id);
    assert.deepEqual(found.status?.hardware, machine(1).details.hardware);
    assert.equal(powerOf(found), 'False NoBMCDetails');
    const at = { namespace: fleet, name: 'plugged-1' };
    assert.deepEqual((await api.hardwareData.get(at)).spec?.hardware, machine(1).details.hardware);
    await api.hosts.patch(at, { type: 'merge', body: { spec: { image } } });
    await untilState(api, 'plugged-1', 'provisioned');
    await api.hosts.patch(at, { type: 'merge', body: { metadata: { annotations: { 'reboot.metal3.io': '' } } } });
    await until(api.hosts, 'plugged-1', ({ metadata }) => metadata.annotations?.['reboot.metal3.io'] === undefined);
    await putSecret(api, 'plugged-1-bmc');
    const bmc = { address: 'redfish://10.67.0.1/redfish/v1/Systems/1', credentialsName: 'plugged-1-bmc' };
    await api.hosts.patch(at, { type: 'merge', body: { spec: { bmc } } });
    const managed = await until(api.hosts, 'plugged-1', (host) => powerOf(host) === 'True BMCAccessValidated');
    assert.equal(managed.status?.provisioning.state, 'provisioned');
    assert.equal(managed.status?.provisioning.ID, id);
    assert.equal(managed.status?.operationHistory?.inspect, undefined, 'it was never inspected');
  });

  it('are gone when their host is deleted, and are found anew when they come again', async () => {
    const id = arrivals.arrive(machine(2));
    await untilState(api, 'plugged-2', 'available');
    await api.hosts.delete({ namespace: fleet, name: 'plugged-2' });
    await untilGone(api.hosts, 'plugged-2');
    assert.equal(arrivals.find({ id }), undefined);
    const again = arrivals.arrive(machine(2));
    const found = await untilState(api, 'plugged-2', 'available');
    assert.equal(found.status?.provisioning.ID, again);
  });
});
