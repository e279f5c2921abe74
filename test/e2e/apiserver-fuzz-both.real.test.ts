import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoRealKube } from '../real/kube/binaries.ts';
import { printFuzz, runFuzzOnBoth, summariseFuzz } from './apiserver-fuzz-both-run.ts';

const whyNot = whyNoRealKube();
const skip = whyNot ?? false;

test('ten thousand made-up requests are answered with the code and the reason of a real kube-apiserver', {
  skip,
}, async (t) => {
  const comparison = await runFuzzOnBoth({ requests: 10_000, seed: 1 });
  t.diagnostic(summariseFuzz(comparison));
  assert.ok(comparison.compared >= 10_000);
  assert.equal(comparison.differences.length, 0, `\n${printFuzz(comparison.differences)}`);
});
