import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConditionState } from '../condition.ts';
import { held, type Rig, setUpEngine } from '../testing/rig.ts';
import { decideDeadline } from './deadlines.ts';
import { startSweeping } from './sweep.ts';

async function setUp(t: Parameters<typeof setUpEngine>[0]): Promise<Rig> {
  const rig = await setUpEngine(t);
  await rig.addMachine('m0');
  await rig.online('w1');
  return rig;
}

async function eventsOf(rig: Rig, event: string) {
  return (await rig.engine.eventsAfter(0, 1000)).filter((one) => one.event === event);
}

describe('a sweep', () => {
  test('tells of a worker that went silent and what it was doing, and its work goes to another', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    await rig.engine.worker.report(held(lease), { status: { step: 'upload' }, isCancelUnsafe: true });
    rig.clock.advance(10_000);
    assert.deepEqual((await rig.engine.sweep()).lostControllers, []);
    assert.equal((await eventsOf(rig, 'lease-expired'))[0]?.detail.controller, 'w1');
    rig.clock.advance(50_000);
    assert.deepEqual((await rig.engine.sweep()).lostControllers, ['w1']);
    const [lost] = await eventsOf(rig, 'worker-lost');
    const doing = [
      {
        conditionId: id,
        kind: 'firmwareInstall',
        target: 'server/m0',
        state: 'pending',
        status: { step: 'upload' },
        wasFlashing: true,
      },
    ];
    assert.deepEqual(lost?.detail, { controller: 'w1', seenAt: rig.clock.now() - 60_000, doing });
    assert.deepEqual((await rig.engine.sweep()).lostControllers, [], 'it is told once');
    assert.deepEqual(
      (await rig.engine.controllers()).map((one) => one.isOnline),
      [false],
    );
    await rig.online('w2');
    assert.equal((await rig.leaseOne('w2')).condition.id, id);
    await rig.engine.worker.heartbeat('w1');
    assert.equal((await rig.engine.controllers()).find((one) => one.id === 'w1')?.isOnline, true);
  });

  test('does not take a worker that shows signs of life for lost, nor renew its leases by them', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    for (let n = 0; n < 4; n++) {
      rig.clock.advance(30_000);
      await rig.engine.worker.heartbeat('w1');
      assert.deepEqual((await rig.engine.sweep()).lostControllers, []);
    }
    await assert.rejects(rig.engine.worker.check(held(lease)), { code: 'leaseLost' });
  });

  test('fails what waits past its deadline', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'biosControl');
    rig.clock.advance(600_000);
    assert.equal((await rig.engine.sweep()).failedByDeadline, 1);
    assert.deepEqual([(await rig.get(id)).state, (await rig.get(id)).reason?.code], ['failed', 'DeadlinePassed']);
  });

  test('asks work past its deadline to stop at a safe point, and its end is called by the deadline', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall', { deadlineMs: 5000 });
    const lease = await rig.leaseOne('w1');
    rig.clock.advance(5000);
    assert.equal((await rig.engine.sweep()).failedByDeadline, 0);
    const report = await rig.engine.worker.report(held(lease), {});
    assert.equal(report.outcome === 'kept' ? report.cancel?.by : undefined, 'deadline');
    await rig.engine.worker.report(held(lease), { state: 'failed' });
    assert.equal((await rig.get(id)).reason?.code, 'DeadlinePassed');
  });

  test('cuts off a flash whose worker keeps its lease and never ends', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall', { deadlineMs: 5000 });
    const lease = await rig.leaseOne('w1');
    await rig.engine.worker.report(held(lease), { isCancelUnsafe: true });
    const endsAt = rig.clock.now() + 5000 + 24 * 3_600_000;
    while (rig.clock.now() < endsAt - 5000) {
      rig.clock.advance(5000);
      await rig.engine.worker.report(held(lease), {});
    }
    assert.equal((await rig.engine.sweep()).failedByDeadline, 0);
    rig.clock.advance(5000);
    assert.equal((await rig.engine.sweep()).failedByDeadline, 1);
    const { state, reason } = await rig.get(id);
    assert.deepEqual([state, reason?.code], ['failed', 'DeadlinePassed']);
    assert.match(reason?.message ?? '', /in the middle of a flash, which may go on/);
    await assert.rejects(rig.engine.worker.check(held(lease)), { code: 'leaseLost' });
  });

  test('fails what no worker took for far too long, and what lost its machine', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'inventoryOOB');
    rig.clock.advance(10 * 24 * 3_600_000 - 60_000);
    assert.equal((await rig.engine.sweep()).failedAsUnrunnable, 0);
    rig.clock.advance(60_000);
    assert.equal((await rig.engine.sweep()).failedAsUnrunnable, 1);
    assert.equal((await rig.get(id)).reason?.code, 'Unrunnable');
    const orphan = await rig.create('server/m0', 'inventoryOOB');
    await rig.database.write((tx) => tx.run(`DELETE FROM machines WHERE id = 'm0'`));
    rig.clock.advance(60_000);
    assert.equal((await rig.engine.sweep()).failedAsUnrunnable, 1);
    assert.equal((await rig.get(orphan.id)).reason?.code, 'MachineGone');
  });

  test('fails what nobody takes up again for far too long after its worker was lost', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'inventoryOOB');
    await rig.leaseOne('w1');
    rig.clock.advance(10_000);
    assert.equal((await rig.engine.sweep()).expiredLeases, 1);
    rig.clock.advance(10 * 24 * 3_600_000);
    assert.equal((await rig.engine.sweep()).failedAsUnrunnable, 1);
    assert.equal((await rig.get(id)).reason?.code, 'Unrunnable');
  });

  test('passes the deadlines of those that wait also behind many that are on their way to a safe point', async (t) => {
    const rig = await setUpEngine(t, { settings: { sweepRows: 3 } });
    await rig.online('w1');
    for (let n = 0; n < 5; n++) await rig.create(`model/${n}`, 'firmwareInstall', { deadlineMs: 1000 });
    const leases = await rig.lease('w1', 5);
    for (let n = 5; n < 12; n++) await rig.create(`model/${n}`, 'firmwareInstall', { deadlineMs: 2000 });
    rig.clock.advance(2000);
    assert.equal((await rig.engine.sweep()).failedByDeadline, 7);
    const reports = await Promise.all(leases.map((lease) => rig.engine.worker.report(held(lease), {})));
    assert.ok(reports.every((one) => one.outcome === 'kept' && one.cancel?.by === 'deadline'));
    assert.equal((await rig.engine.sweep()).failedByDeadline, 0);
  });

  test('forgets old events and history in portions, and all of them', async (t) => {
    const rig = await setUp(t);
    await rig.database.write(async (tx) => {
      for (let n = 0; n < 2500; n++) {
        await tx.run(
          `INSERT INTO events (id, happened_at, rev, event, detail) VALUES (?, ?, 0, 'reported', '{}')`,
          ...[`e${n}`, tx.now],
        );
      }
    });
    rig.clock.advance(30 * 24 * 3_600_000);
    await rig.engine.worker.heartbeat('w1');
    const before = rig.database.counts.transactions;
    await rig.engine.sweep();
    assert.ok(rig.database.counts.transactions - before >= 12, 'all were forgotten at once');
    assert.deepEqual(await rig.engine.eventsAfter(0, 5000), []);
  });

  test('settles a line that stands still for no reason, whoever forgot it', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    await rig.database.write((tx) => tx.run(`UPDATE conditions SET is_ready = 0, reason_code = 'WaitsForLock'`));
    assert.deepEqual(await rig.lease('w1'), []);
    await rig.engine.sweep();
    assert.equal((await rig.leaseOne('w1')).condition.id, id);
  });

  test('publishes what can be leased again and again until it is final, at its interval', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'inventoryOOB');
    await rig.create('model/x', 'firmwareInstall');
    assert.equal((await rig.engine.sweep()).published, 2);
    assert.equal((await rig.engine.sweep()).published, 0);
    rig.clock.advance(30_000);
    assert.equal((await rig.engine.sweep()).published, 2);
    await rig.engine.worker.heartbeat('w1');
    for (const lease of await rig.lease('w1')) await rig.engine.worker.report(held(lease), { state: 'failed' });
    rig.clock.advance(30_000);
    assert.equal((await rig.engine.sweep()).published, 0);
  });

  test('takes on many leases at once, in portions', async (t) => {
    const rig = await setUpEngine(t, { settings: { sweepRows: 7 } });
    await rig.online('w1');
    for (let n = 0; n < 30; n++) await rig.create(`model/${n}`, 'firmwareInstall');
    assert.equal((await rig.lease('w1', 30)).length, 30);
    rig.clock.advance(10_000);
    const second = await rig.another({ settings: { sweepRows: 7 } });
    const [a, b] = await Promise.all([rig.engine.sweep(), second.sweep()]);
    await rig.engine.sweep();
    assert.ok(a.expiredLeases + b.expiredLeases <= 30);
    assert.equal((await rig.engine.list({ states: ['pending'] })).conditions.length, 30);
    assert.equal((await eventsOf(rig, 'lease-expired')).length, 30);
  });
});

test('everything past its deadline is cut off in the end, a flash a day after the rest', () => {
  const at = (state: ConditionState, isCancelUnsafe: boolean, more: { asked?: boolean; now?: number } = {}) => {
    const cancel = more.asked === true ? { at: 0, isForced: false, by: 'deadline' } : undefined;
    const condition = { state, deadline: 100, cancel, isCancelUnsafe } as Parameters<typeof decideDeadline>[0];
    return decideDeadline(condition, { now: more.now ?? 100, graceMs: 50, flashGraceMs: 1000 });
  };
  assert.equal(at('pending', false), 'fail');
  assert.equal(at('pending', true), 'wait');
  assert.equal(at('pending', true, { now: 150 }), 'fail');
  assert.equal(at('active', false), 'ask-to-stop');
  assert.equal(at('active', false, { asked: true }), 'wait');
  assert.equal(at('active', false, { asked: true, now: 150 }), 'fail');
  assert.equal(at('active', true, { asked: true, now: 999 }), 'wait');
  assert.equal(at('active', true, { now: 5000 }), 'ask-to-stop');
  assert.equal(at('active', true, { asked: true, now: 1100 }), 'fail');
});

test('sweeping goes on after a round that failed, until it is stopped', async (t) => {
  const rig = await setUpEngine(t);
  let rounds = 0;
  const engine = {
    sweep: () => {
      rounds += 1;
      return rounds === 1 ? Promise.reject(new Error('the disk is full')) : rig.engine.sweep();
    },
  };
  const sweeping = startSweeping(engine, { clock: rig.clock, everyMs: 100 });
  while (rounds < 3) {
    await rig.clock.untilPending();
    rig.clock.advance(100);
  }
  await sweeping.stop();
  assert.equal(rig.clock.pending, 0);
});
