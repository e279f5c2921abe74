import { existsSync } from 'node:fs';
import type { Clock } from '../../../kube/index.ts';
import type { Database, Transaction } from '../database.ts';
import { StoreError } from '../errors.ts';
import type { DatabaseFaults } from '../faults.ts';
import { Tally } from '../tally.ts';
import type { CommitLog } from './commit-log.ts';
import { SqliteConnection } from './connection.ts';
import type { DiskRoom } from './disk-room.ts';
import type { Housekeeping } from './housekeeping.ts';
import { ReadPool } from './read-pool.ts';
import { SqliteTransaction } from './transaction.ts';
import { WriteQueue } from './write-queue.ts';

/** What an open database is made of. */
export interface SqliteDatabaseParts {
  readonly path: string;
  readonly writer: SqliteConnection;
  readonly log: CommitLog;
  readonly clock: Clock;
  readonly faults: DatabaseFaults | undefined;
  readonly housekeeping: Housekeeping;
  readonly room: DiskRoom;
  /** Gives back what was taken to open it: files and the lock. */
  readonly onClosed: () => void | Promise<void>;
}

const maxReaders = 16;

/** A database in one SQLite file. */
export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly #parts: SqliteDatabaseParts;
  readonly #tally = new Tally();
  readonly #readers: ReadPool;
  readonly #writes: WriteQueue;
  readonly #reading = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(parts: SqliteDatabaseParts) {
    this.#parts = parts;
    const { path, writer: connection, log, clock, faults, housekeeping, room } = parts;
    this.#readers = new ReadPool(maxReaders, () => new SqliteConnection(path, { where: path, isReadOnly: true }));
    const tally = this.#tally;
    this.#writes = new WriteQueue({ where: path, connection, log, clock, faults, tally, housekeeping, room });
  }

  get label(): string {
    return this.#parts.path;
  }

  /** Also: how many transactions of SQLite the writes shared, and how often the disk was asked to keep them. */
  get counts(): Database['counts'] & { readonly commits: number; readonly syncs: number } {
    return { ...this.#tally.read(), commits: this.#writes.commits, syncs: this.#parts.log.syncs };
  }

  async read<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#assertOpen();
    const reading = this.#readers.use((connection) => this.#readOn(connection, work));
    this.#reading.add(reading);
    try {
      return await reading;
    } finally {
      this.#reading.delete(reading);
    }
  }

  async write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#assertOpen();
    return this.#writes.push(work);
  }

  /** A consistent copy in a new file, while the database is in use. */
  async copyTo(target: string): Promise<void> {
    this.#assertOpen();
    await this.#parts.housekeeping.copy(target);
  }

  /** Keeps a copy beside the file. One that is there already is older and stays. */
  async keepCopy(suffix: string): Promise<string> {
    const { path } = this.#parts;
    let target = `${path}.${suffix}`;
    for (let n = 2; existsSync(target); n++) target = `${path}.${suffix}.${n}`;
    await this.copyTo(target);
    return target;
  }

  diskFault(): string | undefined {
    return this.#parts.room.fault;
  }

  /** Ends what was begun, then closes. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #readOn<T>(connection: SqliteConnection, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { log, clock, faults } = this.#parts;
    let seen = 0;
    const onFirst = () => {
      seen = log.committed;
    };
    this.#tally.transactions += 1;
    const tx = new SqliteTransaction({ connection, tally: this.#tally, faults, onFirst, now: clock.now() });
    connection.run('BEGIN', []);
    try {
      const value = await work(tx);
      if (tx.failure !== undefined) throw tx.failure;
      return value;
    } finally {
      tx.end();
      if (connection.db.isTransaction) connection.run('COMMIT', []);
      // What was read may be so new that it is not on disk yet; nobody may act on what a power cut could take back.
      await log.reached(seen);
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreError('closed', { where: this.label });
    if (this.#parts.log.fault !== undefined) throw this.#parts.log.fault;
  }

  async #close(): Promise<void> {
    await this.#writes.idle();
    await Promise.allSettled(this.#reading);
    await this.#settled();
    this.#parts.room.close();
    await this.#parts.housekeeping.close();
    this.#readers.close();
    this.#parts.writer.close();
    await this.#parts.onClosed();
  }

  /** The last commits are on disk, or it is known (and their writers were told) that they may not be. */
  async #settled(): Promise<void> {
    await Promise.allSettled([this.#parts.log.reached(this.#parts.log.committed)]);
  }
}
