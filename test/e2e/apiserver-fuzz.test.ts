import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFuzz } from './apiserver-fuzz-run.ts';

test('thousands of made-up requests find no error the server did not expect, and leave nothing when refused', async (t) => {
  const codes = await runFuzz({ rounds: 150, seed: 1 });
  t.diagnostic(JSON.stringify([...codes].sort()));
  for (const code of [200, 201, 400, 404, 409, 415, 422]) assert.ok(codes.has(code), `no request was answered ${code}`);
});
