import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EngineError } from '../errors.ts';
import { type Rig, setUpEngine } from '../testing/rig.ts';
import type { Work, WorkHandler } from './work.ts';
import { createWorker, type Worker, type WorkerOptions } from './worker.ts';
import type { WorkerPort } from './worker-port.ts';

/** Work in hand, ended by the test. */
interface InHand {
  readonly work: Work;
  end(outcome: Awaited<ReturnType<WorkHandler>> | Error): void;
}

interface Bench extends Rig {
  readonly worker: Worker;
  readonly taken: InHand[];
  /** Resolves with the n-th work that the worker took. */
  next(n?: number): Promise<InHand>;
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
}

/** A port that an engine's own one stands behind; a test may break it. */
function breakable(port: WorkerPort) {
  const faults: Partial<Record<keyof WorkerPort, () => void>> = {};
  const wrapped = new Proxy(port, {
    get(target, name: keyof WorkerPort) {
      return (...args: never[]) => {
        faults[name]?.();
        return (target[name] as (...given: never[]) => unknown)(...args);
      };
    },
  });
  return { port: wrapped, faults };
}

/** Leases that last longer than a worker may be silent. */
function patientLeases(port: WorkerPort): WorkerPort {
  return {
    ...port,
    check: async () => {},
    lease: async (id, options) => (await port.lease(id, options)).map((one) => ({ ...one, leaseMs: 600_000 })),
  };
}

async function setUp(
  t: Parameters<typeof setUpEngine>[0],
  options: Partial<WorkerOptions> = {},
  watch: (port: WorkerPort) => WorkerPort = (port) => port,
): Promise<Bench & { readonly faults: ReturnType<typeof breakable>['faults'] }> {
  // The worker has to stop before its engine closes.
  const afterwards: (() => unknown)[] = [];
  const rig = await setUpEngine({ after: (work) => void afterwards.push(work as () => unknown) });
  for (const id of ['m0', 'm1', 'm2']) await rig.addMachine(id);
  const { port, faults } = breakable(watch(rig.engine.worker));
  const taken: InHand[] = [];
  const handler: WorkHandler = (work) =>
    new Promise((resolve, reject) => {
      taken.push({ work, end: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)) });
    });
  const worker = createWorker({
    port,
    identity: { id: 'w1', kinds: ['firmwareInstall', 'inventoryOOB'], facilities: ['fc1'] },
    handlers: { FirmwareInstall: handler, inventoryOOB: handler },
    concurrency: 2,
    clock: rig.clock,
    random: () => 0.5,
    ...options,
  });
  await worker.online;
  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    for (let n = 0; n < 500; n++) {
      if (await isSo()) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.fail('it never came to that');
  };
  const next = async (n = 0): Promise<InHand> => {
    await until(() => taken[n] !== undefined);
    return taken[n] ?? assert.fail();
  };
  t.after(async () => {
    const stopped = worker.stop({ graceMs: 0 });
    for (const { end } of taken) end({ outcome: 'released', why: 'the test is over' });
    rig.clock.advance(1);
    await stopped;
    for (const work of afterwards) await work();
  });
  return { ...rig, worker, taken, next, until, faults };
}

describe('a worker', () => {
  test('takes work up to its concurrency and more when some ends', async (t) => {
    const bench = await setUp(t);
    for (const id of ['m0', 'm1', 'm2']) await bench.create(`server/${id}`, 'firmwareInstall');
    await bench.next(1);
    assert.equal(bench.worker.running, 2);
    (await bench.next(0)).end({ outcome: 'succeeded', status: { done: true } });
    const third = await bench.next(2);
    assert.deepEqual([third.work.isFirstLease, third.work.previous], [true, undefined]);
    assert.deepEqual((await bench.get(bench.taken[0]?.work.condition.id ?? '')).status, { done: true });
  });

  test('knows the time of the store, however long the worker waited for the work', async (t) => {
    const bench = await setUp(t, {}, patientLeases);
    await bench.clock.untilPending();
    bench.clock.advance(10_000);
    await bench.create('server/m0', 'firmwareInstall');
    const { work } = await bench.next(0);
    assert.equal(work.now(), bench.clock.now());
  });

  test('takes work in portions, and another one only when its process has time for it', async (t) => {
    const waits: (() => void)[] = [];
    const wait = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        waits.push(resolve);
        signal.addEventListener('abort', () => resolve());
      });
    const asked: number[] = [];
    const seen = (port: WorkerPort): WorkerPort => ({
      ...port,
      lease: (id, options) => {
        asked.push(options.max);
        return port.lease(id, options);
      },
    });
    const bench = await setUp(t, { concurrency: 3, leisure: { portion: 1, wait } }, seen);
    for (const id of ['m0', 'm1', 'm2']) await bench.create(`server/${id}`, 'firmwareInstall');
    for (const running of [1, 2]) {
      await bench.until(() => waits.length === running);
      // It waits: it has not asked for the next, though there is some and there is room.
      assert.deepEqual([bench.worker.running, bench.taken.length, asked.length], [running, running, running]);
      waits[running - 1]?.();
    }
    await bench.next(2);
    assert.deepEqual(asked, [1, 1, 1]);
    // Who has nothing to do waits for work, and not for time.
    for (const { end } of bench.taken) end({ outcome: 'succeeded' });
    await bench.until(() => bench.worker.running === 0 && asked.length > 3);
  });

  test('says how work ended: failed with its reason, given back, or thrown', async (t) => {
    const bench = await setUp(t);
    const cases = [
      {
        end: { outcome: 'failed' as const, reason: { code: 'NoImage', message: 'gone' } },
        state: 'failed',
        code: 'NoImage',
      },
      { end: new Error('a mistake'), state: 'failed', code: 'WorkerError' },
      {
        end: Object.assign(new Error('refused'), { code: 'refused', retry: 'terminal' }),
        state: 'failed',
        code: 'Refused',
      },
      {
        end: Object.assign(new Error('busy'), { code: 'busy', retry: 'transient' }),
        state: 'pending',
        code: 'Released',
      },
    ];
    for (const [n, { end, state, code }] of cases.entries()) {
      const { id } = await bench.create('server/m0', n % 2 === 0 ? 'firmwareInstall' : 'inventoryOOB');
      (await bench.next(n)).end(end);
      await bench.until(async () => (await bench.get(id)).state !== 'active');
      const ended = await bench.get(id);
      assert.deepEqual([ended.state, ended.reason?.code], [state, code]);
    }
  });

  test('comes back to work that failed for a while, after a growing pause', async (t) => {
    const bench = await setUp(t);
    const { id } = await bench.create('server/m0', 'firmwareInstall');
    const transient = Object.assign(new Error('the BMC is busy'), { retry: 'transient' });
    (await bench.next(0)).end(transient);
    await bench.until(async () => (await bench.get(id)).state === 'pending');
    bench.clock.advance(3700);
    bench.clock.advance(2000);
    const second = await bench.next(1);
    assert.equal(second.work.isFirstLease, false);
  });

  test('tells a handler to stop at once when its lease is lost, and writes nothing', async (t) => {
    const bench = await setUp(t);
    const { id } = await bench.create('server/m0', 'firmwareInstall');
    const { work, end } = await bench.next();
    await bench.engine.cancel(id, { client: 'ops', isForced: true, doesInsist: false });
    await assert.rejects(work.report({ status: { late: true } }), { code: 'leaseLost' });
    assert.equal(work.signal.aborted, true);
    end({ outcome: 'succeeded', status: { late: true } });
    await bench.until(() => bench.worker.running === 0);
    assert.deepEqual([(await bench.get(id)).state, (await bench.get(id)).status], ['failed', {}]);
  });

  test('that hangs loses its lease by its own clock, without asking', async (t) => {
    const bench = await setUp(t);
    await bench.create('server/m0', 'firmwareInstall');
    const { work } = await bench.next();
    bench.clock.advance(9999);
    assert.equal(work.signal.aborted, false);
    bench.clock.advance(1);
    assert.equal(work.signal.aborted, true);
  });

  test('that was frozen notices before it does anything, whatever the store would say', async (t) => {
    const bench = await setUp(t);
    await bench.create('server/m0', 'firmwareInstall');
    const { work } = await bench.next();
    let calls = 0;
    for (const name of ['check', 'report'] as const) {
      bench.faults[name] = () => {
        calls += 1;
      };
    }
    bench.clock.advance(60_000);
    await assert.rejects(work.check(), { code: 'leaseLost' });
    await assert.rejects(work.report({ progress: {} }), { code: 'leaseLost' });
    await assert.rejects(work.pause(1), { code: 'leaseLost' });
    assert.equal(calls, 0);
  });

  test('sends nothing more of a long request when no heartbeat was taken for a while, unless the engine says that it may', async (t) => {
    const bench = await setUp(t, {}, patientLeases);
    await bench.create('server/m0', 'firmwareInstall');
    const { work } = await bench.next();
    let checks = 0;
    let isAway = true;
    bench.faults.heartbeat = () => {
      throw new Error('connection refused');
    };
    bench.faults.check = () => {
      checks += 1;
      if (isAway) throw new Error('connection refused');
    };
    bench.clock.advance(29_999);
    await work.confirm();
    assert.equal(checks, 0, 'until then nobody can have taken the worker for lost');
    bench.clock.advance(1);
    const confirmed = work.confirm();
    await bench.until(() => checks === 1);
    isAway = false;
    await new Promise((resolve) => setImmediate(resolve));
    bench.clock.advance(200);
    await confirmed;
    await work.confirm();
    assert.equal(checks, 2, 'an answer of the engine counts as a heartbeat does');
  });

  test('that the engine took for lost stops all its work at once and begins anew', async (t) => {
    const bench = await setUp(t);
    const { id } = await bench.create('server/m0', 'firmwareInstall');
    const { work, end } = await bench.next();
    await bench.database.write((tx) => tx.run('UPDATE controllers SET is_online = 0'));
    bench.clock.advance(5000);
    await bench.until(() => work.signal.aborted);
    await assert.rejects(work.confirm(), { code: 'leaseLost' });
    await bench.until(async () => (await bench.engine.controllers())[0]?.isOnline === true);
    assert.equal((await bench.get(id)).state, 'pending');
    end({ outcome: 'succeeded' });
  });

  test('is heard of until its last work has ended, also while it stops', async (t) => {
    const bench = await setUp(t);
    await bench.create('server/m0', 'firmwareInstall');
    const { end } = await bench.next();
    let beats = 0;
    bench.faults.heartbeat = () => {
      beats += 1;
    };
    const stopped = bench.worker.stop({ graceMs: 60_000 });
    await new Promise((resolve) => setImmediate(resolve));
    bench.clock.advance(5000);
    await bench.until(() => beats === 1);
    end({ outcome: 'released', why: 'the worker stops' });
    await stopped;
    assert.deepEqual(
      (await bench.engine.controllers()).map(({ isOnline }) => isOnline),
      [false],
    );
  });

  test('keeps its lease by reports, also when the way to the engine breaks for a moment', async (t) => {
    const bench = await setUp(t);
    const { id } = await bench.create('server/m0', 'firmwareInstall');
    const { work } = await bench.next();
    bench.clock.advance(9000);
    let failures = 0;
    bench.faults.report = () => {
      failures += 1;
      if (failures <= 2) throw new Error('connection refused');
    };
    const reported = work.report({ progress: { step: 1 } });
    for (let n = 1; n <= 2; n++) {
      await bench.until(() => failures === n);
      await new Promise((resolve) => setImmediate(resolve));
      bench.clock.advance(200 * n);
    }
    await reported;
    bench.clock.advance(9000);
    await work.check();
    assert.deepEqual((await bench.get(id)).progress, { step: 1 });
    bench.faults.report = () => {
      throw new Error('connection refused');
    };
    const lost = assert.rejects(work.report(), { code: 'leaseLost' });
    for (let n = 0; n < 20; n++) {
      await new Promise((resolve) => setImmediate(resolve));
      bench.clock.advance(500);
    }
    await lost;
  });

  test('stops cancelled work at the next safe point, and lets it clean up', async (t) => {
    const bench = await setUp(t);
    const { id } = await bench.create('server/m0', 'firmwareInstall');
    const { work, end } = await bench.next();
    await work.report({ isCancelUnsafe: true });
    await bench.engine.cancel(id, { client: 'ops', isForced: false, doesInsist: false });
    await work.report({ progress: { flashing: true } });
    assert.equal(work.ending.aborted, true);
    assert.equal(work.signal.aborted, false);
    const paused = work.pause(100);
    bench.clock.advance(100);
    await paused.catch(() => assert.fail('a flash is no safe point'));
    const error = await work.report({ isCancelUnsafe: false }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof EngineError && error.code === 'cancelled');
    await work.report({ progress: { poweredOff: true } });
    end(error);
    await bench.until(async () => (await bench.get(id)).state === 'failed');
    const ended = await bench.get(id);
    assert.deepEqual([ended.reason?.code, ended.progress], ['Cancelled', { poweredOff: true }]);
  });

  test('that goes on with a flash of one that died is not stopped in the middle of it by a cancel from before', async (t) => {
    const bench = await setUp(t);
    const { id } = await bench.create('server/m0', 'firmwareInstall');
    const first = await bench.next(0);
    await first.work.report({ progress: { step: 'flashing' }, isCancelUnsafe: true });
    await bench.engine.cancel(id, { client: 'ops', isForced: false, doesInsist: false });
    bench.clock.advance(first.work.lease.leaseMs);
    first.end(new Error('it died'));
    await bench.engine.sweep();
    bench.clock.advance(60_000);
    const { work, end } = await bench.next(1);
    assert.deepEqual([work.condition.progress, work.cancel?.by], [{ step: 'flashing' }, 'ops']);
    await work.report().catch(() => assert.fail('a flash is no safe point, whoever began it'));
    const error = await work.report({ isCancelUnsafe: false }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof EngineError && error.code === 'cancelled');
    end(error);
    await bench.until(async () => (await bench.get(id)).state === 'failed');
  });

  test('gives the place of work that hangs to other work, and leaves what that works on alone until it ended', async (t) => {
    const bench = await setUp(t);
    const { id } = await bench.create('server/m0', 'firmwareInstall');
    const hanging = await bench.next(0);
    const wait = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
      for (let second = 0; second < 600 && !(await isSo()); second++) {
        bench.clock.advance(1000);
        await bench.engine.sweep();
        for (let breath = 0; breath < 5; breath++) await new Promise((resolve) => setImmediate(resolve));
      }
      assert.ok(await isSo());
    };
    await wait(async () => (await bench.get(id)).reason?.message.includes('has not ended') === true);
    assert.equal(bench.worker.running, 1, 'it gets a moment to notice');
    await wait(() => bench.worker.running === 0);
    for (const other of ['m1', 'm2']) await bench.create(`server/${other}`, 'firmwareInstall');
    await wait(() => bench.taken.length === 3);
    for (const { end } of bench.taken.slice(1)) end({ outcome: 'succeeded' });
    await wait(async () => (await bench.get(id)).leases > 4);
    assert.equal(bench.taken.length, 3);
    hanging.end({ outcome: 'succeeded' });
    await wait(() => bench.taken.length === 4);
    assert.equal(bench.taken[3]?.work.condition.id, id);
    assert.deepEqual(
      bench.taken[3]?.work.leftovers.map(({ token }) => token),
      [hanging.work.lease.token],
      'nobody ended the session of what hung',
    );
  });

  test('keeps the places of what hangs once that is more than it may work on', async (t) => {
    const bench = await setUp(t, { concurrency: 1 });
    for (const one of ['m0', 'm1', 'm2']) await bench.create(`server/${one}`, 'firmwareInstall');
    for (let second = 0; second < 600; second++) {
      bench.clock.advance(1000);
      for (let breath = 0; breath < 5; breath++) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual([bench.taken.length, bench.worker.running], [2, 1]);
  });

  test('does not end a flash as cancelled because something else went wrong in the middle of it', async (t) => {
    const bench = await setUp(t);
    const { id } = await bench.create('server/m0', 'firmwareInstall');
    const { work, end } = await bench.next();
    await work.report({ isCancelUnsafe: true });
    await bench.engine.cancel(id, { client: 'ops', isForced: false, doesInsist: false });
    await work.report();
    end(Object.assign(new Error('the BMC is busy'), { retry: 'transient' }));
    await bench.until(async () => (await bench.get(id)).state !== 'active');
    const { state, cancel, reason } = await bench.get(id);
    assert.deepEqual([state, cancel?.by, reason?.message], ['pending', 'ops', 'the BMC is busy']);
  });

  test('that stops lets work go at a safe point, and another goes on with it', async (t) => {
    const bench = await setUp(t);
    const { id } = await bench.create('server/m0', 'firmwareInstall');
    const { work, end } = await bench.next();
    await work.report({ progress: { step: 2 }, isCancelUnsafe: true });
    const stopped = bench.worker.stop();
    await bench.until(() => work.ending.aborted);
    await work.report();
    const error = await work.report({ isCancelUnsafe: false }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof EngineError && error.code === 'stopping');
    end(error);
    await stopped;
    assert.equal((await bench.get(id)).state, 'pending');
    assert.deepEqual(
      (await bench.engine.controllers()).map((one) => one.isOnline),
      [false],
    );
    await bench.online('w2');
    const [lease] = await bench.lease('w2');
    assert.deepEqual([lease?.condition.progress, lease?.previous], [{ step: 2 }, undefined]);
  });

  test('that stops cuts off what is not at a safe point when the grace time is over', async (t) => {
    const bench = await setUp(t);
    const { id } = await bench.create('server/m0', 'firmwareInstall');
    const { work, end } = await bench.next();
    await work.report({ isCancelUnsafe: true });
    work.signal.addEventListener('abort', () => end(new Error('aborted')));
    const stopped = bench.worker.stop({ graceMs: 5000 });
    await bench.until(() => work.ending.aborted);
    bench.clock.advance(5000);
    await stopped;
    assert.equal((await bench.get(id)).state, 'pending');
  });

  test('goes on when the engine cannot be reached for a while, and comes online again when it was forgotten', async (t) => {
    const bench = await setUp(t);
    let failures = 0;
    bench.faults.lease = () => {
      failures += 1;
      if (failures <= 3) throw new Error('no route to host');
    };
    await bench.engine.worker.offline('w1');
    await bench.create('server/m0', 'firmwareInstall');
    for (let n = 0; n < 50 && bench.taken.length === 0; n++) {
      await new Promise((resolve) => setImmediate(resolve));
      bench.clock.advance(1000);
    }
    await bench.next();
    assert.ok(failures > 3);
    assert.deepEqual(
      (await bench.engine.controllers()).map((one) => one.isOnline),
      [true],
    );
  });

  test('keeps its lease while it stands in line for a slot for longer than a lease lasts', async (t) => {
    const bench = await setUp(t);
    bench.engine.setLimits({ uploads: 1 });
    for (const id of ['m0', 'm1']) await bench.create(`server/${id}`, 'firmwareInstall');
    const [first, second] = [await bench.next(0), await bench.next(1)];
    const giveBack = await first.work.acquireSlot('upload');
    let isIn = false;
    const waiting = second.work.acquireSlot('upload').then(() => {
      isIn = true;
    });
    for (let second = 1; second <= 40; second++) {
      for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
      bench.clock.advance(1000);
      if (second % 3 === 0) await first.work.report();
    }
    assert.equal(isIn, false);
    await giveBack();
    await waiting;
    assert.equal(second.work.signal.aborted, false);
    await second.work.check();
  });

  test('asks for its lease anew after the line for a slot only where it may have ended meanwhile', async (t) => {
    let reports = 0;
    const counted = (port: WorkerPort): WorkerPort => ({
      ...port,
      report: (held, report) => {
        reports += 1;
        return port.report(held, report);
      },
    });
    const bench = await setUp(t, {}, counted);
    await bench.create('server/m0', 'firmwareInstall');
    const { work } = await bench.next(0);
    await (await work.acquireSlot('upload'))();
    assert.equal(reports, 0);
    bench.clock.advance(work.lease.leaseMs / 2);
    await (await work.acquireSlot('upload'))();
    assert.equal(reports, 1);
    // Who was let in at once still knows when its lease ends.
    await (await work.acquireSlot('upload'))();
    bench.clock.advance(work.lease.leaseMs);
    assert.equal(work.signal.aborted, true);
  });

  test('leaves the line for a slot when its work is cancelled', async (t) => {
    const bench = await setUp(t);
    bench.engine.setLimits({ uploads: 1 });
    for (const id of ['m0', 'm1']) await bench.create(`server/${id}`, 'firmwareInstall');
    const [first, second] = [await bench.next(0), await bench.next(1)];
    await first.work.acquireSlot('upload');
    const waiting = second.work.acquireSlot('upload').catch((error: unknown) => error);
    await bench.engine.cancel(second.work.condition.id, { client: 'ops', isForced: false, doesInsist: false });
    await (second.work as unknown as { lookForCancel(): Promise<void> }).lookForCancel();
    const error = await waiting;
    assert.ok(error instanceof EngineError && error.code === 'cancelled', String(error));
    await second.work.report({ progress: { cleanedUp: true } });
  });

  test('asks for a slot again when the way to the engine breaks, and does not fail for one it cannot give back', async (t) => {
    const bench = await setUp(t);
    bench.engine.setLimits({ uploads: 1 });
    await bench.create('server/m0', 'firmwareInstall');
    const { work } = await bench.next();
    let failures = 0;
    bench.faults.acquireSlot = () => {
      failures += 1;
      if (failures === 1) throw Object.assign(new Error('the answer to a commit was lost'), { retry: 'blocked' });
    };
    const asked = work.acquireSlot('upload');
    await bench.until(() => failures === 1);
    await new Promise((resolve) => setImmediate(resolve));
    bench.clock.advance(200);
    const giveBack = await asked;
    assert.equal(failures, 2);
    const write = bench.database.write;
    t.after(() => Object.assign(bench.database, { write }));
    Object.assign(bench.database, { write: () => Promise.reject(new Error('no route to host')) });
    await giveBack();
  });

  test('does not start work whose lease may be old without asking for it anew', async (t) => {
    const bench = await setUp(t);
    let reports = 0;
    bench.faults.report = () => {
      reports += 1;
    };
    await bench.clock.untilPending();
    bench.clock.advance(1999);
    bench.clock.advance(1999);
    await bench.create('server/m0', 'firmwareInstall');
    await bench.next();
    assert.equal(reports, 1);
  });
});

test('a worker without a handler for one of its kinds is a mistake', async (t) => {
  const rig = await setUpEngine(t);
  const identity = { id: 'w', kinds: ['firmwareInstall'], facilities: [] };
  const options = { port: rig.engine.worker, identity, handlers: {}, concurrency: 1, clock: rig.clock };
  assert.throws(() => createWorker(options), /no handler for the kind firmwareInstall/);
});
