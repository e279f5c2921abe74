import assert from 'node:assert/strict';
import { type Figures, showFigures } from './figures.ts';
import { type RunOptions, runRecovery } from './run.ts';
import { startSharedStore } from './shared-store.ts';

/** Runs installs under fire, prints the figures, and holds them against what is promised. */
export async function prove(title: string, options: RunOptions, about: { readonly isLong: boolean }): Promise<void> {
  const figures = await runRecovery(options);
  console.log(showFigures(title, figures));
  assert.deepEqual(figures.unhappy, [], 'every condition succeeded');
  assert.deepEqual(figures.violations, [], 'the simulator saw nothing that must not be');
  assert.equal(figures.hitInstalls, options.installs, 'every install was hit');
  // Which of them it is that refuses, a dozen installs leave to chance; hundreds do not.
  assert.ok(refusedByStore(figures) + refusedByGate(figures) > 0, 'woken workers were refused');
  if (!about.isLong) return;
  assert.ok((figures.refused['store report'] ?? 0) > 0, 'the store refused what woken workers wrote');
  assert.ok((figures.refused['store check'] ?? 0) > 0, 'the store refused to say that a lost lease is held');
  assert.ok(refusedByGate(figures) > 0, 'requests to BMCs were not sent under a lost lease');
  assert.deepEqual(missedSteps(figures), [], 'every step was hit');
  assert.ok((figures.refused['gate disruptive'] ?? 0) > 0, 'also what would have changed a machine');
}

function refusedByStore({ refused }: Figures): number {
  return (refused['store report'] ?? 0) + (refused['store check'] ?? 0);
}

function refusedByGate({ refused }: Figures): number {
  return (refused['gate log-in'] ?? 0) + (refused['gate disruptive'] ?? 0);
}

function missedSteps({ hits }: Figures): string[] {
  return Object.entries(hits).flatMap(([step, { kill, freeze, suspend }]) =>
    kill + freeze + suspend > 0 ? [] : [step],
  );
}

/** The same on a PostgreSQL and a NATS of its own. */
export async function proveShared(
  title: string,
  options: Omit<RunOptions, 'shape'> & { readonly outageMs?: number },
  about: { readonly isLong: boolean },
): Promise<void> {
  const { outageMs, ...run } = options;
  const store = await startSharedStore();
  try {
    const { databaseUrl, natsUrl } = store;
    const meanwhile = outageMs === undefined ? {} : { meanwhile: () => store.breakNats(outageMs) };
    await prove(title, { ...run, ...meanwhile, shape: 'shared', databaseUrl, natsUrl }, about);
  } finally {
    await store.stop();
  }
}
