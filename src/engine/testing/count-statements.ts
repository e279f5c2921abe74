/**
 * Prints how many SQL statements and transactions a condition costs from its creation to its end:
 *   node src/engine/testing/count-statements.ts [conditions] [concurrency] [postgres-url]
 */
import { systemClock } from '../../kube/index.ts';
import { createEngine, createWorker, type Database, openPostgresDatabase, openSqliteDatabase } from '../index.ts';
import { kindsForTests } from './rig.ts';

const conditions = Number(process.argv[2] ?? 1000);
const concurrency = Number(process.argv[3] ?? 100);
const url = process.argv[4];
const clock = systemClock;

const database: Database =
  url === undefined
    ? await openSqliteDatabase({ path: ':memory:', clock })
    : await openPostgresDatabase({ url, clock });
const engine = await createEngine({ database, clock, kinds: kindsForTests });

interface Phase {
  readonly phase: string;
  readonly statements: number;
  readonly transactions: number;
  readonly retries: number;
  readonly seconds: number;
}

async function measure(phase: string, work: () => Promise<void>): Promise<Phase> {
  const before = { ...database.counts };
  const began = clock.monotonic();
  await work();
  const { statements, transactions, retries } = database.counts;
  return {
    phase,
    statements: (statements - before.statements) / conditions,
    transactions: (transactions - before.transactions) / conditions,
    retries: retries - before.retries,
    seconds: (clock.monotonic() - began) / 1000,
  };
}

const targets = Array.from({ length: conditions }, (_, index) => `m${index}`);

async function enrol(): Promise<void> {
  for (const id of targets) {
    const place = { facility: 'fc1', bmcId: id, manufacturer: 'Dell', model: 'R750', hold: undefined };
    await engine.machines.put({ id, ...place }, []);
  }
}

async function create(): Promise<void> {
  const orders = [{ kind: 'firmwareInstall', parameters: { set: 'a' } }];
  const order = (id: string) => engine.create({ target: `server/${id}`, client: 'bench', orders });
  for (let start = 0; start < targets.length; start += 50) {
    await Promise.all(targets.slice(start, start + 50).map(order));
  }
}

/** Five reports with news and an end, as an install has at least. */
async function workOff(): Promise<void> {
  const done = Promise.withResolvers<void>();
  let left = conditions;
  const worker = createWorker({
    port: engine.worker,
    clock,
    concurrency,
    identity: { id: 'bench', kinds: ['firmwareInstall'], facilities: ['fc1'] },
    handlers: {
      async firmwareInstall(work) {
        for (let step = 1; step <= 5; step++) await work.report({ status: { step }, progress: { step } });
        return { outcome: 'succeeded' };
      },
    },
  });
  const unsubscribe = engine.onHint(() => {});
  const poll = async (): Promise<void> => {
    while (left > 0) {
      const rows = await database.read((tx) =>
        tx.all(`SELECT count(*) AS n FROM conditions WHERE finalized_at IS NULL`),
      );
      left = Number(rows[0]?.n ?? 0);
      if (left > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    done.resolve();
  };
  await Promise.all([poll(), done.promise]);
  unsubscribe();
  await worker.stop();
}

const phases = [
  await measure('enrol', enrol),
  await measure('create', create),
  await measure('lease, 5 reports, end', workOff),
];
console.table(
  phases.map((one) => ({
    ...one,
    statements: one.statements.toFixed(2),
    transactions: one.transactions.toFixed(2),
    seconds: one.seconds.toFixed(2),
  })),
);
const [, ...ofCondition] = phases;
const perCondition = ofCondition.reduce((sum, one) => sum + one.statements, 0);
console.log(JSON.stringify({ conditions, concurrency, statementsPerCondition: Number(perCondition.toFixed(2)) }));
await engine.close();
await database.close();
