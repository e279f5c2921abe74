import assert from 'node:assert/strict';
import { test } from 'node:test';
import { held, setUpEngine } from './testing/rig.ts';
import { limitedKinds, tryKindLimits } from './testing/try-kind-limits.ts';

test('kinds may have limits of their own', async (t) => {
  const rig = await setUpEngine(t, { kinds: limitedKinds });
  await tryKindLimits(t, [rig.engine, await rig.another()]);
});

test('a report joins the transaction of what belongs to it: both are stored, or neither', async (t) => {
  const rig = await setUpEngine(t);
  await rig.online('w1');
  await rig.create('model/1', 'inventoryOOB');
  const lease = await rig.leaseOne('w1');
  const end = (doesFail: boolean) =>
    rig.database.write(async (tx) => {
      const joined = await rig.engine.joinReport(tx, held(lease), { state: 'succeeded' });
      await tx.run(`INSERT INTO engine_facts (name) VALUES ('belongs')`);
      if (doesFail) throw new Error('no');
      return joined;
    });
  await assert.rejects(end(true), /no/);
  assert.equal((await rig.get(lease.condition.id)).state, 'active');
  const { outcome, isRepeated, tell } = await end(false);
  tell();
  assert.deepEqual([outcome.outcome, isRepeated], ['kept', false]);
  assert.equal((await rig.get(lease.condition.id)).state, 'succeeded');
  const again = await rig.database.write((tx) => rig.engine.joinReport(tx, held(lease), { state: 'succeeded' }));
  assert.deepEqual([again.outcome.outcome, again.isRepeated], ['kept', true]);
});

test('a worker can leave while others go on under its leases', async (t) => {
  const rig = await setUpEngine(t);
  await rig.online('w1');
  await rig.create('model/1', 'inventoryOOB');
  const lease = await rig.leaseOne('w1');
  await rig.engine.worker.offline('w1', { areLeasesKept: true });
  assert.equal((await rig.engine.worker.report(held(lease), {})).outcome, 'kept');
});

test('the number of the last event is where a follower starts that wants only what is new', async (t) => {
  const rig = await setUpEngine(t);
  assert.equal(await rig.engine.lastEvent(), 0);
  await rig.create('model/1', 'inventoryOOB');
  const last = await rig.engine.lastEvent();
  assert.ok(last > 0);
  assert.deepEqual(await rig.engine.eventsAfter(last, 10), []);
});

test('who did nothing under a lease gives it back with those who are still to be shut out', async (t) => {
  const rig = await setUpEngine(t);
  await rig.addMachine('m0');
  await rig.online('w1');
  const { id } = await rig.create('server/m0', 'inventoryOOB');
  const first = await rig.leaseOne('w1');
  await rig.engine.worker.report(held(first), { sessionUri: '/sessions/1' });
  rig.clock.advance(11_000);
  await rig.engine.sweep();
  rig.clock.advance(6000);
  await rig.online('w2');
  const second = await rig.leaseOne('w2');
  assert.equal(second.leftovers.length, 1);
  await rig.engine.worker.release(held(second), 'nothing was done', { areLeftoversKept: true });
  assert.equal((await rig.get(id)).state, 'pending');
  assert.equal((await rig.leaseOne('w2')).leftovers[0]?.sessionUri, '/sessions/1');
});
