import { test } from 'node:test';
import { runFuzz } from './apiserver-fuzz-run.ts';

test('a hundred thousand made-up requests, other ones each time', async (t) => {
  const seed = Date.now() % 2 ** 31;
  t.diagnostic(`seed ${seed}`);
  const codes = await runFuzz({ rounds: 5000, seed });
  t.diagnostic(JSON.stringify([...codes].sort()));
});
