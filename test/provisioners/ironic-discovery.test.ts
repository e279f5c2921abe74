import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { quarantineLabel } from '../../src/api/index.ts';
import { startDiscoveryControllers } from '../../src/discovery/index.ts';
import {
  aDiscovery,
  type DiscoveryApi,
  fastClock,
  fleet,
  startDiscoveryApi,
  until,
} from '../../src/discovery/testing/rig.ts';
import { startHostControllers } from '../../src/hosts/index.ts';
import { systemClock } from '../../src/kube/index.ts';
import { createIronicProvisioners } from '../../src/provisioners/index.ts';
import {
  createFakeBmc,
  type FakeBmc,
  type FakeIronic,
  startFakeIronic,
  targetsOf,
} from '../../src/provisioners/ironic/testing/index.ts';

const image = { url: 'http://files/image.raw', checksum: 'abc', checksumType: 'sha256', format: 'raw' } as const;
const secrets = { group: '', version: 'v1', resource: 'secrets', namespaced: true, kind: 'Secret' };

describe('a machine that comes to an Ironic by itself', () => {
  const ends: (() => Promise<void>)[] = [];
  const machine: FakeBmc = createFakeBmc(1);
  const [, bootMac = ''] = machine.macs;
  let api: DiscoveryApi;
  let ironic: FakeIronic;

  before(async () => {
    api = await startDiscoveryApi();
    ends.push(() => api.close());
    ironic = await startFakeIronic({ bmcs: [machine] });
    ends.push(() => ironic.stop());
    const provisioners = createIronicProvisioners({
      url: ironic.url,
      delays: { shortMs: 20, longMs: 20, awayMs: 20 },
    });
    ends.push(() => provisioners.close());
    const client = await api.connect();
    ends.push(() => client.close());
    const { sources = [] } = provisioners;
    assert.equal(sources.length, 1);
    const shared = { client, random: Math.random };
    const hosts = startHostControllers({ ...shared, clock: systemClock, provisioners });
    ends.push(() => hosts.stop());
    const discoveries = startDiscoveryControllers({ ...shared, clock: fastClock, sources });
    ends.push(() => discoveries.stop());
    await Promise.all([hosts.whenSynced(), discoveries.whenSynced()]);
  });
  after(async () => {
    for (const end of ends.reverse()) await end();
  });

  const key = { namespace: fleet, name: 'ramdisk' };
  const node = () => ironic.node('fleet~ramdisk');

  it('becomes a host that rests while it is in quarantine', async () => {
    ironic.api.discover(machine, { driver: 'manual-management', atMs: Date.now() });
    ironic.api.beat(machine, Date.now());
    const resourceNameTemplate = { hardwareDetails: 'hostname' } as const;
    await api.discoveries.create(aDiscovery('all', { resourceNameTemplate, quarantine: true }));
    const host = await until(api.hosts, key.name, ({ status }) =>
      (status?.conditions ?? []).some(({ message }) => message.includes('quarantine')),
    );
    assert.equal(host.status?.provisioning.state, 'importing');
    assert.equal(host.status?.hardware?.ramMebibytes, 16_384);
    assert.equal(node().provision_state, 'manageable');
  });

  it('becomes available once it is released, though nothing is known of its BMC', async () => {
    const body = { metadata: { labels: { [quarantineLabel]: null } } };
    await api.hosts.patch(key, { type: 'merge', body });
    ironic.api.beat(machine, Date.now());
    const host = await until(api.hosts, key.name, ({ status }) => status?.provisioning.state === 'available');
    assert.equal(host.spec?.bootMACAddress, bootMac);
    assert.equal(host.status?.hardware?.ramMebibytes, 16_384);
    assert.equal(host.status?.provisioning.ID, node().uuid);
    assert.deepEqual([node().driver, node().provision_state], ['manual-management', 'available']);
    assert.equal(machine.isOn, true);
  });

  it('gets an image from the agent that it runs', async () => {
    const body = { spec: { image, online: true } };
    await api.hosts.patch(key, { type: 'merge', body });
    await until(api.hosts, key.name, ({ status }) => status?.provisioning.state === 'provisioned');
    assert.deepEqual([machine.disk, machine.isOn], [image.url, false]);
    // Nobody but somebody in front of the rack can.
    machine.isOn = true;
  });

  it('is managed once credentials come, without having been inspected', async () => {
    const client = await api.connect();
    const stringData = { username: machine.username, password: machine.password };
    const metadata = { namespace: fleet, name: 'bmc' };
    await client.resource(secrets).create({ apiVersion: 'v1', kind: 'Secret', metadata, stringData } as never);
    await client.close();
    const address = `redfish+${machine.redfishAddress}${machine.systemPath}`;
    const body = { spec: { bmc: { address, credentialsName: 'bmc' } } };
    await api.hosts.patch(key, { type: 'merge', body });
    const host = await until(
      api.hosts,
      key.name,
      ({ status }) => status?.goodCredentials?.credentials?.name === 'bmc' && status.poweredOn,
    );
    assert.deepEqual([host.status?.provisioning.state, host.status?.errorMessage], ['provisioned', '']);
    assert.deepEqual([node().driver, node().provision_state], ['redfish', 'active']);
    assert.equal(machine.isOn, true);
    assert.deepEqual(targetsOf(ironic.requests.filter(({ line }) => line.startsWith('PUT'))), [
      'manage',
      'provide',
      'active',
    ]);
  });
});
