import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { held, kind, type Rig, setUpEngine } from '../testing/rig.ts';

const minute = 60_000;
const install = kind('firmwareInstall', { isDisruptive: true, leaseMs: 10 * minute, requestDeadlineMs: 5 * minute });

/** An engine with times as in operation, and a worker that is fenced by heartbeats. */
async function setUp(t: Parameters<typeof setUpEngine>[0]): Promise<Rig> {
  const rig = await setUpEngine(t, { kinds: [install] });
  await rig.addMachine('m0');
  await rig.online('w1', { isFencedByHeartbeats: true });
  await rig.online('w2', { isFencedByHeartbeats: true });
  return rig;
}

/** Time passes as in operation: every five seconds a sweep, and a heartbeat of those who live. */
async function pass(rig: Rig, ms: number, alive: readonly string[] = ['w2']): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5000) {
    rig.clock.advance(5000);
    for (const id of alive) await rig.engine.worker.heartbeat(id);
    await rig.engine.sweep();
  }
}

describe('a worker whose heartbeats stop', () => {
  test('is lost after 30 s, and another goes on 10 s later, though lease and requests may last for minutes', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    assert.equal(lease.lostAfterMs, 30_000);
    await rig.engine.worker.report(held(lease), { sessionUri: '/s/1', isCancelUnsafe: true });
    const silentSince = new Date(rig.clock.now()).toISOString();
    await pass(rig, 25_000);
    assert.equal((await rig.get(id)).state, 'active');
    await pass(rig, 5000);
    const resumesAt = new Date(rig.clock.now() + 10_000).toISOString();
    const { state, reason } = await rig.get(id);
    assert.deepEqual(
      [state, reason?.code, reason?.message],
      ['pending', 'WorkerLost', `worker lost, resumes at ${resumesAt}: w1 has been silent since ${silentSince}`],
    );
    const [shown] = (await rig.engine.list({ target: 'server/m0' })).conditions;
    assert.deepEqual(shown?.reason, reason, 'whoever asks why it waits is told the same');
    assert.deepEqual(await rig.lease('w2'), [], 'what has left the lost worker may still arrive');
    await pass(rig, 10_000);
    const next = await rig.leaseOne('w2');
    assert.deepEqual([next.condition.id, next.previous?.sessionUri], [id, '/s/1']);
    const events = await rig.engine.eventsAfter(0, 1000);
    const expired = events.find(({ event }) => event === 'lease-expired');
    assert.deepEqual([expired?.detail.resumesAt], [Date.parse(resumesAt)]);
  });

  test('is said to be resumed only while that is so', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    await rig.leaseOne('w1');
    await pass(rig, 45_000);
    const message = async () => (await rig.get(id)).reason?.message ?? '';
    assert.match(await message(), /^worker lost, waits for a free worker: w1 has been silent since/);
    await rig.leaseOne('w2');
    assert.equal((await rig.get(id)).reason, undefined);
  });

  test('is said to be resumed once the last of all that left the device is waited for', async (t) => {
    const [long, short] = [5 * minute, minute].map((requestDeadlineMs) => ({
      ...{ sharing: 'shared' as const, leaseMs: 10 * minute, requestDeadlineMs },
    }));
    const rig = await setUpEngine(t, { kinds: [kind('inventoryOOB', long), kind('sensorRead', short)] });
    await rig.addMachine('m0');
    await rig.online('w2');
    const created = [await rig.create('server/m0', 'sensorRead'), await rig.create('server/m0', 'inventoryOOB')];
    await rig.online('w1', { isFencedByHeartbeats: true });
    const leases = await rig.lease('w1');
    const until = rig.clock.now() + 200_000;
    for (const lease of leases) await rig.engine.worker.check(held(lease), { requestMs: 200_000 });
    await pass(rig, 30_000);
    for (const { id, kind } of created) {
      const { reason } = await rig.get(id);
      assert.ok(reason?.message.startsWith(`worker lost, resumes at ${new Date(until).toISOString()}: `), kind);
    }
  });

  test('is waited for until the request ends that it was about to send', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    await rig.engine.worker.check(held(lease), { requestMs: 70_000 });
    await rig.engine.worker.check(held(lease), { requestMs: 1000 });
    await pass(rig, 65_000);
    assert.deepEqual(await rig.lease('w2'), []);
    await pass(rig, 5000);
    assert.equal((await rig.lease('w2')).length, 1);
  });

  test('is waited for as long as a request of its kind can take when it did not say how long', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    await rig.engine.worker.check(held(await rig.leaseOne('w1')));
    await pass(rig, 295_000);
    assert.deepEqual(await rig.lease('w2'), []);
    await pass(rig, 5000);
    assert.equal((await rig.lease('w2')).length, 1);
  });

  test('has to begin anew when it is heard of again, and gets nothing before', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    await pass(rig, 60_000);
    await assert.rejects(rig.engine.worker.heartbeat('w1'), { code: 'unknownWorker' });
    await assert.rejects(rig.lease('w1'), { code: 'unknownWorker' });
    await assert.rejects(rig.engine.worker.check(held(lease)), { code: 'leaseLost' });
    await rig.online('w1', { isFencedByHeartbeats: true });
    assert.equal((await rig.leaseOne('w1')).condition.id, id);
  });

  test('keeps its leases while it is heard of, and loses one by one those without progress', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    await rig.leaseOne('w1');
    await pass(rig, 9 * minute, ['w1', 'w2']);
    assert.equal((await rig.get(id)).state, 'active');
    await pass(rig, minute, ['w1', 'w2']);
    const { state, reason } = await rig.get(id);
    assert.deepEqual([state, reason?.code], ['pending', 'LeaseExpired']);
    assert.match(reason?.message ?? '', /^the lease of w1 ended without progress; resumes at 20/);
  });

  test('is not lost when the clock of the store leaps ahead, nor when the engine was away', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    await rig.leaseOne('w1');
    await pass(rig, 5000, ['w1', 'w2']);
    rig.clock.jumpWall(10 * minute);
    await pass(rig, 5000, ['w1', 'w2']);
    assert.equal((await rig.get(id)).state, 'active');
    rig.clock.advance(2 * minute);
    const later = await rig.another();
    await later.sweep();
    rig.clock.advance(5000);
    await rig.engine.worker.heartbeat('w1');
    await later.sweep();
    rig.clock.advance(5000);
    await later.sweep();
    assert.equal((await rig.get(id)).state, 'active');
  });
});

test('a worker that is not fenced by heartbeats keeps its lease when it is silent', async (t) => {
  const rig = await setUp(t);
  await rig.online('w3');
  const { id } = await rig.create('server/m0', 'firmwareInstall');
  const lease = await rig.leaseOne('w3');
  assert.equal(lease.lostAfterMs, undefined);
  await pass(rig, 5 * minute);
  assert.equal((await rig.get(id)).state, 'active');
  assert.equal((await rig.engine.controllers()).find((one) => one.id === 'w3')?.isOnline, false);
});
