import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoRealKube } from '../real/kube/binaries.ts';
import { printFuzz, runFuzzOnBoth, summariseFuzz } from './apiserver-fuzz-both-run.ts';

const whyNot = whyNoRealKube();
const skip = whyNot ?? false;

test('a hundred thousand made-up requests, other ones each time, are answered alike by both servers', {
  skip,
}, async (t) => {
  const seed = Date.now() % 2 ** 31;
  t.diagnostic(`seed ${seed}`);
  const comparison = await runFuzzOnBoth({
    requests: 100_000,
    seed,
    onDifference: (difference) => console.error(printFuzz([difference])),
  });
  t.diagnostic(summariseFuzz(comparison));
  assert.equal(comparison.differences.length, 0, `\n${printFuzz(comparison.differences)}`);
});
