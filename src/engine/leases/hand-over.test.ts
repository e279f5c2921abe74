import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { held, kind, type Rig, setUpEngine } from '../testing/rig.ts';

const minute = 60_000;
const install = kind('firmwareInstall', { isDisruptive: true, leaseMs: 10 * minute, requestDeadlineMs: 5 * minute });

/** An engine with times as in operation; `runner` leased work that a process of its own is to do. */
async function setUp(t: Parameters<typeof setUpEngine>[0]) {
  const rig = await setUpEngine(t, { kinds: [install] });
  await rig.addMachine('m0');
  await rig.online('runner');
  const { id } = await rig.create('server/m0', 'firmwareInstall');
  const lease = held(await rig.leaseOne('runner'));
  return { rig, id, lease };
}

/** Every five seconds a sweep, and heartbeats of those who live. */
async function pass(rig: Rig, ms: number, alive: readonly string[] = []): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5000) {
    rig.clock.advance(5000);
    for (const id of ['runner', ...alive]) await rig.engine.worker.heartbeat(id);
    await rig.engine.sweep();
  }
}

describe('a lease that was handed over to a process of its own', () => {
  test('ends when the heartbeats of that process do, whoever leased it, and waits for what it said it sends', async (t) => {
    const { rig, id, lease } = await setUp(t);
    const { workerId, lostAfterMs } = await rig.engine.handOver(lease);
    assert.equal(lostAfterMs, 30_000);
    await pass(rig, 60_000, [workerId]);
    await rig.engine.worker.check(lease, { requestMs: 20_000 });
    assert.deepEqual([(await rig.get(id)).state, (await rig.get(id)).controller], ['active', workerId]);
    await pass(rig, 30_000);
    const { state, reason } = await rig.get(id);
    assert.deepEqual([state, reason?.code], ['pending', 'WorkerLost']);
    assert.match(reason?.message ?? '', /^worker lost, resumes at .*: job\/.* has been silent since/);
    assert.deepEqual(await rig.lease('runner'), [], 'what had left the process may still arrive');
    await pass(rig, 10_000);
    assert.equal((await rig.leaseOne('runner')).condition.id, id);
    await assert.rejects(rig.engine.worker.heartbeat(workerId), { code: 'unknownWorker' });
  });

  test('is handed over again without harm, and not once it has ended', async (t) => {
    const { rig, lease } = await setUp(t);
    const { workerId } = await rig.engine.handOver(lease);
    await rig.engine.worker.check(lease, { requestMs: 2 * minute });
    assert.deepEqual(await rig.engine.handOver(lease), { workerId, lostAfterMs: 30_000 });
    await pass(rig, 2 * minute - 5000);
    assert.deepEqual(await rig.lease('runner'), [], 'what it had said before still counts');
    await pass(rig, 5000);
    await assert.rejects(rig.engine.handOver(lease), { code: 'leaseLost' });
    assert.equal((await rig.lease('runner')).length, 1);
  });

  test('leaves no worker behind, however it ends, and none is reported lost', async (t) => {
    const { rig, lease } = await setUp(t);
    const { workerId } = await rig.engine.handOver(lease);
    await rig.engine.worker.report(lease, { state: 'succeeded' });
    await pass(rig, minute);
    assert.deepEqual(
      (await rig.engine.controllers()).map(({ id }) => id),
      ['runner'],
    );
    const events = await rig.engine.eventsAfter(0, 1000);
    assert.deepEqual(
      events.filter(({ event }) => event === 'worker-lost'),
      [],
    );
    await assert.rejects(rig.engine.worker.heartbeat(workerId), { code: 'unknownWorker' });
  });
});
