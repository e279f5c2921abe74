import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKillRounds } from './kill-store.ts';

test('nothing answered is lost, half written or taken back by kill -9', async () => {
  const end = await runKillRounds({ rounds: 5, seed: 1 });
  assert.equal(end.round, 5);
  assert.ok(end.answered > 0, 'the kills came after writes');
});
