/**
 * Runs a recovery by hand and keeps its logs:
 *   node test/recovery/main.ts embedded|worker-api|shared INSTALLS SEED PROCESSES CONCURRENCY FOLDER [STRAY_EVERY_MS]
 */
import { mkdirSync } from 'node:fs';
import { showFigures } from './figures.ts';
import { type RunOptions, runRecovery } from './run.ts';
import { startSharedStore } from './shared-store.ts';

const [shape = 'worker-api', many = '12', seed = '1', processes = '4', concurrency = '3', keptIn, stray] =
  process.argv.slice(2);
if (keptIn !== undefined) mkdirSync(keptIn, { recursive: true });
const store = shape === 'shared' ? await startSharedStore() : undefined;
try {
  const figures = await runRecovery({
    seed: Number(seed),
    installs: Number(many),
    shape: shape as RunOptions['shape'],
    processes: Number(processes),
    concurrency: Number(concurrency),
    ...(store === undefined ? {} : { databaseUrl: store.databaseUrl, natsUrl: store.natsUrl }),
    ...(keptIn === undefined ? {} : { keptIn }),
    ...(stray === undefined ? {} : { strayEveryMs: Number(stray) }),
    onProgress: (over, all) => process.stderr.write(`\r${over}/${all}  `),
  });
  console.log(showFigures(shape, figures));
} finally {
  await store?.stop();
}
