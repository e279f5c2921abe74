import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveShared } from './proof.ts';
import { runRecovery } from './run.ts';
import { startSharedStore } from './shared-store.ts';

test('PostgreSQL and NATS: workers that are killed or stopped at any step are replaced, and refused when they wake', async () => {
  await proveShared(
    'shared',
    { seed: 13, installs: 40, processes: 18, concurrency: 2, strayEveryMs: 10_000 },
    { isLong: false },
  );
});

test('workers that take no notice of lost leases are found out', async (t) => {
  const { databaseUrl, natsUrl, stop } = await startSharedStore();
  t.after(stop);
  const figures = await runRecovery({
    seed: 15,
    installs: 4,
    shape: 'shared',
    processes: 5,
    concurrency: 2,
    isUnfenced: true,
    isHeldUntilTakenOver: true,
    longestMs: 240_000,
    databaseUrl,
    natsUrl,
  });
  assert.ok(figures.violations.some(({ rule }) => rule === 'overlap'));
});
