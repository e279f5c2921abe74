import assert from 'node:assert/strict';
import { durationsOf, showKillFigures } from './kill-figures.ts';
import { type KillRunOptions, runKills } from './kill-run.ts';
import { startSharedStore } from './shared-store.ts';

/** Kills workers, prints the figures, and holds them against what is promised; times only where a limit is given. */
export async function proveKills(
  title: string,
  options: Omit<KillRunOptions, 'databaseUrl' | 'natsUrl'> & { readonly isShared?: boolean; readonly mostMs?: number },
): Promise<void> {
  const { isShared = false, mostMs = Number.POSITIVE_INFINITY, ...run } = options;
  const store = isShared ? await startSharedStore() : undefined;
  try {
    const shared = store === undefined ? {} : { databaseUrl: store.databaseUrl, natsUrl: store.natsUrl };
    const figures = await runKills({ ...run, ...shared });
    console.log(showKillFigures(title, figures));
    assert.equal(figures.kills, options.kills, 'so many workers were killed');
    assert.ok(figures.resumptions.length > 0, 'installs lost their workers');
    assert.deepEqual(figures.unhappy, [], 'every install succeeded');
    assert.deepEqual(figures.violations, [], 'nothing was flashed twice, no two workers acted on one BMC');
    const late = durationsOf(figures).filter((ms) => ms > mostMs);
    assert.deepEqual(late, [], `another worker had gone on within ${mostMs} ms of each kill`);
  } finally {
    await store?.stop();
  }
}
