import type { Pool, PoolClient } from 'pg';
import type { Transaction } from '../database.ts';
import { messageOf, StoreError } from '../errors.ts';
import type { DatabaseFaults } from '../faults.ts';
import type { Tally } from '../tally.ts';
import { judge, judgeCommit, mapPostgresError, type Verdict } from './postgres-errors.ts';
import { PostgresTransaction } from './postgres-transaction.ts';
import type { StatementBook } from './statement-book.ts';

/** What attempts are made with. */
export interface AttemptParts {
  readonly pool: Pool;
  readonly where: string;
  readonly book: StatementBook;
  readonly tally: Tally;
  readonly faults: DatabaseFaults | undefined;
}

/** How one attempt failed; only after `doubt` may any of it be stored. */
export interface FailedAttempt {
  readonly verdict: Verdict | 'doubt';
  readonly error: unknown;
}

/** How one attempt at a transaction ended. */
export type Attempt<T> = { readonly verdict: 'done'; readonly value: T } | FailedAttempt;

/** Whether a transaction reads, writes as if it were alone, or writes what it locks. */
export type Access = 'read' | 'write' | 'locking';

/**
 * Reads are one snapshot, which PostgreSQL gives at REPEATABLE READ without ever asking to run it again; CockroachDB
 * runs that as SERIALIZABLE unless told otherwise, and may ask. Writes are SERIALIZABLE on both. Who locks waits a
 * short while only and then begins anew, since what it calls `now` grows old while it waits.
 */
const beginnings: Record<Access, string> = {
  read: 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY',
  write: 'BEGIN ISOLATION LEVEL SERIALIZABLE',
  locking: `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '1s'`,
};

/** The server's clock, asked for together with the beginning to save a round trip; both databases know this spelling. */
const clockQuery = 'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now';

/** Runs a transaction once, from taking a connection to giving it back. */
export async function attempt<T>(
  parts: AttemptParts,
  access: Access,
  work: (tx: Transaction) => Promise<T>,
): Promise<Attempt<T>> {
  let client: PoolClient;
  try {
    client = await parts.pool.connect();
  } catch (error) {
    return { verdict: judge(error), error: mapPostgresError(error, parts.where) };
  }
  // A connection that breaks while nothing is asked of it says so here; the next statement on it fails.
  const line = { isBroken: false };
  const note = (): void => {
    line.isBroken = true;
  };
  client.on('error', note);
  const ended = await attemptOn(client, { parts, access, work, line });
  client.off('error', note);
  const isBroken = ended.verdict === 'lost' || ended.verdict === 'doubt' || client.getTransactionStatus() !== 'I';
  client.release(isBroken);
  return ended;
}

interface Order<T> {
  readonly parts: AttemptParts;
  readonly access: Access;
  readonly work: (tx: Transaction) => Promise<T>;
  /** What became of the connection while nothing was asked of it. */
  readonly line: { readonly isBroken: boolean };
}

async function attemptOn<T>(client: PoolClient, order: Order<T>): Promise<Attempt<T>> {
  const { parts } = order;
  parts.tally.transactions += 1;
  let tx: PostgresTransaction | undefined;
  let value: T;
  try {
    const isolation = order.access === 'locking' ? 'row-locks' : 'serializable';
    tx = new PostgresTransaction({ ...parts, client, isolation, now: await begin(client, order.access) });
    try {
      value = await order.work(tx);
    } finally {
      await tx.end();
    }
    if (tx.failure !== undefined) throw mapPostgresError(tx.failure, parts.where);
  } catch (error) {
    const ended = await rollBack(client, { error, failure: tx === undefined ? error : tx.failure });
    return order.access === 'read' ? ended : standbyIsLost(ended, parts.where);
  }
  return order.line.isBroken ? brokenBefore(parts.where) : commit(client, parts, value);
}

async function begin(client: PoolClient, access: Access): Promise<number> {
  // Two statements in one text have two results, which the types of pg do not know.
  const results = (await client.query(`${beginnings[access]}; ${clockQuery}`)) as unknown as {
    rows: { now: number }[];
  }[];
  return results.at(-1)?.rows[0]?.now ?? Number.NaN;
}

/** What the work threw counts, unless the database failed in a way that asks for another attempt. */
async function rollBack(
  client: PoolClient,
  { error, failure }: { error: unknown; failure: unknown },
): Promise<FailedAttempt> {
  const verdict = failure === undefined ? 'answer' : judge(failure);
  if (verdict === 'lost') return { verdict, error };
  try {
    await client.query('ROLLBACK');
  } catch {
    // The server rolls back what a broken connection leaves behind, and `attempt` gives up such a connection.
  }
  return { verdict, error };
}

/** A server that refuses to write at all is a standby, as after a failover: the next connection may reach the primary. */
function standbyIsLost(ended: FailedAttempt, where: string): FailedAttempt {
  const { error } = ended;
  if (!(error instanceof StoreError) || error.code !== 'readOnly') return ended;
  const detail = `it takes no writes: ${messageOf(error.cause)}`;
  return { verdict: 'lost', error: new StoreError('unreachable', { where, detail }, { cause: error.cause }) };
}

/** A commit that is not even sent leaves no doubt: the server rolls back what a broken connection leaves behind. */
function brokenBefore(where: string): FailedAttempt {
  const detail = 'the connection ended before the commit';
  return { verdict: 'lost', error: new StoreError('unreachable', { where, detail }) };
}

async function commit<T>(client: PoolClient, parts: AttemptParts, value: T): Promise<Attempt<T>> {
  try {
    const fault = parts.faults?.before('commit');
    if (fault !== undefined) throw fault;
    const { command } = await client.query('COMMIT');
    // PostgreSQL answers so, without an error, when the transaction had failed.
    if (command === 'ROLLBACK') throw new StoreError('badStatement', { detail: 'the transaction was rolled back' });
    return { verdict: 'done', value };
  } catch (error) {
    return failedCommit(client, parts, error);
  }
}

async function failedCommit(client: PoolClient, { where }: AttemptParts, error: unknown): Promise<FailedAttempt> {
  if (judgeCommit(error) !== 'lost') return rollBack(client, { error: mapPostgresError(error, where), failure: error });
  return {
    verdict: 'doubt',
    error: new StoreError('outcomeUnknown', { where, detail: messageOf(error) }, { cause: error }),
  };
}
