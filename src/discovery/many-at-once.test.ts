import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createHostAdmission } from '../hosts/index.ts';
import { conditionOf, systemClock } from '../kube/index.ts';
import { createMetrics, type MetricsRegistry } from '../telemetry/index.ts';
import {
  aDiscovery,
  aHost,
  claimNamespace,
  type DiscoveryApi,
  fastClock,
  fleet,
  namesOf,
  startDiscoveryApi,
  startDiscoveryRig,
  until,
  untilAll,
} from './testing/rig.ts';
import { createScriptedSource, macOf } from './testing/scripted-source.ts';

/** Requests by method, watches and listings of caches apart. */
async function writesOf(metrics: MetricsRegistry): Promise<number> {
  const lines = (await metrics.expose()).split('\n').filter((line) => line.startsWith('rest_client_requests_total{'));
  return lines
    .filter((line) => !line.includes('method="GET"'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function readsOf(metrics: MetricsRegistry): Promise<number> {
  const lines = (await metrics.expose()).split('\n').filter((line) => line.startsWith('rest_client_requests_total{'));
  return lines
    .filter((line) => line.includes('method="GET"'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

function put(source: ReturnType<typeof createScriptedSource>, count: number): void {
  for (let index = 1; index <= count; index++) {
    source.put({ id: `m${index}`, bootMac: macOf(index), details: { hostname: `node-${index}` } });
  }
}

describe('many machines at once', () => {
  let api: DiscoveryApi;
  before(async () => {
    api = await startDiscoveryApi();
  });
  after(() => api.close());

  it('cost two requests each and one status, and nothing more once they are hosts', async () => {
    const metrics = createMetrics();
    const source = createScriptedSource();
    const rig = await startDiscoveryRig(api, { client: await api.connect(metrics), source });
    put(source, 100);
    const before = await readsOf(metrics);
    await api.discoveries.create(aDiscovery('cost'));
    await until(api.discoveries, 'cost', ({ status }) => status?.discoveredHosts === 100);
    assert.equal((await api.hosts.list()).items.length, 100);
    await untilAll(api.events, (events) => events.some(({ reason }) => reason === 'HostsDiscovered'));
    // 100 claims, 100 hosts; a status and an event for all of them.
    while ((await writesOf(metrics)) < 202) await source.polled();
    await source.polled(4);
    assert.equal(await writesOf(metrics), 202, 'polls that find nothing new write nothing');
    // Watches that end are begun anew; nothing else is read.
    assert.ok((await readsOf(metrics)) - before < 50);
    await rig.stop();
  });
});

describe('several controllers and several resources', () => {
  it('make one host of each machine, whatever they would name it', async () => {
    const api = await startDiscoveryApi();
    await api.makeNamespace('other');
    const source = createScriptedSource();
    const rigs = await Promise.all([1, 2, 3].map(() => startDiscoveryRig(api, { source })));
    put(source, 40);
    await Promise.all([
      api.discoveries.create(aDiscovery('a')),
      api.discoveries.create(aDiscovery('b', { resourceNameTemplate: { hardwareDetails: 'boot-mac' } })),
      api.discoveries.create(
        aDiscovery('c', { resourceNameTemplate: { hardwareDetails: 'provisioning-id' } }, 'other'),
      ),
    ]);
    await untilAll(api.hosts, (hosts) => hosts.length >= 40);
    // Every resource sees all of them as hosts in the end, so nobody is about to make one.
    await untilAll(api.discoveries, (all) => all.every(({ status }) => status?.knownHosts === 40));
    const { items } = await api.hosts.list();
    assert.equal(new Set(items.map(({ spec }) => spec?.bootMACAddress)).size, 40);
    assert.equal(items.length, 40);
    assert.equal((await api.claims.list({ namespace: claimNamespace })).items.length, 40);
    await Promise.all(rigs.map((rig) => rig.stop()));
    await api.close();
  });

  it('leave a machine to the one whose process died, and go on with it once that is quiet', async () => {
    const api = await startDiscoveryApi();
    const metadata = { namespace: claimNamespace, name: 'host-52-54-00-00-00-01' };
    const labels = { 'discovery.rackwright.io/claim': 'mac' };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...metadata, labels } };
    await api.claims.create({ ...lease, spec: { holderIdentity: 'gone/never-made' } });
    const rig = await startDiscoveryRig(api, { settings: { retakeMs: 20_000 } });
    put(rig.source, 1);
    await api.discoveries.create(aDiscovery('a'));
    await until(api.hosts, 'node-1', () => true);
    const claim = await api.claims.get(metadata);
    assert.equal(claim.spec?.holderIdentity, 'fleet/node-1');
    assert.equal(claim.spec?.leaseTransitions, 1);
    await rig.stop();
    await api.close();
  });

  it('take claims away of machines that are gone, and of no others', async () => {
    const api = await startDiscoveryApi();
    const rig = await startDiscoveryRig(api, { settings: { retakeMs: 1_000, forgetMs: 10_000 } });
    put(rig.source, 2);
    await api.discoveries.create(aDiscovery('a'));
    await untilAll(api.hosts, (hosts) => hosts.length === 2);
    rig.source.drop('m1');
    await api.hosts.delete({ namespace: fleet, name: 'node-1' });
    await untilAll(api.claims, (claims) => !namesOf(claims).includes('host-52-54-00-00-00-01'));
    assert.ok(namesOf((await api.claims.list()).items).includes('host-52-54-00-00-00-02'));
    await rig.stop();
    await api.close();
  });
});

describe('machines that lie', () => {
  let api: DiscoveryApi;
  before(async () => {
    const admission = createHostAdmission();
    api = await startDiscoveryApi(admission.rules);
    admission.attach({
      hosts: { byIndex: () => [], get: () => undefined },
      read: (key) => api.hosts.get(key),
      mayDo: async () => true,
      clock: fastClock,
    });
  });
  after(() => api.close());

  it('are refused with a reason, and hosts that are there stay as they are', async () => {
    const managed = await api.hosts.create(aHost('managed', macOf(1)));
    const rig = await startDiscoveryRig(api);
    const { source } = rig;
    source.put(
      { id: 'thief', bootMac: macOf(1), details: { hostname: 'managed' } },
      { id: 'namesake', bootMac: macOf(2), details: { hostname: 'MANAGED' } },
      { id: 'twin-1', bootMac: macOf(3), details: { hostname: 'twin-1' } },
      { id: 'twin-2', bootMac: macOf(3), details: { hostname: 'twin-2' } },
      { id: 'boaster', bootMac: macOf(4), details: { hostname: 'x'.repeat(2 ** 20) } },
      { id: 'mute', bootMac: macOf(5), details: {} },
      { id: 'nobody', bootMac: '00:00:00:00:00:00', details: { hostname: 'nobody' } },
      { id: 'honest', bootMac: macOf(6), details: { hostname: 'honest' } },
    );
    for (let index = 100; index < 200; index++) {
      source.put({ id: `flood-${'y'.repeat(5000)}-${index}`, bootMac: macOf(index), details: { hostname: 'honest' } });
    }
    await api.discoveries.create(aDiscovery('a'));
    const { status } = await until(api.discoveries, 'a', ({ status }) => status?.discoveredHosts === 1);
    assert.deepEqual(namesOf((await api.hosts.list()).items).length, 2);
    assert.deepEqual(await api.hosts.get({ namespace: fleet, name: 'managed' }), managed);
    assert.equal(status?.skippedHosts, 106);
    assert.equal(status?.skipped?.length, 20);
    const reasons = new Map(status?.skipped?.map(({ provisionerID, reason }) => [provisionerID, reason]));
    assert.equal(reasons.get('boaster'), 'NameTooLong');
    assert.equal(reasons.get('twin-1'), 'MACConflict');
    assert.equal(reasons.get('twin-2'), 'MACConflict');
    assert.equal(reasons.get('nobody'), 'MACInvalid');
    assert.equal(conditionOf(status?.conditions, 'NameConflict')?.status, 'True');
    assert.ok(JSON.stringify(status).length < 20_000, `${JSON.stringify(status).length} characters of status`);
    const events = await untilAll(api.events, (all) => all.some(({ reason }) => reason === 'HostsRefused'));
    assert.ok(events.every(({ message }) => String(message).length <= 1024));
    await rig.stop();
  });

  it('what the API refuses is told, in its own words', async () => {
    const source = createScriptedSource();
    const rig = await startDiscoveryRig(api, { source });
    source.put({ id: 'm', bootMac: macOf(700), details: { hostname: 'second' } });
    await api.discoveries.create(aDiscovery('b', { labels: { 'not a label': 'x' } }));
    const { status } = await until(api.discoveries, 'b', ({ status }) => status?.skippedHosts === 1);
    assert.equal(status?.skipped?.[0]?.reason, 'HostRefused');
    assert.match(status?.skipped?.[0]?.message ?? '', /not a label/);
    await rig.stop();
  });
});

describe('the rate limit', () => {
  it('lets hosts in one after another, and tells that the rest wait', async () => {
    const api = await startDiscoveryApi();
    const rig = await startDiscoveryRig(api, { clock: systemClock });
    put(rig.source, 6);
    await api.discoveries.create(aDiscovery('a', { rateLimit: { hostsPerMinute: 1, burst: 3 } }));
    const first = await until(api.discoveries, 'a', ({ status }) => (status?.discoveredHosts ?? 0) > 0);
    assert.equal(first.status?.discoveredHosts, 3);
    assert.equal(first.status?.waitingHosts, 3);
    assert.equal(conditionOf(first.status?.conditions, 'Throttled')?.status, 'True');
    const body = { spec: { rateLimit: null } };
    await api.discoveries.patch({ namespace: fleet, name: 'a' }, { type: 'merge', body });
    const last = await until(api.discoveries, 'a', ({ status }) => status?.discoveredHosts === 6);
    assert.equal(conditionOf(last.status?.conditions, 'Throttled')?.status, 'False');
    await rig.stop();
    await api.close();
  });
});

describe('the limit of hosts that nobody uses', () => {
  it('ends a flood, says so, and lets one more in for each host that is used', async () => {
    const api = await startDiscoveryApi();
    const rig = await startDiscoveryRig(api);
    put(rig.source, 6);
    await api.hosts.create(aHost('registered', macOf(600)));
    await api.discoveries.create(aDiscovery('a', { maxUnusedHosts: 2 }));
    const full = await until(api.discoveries, 'a', ({ status }) => status?.unusedHosts === 2);
    assert.deepEqual([full.status?.discoveredHosts, full.status?.waitingHosts], [2, 4]);
    const told = conditionOf(full.status?.conditions, 'Throttled');
    assert.deepEqual([told?.status, told?.reason], ['True', 'TooManyUnused']);
    await rig.source.polled(3);
    assert.equal((await api.hosts.list()).items.length, 3, 'polls that come later let none in either');
    const taken = (await api.hosts.list()).items.find(({ metadata }) => metadata.name !== 'registered');
    const body = { spec: { consumerRef: { kind: 'Metal3Machine', name: 'm', namespace: fleet } } };
    await api.hosts.patch({ namespace: fleet, name: taken?.metadata.name ?? '' }, { type: 'merge', body });
    await until(api.discoveries, 'a', ({ status }) => status?.discoveredHosts === 3);
    await rig.source.polled(3);
    assert.equal((await api.hosts.list()).items.length, 4);
    await rig.stop();
    await api.close();
  });
});
