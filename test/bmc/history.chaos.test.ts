import { test } from 'node:test';
import { assertEventful, assertSameHistories, runFleet } from './histories.ts';

for (const seed of [51, 52, 53]) {
  test(`two runs of real clients on 100 BMCs with seed ${seed} have the same history, line by line`, async (t) => {
    const first = await runFleet(t, { seed, servers: 100 });
    assertEventful(first);
    assertSameHistories(first, await runFleet(t, { seed, servers: 100 }));
  });
}
