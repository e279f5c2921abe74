import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Engine, type EngineLimits, isEngineError, type Lease, type WorkerPort } from '../../../engine/index.ts';
import type { FakeClock } from '../../../kube/index.ts';

/** For tests: a port, and the engine behind it. */
export interface PortUnderTest {
  readonly port: WorkerPort;
  readonly engine: Engine;
  readonly clock: FakeClock;
  /** Adds a machine and asks for work on it; gives the id of the condition. */
  order(machine: string, kind: string): Promise<string>;
}

/** For tests: how to get a port. Kinds are `powerOn` and `inventoryOOB`. */
export interface PortTarget {
  readonly name: string;
  /** The store goes by the clock of the port under test; otherwise what takes time is not tried. */
  readonly isDriven: boolean;
  /** How long leases last; 10 s unless given. */
  readonly leaseMs?: number;
  open(t: TestContext, limits?: Partial<EngineLimits>): Promise<PortUnderTest>;
}

const identity = { id: 'flasher/host-7/5f3a', kinds: ['powerOn', 'inventoryOOB'], facilities: ['fc1'] };

const heldOf = (lease: Lease) => ({ conditionId: lease.condition.id, token: lease.token });

async function leaseOne(port: WorkerPort): Promise<Lease> {
  const [lease] = await port.lease(identity.id, { max: 1, waitMs: 0 });
  assert.ok(lease, 'there is nothing to lease');
  return lease;
}

const isLost = (error: unknown): boolean => isEngineError(error, 'leaseLost');

/** What every way from a worker to an engine has to hold. */
export function workerPortContract({ name, open, isDriven, leaseMs = 10_000 }: PortTarget): void {
  describe(`a worker port: ${name}`, () => {
    test('a lease has the whole condition, as the engine has it', async (t) => {
      const { port, engine, order } = await open(t);
      await port.online(identity);
      const id = await order('m1', 'powerOn');
      const lease = await leaseOne(port);
      const stored = await engine.get(id);
      assert.deepEqual(lease.condition, stored);
      assert.equal(lease.condition.controller, identity.id);
      assert.equal(lease.token, stored?.fencingToken);
      assert.equal(lease.until, stored?.leaseUntil);
      assert.equal(lease.leaseMs, leaseMs);
      assert.equal(lease.previous, undefined);
      assert.deepEqual(lease.leftovers, []);
    });

    test('nothing to do is no lease, and no more are given than asked for', async (t) => {
      const { port, order } = await open(t);
      await port.online(identity);
      assert.deepEqual(await port.lease(identity.id, { max: 5, waitMs: 0 }), []);
      for (const machine of ['m1', 'm2', 'm3']) await order(machine, 'powerOn');
      assert.equal((await port.lease(identity.id, { max: 2, waitMs: 0 })).length, 2);
      assert.deepEqual(await port.lease(identity.id, { max: 0, waitMs: 0 }), []);
      assert.equal((await port.lease(identity.id, { max: 2, waitMs: 0 })).length, 1);
    });

    test('work on one target only, for who asks for that', async (t) => {
      const { port, order } = await open(t);
      await port.online(identity);
      await order('m1', 'powerOn');
      const id = await order('m2', 'powerOn');
      const aimed = { max: 5, waitMs: 0, target: 'server/m2' };
      const leases = await port.lease(identity.id, aimed);
      assert.deepEqual(
        leases.map(({ condition }) => condition.id),
        [id],
      );
      assert.deepEqual(await port.lease(identity.id, aimed), []);
    });

    test('who waits gets work as soon as there is some', async (t) => {
      const { port, order } = await open(t);
      await port.online(identity);
      const waiting = port.lease(identity.id, { max: 1, waitMs: 20_000 });
      const id = await order('m1', 'powerOn');
      const [lease] = await waiting;
      assert.equal(lease?.condition.id, id);
    });

    test('who stops waiting gets nothing, and nothing is lost by it', async (t) => {
      const { port, order } = await open(t);
      await port.online(identity);
      const stop = new AbortController();
      const waiting = port.lease(identity.id, { max: 1, waitMs: 20_000, signal: stop.signal });
      stop.abort();
      assert.deepEqual(await waiting, []);
      const id = await order('m1', 'powerOn');
      const [lease] = await port.lease(identity.id, { max: 1, waitMs: 20_000 });
      assert.equal(lease?.condition.id, id);
    });

    test('a worker that is not online is told so', async (t) => {
      const { port } = await open(t);
      const isUnknown = (error: unknown): boolean => isEngineError(error, 'unknownWorker');
      await assert.rejects(port.lease('nobody', { max: 1, waitMs: 0 }), isUnknown);
      await assert.rejects(port.heartbeat('nobody'), isUnknown);
      await port.online(identity);
      await port.heartbeat(identity.id);
      await port.offline(identity.id);
      await assert.rejects(port.heartbeat(identity.id), isUnknown);
    });

    test('a worker that is fenced by heartbeats is told how long it may be silent, and says how long requests take', async (t) => {
      const { port, engine, order } = await open(t);
      await port.online({ ...identity, isFencedByHeartbeats: true });
      const id = await order('m1', 'powerOn');
      const lease = await leaseOne(port);
      assert.equal(lease.lostAfterMs, 30_000);
      for (const requestMs of [2000, 0]) await port.check(heldOf(lease), { requestMs });
      await port.release(heldOf(lease), 'it dies', { isHolderGone: true });
      const { state, controller } = (await engine.get(id)) ?? {};
      assert.deepEqual([state, controller], ['pending', identity.id]);
      await port.online(identity);
      await order('m2', 'powerOn');
      assert.equal((await leaseOne(port)).lostAfterMs, undefined);
    });

    test('a report is durable, renews the lease and brings a cancel', async (t) => {
      const { port, engine, order } = await open(t);
      await port.online(identity);
      const id = await order('m1', 'powerOn');
      const lease = await leaseOne(port);
      const report = {
        status: { msg: 'half', ünï: ['✓', 1.5, null, true] },
        progress: { step: 2, task: '/redfish/v1/t/1' },
        sessionUri: '/redfish/v1/s/7',
        isCancelUnsafe: true,
      };
      const kept = await port.report(heldOf(lease), report);
      const stored = await engine.get(id);
      assert.deepEqual(kept, { outcome: 'kept', until: stored?.leaseUntil, cancel: undefined });
      assert.deepEqual([stored?.status, stored?.progress], [report.status, report.progress]);
      await engine.cancel(id, { client: 'ann', isForced: false, doesInsist: false });
      const told = await port.report(heldOf(lease), { isCancelUnsafe: false });
      assert.ok(told.outcome === 'kept');
      const { at, isForced, by } = told.cancel ?? {};
      assert.deepEqual([typeof at, isForced, by], ['number', false, 'ann']);
    });

    test('the end of the work is taken once, and a second time as the same', async (t) => {
      const { port, engine, order } = await open(t);
      await port.online(identity);
      const id = await order('m1', 'powerOn');
      const lease = await leaseOne(port);
      const failure = { state: 'failed', reason: { code: 'BmcGone', message: 'it does not answer' } } as const;
      assert.equal((await port.report(heldOf(lease), failure)).outcome, 'kept');
      assert.equal((await port.report(heldOf(lease), failure)).outcome, 'kept');
      assert.equal((await port.report(heldOf(lease), { state: 'succeeded' })).outcome, 'lost');
      const stored = await engine.get(id);
      assert.deepEqual([stored?.state, stored?.reason?.code], ['failed', 'BmcGone']);
    });

    test('slots: one at a time where there is one, and who gives up leaves the line', async (t) => {
      const { port, order } = await open(t, { uploads: 1 });
      await port.online(identity);
      for (const machine of ['m1', 'm2', 'm3']) await order(machine, 'powerOn');
      const leases = await port.lease(identity.id, { max: 3, waitMs: 0 });
      const [one, two, three] = leases.map(heldOf);
      assert.ok(one && two && three);
      const never = new AbortController().signal;
      const giveBack = await port.acquireSlot('upload', one, never);
      const impatient = new AbortController();
      const second = port.acquireSlot('upload', two, impatient.signal);
      const third = port.acquireSlot('upload', three, never);
      impatient.abort();
      await assert.rejects(second, (error) => isEngineError(error, 'aborted'));
      await giveBack();
      const giveBackThird = await third;
      await giveBackThird();
    });

    test('slots: without a lease there is none', async (t) => {
      const { port, order } = await open(t, { uploads: 1 });
      await port.online(identity);
      await order('m1', 'powerOn');
      const lease = await leaseOne(port);
      const other = { ...heldOf(lease), token: lease.token + 1 };
      await assert.rejects(port.acquireSlot('upload', other, new AbortController().signal), isLost);
    });

    if (isDriven) tryTime(open);
  });
}

function tryTime(open: PortTarget['open']): void {
  test('a lease that ended is refused, and the next holder gets what was left', async (t) => {
    const { port, engine, clock, order } = await open(t);
    await port.online(identity);
    await order('m1', 'powerOn');
    const old = await leaseOne(port);
    await port.report(heldOf(old), { progress: { step: 3 }, sessionUri: '/s/1' });
    await port.check(heldOf(old));
    clock.advance(10_000);
    await assert.rejects(port.check(heldOf(old)), isLost);
    await engine.sweep();
    clock.advance(5000);
    const next = await leaseOne(port);
    assert.ok(next.token > old.token);
    assert.deepEqual(next.condition.progress, { step: 3 });
    const before = { controller: identity.id, token: old.token, sessionUri: '/s/1' };
    assert.deepEqual(next.previous, before);
    assert.deepEqual(next.leftovers, [before]);
    const late = await port.report(heldOf(old), { status: { msg: 'late' } });
    assert.ok(late.outcome === 'lost' && late.why !== '');
    await port.release(heldOf(old), 'late');
    await port.check(heldOf(next));
  });

  test('work that is given back is leased again, not before its time', async (t) => {
    const { port, clock, order } = await open(t);
    await port.online(identity);
    await order('m1', 'powerOn');
    const first = await leaseOne(port);
    await port.release(heldOf(first), 'I stop');
    const second = await leaseOne(port);
    await port.release(heldOf(second), 'it did not work', { afterMs: 60_000 });
    assert.deepEqual(await port.lease(identity.id, { max: 1, waitMs: 0 }), []);
    clock.advance(60_000);
    assert.equal((await leaseOne(port)).condition.leases, 3);
  });

  test('work that is given back for no fault of its own is given back as often as it takes', async (t) => {
    const { port, clock, order } = await open(t);
    await port.online(identity);
    await order('m1', 'powerOn');
    for (let round = 1; round <= 20; round++) {
      const lease = await leaseOne(port);
      assert.equal(lease.condition.leases, round);
      await port.release(heldOf(lease), 'no room', { afterMs: 1000, isNotCounted: true, areLeftoversKept: true });
      assert.deepEqual(await port.lease(identity.id, { max: 1, waitMs: 0 }), []);
      clock.advance(1000);
    }
  });

  test('work of a holder that died is leased again when its last request is over, with the session that it left', async (t) => {
    const { port, clock, order } = await open(t);
    await port.online(identity);
    await order('m1', 'powerOn');
    const old = await leaseOne(port);
    await port.report(heldOf(old), { sessionUri: '/s/1' });
    await port.release(heldOf(old), 'it died', { isHolderGone: true });
    assert.deepEqual(await port.lease(identity.id, { max: 1, waitMs: 0 }), []);
    clock.advance(5000);
    const next = await leaseOne(port);
    const before = { controller: identity.id, token: old.token, sessionUri: '/s/1' };
    assert.deepEqual([next.previous, next.leftovers], [before, [before]]);
  });

  test('what an earlier life under the same id held is given up', async (t) => {
    const { port, clock, order } = await open(t);
    await port.online(identity);
    await order('m1', 'powerOn');
    const old = await leaseOne(port);
    await port.online(identity);
    assert.equal((await port.report(heldOf(old), {})).outcome, 'lost');
    clock.advance(5000);
    assert.ok((await leaseOne(port)).token > old.token);
  });
}
