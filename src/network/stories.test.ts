import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { driveHost } from './testing/drive-host.ts';
import {
  type ApiRig,
  type ControllerRig,
  link,
  onDevice,
  putConfiguration,
  putHost,
  putLimit,
  putNamespace,
  putSwitch,
  startApi,
  startControllers,
  until,
  untilError,
  untilEvent,
  untilState,
} from './testing/rig.ts';

const nic = (at: number): string => `52:54:00:00:00:0${at}`;

describe('the stories of the document', () => {
  let api: ApiRig;
  let rig: ControllerRig;
  before(async () => {
    api = await startApi();
    rig = await startControllers(api);
    for (const name of ['infra', 'tenant']) await putNamespace(api, name);
    await putSwitch(api, 'infra/leaf', {
      spec: {
        parkingVLAN: 999,
        macAddress: '02:00:00:00:00:99',
        ports: { 'leaf-1': { name: 'Ethernet1' }, 'leaf-2': { name: 'Ethernet2' } },
      },
    });
    await putConfiguration(api, 'infra/pxe', { untaggedVLAN: 100 });
    await putConfiguration(api, 'tenant/blue', {
      untaggedVLAN: 10,
      vlans: '20-22',
      acl: [{ type: 'ipv4', action: 'deny', protocol: 'TCP', src: '192.0.2.0/24', desPortRange: '22' }],
    });
    await putLimit(api, 'tenant', '10-30');
    await putHost(api, 'tenant/h1', [
      {
        mac: nic(1),
        port: { name: 'leaf-1', namespace: 'infra' },
        provisioningConfiguration: { name: 'pxe', namespace: 'infra' },
        configuration: { name: 'blue' },
      },
      { mac: nic(2), port: { name: 'leaf-2', namespace: 'infra' } },
    ]);
  });
  after(async () => {
    await rig?.stop();
    await api?.close();
  });

  const first = (): object => onDevice(rig.rack, 'infra/leaf', 'Ethernet1');
  const drive = (phase: Parameters<typeof driveHost>[2]) => driveHost({ api, rig }, 'tenant/h1', phase);

  test('1: before provisioning the machine is on the provisioning network', async () => {
    const plan = await drive('provisioning');
    assert.equal(plan.verdict, 'ready');
    assert.deepEqual(first(), { untaggedVlan: 100 });
    const limit = await until(api.limits, 'tenant/user-limit', ({ status }) => status?.usedVLANRange !== undefined);
    assert.equal(limit.status?.usedVLANRange, '');
  });

  test('2 and 3: after provisioning it is off that network and on the one its user named, with its access list', async () => {
    await drive('deployed');
    const settings = first() as { untaggedVlan: number; taggedVlans: object; acl: object[] };
    assert.equal(settings.untaggedVlan, 10);
    assert.deepEqual(settings.taggedVlans, [{ first: 20, last: 22 }]);
    assert.equal(settings.acl.length, 1);
    const port = await untilState(api, 'infra/leaf-1', 'Active', 'blue');
    assert.equal(port.status?.observed?.acl?.length, 1);
    const limit = await until(api.limits, 'tenant/user-limit', ({ status }) => status?.usedVLANRange === '10,20-22');
    assert.deepEqual(limit.status?.usedVLANs?.[0], { vlan: 10, ports: 1 });
    assert.deepEqual(
      limit.status?.conditions?.map(({ status }) => status),
      ['True'],
    );
  });

  test('an in-band service takes it to the provisioning network and back', async () => {
    await drive('servicing');
    assert.deepEqual(first(), { untaggedVlan: 100 });
    await drive('deployed');
    assert.equal((first() as { untaggedVlan: number }).untaggedVlan, 10);
  });

  test('somebody who changes the port at the switch is undone, and an event says what changed', async () => {
    const device = rig.rack.switchOf({ namespace: 'infra', name: 'leaf' });
    const before = device?.portOf('Ethernet1');
    assert.ok(before !== undefined && device !== undefined);
    let isChanged = false;
    await until(api.ports, 'infra/leaf-1', ({ status }) => {
      // The watch shows how it is first; only then is it certain to show what comes and goes.
      if (!isChanged) device.setPort('Ethernet1', { ...before, untaggedVlan: 666 });
      isChanged = true;
      return status?.state === 'Configuring';
    });
    await untilState(api, 'infra/leaf-1', 'Active', 'blue');
    assert.equal((first() as { untaggedVlan: number }).untaggedVlan, 10);
    const told = await untilEvent(api, { about: 'infra/leaf-1', reason: 'ConfigurationDrifted' });
    assert.match(told, /untaggedVlan 666 -> 10/);
  });

  test('a configuration in use that is deleted stays until nobody uses it', async () => {
    await until(api.configurations, 'tenant/blue', ({ metadata }) => metadata.finalizers?.length === 1);
    await api.configurations.delete({ namespace: 'tenant', name: 'blue' });
    const held = await api.configurations.get({ namespace: 'tenant', name: 'blue' });
    assert.ok(held.metadata.deletionTimestamp !== undefined);
    assert.equal((first() as { untaggedVlan: number }).untaggedVlan, 10);
  });

  test('4: before deprovisioning it is back on the provisioning network', async () => {
    const plan = await drive('provisioning');
    assert.equal(plan.verdict, 'ready');
    assert.deepEqual(first(), { untaggedVlan: 100 });
  });

  test('5: what was made for the machine is cleared when it goes', async () => {
    const plan = await drive('released');
    assert.equal(plan.verdict, 'ready');
    assert.deepEqual(first(), { untaggedVlan: 999 });
    await untilState(api, 'infra/leaf-1', 'Idle');
  });

  test('without a configuration the port is cleaned after deploy', async () => {
    await api.hosts.patch(
      { namespace: 'tenant', name: 'h1' },
      {
        type: 'merge',
        body: {
          spec: {
            ports: [
              {
                mac: nic(1),
                port: { name: 'leaf-1', namespace: 'infra' },
                provisioningConfiguration: { name: 'pxe', namespace: 'infra' },
              },
            ],
          },
        },
      },
    );
    await drive('provisioning');
    await drive('deployed');
    assert.deepEqual(first(), { untaggedVlan: 999 });
  });

  test('a port in error is an error of the host, which says which one and why', async () => {
    await putConfiguration(api, 'tenant/red', { untaggedVLAN: 66 });
    await api.hosts.patch(
      { namespace: 'tenant', name: 'h1' },
      {
        type: 'merge',
        body: {
          spec: {
            ports: [{ mac: nic(1), port: { name: 'leaf-1', namespace: 'infra' }, configuration: { name: 'red' } }],
          },
        },
      },
    );
    const plan = await drive('deployed');
    assert.equal(plan.verdict, 'error');
    assert.match(plan.message, /^Port infra\/leaf-1 of 52:54:00:00:00:01: the namespace tenant may use VLANs 10-30/);
    await untilError(api, 'infra/leaf-1', 'VLANOutsideLimit');
    assert.deepEqual(first(), { untaggedVlan: 999 });
    await drive('released');
    await untilState(api, 'infra/leaf-1', 'Idle');
  });

  test('a port can be used without a host, by its own namespace', async () => {
    await link(api, 'infra/leaf-2', 'infra/pxe');
    await untilState(api, 'infra/leaf-2', 'Active', 'pxe');
    await link(api, 'infra/leaf-2', 'tenant/red');
    await untilError(api, 'infra/leaf-2', 'ConfigurationNotAllowed');
    assert.deepEqual(onDevice(rig.rack, 'infra/leaf', 'Ethernet2'), { untaggedVlan: 100 });
    await link(api, 'infra/leaf-2', undefined);
    await untilState(api, 'infra/leaf-2', 'Idle');
  });
});
