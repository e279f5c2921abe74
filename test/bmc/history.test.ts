import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEventful, assertSameHistories, runFleet } from './histories.ts';

test('two runs of real clients on 24 BMCs with one seed have the same history, line by line; another seed has another', async (t) => {
  const first = await runFleet(t, { seed: 41, servers: 24 });
  assertEventful(first);
  assertSameHistories(first, await runFleet(t, { seed: 41, servers: 24 }));
  const other = await runFleet(t, { seed: 42, servers: 24 });
  for (const [index, { log }] of first.entries()) assert.notEqual(other[index]?.log, log);
});
