import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Undo } from './bucket.ts';
import { StoreError } from './errors.ts';
import type { Sealer } from './sealing.ts';
import type { Change, Stored } from './store.ts';
import { keptIn, pathOf, storedVersion } from './stored-version.ts';

const columns = 'rv, prev, created, deleted, bucket, namespace, name, uid, value';

/** A row of the table, in the order of the columns. */
type Row = [
  rv: number,
  prev: number,
  created: number,
  deleted: number,
  bucket: string,
  namespace: string,
  name: string,
  uid: string,
  value: string | Uint8Array,
];

/** What a database says about itself. */
export interface Bounds {
  /** The newest revision that was ever answered with. */
  readonly revision: number;
  /** History before this revision is gone. */
  readonly compacted: number;
}

/** Reads versions and history from the database. */
export class RevisionReader {
  readonly #db: DatabaseSync;
  readonly #sealer: Sealer;
  readonly #row: StatementSync;
  readonly #link: StatementSync;

  constructor(db: DatabaseSync, sealer: Sealer) {
    this.#db = db;
    this.#sealer = sealer;
    this.#row = rows(db, `SELECT ${columns} FROM revisions WHERE rv = ?`);
    this.#link = rows(db, 'SELECT prev, namespace, name FROM revisions WHERE rv = ?');
  }

  bounds(): Bounds {
    const newest = Number(this.#db.prepare('SELECT max(rv) AS rv FROM revisions').get()?.rv ?? 0);
    const compacted = this.#meta('compacted');
    // Compaction may have removed the newest revision (a deletion), hence the maximum over all three.
    return { revision: Math.max(newest, compacted, this.#meta('floor')), compacted };
  }

  /** The newest version of every object, and whether it is encrypted on disk. */
  *live(): Generator<{ version: Stored; isSealed: boolean }> {
    // Everything up to `swept` is live by construction, so only links after it can point at superseded revisions.
    const live = rows(
      this.#db,
      `SELECT ${columns} FROM revisions WHERE deleted = 0 AND rv NOT IN (SELECT prev FROM revisions WHERE rv > ?)`,
    );
    // Buckets and namespaces repeat; sharing the strings keeps many objects small.
    const shared = new Map<string, string>();
    const share = (text: string) => shared.get(text) ?? shared.set(text, text).get(text) ?? text;
    for (const row of live.iterate(this.#meta('swept')) as unknown as Iterable<Row>) {
      row[4] = share(row[4]);
      row[5] = share(row[5]);
      yield { version: this.#version(row), isSealed: typeof row[8] !== 'string' };
    }
  }

  /** The bucket of every revision after `since`, oldest first. */
  *buckets(since: number): Generator<{ revision: number; bucket: string }> {
    const after = rows(this.#db, 'SELECT rv, bucket FROM revisions WHERE rv > ? ORDER BY rv');
    for (const [revision, bucket] of after.iterate(since) as unknown as Iterable<[number, string]>) {
      yield { revision, bucket };
    }
  }

  /** The changes made at these revisions. */
  changes(revisions: readonly number[]): Change[] {
    return revisions.map((revision) => {
      const row = this.#at(revision);
      const current = this.#version(row);
      const previous = row[1] === 0 ? undefined : this.#version(this.#at(row[1]));
      const type = row[3] !== 0 ? 'DELETED' : row[1] === 0 ? 'ADDED' : 'MODIFIED';
      return { revision, key: current, previous, current, type };
    });
  }

  /** What the objects that changed at these revisions were like before the first of them. */
  undo(revisions: readonly number[]): Undo {
    const undo = new Map<string, Stored | undefined>();
    for (const revision of revisions) {
      const link = this.#link.get(revision) as unknown as [prev: number, namespace: string, name: string] | undefined;
      if (link === undefined) throw missing(revision);
      const path = pathOf({ namespace: link[1], name: link[2] });
      if (!undo.has(path)) undo.set(path, link[0] === 0 ? undefined : this.#version(this.#at(link[0])));
    }
    return undo;
  }

  close(): void {
    this.#db.close();
  }

  #at(revision: number): Row {
    const row = this.#row.get(revision) as unknown as Row | undefined;
    if (row === undefined) throw missing(revision);
    return row;
  }

  #version([revision, , createdRevision, , bucket, namespace, name, uid, value]: Row): Stored {
    const key = { bucket, namespace, name };
    const json = typeof value === 'string' ? value : this.#sealer.open(key, value);
    return storedVersion({ key, uid, revision, createdRevision, json }, keptIn(json));
  }

  #meta(name: string): number {
    return Number(this.#db.prepare('SELECT value FROM meta WHERE name = ?').get(name)?.value ?? 0);
  }
}

function missing(revision: number): StoreError {
  return new StoreError('corrupt', `revision ${revision} is referred to but is not in the database`);
}

function rows(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
