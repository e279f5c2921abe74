import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prove, proveShared } from './proof.ts';
import { runRecovery } from './run.ts';
import { startSharedStore } from './shared-store.ts';

const short = { isLong: false };

test('SQLite: a whole service that is killed or stopped at any step finishes every install, each image once', async () => {
  await prove('embedded', { seed: 11, installs: 12, shape: 'embedded', processes: 6, concurrency: 2 }, short);
});

test('SQLite: workers over HTTP that are killed or stopped at any step are replaced, and refused when they wake', async () => {
  await prove('worker API', { seed: 12, installs: 12, shape: 'worker-api', processes: 6, concurrency: 2 }, short);
});

test('PostgreSQL and NATS: workers that are killed or stopped at any step are replaced, and refused when they wake', async () => {
  await proveShared('shared', { seed: 13, installs: 40, processes: 18, concurrency: 2, strayEveryMs: 10_000 }, short);
});

test('PostgreSQL and NATS: all work finishes while NATS is away, and while hints are lost, doubled and late', async () => {
  const options = { seed: 14, installs: 20, processes: 10, concurrency: 2, isBusUnreliable: true, outageMs: 15_000 };
  await proveShared('outage', options, short);
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
