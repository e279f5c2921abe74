import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runApiServerKills } from './kill-apiserver.ts';

test('nothing the API server answered is lost, half written or taken back by kill -9', async () => {
  const end = await runApiServerKills({ rounds: 4, seed: 1 });
  assert.equal(end.kills, 5);
  assert.ok(end.writes > 100, 'the kills came after writes');
  assert.ok(end.replays.events > 0, 'watches went on from versions that were answered');
});
