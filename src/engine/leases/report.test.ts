import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { held, type Rig, setUpEngine } from '../testing/rig.ts';

async function setUp(t: Parameters<typeof setUpEngine>[0]): Promise<Rig> {
  const rig = await setUpEngine(t);
  await rig.addMachine('m0');
  await rig.online('w1');
  await rig.online('w2');
  return rig;
}

describe('a lease', () => {
  test('is renewed by every report and ends by the clock of the store without one', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    for (let step = 0; step < 5; step++) {
      rig.clock.advance(9000);
      const outcome = await rig.engine.worker.report(held(lease), {});
      assert.deepEqual(outcome, { outcome: 'kept', until: rig.clock.now() + 10_000, cancel: undefined });
    }
    await rig.engine.worker.check(held(lease));
    await rig.engine.worker.heartbeat('w1');
    rig.clock.advance(10_000);
    await assert.rejects(rig.engine.worker.check(held(lease)), { code: 'leaseLost' });
    const late = await rig.engine.worker.report(held(lease), { status: { late: true } });
    assert.equal(late.outcome, 'lost');
    assert.deepEqual((await rig.get(lease.condition.id)).status, {});
  });

  test('that ended is given on only after the last request of its holder must be over, with whom to shut out (security.md: lost-worker-requests)', async (t) => {
    const rig = await setUp(t);
    const created = await rig.create('server/m0', 'firmwareInstall');
    const first = await rig.leaseOne('w1');
    await rig.engine.worker.report(held(first), { sessionUri: '/redfish/v1/Sessions/7', progress: { step: 3 } });
    rig.clock.advance(10_000);
    assert.deepEqual(await rig.lease('w2'), [], 'before the sweep it is still active');
    assert.equal((await rig.engine.sweep()).expiredLeases, 1);
    const waiting = await rig.get(created.id);
    assert.deepEqual([waiting.state, waiting.reason?.code], ['pending', 'LeaseExpired']);
    // Nobody else may touch the device meanwhile either, however urgent.
    const urgent = await rig.create('server/m0', 'powerCycleHard', { priority: 9 });
    rig.clock.advance(4999);
    assert.deepEqual(await rig.lease('w2'), []);
    rig.clock.advance(1);
    // What has begun goes on first: the urgent one would come in the middle of it.
    const next = await rig.leaseOne('w2');
    assert.deepEqual([next.condition.id, next.condition.progress], [created.id, { step: 3 }]);
    const expected = { controller: 'w1', token: first.token, sessionUri: '/redfish/v1/Sessions/7' };
    assert.deepEqual([next.previous, next.leftovers], [expected, [expected]]);
    await rig.engine.worker.report(held(next), { state: 'succeeded' });
    const second = await rig.leaseOne('w2');
    assert.equal(second.condition.id, urgent.id);
    assert.deepEqual([second.previous, second.leftovers], [undefined, []], 'the session was ended by the one before');
    assert.ok(second.token > next.token && next.token > first.token);
  });

  test('tells of every holder that left without a clean end, until one ends cleanly', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    for (const session of ['/s/1', '/s/2']) {
      const lease = await rig.leaseOne('w1');
      await rig.engine.worker.report(held(lease), { sessionUri: session });
      rig.clock.advance(15_000);
      await rig.engine.worker.heartbeat('w1');
      await rig.engine.sweep();
      rig.clock.advance(5000);
    }
    const third = await rig.leaseOne('w2');
    assert.deepEqual(
      third.leftovers.map((one) => one.sessionUri),
      ['/s/1', '/s/2'],
    );
    await rig.engine.worker.release(held(third), 'not now');
    assert.deepEqual((await rig.leaseOne('w2')).leftovers, []);
  });

  test('of a shared reader that died does not let exclusive work in before its requests are over', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'inventoryOOB');
    await rig.leaseOne('w1');
    rig.clock.advance(10_000);
    await rig.create('server/m0', 'firmwareInstall', { priority: 1 });
    await rig.engine.sweep();
    rig.clock.advance(4000);
    assert.deepEqual(await rig.lease('w2'), []);
    rig.clock.advance(1000);
    assert.equal((await rig.leaseOne('w2')).condition.kind, 'firmwareInstall');
  });

  test('too many of which ended without an end of the work make it fail as unrunnable', async (t) => {
    const rig = await setUp(t);
    const created = await rig.create('server/m0', 'firmwareInstall');
    for (let round = 1; round <= 3; round++) {
      assert.equal((await rig.leaseOne('w1')).condition.leases, round);
      rig.clock.advance(10_000);
      await rig.engine.worker.heartbeat('w1');
      await rig.engine.sweep();
      rig.clock.advance(5000);
    }
    const ended = await rig.get(created.id);
    assert.deepEqual([ended.state, ended.reason?.code], ['failed', 'Unrunnable']);
  });

  test('of an earlier life of a worker is taken away when it comes online again', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    await rig.online('w1');
    await assert.rejects(rig.engine.worker.check(held(lease)), { code: 'leaseLost' });
    rig.clock.advance(5000);
    assert.equal((await rig.leaseOne('w1')).previous?.token, lease.token);
  });
});

describe('a holder of an old token', () => {
  test('can write nothing: no report, no end, no release', async (t) => {
    const rig = await setUp(t);
    const created = await rig.create('server/m0', 'firmwareInstall');
    const old = await rig.leaseOne('w1');
    rig.clock.advance(10_000);
    await rig.engine.sweep();
    rig.clock.advance(5000);
    const current = await rig.leaseOne('w2');
    await rig.engine.worker.report(held(current), { status: { mine: true }, progress: { step: 1 } });
    const before = await rig.get(created.id);
    for (const report of [{}, { state: 'succeeded' as const }, { status: { old: true } }, { isCancelUnsafe: true }]) {
      const outcome = await rig.engine.worker.report(held(old), report);
      assert.ok(outcome.outcome === 'lost');
      assert.match(outcome.why, /w2 has it now/);
    }
    await rig.engine.worker.release(held(old), 'late');
    await assert.rejects(rig.engine.worker.check(held(old)), { code: 'leaseLost' });
    await assert.rejects(rig.engine.worker.acquireSlot('upload', held(old), new AbortController().signal), {
      code: 'leaseLost',
    });
    assert.deepEqual(await rig.get(created.id), before);
    await rig.engine.worker.check(held(current));
  });

  test('nor can one of a token that was never given, or of a condition that is gone', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    for (const odd of [
      { ...held(lease), token: 99 },
      { conditionId: 'gone', token: 1 },
    ]) {
      assert.equal((await rig.engine.worker.report(odd, { state: 'failed' })).outcome, 'lost');
      await assert.rejects(rig.engine.worker.check(odd), { code: 'leaseLost' });
    }
    await rig.engine.worker.check(held(lease));
  });
});

describe('an end', () => {
  test('told twice, since the first answer was lost, is no stale write and happens once', async (t) => {
    const rig = await setUp(t);
    const created = await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    const { lock } = await rig.get(created.id);
    assert.equal((await rig.engine.worker.report(held(lease), { state: 'succeeded' })).outcome, 'kept');
    assert.equal((await rig.engine.worker.report(held(lease), { state: 'failed' })).outcome, 'lost');
    assert.equal((await rig.get(created.id)).lock, lock);
    const events = await rig.engine.eventsAfter(0, 100);
    assert.equal(events.filter((one) => one.event === 'finalized').length, 1);
  });
});

describe('a release', () => {
  test('gives work back at once, without counting against it', async (t) => {
    const rig = await setUp(t);
    const created = await rig.create('server/m0', 'firmwareInstall');
    for (let round = 0; round < 10; round++)
      await rig.engine.worker.release(held(await rig.leaseOne('w1')), 'restarting');
    const lease = await rig.leaseOne('w1');
    assert.deepEqual([lease.condition.leases, lease.previous], [11, undefined]);
    assert.equal(lease.condition.id, created.id);
  });

  test('after a failure waits as long as asked, and too many of them fail it', async (t) => {
    const rig = await setUp(t);
    const created = await rig.create('server/m0', 'firmwareInstall');
    await rig.engine.worker.release(held(await rig.leaseOne('w1')), 'the BMC is busy', { afterMs: 30_000 });
    assert.equal((await rig.get(created.id)).reason?.message, 'the BMC is busy');
    rig.clock.advance(29_999);
    assert.deepEqual(await rig.lease('w1'), []);
    rig.clock.advance(1);
    for (let round = 0; round < 2; round++) {
      await rig.engine.worker.release(held(await rig.leaseOne('w1')), 'the BMC is busy', { afterMs: 1 });
      rig.clock.advance(1);
    }
    const ended = await rig.get(created.id);
    assert.deepEqual([ended.state, ended.reason?.code], ['failed', 'Unrunnable']);
  });
});

test('the words of a device end work whatever characters they have', async (t) => {
  const rig = await setUpEngine(t);
  await rig.online('w1');
  const { id } = await rig.create('model/x', 'firmwareInstall');
  const first = await rig.leaseOne('w1');
  await rig.engine.worker.release(held(first), 'busy\0 \ud800');
  assert.equal((await rig.get(id)).reason?.message, 'busy \ufffd');
  const second = await rig.leaseOne('w1');
  const reason = { code: 'Refused', message: `\0no\udc00${'!'.repeat(10_000)}` };
  assert.equal((await rig.engine.worker.report(held(second), { state: 'failed', reason })).outcome, 'kept');
  const ended = await rig.get(id);
  assert.equal(ended.state, 'failed');
  assert.match(ended.reason?.message ?? '', /^no\ufffd!+…$/);
});
