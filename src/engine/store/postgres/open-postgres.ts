import { Pool } from 'pg';
import { type Clock, type Random, systemClock } from '../../../kube/index.ts';
import { StoreError } from '../errors.ts';
import type { DatabaseFaults } from '../faults.ts';
import { Tally } from '../tally.ts';
import { PostgresDatabase, type RetryNotice } from './postgres-database.ts';
import { postgresTypes } from './postgres-types.ts';
import { StatementBook } from './statement-book.ts';

/** How to reach a database server. */
export interface PostgresOptions {
  /** `postgres://user:password@host:5432/name`, with `sslmode` and the like as parameters. */
  readonly url: string;
  /** For pauses between attempts; what a transaction calls `now` comes from the server. */
  readonly clock?: Clock;
  readonly random?: Random;
  /** Connections at most, 2 or more: a third of them for reads. 12 unless given. */
  readonly poolSize?: number;
  /** A process that was stopped in the middle of a transaction lets go of its rows after so long; 5 s unless given. */
  readonly stalledMs?: number;
  readonly onRetry?: (notice: RetryNotice) => void;
  /** For tests: failures to inject. */
  readonly faults?: DatabaseFaults;
}

/** Connects to a PostgreSQL or CockroachDB server; fails if it cannot be reached or refuses. */
export async function openPostgresDatabase(options: PostgresOptions): Promise<PostgresDatabase> {
  const where = labelOf(options.url);
  const poolSize = Math.max(2, options.poolSize ?? 12);
  const read = Math.max(1, Math.floor(poolSize / 3));
  const pool = createPool(options, poolSize);
  const database = new PostgresDatabase({
    pool,
    where,
    book: new StatementBook(),
    tally: new Tally(),
    faults: options.faults,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    turns: { read, write: poolSize - read },
    onRetry: options.onRetry,
  });
  try {
    await database.read(async () => undefined);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function createPool({ url, stalledMs = 5000 }: PostgresOptions, poolSize: number): Pool {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    types: postgresTypes,
    application_name: 'rackwright',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    // A server that is gone without a word must not hold a transaction for ever.
    query_timeout: 60_000,
    idleTimeoutMillis: 60_000,
    // What runs between two statements takes no time. Without this the rows of a process that hangs would stay locked
    // for as long as its connection lives, and with them every sweep that comes across one.
    idle_in_transaction_session_timeout: stalledMs,
  });
  // An idle connection that breaks leaves the pool by itself; without a listener the process would end.
  pool.on('error', () => undefined);
  return pool;
}

/** Host, port and name, without user and password. The error has no cause, since that one would hold the whole text. */
function labelOf(url: string): string {
  if (!URL.canParse(url)) throw new StoreError('badUrl', { detail: 'it is not a URL' });
  const { protocol, host, pathname } = new URL(url);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:')
    throw new StoreError('badUrl', { detail: `its scheme is ${protocol.slice(0, -1)}` });
  return `${host === '' ? 'localhost' : host}${pathname}`;
}
