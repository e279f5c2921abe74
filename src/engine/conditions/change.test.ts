import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { held, type Rig, setUpEngine } from '../testing/rig.ts';

async function setUp(t: Parameters<typeof setUpEngine>[0]): Promise<Rig> {
  const rig = await setUpEngine(t);
  await rig.addMachine('m0');
  await rig.online('w1');
  return rig;
}

describe('a change', () => {
  test('with the current lock is written and makes a new lock; with an old one it gets the current record', async (t) => {
    const rig = await setUp(t);
    const created = await rig.create('server/m0', 'firmwareInstall');
    const changed = await rig.engine.change(created.id, { lock: created.lock, priority: 4, status: { note: 'x' } });
    assert.deepEqual(
      [changed.outcome, changed.current.priority, changed.current.status],
      ['changed', 4, { note: 'x' }],
    );
    assert.notEqual(changed.current.lock, created.lock);
    const stale = await rig.engine.change(created.id, { lock: created.lock, priority: 5 });
    assert.deepEqual(stale, { outcome: 'stale', current: changed.current });
  });

  test('by many who saw the same record is written once', async (t) => {
    const rig = await setUp(t);
    const { id, lock } = await rig.create('server/m0', 'firmwareInstall');
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => rig.engine.change(id, { lock, status: { n } })),
    );
    assert.equal(outcomes.filter((one) => one.outcome === 'changed').length, 1);
    assert.equal(outcomes.filter((one) => one.outcome === 'stale').length, 19);
  });

  test('of every kind, by a worker too, makes a new lock', async (t) => {
    const rig = await setUp(t);
    const { id, lock } = await rig.create('server/m0', 'firmwareInstall');
    const locks = new Set([lock]);
    const look = async () => locks.add((await rig.get(id)).lock);
    const lease = await rig.leaseOne('w1');
    await look();
    await rig.engine.worker.report(held(lease), {});
    await look();
    await rig.engine.cancel(id, { client: 'c', isForced: false, doesInsist: false });
    await look();
    await rig.engine.worker.report(held(lease), { state: 'failed' });
    await look();
    assert.equal(locks.size, 5);
  });

  test('of priority lets another one go first', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    const second = await rig.create('server/m0', 'powerCycleHard');
    assert.equal(second.reason?.code, 'WaitsForLock');
    const { current } = await rig.engine.change(second.id, { lock: second.lock, priority: 1 });
    assert.equal(current.reason, undefined);
    assert.equal((await rig.leaseOne('w1')).condition.id, second.id);
  });

  test('cannot make a condition active or pending, nor touch one that is final or whose work has begun', async (t) => {
    const rig = await setUp(t);
    const created = await rig.create('server/m0', 'firmwareInstall');
    const illegal = async (change: object) => {
      const { lock } = await rig.get(created.id);
      await assert.rejects(rig.engine.change(created.id, { lock, ...change }), { code: 'illegalChange' });
    };
    await illegal({ state: 'active' });
    await illegal({ priority: 0.5 });
    const { lock } = await rig.get(created.id);
    await assert.rejects(rig.engine.change(created.id, { lock, parameters: { bad: 1 } }), { code: 'badParameters' });
    const lease = await rig.leaseOne('w1');
    await illegal({ state: 'pending' });
    await illegal({ parameters: {} });
    await illegal({ controller: 'me' });
    await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    await illegal({ status: {} });
    await assert.rejects(rig.engine.change('gone', { lock: 'x' }), { code: 'notFound' });
  });

  test('that ends it takes the lease from its worker and leaves the device quiet', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    const next = await rig.create('server/m0', 'powerCycleHard');
    const { lock } = await rig.get(lease.condition.id);
    const { current } = await rig.engine.change(lease.condition.id, { lock, state: 'failed' });
    assert.deepEqual([current.state, current.reason?.code], ['failed', 'SetFromOutside']);
    assert.equal((await rig.engine.worker.report(held(lease), {})).outcome, 'lost');
    assert.deepEqual(await rig.lease('w1'), []);
    rig.clock.advance(5000);
    const following = await rig.leaseOne('w1');
    assert.deepEqual([following.condition.id, following.previous?.token], [next.id, lease.token]);
  });
});

describe('a cancel', () => {
  const by = { client: 'ops', isForced: false, doesInsist: false };

  test('of a pending condition fails it at once, and the rest of its unit', async (t) => {
    const rig = await setUp(t);
    const orders = ['inventoryOOB', 'firmwareInstall'].map((kind) => ({ kind, parameters: {} }));
    const outcome = await rig.engine.create({ target: 'server/m0', client: 'c', orders });
    assert.ok(outcome.outcome === 'created');
    const cancelled = await rig.engine.cancel(outcome.conditions[0]?.id ?? '', by);
    assert.deepEqual([cancelled.state, cancelled.reason?.code], ['failed', 'Cancelled']);
    assert.match(cancelled.reason?.message ?? '', /ops/);
    assert.equal((await rig.get(outcome.conditions[1]?.id ?? '')).reason?.code, 'UnitFailed');
  });

  test('of an active one tells its worker, and the failure that follows is a cancel', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    assert.equal((await rig.engine.cancel(id, by)).state, 'active');
    const report = await rig.engine.worker.report(held(lease), {});
    assert.ok(report.outcome === 'kept');
    assert.equal(report.cancel?.by, 'ops');
    await rig.engine.worker.report(held(lease), { state: 'failed', reason: { code: 'Odd', message: 'stopped' } });
    assert.deepEqual([(await rig.get(id)).state, (await rig.get(id)).reason?.code], ['failed', 'Cancelled']);
    assert.equal((await rig.engine.cancel(id, by)).state, 'failed', 'cancelling what is final changes nothing');
  });

  test('by force cuts a worker off, but during a flash only if the caller insists, and it says so', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    await rig.engine.worker.report(held(lease), { isCancelUnsafe: true });
    const forced = { ...by, isForced: true };
    await assert.rejects(rig.engine.cancel(id, forced), { code: 'cancelUnsafe', status: 409 });
    assert.equal((await rig.get(id)).cancel, undefined);
    const { lock } = await rig.get(id);
    await assert.rejects(rig.engine.change(id, { lock, state: 'failed' }), { code: 'cancelUnsafe' });
    await assert.rejects(rig.engine.machines.remove('m0'), { code: 'machineBusy' });
    const cancelled = await rig.engine.cancel(id, { ...forced, doesInsist: true });
    assert.deepEqual([cancelled.state, cancelled.reason?.code], ['failed', 'Cancelled']);
    assert.match(cancelled.reason?.message ?? '', /flash.*insisted.*unusable/);
    assert.equal((await rig.engine.worker.report(held(lease), {})).outcome, 'lost');
  });

  test('waits for the end of a flash whose worker died, until another worker is at a safe point', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    await rig.engine.worker.report(held(await rig.leaseOne('w1')), { isCancelUnsafe: true });
    rig.clock.advance(10_000);
    await rig.engine.sweep();
    assert.equal((await rig.engine.cancel(id, by)).state, 'pending');
    await assert.rejects(rig.engine.cancel(id, { ...by, isForced: true }), { code: 'cancelUnsafe' });
    rig.clock.advance(5000);
    const second = await rig.leaseOne('w1');
    assert.equal(second.condition.cancel?.by, 'ops');
    await rig.engine.worker.report(held(second), { isCancelUnsafe: false });
    await rig.engine.worker.release(held(second), 'safe now');
    assert.deepEqual([(await rig.get(id)).state, (await rig.get(id)).reason?.code], ['failed', 'Cancelled']);
  });

  test('of what is not there is not found', async (t) => {
    const rig = await setUp(t);
    await assert.rejects(rig.engine.cancel('gone', by), { code: 'notFound' });
  });
});

test('only what is final can be removed', async (t) => {
  const rig = await setUp(t);
  const { id } = await rig.create('server/m0', 'firmwareInstall');
  await assert.rejects(rig.engine.remove(id), { code: 'notFinal' });
  const lease = await rig.leaseOne('w1');
  await assert.rejects(rig.engine.remove(id), { code: 'notFinal' });
  await rig.engine.worker.report(held(lease), { state: 'succeeded' });
  await rig.engine.remove(id);
  assert.equal(await rig.engine.get(id), undefined);
  await assert.rejects(rig.engine.remove(id), { code: 'notFound' });
});

test('a priority that cannot be stored is refused, whoever sets it', async (t) => {
  const rig = await setUpEngine(t);
  const { id, lock } = await rig.create('model/x', 'firmwareInstall');
  for (const priority of [1.5, 1e10, Number.NaN]) {
    await assert.rejects(rig.engine.change(id, { lock, priority }), { code: 'illegalChange' });
  }
  assert.equal((await rig.get(id)).lock, lock);
});
