import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../kube/index.ts';
import type { Transaction } from '../database.ts';
import { messageOf, StoreError } from '../errors.ts';
import { type DatabaseFaults, InjectedFault } from '../faults.ts';
import type { Tally } from '../tally.ts';
import type { CommitLog } from './commit-log.ts';
import type { SqliteConnection } from './connection.ts';
import type { DiskRoom } from './disk-room.ts';
import type { Housekeeping } from './housekeeping.ts';
import { mapSqliteError } from './sqlite-errors.ts';
import { SqliteTransaction } from './transaction.ts';

/** What the queue works with. */
export interface WriteQueueParts {
  readonly where: string;
  readonly connection: SqliteConnection;
  readonly log: CommitLog;
  readonly housekeeping: Housekeeping;
  readonly room: DiskRoom;
  readonly clock: Clock;
  readonly tally: Tally;
  readonly faults: DatabaseFaults | undefined;
}

/** How a piece of work ended, kept until what it saw and wrote is on disk. */
type Outcome = { readonly value: unknown } | { readonly error: unknown };

interface Job {
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly settle: (outcome: Outcome) => void;
}

interface Ended {
  readonly job: Job;
  readonly outcome: Outcome;
}

/** The most pieces of work in one commit, and how long they may keep the event loop, whichever comes first. */
const batchLimit = { jobs: 256, ms: 5 };

/** How often a piece of work is run again when a test asks for it; SQLite itself never does. */
const maxAttempts = 20;

/**
 * Runs writes one after the other, as savepoints of a shared transaction. What waits when a transaction begins goes
 * into it, up to a limit; its commit is then synced while the next one runs.
 */
export class WriteQueue {
  readonly #parts: WriteQueueParts;
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;
  #commits = 0;

  constructor(parts: WriteQueueParts) {
    this.#parts = parts;
  }

  /** How many transactions were committed; each holds one or more writes. */
  get commits(): number {
    return this.#commits;
  }

  push<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value as T));
      this.#waiting.push({ work, settle });
      this.#running ??= this.#run();
    });
  }

  /** Settles when everything that was pushed has ended. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // Whoever writes in the same turn of the event loop shares the commit.
    await turn();
    while (this.#waiting.length > 0) {
      const fault = this.#parts.log.fault;
      if (fault !== undefined) for (const job of this.#waiting.splice(0)) job.settle({ error: fault });
      else {
        await this.#parts.housekeeping.gap();
        await this.#batch();
        this.#parts.housekeeping.wrote(this.#parts.connection.takePages());
      }
      await turn();
    }
    this.#running = undefined;
  }

  async #batch(): Promise<void> {
    const { connection, clock } = this.#parts;
    const ended: Ended[] = [];
    const until = clock.monotonic() + batchLimit.ms;
    let hasWritten = false;
    try {
      connection.run('BEGIN IMMEDIATE', []);
      while (this.#waiting.length > 0 && ended.length < batchLimit.jobs && clock.monotonic() <= until) {
        const job = this.#waiting.shift() as Job;
        const {
          outcome,
          isLost,
          hasWritten: didWrite,
        } = await this.#attempts(job).catch((error: unknown) => {
          // Not even the savepoint could be made or undone: it fails with all the others of this commit.
          ended.push({ job, outcome: { error } });
          throw error;
        });
        ended.push({ job, outcome });
        hasWritten ||= didWrite;
        if (isLost) return this.#startOver(ended);
      }
      connection.run('COMMIT', []);
    } catch (error) {
      this.#giveUp(ended, error);
      return;
    }
    this.#commits += 1;
    this.#publish(ended, hasWritten);
  }

  async #attempts(job: Job): Promise<{ outcome: Outcome; isLost: boolean; hasWritten: boolean }> {
    const { connection, tally } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      tally.transactions += 1;
      connection.run('SAVEPOINT work', []);
      const { outcome, hasWritten } = await this.#attempt(job);
      // A full disk makes SQLite take back the whole transaction, not just the statement.
      if (!connection.db.isTransaction) return { outcome, isLost: true, hasWritten };
      if ('error' in outcome) connection.run('ROLLBACK TO work', []);
      connection.run('RELEASE work', []);
      if (!isRunAgain(outcome)) return { outcome, isLost: false, hasWritten };
      if (attempt === maxAttempts) return { outcome: this.#tooOften(outcome), isLost: false, hasWritten };
      tally.retries += 1;
    }
  }

  #tooOften(last: Outcome): Outcome {
    const cause = 'error' in last ? last.error : undefined;
    const fields = { where: this.#parts.where, attempts: maxAttempts, detail: messageOf(cause) };
    return { error: new StoreError('contention', fields, { cause }) };
  }

  async #attempt(job: Job): Promise<{ outcome: Outcome; hasWritten: boolean }> {
    const { connection, clock, tally, faults, room } = this.#parts;
    const check = (sql: string) => room.check(sql);
    const tx = new SqliteTransaction({ connection, tally, faults, check, now: clock.now() });
    try {
      const value = await job.work(tx);
      const failure = tx.failure ?? faults?.before('commit');
      if (failure !== undefined) return { outcome: { error: failure }, hasWritten: false };
      return { outcome: { value }, hasWritten: tx.hasWritten };
    } catch (error) {
      // What the work made of a failure counts, unless the failure asks for another attempt.
      const isAgain = isRunAgain({ error: tx.failure });
      return { outcome: { error: isAgain ? tx.failure : error }, hasWritten: false };
    } finally {
      tx.end();
    }
  }

  /** The last of these took the transaction with it; the work of the others is done again, without it unless there is room now. */
  #startOver(ended: Ended[]): void {
    if (this.#parts.room.give()) {
      this.#waiting.unshift(...ended.map(({ job }) => job));
      return;
    }
    const culprit = ended.pop();
    this.#waiting.unshift(...ended.map(({ job }) => job));
    if (culprit !== undefined) this.#publish([culprit], false);
  }

  #giveUp(ended: readonly Ended[], error: unknown): void {
    const { connection, where } = this.#parts;
    if (connection.db.isTransaction) connection.db.exec('ROLLBACK');
    const cause = mapSqliteError(error, { db: connection.db, where });
    const isFull = cause instanceof StoreError && cause.code === 'diskFull';
    if (isFull && this.#parts.room.give()) {
      this.#waiting.unshift(...ended.map(({ job }) => job));
      return;
    }
    const failure = isFull ? cause : new StoreError('commitFailed', { where, detail: messageOf(cause) }, { cause });
    // Without this, work that could not even begin would be tried for ever.
    const jobs = ended.length > 0 ? ended.map(({ job }) => job) : this.#waiting.splice(0);
    for (const job of jobs) job.settle({ error: failure });
  }

  /** Tells everybody once what they wrote, and what they saw of others, is on disk. */
  #publish(ended: readonly Ended[], hasWritten: boolean): void {
    const { log } = this.#parts;
    if (hasWritten) log.add();
    const tell = () => {
      for (const { job, outcome } of ended) job.settle(outcome);
    };
    const reached = log.reached(log.committed);
    if (reached === undefined) tell();
    else
      reached.then(tell, (error: unknown) => {
        for (const { job } of ended) job.settle({ error });
      });
  }
}

function isRunAgain(outcome: Outcome): boolean {
  if (!('error' in outcome)) return false;
  const { error } = outcome;
  return error instanceof InjectedFault && (error.code === '40001' || error.code === '40P01');
}
