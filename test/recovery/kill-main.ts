/**
 * Kills workers by hand and keeps the logs:
 *   node test/recovery/kill-main.ts worker-api|shared KILLS INSTALLS OPEN PROCESSES CONCURRENCY EVERY_MS SEED FOLDER
 */
import { showKillFigures } from './kill-figures.ts';
import { runKills } from './kill-run.ts';
import { startSharedStore } from './shared-store.ts';

const [shape = 'worker-api', ...rest] = process.argv.slice(2);
const keptIn = rest[7];
const [kills = 6, installs = 10, open = 8, processes = 4, concurrency = 4, everyMs = 8000, seed = 1] = rest.map(Number);
const store = shape === 'shared' ? await startSharedStore() : undefined;
try {
  const figures = await runKills({
    ...{ seed, kills, installs, open, processes, concurrency, everyMs },
    ...(store === undefined ? {} : { databaseUrl: store.databaseUrl, natsUrl: store.natsUrl }),
    ...(keptIn === undefined ? {} : { keptIn }),
    onProgress: (killed, over) => process.stderr.write(`\r${killed} kills, ${over} over  `),
  });
  console.log(showKillFigures(shape, figures));
} finally {
  await store?.stop();
}
