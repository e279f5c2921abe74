import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { type Clock, sleep } from '../../src/kube/index.ts';
import { TimeError } from './errors.ts';
import { createSteppedClock, type SteppedClock } from './stepped-clock.ts';

/** Real work of some turns of the event loop, as a request over loopback is. */
async function realWork(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('by hand, time fires what is due on the way and stops where it was told to', async () => {
  const clock = createSteppedClock({ startEpochMs: 1000 });
  const seen: [string, number][] = [];
  clock.after(50, () => {
    seen.push(['a', clock.elapsedMs()]);
    clock.after(25, () => seen.push(['b', clock.elapsedMs()]));
  });
  clock.after(200, () => seen.push(['c', clock.elapsedMs()]));
  await clock.advance(100);
  assert.deepEqual(seen, [
    ['a', 50],
    ['b', 75],
  ]);
  assert.equal(clock.now(), 1100);
  await clock.settle();
  assert.deepEqual(seen.at(-1), ['c', 200]);
  assert.equal(clock.elapsedMs(), 200);
  assert.equal(clock.pending, 0);
});

test('a day of sleep takes no real time, and time waits for real work', async () => {
  const clock = createSteppedClock();
  const end = await clock.run('m', async (time) => {
    for (let hour = 0; hour < 24; hour++) {
      await sleep(time, 3_600_000);
      await realWork(5);
      assert.equal(clock.elapsedMs(), (hour + 1) * 3_600_000);
    }
    return time.monotonic();
  });
  assert.equal(end, 24 * 3_600_000);
});

test('those that wake at one instant go one after the other, by name', async () => {
  const clock = createSteppedClock();
  const order: string[] = [];
  const workload =
    (name: string) =>
    async (time: Clock): Promise<void> => {
      for (let round = 0; round < 3; round++) {
        order.push(`${name} begins`);
        await realWork(name === 'a' ? 7 : 1);
        order.push(`${name} ends`);
        await sleep(time, 10);
      }
    };
  await Promise.all(['c', 'a', 'b'].map((name) => clock.run(name, workload(name))));
  const round = ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'];
  assert.deepEqual(order, [...round, ...round, ...round]);
});

test('a held request counts as waiting, and goes on at its time', async () => {
  const clock = createSteppedClock();
  await clock.run('m', async () => {
    await clock.hold('m', 5000);
    assert.equal(clock.elapsedMs(), 5000);
  });
});

test('a deadline that fires sets its party free of the request that is held', async () => {
  const clock = createSteppedClock();
  const given = await clock.run('m', async (time) => {
    const abort = new AbortController();
    const deadline = new Promise<string>((resolve) => {
      time.after(1000, () => {
        abort.abort();
        resolve('deadline');
      });
    });
    // The simulator learns of the abort only when the connection is closed, some turns later.
    const held = clock.hold('m', 60_000).then(() => 'answer');
    const first = await Promise.race([deadline, held]);
    await realWork(20);
    assert.equal(clock.elapsedMs(), 1000, 'time went on while the client was busy');
    await sleep(time, 500);
    assert.equal(clock.elapsedMs(), 1500);
    return first;
  });
  assert.equal(given, 'deadline');
});

test('an aborted sleep wakes its party', async () => {
  const clock = createSteppedClock();
  await clock.run('m', async (time) => {
    const abort = new AbortController();
    time.after(300, () => abort.abort());
    await sleep(time, 10_000, abort.signal);
    await realWork(10);
    assert.equal(clock.elapsedMs(), 300);
  });
});

test('time stands still for work in real time that simulated things wait for', async () => {
  const clock = createSteppedClock();
  const seen: number[] = [];
  await clock.run('m', async (time) => {
    void clock.standStill(realWork(30)).then(() => {
      seen.push(clock.elapsedMs());
      clock.after(10, () => seen.push(clock.elapsedMs()));
    });
    await sleep(time, 100);
  });
  assert.deepEqual(seen, [0, 10]);
  void clock.standStill(realWork(10)).then(() => seen.push(clock.elapsedMs()));
  await clock.advance(50);
  assert.deepEqual(seen, [0, 10, 100]);
});

test('a workload that fails fails its run, and the others go on', async () => {
  const clock = createSteppedClock();
  const good = clock.run('good', async (time) => {
    await sleep(time, 100);
    return clock.elapsedMs();
  });
  await assert.rejects(
    clock.run('bad', async (time) => {
      await sleep(time, 10);
      throw new Error('broken');
    }),
    /broken/,
  );
  assert.equal(await good, 100);
});

test('an endless loop without time is an error that names who is in it', async () => {
  const clock = createSteppedClock({ instantLimit: 1000 });
  const spinning = clock.run('spinner', async (time) => {
    for (;;) await sleep(time, 0);
  });
  await assert.rejects(
    spinning,
    (error: TimeError) => error.reason === 'EndlessInstant' && /spinner/.test(error.message),
  );
  const byHand = createSteppedClock({ instantLimit: 1000 });
  const again = (): void => void byHand.after(0, again);
  again();
  await assert.rejects(byHand.advance(1), { reason: 'EndlessInstant' });
});

test('a party that neither sleeps nor is held is named when time stalls', async () => {
  const clock = createSteppedClock({ stallMs: 20 });
  await assert.rejects(
    clock.run('sleeper', () => new Promise(() => undefined)),
    (error: TimeError) => error instanceof TimeError && error.reason === 'Stalled' && /sleeper/.test(error.message),
  );
});

test('time cannot be moved by hand while something runs, and closing ends what runs', async () => {
  const clock = createSteppedClock();
  const running = clock.run('m', (time) => sleep(time, 1e9).then(() => new Promise(() => undefined)));
  await assert.rejects(clock.advance(1), { reason: 'DrivenByParties' });
  clock.close();
  await assert.rejects(running, { reason: 'Closed' });
  await assert.rejects(
    clock.run('m', async () => undefined),
    { reason: 'Closed' },
  );
});

test('what repeats for ever does not settle', async () => {
  const clock = createSteppedClock();
  const again = (): void => void clock.after(1000, again);
  again();
  await assert.rejects(clock.settle(10_000), { reason: 'NeverSettles' });
});

test('two runs of the same workloads give the same history, whatever real work they do', async () => {
  const action = fc.oneof(
    fc.record({ kind: fc.constant('sleep' as const), ms: fc.nat(50) }),
    fc.record({ kind: fc.constant('hold' as const), ms: fc.nat(50) }),
    fc.record({ kind: fc.constant('late-hold' as const), ms: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ kind: fc.constant('machine' as const), ms: fc.nat(50) }),
  );
  const plans = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.array(action, { maxLength: 12 }), { minKeys: 1 });
  await fc.assert(
    fc.asyncProperty(plans, fc.array(fc.nat(6), { minLength: 40, maxLength: 40 }), async (plan, work) => {
      const quick = await history(plan, () => 0);
      let index = 0;
      const slow = await history(plan, () => work[index++ % work.length] ?? 0);
      assert.deepEqual(slow, quick);
    }),
    { numRuns: 60 },
  );
});

type Action = { readonly kind: 'sleep' | 'hold' | 'late-hold' | 'machine'; readonly ms: number };

async function history(plan: Record<string, Action[]>, workOf: () => number): Promise<string[]> {
  const clock = createSteppedClock();
  const lines: string[] = [];
  const note = (text: string): void => void lines.push(`${clock.elapsedMs()} ${text}`);
  const run = (name: string, actions: Action[]): Promise<void> =>
    clock.run(name, async (time) => {
      for (const action of actions) {
        await realWork(workOf());
        note(`${name} ${action.kind}`);
        await act({ clock, time, name, action, note });
      }
    });
  await Promise.all(Object.entries(plan).map(([name, actions]) => run(name, actions)));
  return lines;
}

async function act(order: {
  clock: SteppedClock;
  time: Clock;
  name: string;
  action: Action;
  note: (text: string) => void;
}): Promise<void> {
  const { clock, time, name, action, note } = order;
  if (action.kind === 'sleep') return sleep(time, action.ms);
  if (action.kind === 'hold') return clock.hold(name, action.ms);
  if (action.kind === 'machine') {
    clock.after(action.ms, () => note(`machine of ${name}`));
    return;
  }
  const abort = new AbortController();
  await new Promise<void>((resolve) => {
    const deadline = time.after(action.ms, resolve);
    void clock.hold(name, action.ms * 2, abort.signal).then(() => {
      deadline.cancel();
      resolve();
    });
  });
  abort.abort();
}
