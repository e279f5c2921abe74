import { test } from 'node:test';
import { runApiServerKills } from './kill-apiserver.ts';

test('a hundred kill -9 under write load, at other moments each time', async (t) => {
  const seed = Date.now() % 1_000_000;
  t.diagnostic(`seed ${seed}`);
  const end = await runApiServerKills({ rounds: 100, seed });
  t.diagnostic(JSON.stringify(end));
});
