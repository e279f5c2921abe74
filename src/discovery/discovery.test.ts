import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { quarantineLabel } from '../api/index.ts';
import { readDiscoveryNote } from '../hosts/index.ts';
import { conditionOf } from '../kube/index.ts';
import {
  aDiscovery,
  aHost,
  type DiscoveryApi,
  type DiscoveryRig,
  fleet,
  namesOf,
  startDiscoveryApi,
  startDiscoveryRig,
  until,
  untilAll,
} from './testing/rig.ts';
import { macOf } from './testing/scripted-source.ts';

describe('discovery on an API server', () => {
  let api: DiscoveryApi;
  let rig: DiscoveryRig;
  before(async () => {
    api = await startDiscoveryApi();
    rig = await startDiscoveryRig(api);
  });
  after(async () => {
    await rig.stop();
    await api.close();
  });

  it('is off while nothing asks for it', async () => {
    rig.source.put({ id: 'm1', bootMac: macOf(1), details: { hostname: 'one' } });
    await api.hosts.create(aHost('registered', macOf(2).toUpperCase()));
    await untilAll(api.hosts, (hosts) => hosts.length === 1);
    assert.equal(rig.source.lists, 0);
  });

  it('makes hosts of machines that nobody has registered, in any namespace, and of no others', async () => {
    await api.makeNamespace('elsewhere');
    await api.hosts.create(aHost('theirs', macOf(3), 'elsewhere'));
    const hardware = { ramMebibytes: 1024, nics: [{ mac: macOf(1), ip: '192.0.2.1' }] };
    rig.source.put(
      { id: 'm1', bootMac: macOf(1), details: { hostname: 'One_A', hardware } },
      { id: 'm2', bootMac: macOf(2), details: { hostname: 'two' } },
      // Its second NIC is the one that a host of another namespace boots from.
      { id: 'm3', bootMac: macOf(30), macs: [macOf(30), macOf(3).toUpperCase()], details: { hostname: 'three' } },
    );
    await api.discoveries.create(
      aDiscovery('d', {
        resourceNameTemplate: { prefix: 'rack1-', hardwareDetails: 'hostname', suffix: '-x' },
        labels: { pool: 'a' },
        annotations: { note: 'b' },
        quarantine: true,
      }),
    );
    const told = await until(api.discoveries, 'd', ({ status }) => status?.discoveredHosts === 1);
    const host = await api.hosts.get({ namespace: fleet, name: 'rack1-one-a-x' });
    assert.equal(host.spec?.bootMACAddress, macOf(1));
    assert.deepEqual(host.metadata.labels, { pool: 'a', [quarantineLabel]: 'true' });
    assert.equal(host.metadata.annotations?.note, 'b');
    assert.deepEqual(readDiscoveryNote(host), { value: { provisionerId: 'm1', hardware } });
    const { items } = await api.hosts.list();
    assert.deepEqual(namesOf(items), ['rack1-one-a-x', 'registered', 'theirs']);
    assert.equal(told.status?.knownHosts, 3);
    assert.equal(conditionOf(told.status?.conditions, 'Ready')?.status, 'True');
    const event = await untilAll(api.events, (events) => events.some(({ reason }) => reason === 'HostsDiscovered'));
    assert.match(String(event.find(({ reason }) => reason === 'HostsDiscovered')?.message), /rack1-one-a-x/);
  });

  it('leaves earlier hosts alone when it is changed, and names later ones anew', async () => {
    const before = await api.hosts.get({ namespace: fleet, name: 'rack1-one-a-x' });
    const spec = {
      resourceNameTemplate: { prefix: null, suffix: null, hardwareDetails: 'boot-mac' },
      labels: { pool: 'b' },
      quarantine: false,
    };
    rig.source.put({ id: 'm4', bootMac: macOf(4), details: {} });
    await api.discoveries.patch({ namespace: fleet, name: 'd' }, { type: 'merge', body: { spec } });
    const later = await until(api.hosts, '52-54-00-00-00-04', () => true);
    assert.deepEqual(later.metadata.labels, { pool: 'b' });
    assert.deepEqual(await api.hosts.get({ namespace: fleet, name: 'rack1-one-a-x' }), before);
  });

  it('makes a host again that was deleted, unless its MAC is ignored', async () => {
    const key = { namespace: fleet, name: '52-54-00-00-00-04' };
    const first = await api.hosts.get(key);
    await api.hosts.delete(key);
    await until(api.hosts, key.name, ({ metadata }) => metadata?.uid !== first.metadata.uid);
    const body = { spec: { ignoredMACAddresses: [macOf(4).toUpperCase()] } };
    await api.discoveries.patch({ namespace: fleet, name: 'd' }, { type: 'merge', body });
    await until(api.discoveries, 'd', ({ status, metadata }) => status?.observedGeneration === metadata?.generation);
    await api.hosts.delete(key);
    const told = await until(api.discoveries, 'd', ({ status }) => status?.ignoredHosts === 1);
    assert.equal(told.status?.knownHosts, 3);
    assert.ok(!namesOf((await api.hosts.list()).items).includes(key.name));
  });

  it('does nothing while it is paused, and says so', async () => {
    await api.discoveries.patch({ namespace: fleet, name: 'd' }, { type: 'merge', body: { spec: { paused: true } } });
    const isPaused = (reason: string | undefined) => reason === 'Paused';
    await until(api.discoveries, 'd', ({ status }) => isPaused(conditionOf(status?.conditions, 'Ready')?.reason));
    const lists = rig.source.lists;
    rig.source.put({ id: 'm5', bootMac: macOf(5), details: { hostname: 'five' } });
    await api.discoveries.patch(
      { namespace: fleet, name: 'd' },
      { type: 'merge', body: { spec: { labels: { pool: 'c' } } } },
    );
    await until(api.discoveries, 'd', ({ status, metadata }) => status?.observedGeneration === metadata?.generation);
    assert.equal(rig.source.lists, lists);
    await api.discoveries.patch({ namespace: fleet, name: 'd' }, { type: 'merge', body: { spec: { paused: false } } });
    await until(api.hosts, '52-54-00-00-00-05', () => true);
  });

  it('tells when the provisioner does not answer, and goes on when it does', async () => {
    rig.source.fail({ kind: 'unavailable', message: 'it is away', afterMs: 10 });
    const away = await until(
      api.discoveries,
      'd',
      ({ status }) => conditionOf(status?.conditions, 'Ready')?.reason === 'SourceUnavailable',
    );
    assert.match(conditionOf(away.status?.conditions, 'Ready')?.message ?? '', /it is away/);
    assert.equal(away.status?.knownHosts, 4);
    rig.source.fail(undefined);
    await until(api.discoveries, 'd', ({ status }) => conditionOf(status?.conditions, 'Ready')?.status === 'True');
  });

  it('tells of a machine whose MAC a host lists that boots from another one', async () => {
    await api.hosts.create(aHost('liar', macOf(60)));
    const status = {
      ...{ operationalStatus: 'OK', errorMessage: '', errorCount: 0, poweredOn: true },
      provisioning: { state: 'available', ID: 'm60' },
      hardware: { nics: [{ mac: macOf(60) }, { mac: macOf(61).toUpperCase() }] },
    };
    await api.hosts.status.patch({ namespace: fleet, name: 'liar' }, { type: 'merge', body: { status } });
    const { hosts } = rig.controllers.informers;
    await new Promise<void>((done) => {
      const look = () => void (hosts.byIndex('mac', macOf(61)).length > 0 && done());
      hosts.onChange(look);
      look();
    });
    rig.source.put({ id: 'm61', bootMac: macOf(61), details: { hostname: 'victim' } });
    const told = await until(api.discoveries, 'd', (object) => (object.status?.skippedHosts ?? 0) > 0);
    assert.deepEqual(
      told.status?.skipped?.map(({ provisionerID, reason }) => [provisionerID, reason]),
      [['m61', 'MACConflict']],
    );
  });
});
