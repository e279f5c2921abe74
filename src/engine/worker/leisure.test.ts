import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '../../kube/index.ts';
import { createLeisure } from './leisure.ts';

const never = new AbortController().signal;

/** How long somebody waits while the loads are as given, one for each look; afterwards there is none. */
function waited(loads: readonly number[]): Promise<number> {
  const left = [...loads];
  return waitedFor(() => left.shift() ?? 0);
}

async function waitedFor(load?: () => number): Promise<number> {
  const clock = createFakeClock();
  const leisure = createLeisure({ clock, ...(load === undefined ? {} : { load }) });
  const began = clock.monotonic();
  let isOver = false;
  const done = leisure.wait(never).then(() => {
    isOver = true;
  });
  while (!isOver) {
    clock.advance(20);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await done;
  return clock.monotonic() - began;
}

test('a process with time takes more at the first look', async () => {
  assert.equal(await waited([0.5]), 20);
});

test('a busy process takes more when it has time again', async () => {
  assert.equal(await waited([1, 0.95, 0.9, 0.89]), 80);
});

test('a process that is always busy takes some all the same', async () => {
  assert.equal(await waited(Array.from({ length: 1000 }, () => 1)), 500);
});

test('the event loop of this process is what counts unless another load is given', async () => {
  const ms = await waitedFor();
  assert.ok(ms >= 20 && ms <= 500, String(ms));
});
