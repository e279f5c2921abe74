import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSilenceWatch } from './silence-watch.ts';

const silent = { id: 'w1', seenAt: 1000, lostAfterMs: 30_000 };

test('a worker is silent for good once it was watched for a third of its time', () => {
  const watch = createSilenceWatch();
  const looks = [0, 5000, 9999, 10_000].map((now) => watch.look([silent], now).length);
  assert.deepEqual(looks, [0, 0, 0, 1]);
});

test('a worker that was heard of meanwhile is watched anew', () => {
  const watch = createSilenceWatch();
  watch.look([silent], 0);
  watch.look([], 5000);
  assert.deepEqual(watch.look([silent], 10_000), []);
  const watchedSince = [15_000, 20_000].map((now) => watch.look([silent], now).length);
  assert.deepEqual(watchedSince, [0, 1]);
  assert.deepEqual(watch.look([{ ...silent, seenAt: 2000 }], 25_000), []);
});

test('a process that stood still, or could not read the store, gives every worker the time to be heard', () => {
  const watch = createSilenceWatch();
  watch.look([silent], 0);
  watch.look([silent], 5000);
  assert.deepEqual(watch.look([silent], 600_000), []);
  assert.deepEqual(watch.look([silent], 605_000), []);
  assert.deepEqual(watch.look([silent], 610_000), [silent]);
});
