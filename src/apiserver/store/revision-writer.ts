import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type FlatRows, rowFlag, rowWidth, type WriterOptions } from './commit-protocol.ts';
import { Sealer } from './sealing.ts';

/** How many revisions one step of a sweep looks at: small, so that a commit never waits long for it. */
const sweepStep = 256;

/** The one connection that writes. Every method is synchronous and returns when the disk has it. */
export class RevisionWriter {
  readonly #db: DatabaseSync;
  readonly #sealer: Sealer;
  readonly #options: WriterOptions;
  readonly #insert: StatementSync;
  #sinceCheckpoint = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#sealer = new Sealer(options.keys);
    this.#db = new DatabaseSync(options.file);
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;
      PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = ${options.checkpointBytes * 2}; PRAGMA busy_timeout = 5000`);
    if (options.maxBytes !== undefined) {
      const pageSize = Number(this.#db.prepare('PRAGMA page_size').get()?.page_size);
      this.#db.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(options.maxBytes / pageSize))}`);
    }
    this.#insert = this.#db.prepare('INSERT INTO revisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  }

  /** Commits all batches in one transaction; throws when nothing of it was. */
  commit(batches: readonly FlatRows[]): void {
    this.#transaction(() => {
      for (const rows of batches) for (let at = 0; at < rows.length; at += rowWidth) this.#insertRow(rows, at);
    });
  }

  /** The newest revision in the database. */
  newest(): number {
    return Number(this.#db.prepare('SELECT max(rv) AS rv FROM revisions').get()?.rv ?? 0);
  }

  /** Declares history at or before a revision gone; `sweep` then removes it. */
  compact(revision: number): void {
    this.#lazily(() => this.#setMeta('compacted', revision));
  }

  /** Removes a few superseded revisions; false when there are none left. */
  sweep(): boolean {
    const swept = this.#meta('swept');
    const compacted = this.#meta('compacted');
    if (swept >= compacted) return false;
    const step = this.#db
      .prepare('SELECT rv, prev, deleted FROM revisions WHERE rv > ? AND rv <= ? ORDER BY rv LIMIT ?')
      .all(swept, compacted, sweepStep);
    const remove = this.#db.prepare('DELETE FROM revisions WHERE rv = ?');
    this.#lazily(() => {
      for (const row of step) {
        if (row.prev !== 0) remove.run(Number(row.prev));
        if (row.deleted !== 0) remove.run(Number(row.rv));
      }
      this.#setMeta('swept', step.length < sweepStep ? compacted : Number(step.at(-1)?.rv));
    });
    return true;
  }

  isCheckpointDue(): boolean {
    return this.#sinceCheckpoint >= this.#options.checkpointBytes;
  }

  /** Moves the log into the database; commits do it no more by themselves, so that none waits for it. */
  checkpoint(): void {
    this.#sinceCheckpoint = 0;
    this.#db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  close(): void {
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // On a full disk: the next start finds everything in the log.
    } finally {
      this.#db.close();
    }
  }

  #insertRow(rows: FlatRows, at: number): void {
    const [rv, prev, created, flags] = rows.slice(at, at + 4) as [number, number, number, number];
    const [bucket, namespace, name, uid, json] = rows.slice(at + 4, at + rowWidth) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const value = (flags & rowFlag.sealed) === 0 ? json : this.#sealer.seal({ bucket, namespace, name }, json);
    this.#insert.run(rv, prev, created, flags & rowFlag.deleted, bucket, namespace, name, uid, value);
    this.#sinceCheckpoint += json.length + 512;
  }

  /**
   * A transaction that may be lost in a power cut: the log stays in order, so it can only be lost together with
   * everything after it, and the next commit makes it durable at no cost of its own.
   */
  #lazily(work: () => void): void {
    this.#db.exec('PRAGMA synchronous = NORMAL');
    try {
      this.#transaction(work);
    } finally {
      this.#db.exec('PRAGMA synchronous = FULL');
    }
  }

  #transaction(work: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      // Some failures (disk full, I/O error) have ended the transaction already.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #meta(name: string): number {
    return Number(this.#db.prepare('SELECT value FROM meta WHERE name = ?').get(name)?.value ?? 0);
  }

  #setMeta(name: string, value: number): void {
    this.#db.prepare('UPDATE meta SET value = ? WHERE name = ?').run(value, name);
  }
}
