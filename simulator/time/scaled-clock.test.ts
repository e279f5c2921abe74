import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep } from '../../src/kube/index.ts';
import { createScaledClock } from './scaled-clock.ts';

test('time is real time multiplied by the speed', () => {
  let real = 100;
  const clock = createScaledClock({ speed: 60, startEpochMs: 1_000_000, realNow: () => real });
  assert.equal(clock.elapsedMs(), 0);
  real += 1000;
  assert.equal(clock.elapsedMs(), 60_000);
  assert.equal(clock.now(), 1_060_000);
  assert.equal(clock.monotonic(), 60_000);
  clock.close();
});

test('forty minutes pass in forty milliseconds, and chained timers do not drift', async () => {
  const clock = createScaledClock({ speed: 60_000, startEpochMs: 0 });
  const seen: number[] = [];
  await new Promise<void>((resolve) => {
    const next = (): void => {
      seen.push(clock.elapsedMs());
      if (seen.length === 5) resolve();
      else clock.after(600_000, next);
    };
    clock.after(0, next);
  });
  const first = seen[0] ?? 0;
  assert.deepEqual(
    seen,
    [0, 1, 2, 3, 4].map((step) => first + step * 600_000),
  );
  clock.close();
});

test('timers of one instant fire in the order they were set in, others by time', async () => {
  // Real time stands still while the timers are set: on a machine that is busy it may run far between two of them.
  let real = 0;
  const clock = createScaledClock({ speed: 1000, startEpochMs: 0, realNow: () => real });
  const order: string[] = [];
  clock.after(2000, () => order.push('late'));
  clock.after(1000, () => order.push('first'));
  clock.after(1000, () => order.push('second'));
  clock.after(1000, () => order.push('never')).cancel();
  const over = sleep(clock, 3000);
  real = 3;
  await over;
  assert.deepEqual(order, ['first', 'second', 'late']);
  clock.close();
});

test('while the process stands still its time does too, when told so', () => {
  let real = 1000;
  const realNow = () => real;
  const clock = createScaledClock({ speed: 10, startEpochMs: 0, realNow, mostAtOnceMs: 40 });
  const plain = createScaledClock({ speed: 10, startEpochMs: 0, realNow });
  for (const [later, expected] of [
    [30, 300],
    [20_000, 700],
    [40, 1100],
  ] as const) {
    real += later;
    assert.equal(clock.now(), expected);
  }
  assert.equal(plain.now(), 200_700);
  clock.close();
  plain.close();
});

test('a hold ends at its time or when it is aborted, and closing stops all timers', async () => {
  const clock = createScaledClock({ speed: 1000 });
  await clock.hold('m', 1000);
  const abort = new AbortController();
  const held = clock.hold('m', 3_600_000_000, abort.signal);
  abort.abort();
  await held;
  assert.equal(await clock.standStill(Promise.resolve(5)), 5);
  clock.after(0, () => assert.fail('fired after close'));
  clock.close();
  await new Promise((resolve) => setTimeout(resolve, 2));
});

test('a speed that is not a positive number is refused', () => {
  for (const speed of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => createScaledClock({ speed }), /positive number/);
  }
});
