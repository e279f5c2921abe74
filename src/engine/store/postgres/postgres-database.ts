import { backoffDelay, type Clock, type Random, sleep } from '../../../kube/index.ts';
import type { Database, Transaction, WriteOptions } from '../database.ts';
import { messageOf, StoreError } from '../errors.ts';
import { Turns } from '../turns.ts';
import { type Access, type AttemptParts, attempt } from './attempt.ts';

/** What a retry is about. */
export interface RetryNotice {
  /** `again`: the database asked for it; `lost`: the connection broke before the commit. */
  readonly why: 'again' | 'lost';
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly detail: string;
}

/** What an open database is made of. */
export interface PostgresDatabaseParts extends AttemptParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly turns: { readonly read: number; readonly write: number };
  readonly onRetry: ((notice: RetryNotice) => void) | undefined;
}

/** How often and how fast to try again. A conflict is over in milliseconds, a restart of the server takes seconds. */
const patience = {
  again: { attempts: 20, backoff: { baseMs: 4, maxMs: 250 } },
  lost: { attempts: 9, backoff: { baseMs: 50, maxMs: 2_000 } },
};

/** A database on a PostgreSQL server, or on one that speaks its language and dialect, such as CockroachDB. */
export class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  readonly #parts: PostgresDatabaseParts;
  readonly #turns: Record<Access, Turns>;
  readonly #going = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(parts: PostgresDatabaseParts) {
    this.#parts = parts;
    // Reads have connections of their own, so that they never wait for writes.
    const writes = new Turns(parts.turns.write);
    this.#turns = { read: new Turns(parts.turns.read), write: writes, locking: writes };
  }

  get label(): string {
    return this.#parts.where;
  }

  get counts(): Database['counts'] {
    return this.#parts.tally.read();
  }

  read<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#track('read', work);
  }

  write<T>(work: (tx: Transaction) => Promise<T>, { isolation }: WriteOptions = {}): Promise<T> {
    return this.#track(isolation === 'row-locks' ? 'locking' : 'write', work);
  }

  /** Ends what was begun, then closes. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #track<T>(access: Access, work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new StoreError('closed', { where: this.label });
    const going = this.#turns[access].use(() => this.#attempts(access, work));
    this.#going.add(going);
    try {
      return await going;
    } finally {
      this.#going.delete(going);
    }
  }

  async #attempts<T>(access: Access, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const failures = { again: 0, lost: 0 };
    for (;;) {
      const ended = await attempt(this.#parts, access, work);
      if (ended.verdict === 'done') return ended.value;
      const { verdict: why, error } = ended;
      if (why === 'answer' || why === 'doubt') throw error;
      failures[why] += 1;
      if (failures[why] >= patience[why].attempts) throw this.#tooOften(why, error);
      await this.#pause(why, failures[why], error);
    }
  }

  async #pause(why: 'again' | 'lost', attempts: number, error: unknown): Promise<void> {
    const { clock, random, tally, onRetry } = this.#parts;
    const delayMs = backoffDelay(patience[why].backoff, attempts, random);
    tally.retries += 1;
    onRetry?.({ why, attempt: attempts, delayMs, detail: messageOf(error) });
    await sleep(clock, delayMs);
  }

  #tooOften(why: 'again' | 'lost', error: unknown): StoreError {
    const fields = { where: this.label, attempts: patience[why].attempts, detail: messageOf(error) };
    return new StoreError(why === 'again' ? 'contention' : 'unreachable', fields, { cause: error });
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#going);
    await this.#parts.pool.end();
  }
}
