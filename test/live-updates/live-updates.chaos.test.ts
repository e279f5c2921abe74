import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prove } from './prove.ts';

test('200 live updates, 100 kills: every host ends OK or with a named error, and no change is made twice', async () => {
  const figures = await prove({
    ...{ seed: 9, hosts: 50, each: 4, kills: 100, limit: 16, limitMs: 50 * 60_000 },
    ...(process.env.LIVE_LOG === undefined ? {} : { logPath: process.env.LIVE_LOG }),
    onProgress: (text) => console.error(text),
  });
  assert.ok(figures.killsInService >= 50, `only ${figures.killsInService} kills met a host in service`);
});
