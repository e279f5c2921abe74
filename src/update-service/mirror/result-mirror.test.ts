import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openOrcStore } from '../../conditionorc/index.ts';
import { createFakeClock, type KubeClient, kubeError } from '../../kube/index.ts';
import { silentLogger } from '../../telemetry/index.ts';
import type { JobLimits } from '../kinds.ts';
import { createKubeNames } from '../names/kube-names.ts';
import { serverB, setUpUpdates, type UpdateRig, until } from '../testing/update-rig.ts';
import { createInventoryReader } from './installed.ts';
import {
  type MirroredDiscoveryReport,
  type MirroredServerReport,
  type MirroredWait,
  mirrorResults,
} from './result-mirror.ts';
import { runMirror } from './run-mirror.ts';

const bios = (version: string) => [{ name: 'bios', manufacturer: '', version }];

async function started(t: TestContext, limits: JobLimits = {}) {
  const rig = await setUpUpdates(t, limits);
  await openOrcStore(rig.database);
  await rig.addFirmware('2.10.0');
  const servers: MirroredServerReport[] = [];
  const discoveries: MirroredDiscoveryReport[] = [];
  const waits: MirroredWait[] = [];
  const failing: { error: unknown } = { error: undefined };
  const shown = { newest: 0 };
  const mirror = {
    async server(report: MirroredServerReport) {
      if (failing.error !== undefined) throw failing.error;
      servers.push(report);
    },
    async discovery(report: MirroredDiscoveryReport) {
      discoveries.push(report);
    },
    async wait(report: MirroredWait) {
      waits.push(report);
    },
    newest: async () => shown.newest,
  };
  const parts = {
    engine: rig.engine,
    database: rig.database,
    mirror,
    names: rig.names,
    inventory: createInventoryReader(rig.service),
    logger: silentLogger,
  };
  return { rig, parts, servers, discoveries, waits, failing, shown };
}

async function finish(rig: UpdateRig, version: string, worker: string): Promise<string> {
  const [lease] = await rig.lease(worker);
  assert.ok(lease);
  const proof = await rig.launched(lease);
  const result = { server: 'alpha', firmwares: bios(version), inventoryJson: '', observedAt: rig.clock.now() };
  await rig.desks.results.server({ proof }, result);
  return proof.jobId;
}

test('the end of a scan is told once, with what is installed and a number that grows', async (t) => {
  const { rig, parts, servers } = await started(t);
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const first = await finish(rig, '2.9.0', 'w1');
  await mirrorResults(parts);
  await mirrorResults(parts);
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const second = await finish(rig, '2.9.1', 'w2');
  await mirrorResults(parts);
  assert.deepEqual(
    servers.map(({ server, kind, conditionId, installed }) => [server, kind, conditionId, installed?.[0]?.version]),
    [
      ['alpha', 'Scan', first, '2.9.0'],
      ['alpha', 'Scan', second, '2.9.1'],
    ],
  );
  assert.ok((servers[1]?.sequence ?? 0) > (servers[0]?.sequence ?? 0));
  assert.equal(servers[0]?.installed?.[0]?.manufacturer, 'Dell Inc.');
  // The Server may be another machine by the time that it is told.
  assert.equal(servers[0]?.machine, await rig.names.machineOf('alpha'));
});

test('a server is told of its scan though it came after the last list of Servers, and the engine does not know its name yet', async (t) => {
  const { rig, parts, servers } = await started(t);
  const systemUUID = await rig.names.machineOf('alpha');
  assert.ok(systemUUID);
  const known: object[] = [];
  const client = { resource: () => ({ list: async () => ({ items: [...known] }) }) } as unknown as KubeClient;
  const names = createKubeNames({ client, clock: createFakeClock(), machines: { aliasesOf: async () => [] } });
  assert.equal(await names.serverOf(systemUUID), undefined);
  known.push({ metadata: { name: 'alpha' }, spec: { systemUUID } });
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const scan = await finish(rig, '2.9.0', 'w1');
  await mirrorResults({ ...parts, names });
  assert.deepEqual(
    servers.map(({ server, conditionId }) => [server, conditionId]),
    [['alpha', scan]],
  );
});

test('a failure is told with its reason and without versions', async (t) => {
  const { rig, parts, servers } = await started(t);
  await rig.desks.requests.update({ server: 'alpha', firmwares: bios('2.10.0'), client: 'c' });
  const [lease] = await rig.lease('w1');
  assert.ok(lease);
  await rig.desks.jobs.fail(await rig.launched(lease), { reason: 'BadImage', message: 'refused', isTransient: false });
  await mirrorResults(parts);
  const [told] = servers;
  assert.deepEqual(
    [told?.kind, told?.failure, told?.installed, told?.isOutdated],
    ['Update', { reason: 'BadImage', message: 'refused' }, undefined, true],
  );
});

/** Time passes as in operation: every five seconds a sweep, and a heartbeat of those who live. */
async function pass(rig: UpdateRig, ms: number, ...alive: string[]): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5000) {
    rig.clock.advance(5000);
    for (const id of alive) await rig.engine.worker.heartbeat(id);
    await rig.engine.sweep();
  }
}

for (const [what, isFencedByHeartbeats, why] of [
  ['falls silent', true, /^worker lost, resumes at 20.*: w1 has been silent since/],
  ['lets its lease run out', false, /w1 .*; resumes at 20/],
] as const) {
  test(`an update whose worker ${what} is shown to wait until another worker resumes it`, async (t) => {
    const { rig, parts, waits } = await started(t);
    const { job } = await rig.desks.requests.update({ server: 'alpha', firmwares: bios('2.10.0'), client: 'c' });
    const kinds = ['firmwareInstall', 'inventoryOOB'];
    for (const id of ['w1', 'w2'])
      await rig.engine.worker.online({ id, kinds, facilities: ['fc1'], isFencedByHeartbeats });
    await rig.engine.worker.lease('w1', { max: 10, waitMs: 0 });
    await mirrorResults(parts);
    assert.equal(waits.length, 0);
    for (let turn = 0; turn < 20 && waits.length === 0; turn++) {
      await pass(rig, 5000, 'w2');
      await mirrorResults(parts);
    }
    const [lost] = waits;
    assert.deepEqual([lost?.server, lost?.conditionId, lost?.wait?.code], ['alpha', job.id, 'WorkerLost']);
    assert.match(lost?.wait?.message ?? '', why);
    await pass(rig, 30_000, 'w2');
    const [lease] = await rig.engine.worker.lease('w2', { max: 10, waitMs: 0 });
    assert.equal(lease?.condition.id, job.id);
    await mirrorResults(parts);
    assert.deepEqual([waits.length, waits[1]?.conditionId, waits[1]?.wait], [2, job.id, undefined]);
  });
}

test('an update whose worker is lost while no other is online says what to start', async (t) => {
  const { rig, parts, waits } = await started(t);
  await rig.desks.requests.update({ server: 'alpha', firmwares: bios('2.10.0'), client: 'c' });
  const worker = { id: 'w1', kinds: ['firmwareInstall'], facilities: ['fc1'], isFencedByHeartbeats: true };
  await rig.engine.worker.online(worker);
  await rig.engine.worker.lease('w1', { max: 10, waitMs: 0 });
  await pass(rig, 60_000);
  await mirrorResults(parts);
  assert.equal(waits[0]?.wait?.code, 'WorkerLost');
  assert.match(waits[0]?.wait?.message ?? '', /^worker lost; no worker for firmwareInstall is online in facility fc1/);
});

test('an update that nobody got to before its deadline is no attempt that failed', async (t) => {
  const { rig, parts, servers } = await started(t);
  const { job } = await rig.desks.requests.update({ server: 'alpha', firmwares: bios('2.10.0'), client: 'c' });
  const { deadline = 0 } = (await rig.engine.get(job.id)) ?? {};
  rig.clock.advance(deadline - rig.clock.now());
  await rig.engine.sweep();
  await mirrorResults(parts);
  assert.deepEqual([servers[0]?.failure?.reason, servers[0]?.conditionId], ['Cancelled', job.id]);
  assert.match(servers[0]?.failure?.message ?? '', /deadline/);
});

async function beginUpdate(rig: UpdateRig, server: string): Promise<{ conditionId: string; token: number }> {
  await rig.desks.requests.update({ server, firmwares: bios('2.10.0'), client: 'c' });
  const [lease] = await rig.lease(`worker of ${server}`);
  return lease === undefined ? assert.fail() : { conditionId: lease.condition.id, token: lease.token };
}

test('an update whose server is gone before it was read keeps nobody from being told of others', async (t) => {
  const { rig, parts, servers } = await started(t);
  await rig.engine.worker.report(await beginUpdate(rig, 'beta'), { state: 'succeeded' });
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const scan = await finish(rig, '2.9.0', 'w1');
  await rig.engine.machines.remove(serverB);
  const serverOf = async (id: string) => (id === serverB ? 'beta' : 'alpha');
  await mirrorResults({ ...parts, names: { serverOf } });
  await mirrorResults({ ...parts, names: { serverOf } });
  assert.deepEqual(
    servers.map(({ conditionId }) => conditionId),
    [scan],
  );
});

test('an update whose server cannot be read for want of room in the queue is told with its next scan', async (t) => {
  const { rig, parts, servers } = await started(t, { scan: { pending: 1 } });
  const held = await beginUpdate(rig, 'alpha');
  await beginUpdate(rig, 'beta');
  const { job } = await rig.desks.requests.scan({ server: 'beta', client: 'c' });
  await rig.engine.worker.report(held, { state: 'succeeded' });
  await mirrorResults(parts);
  await rig.engine.cancel(job.id, { client: 'c', isForced: false, doesInsist: false });
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  const scan = await finish(rig, '2.10.0', 'w2');
  await mirrorResults(parts);
  assert.deepEqual(
    servers.filter(({ server }) => server === 'alpha').map(({ kind, conditionId }) => [kind, conditionId]),
    [
      ['Update', held.conditionId],
      ['Scan', scan],
    ],
  );
});

test('an update whose worker read nothing afterwards is told when a scan has read the server', async (t) => {
  const { rig, parts, servers } = await started(t);
  const { job } = await rig.desks.requests.update({ server: 'alpha', firmwares: bios('2.10.0'), client: 'c' });
  const [lease] = await rig.lease('w1');
  assert.ok(lease);
  await rig.engine.worker.report({ conditionId: job.id, token: lease.token }, { state: 'succeeded' });
  await mirrorResults(parts);
  assert.equal(servers.length, 0);
  await rig.engine.sweep();
  const scan = await finish(rig, '2.10.0', 'w2');
  await mirrorResults(parts);
  assert.deepEqual(
    servers.map(({ kind, conditionId, installed }) => [kind, conditionId, installed?.[0]?.version]),
    [
      ['Update', job.id, '2.10.0'],
      ['Scan', scan, '2.10.0'],
    ],
  );
  assert.equal(servers[0]?.sequence, servers[1]?.sequence);
});

test('two updates whose servers were not read are both told when a scan has read it: neither hides the other', async (t) => {
  const { rig, parts, servers } = await started(t);
  await rig.addFirmware('2.11.0');
  const ids: string[] = [];
  for (const version of ['2.10.0', '2.11.0']) {
    const { job } = await rig.desks.requests.update({
      server: 'alpha',
      firmwares: bios(version),
      client: 'c',
      priority: 5,
    });
    const [lease] = await rig.lease(`w-${version}`);
    assert.equal(lease?.condition.id, job.id);
    await rig.engine.worker.report({ conditionId: job.id, token: lease?.token ?? 0 }, { state: 'succeeded' });
    await mirrorResults(parts);
    ids.push(job.id);
    rig.clock.advance(1000);
  }
  assert.equal(servers.length, 0);
  await rig.engine.sweep();
  const scan = await finish(rig, '2.11.0', 'w3');
  await mirrorResults(parts);
  await mirrorResults(parts);
  assert.deepEqual(
    servers.map(({ kind, conditionId }) => `${kind} ${conditionId}`),
    [...ids.sort().map((id) => `Update ${id}`), `Scan ${scan}`],
  );
});

test('what Kubernetes could not take is told again later, after a restart too; what it will never take is left out', async (t) => {
  const { rig, parts, servers, failing } = await started(t);
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  await finish(rig, '1', 'w1');
  failing.error = new Error('connection refused');
  await assert.rejects(mirrorResults(parts), /refused/);
  failing.error = undefined;
  const { engine } = await rig.again();
  await mirrorResults({ ...parts, engine });
  assert.equal(servers.length, 1);
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  await finish(rig, '2', 'w2');
  // Whoever set up the service may give it the right yet.
  failing.error = kubeError('Forbidden', 'serverfirmwares "alpha" is forbidden: User "s" cannot patch resource');
  await assert.rejects(mirrorResults(parts), /cannot patch/);
  for (const hopeless of [
    kubeError('Invalid', 'the version is too long'),
    kubeError('Forbidden', 'admission webhook "house.example" denied the request: not in this house'),
    kubeError('Forbidden', `"alpha" is forbidden: ValidatingAdmissionPolicy 'house' with binding 'all' denied request`),
  ]) {
    await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
    await finish(rig, '3', 'w3');
    failing.error = hopeless;
    await mirrorResults(parts);
    failing.error = undefined;
    await mirrorResults(parts);
    assert.equal(servers.length, 1, hopeless.message);
  }
});

test('discoveries and reports without a job are told too', async (t) => {
  const { rig, parts, servers, discoveries } = await started(t);
  rig.discovered.set('r640', { manufacturer: 'Dell', model: 'PowerEdge R640', versionsToStore: 3 });
  const { job } = await rig.desks.requests.discover({ name: 'r640', client: 'c' });
  const [lease] = await rig.lease('w1');
  assert.ok(lease);
  const firmwares = [{ name: 'bios', manufacturer: 'Dell', versions: ['1', '2'] }];
  await rig.desks.results.discovery(
    { proof: await rig.launched(lease) },
    { name: 'r640', firmwares, images: [], observedAt: 0 },
  );
  const trusted = { user: 'dustin', mayReportUnfenced: true };
  const result = { server: 'alpha', firmwares: bios('7'), inventoryJson: '', observedAt: 0 };
  await rig.desks.results.server(trusted, result);
  await mirrorResults(parts);
  assert.deepEqual(
    [discoveries[0]?.name, discoveries[0]?.conditionId, discoveries[0]?.available],
    ['r640', job.id, firmwares],
  );
  assert.deepEqual([servers[0]?.kind, servers[0]?.installed?.[0]?.version], ['Scan', '7']);
});

test('a running mirror tells as soon as something ended', async (t) => {
  const { rig, parts, servers } = await started(t);
  const mirror = await runMirror({ ...parts, clock: rig.clock, random: () => 0.5 });
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  await finish(rig, '3', 'w1');
  await until(rig.clock, () => servers.length === 1, 100);
  await mirror.stop();
});

test('a store that was restored from a backup tells its next results with numbers above those that objects show', async (t) => {
  const { rig, parts, servers, shown } = await started(t);
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  await finish(rig, '1', 'w1');
  shown.newest = 5000;
  const mirror = await runMirror({ ...parts, clock: rig.clock, random: () => 0.5 });
  await until(rig.clock, () => servers.length === 1, 100);
  await rig.desks.requests.scan({ server: 'alpha', client: 'c' });
  await finish(rig, '2', 'w2');
  await until(rig.clock, () => servers.length === 2, 100);
  await mirror.stop();
  // What was in the backup is old.
  assert.deepEqual(
    servers.map(({ store, sequence }) => [store, sequence > 5000]),
    [
      [rig.engine.storeId, false],
      [rig.engine.storeId, true],
    ],
  );
});
