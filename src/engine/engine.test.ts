import assert from 'node:assert/strict';
import { test } from 'node:test';
import { held, setUpEngine } from './testing/rig.ts';

test('a condition is created, leased, reported and ends', async (t) => {
  const rig = await setUpEngine(t);
  await rig.addMachine('m0');
  await rig.online('w1');
  const created = await rig.create('server/m0', 'FIRMWAREinstall');
  assert.deepEqual([created.state, created.kind, created.lockKey], ['pending', 'firmwareInstall', 'bmc/bmc-m0']);
  const lease = await rig.leaseOne('w1');
  assert.deepEqual([lease.condition.state, lease.token, lease.previous], ['active', 1, undefined]);
  const kept = await rig.engine.worker.report(held(lease), { status: { step: 'flash' }, progress: { at: 2 } });
  assert.equal(kept.outcome, 'kept');
  await rig.engine.worker.check(held(lease));
  await rig.engine.worker.report(held(lease), { state: 'succeeded' });
  const ended = await rig.get(created.id);
  assert.deepEqual([ended.state, ended.status, ended.progress], ['succeeded', { step: 'flash' }, { at: 2 }]);
  const events = await rig.engine.eventsAfter(0, 100);
  assert.deepEqual(
    events.map((one) => one.event),
    ['worker-online', 'created', 'leased', 'reported', 'finalized'],
  );
  assert.deepEqual(await rig.engine.sweep(), {
    lostControllers: [],
    expiredLeases: 0,
    failedByDeadline: 0,
    failedAsUnrunnable: 0,
    scheduledReadings: 0,
    published: 0,
    collected: 0,
  });
});
