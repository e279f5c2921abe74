import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Undo } from './bucket.ts';
import { StoreError } from './errors.ts';
import type { Sealer } from './sealing.ts';
import type { Change, Stored } from './store.ts';
import { pathOf, StoredVersion } from './stored-version.ts';

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
  /** The newest revision that was ever committed or handed out. */
  readonly revision: number;
  /** History at or before this revision is gone. */
  readonly compacted: number;
}

/** Reads versions and history from the database. */
export class RevisionReader {
  readonly #db: DatabaseSync;
  readonly #sealer: Sealer;
  readonly #byRevision: StatementSync;
  readonly #history: StatementSync;
  readonly #firstChanges: StatementSync;

  constructor(db: DatabaseSync, sealer: Sealer) {
    this.#db = db;
    this.#sealer = sealer;
    this.#byRevision = rows(db, `SELECT ${columns} FROM revisions WHERE rv = ?`);
    this.#history = rows(db, `SELECT ${columns} FROM revisions WHERE rv > ? AND rv <= ? AND bucket = ? ORDER BY rv`);
    this.#firstChanges = rows(
      db,
      `SELECT prev, namespace, name FROM revisions WHERE rv > ?1 AND rv <= ?2 AND bucket = ?3 AND prev <= ?1 ORDER BY rv`,
    );
  }

  bounds(): Bounds {
    const meta = (name: string) =>
      Number(this.#db.prepare('SELECT value FROM meta WHERE name = ?').get(name)?.value ?? 0);
    const newest = Number(this.#db.prepare('SELECT max(rv) AS rv FROM revisions').get()?.rv ?? 0);
    const compacted = meta('compacted');
    // Compaction may have removed the newest revision (a deletion), hence the maximum over all three.
    return { revision: Math.max(newest, compacted, meta('floor')), compacted };
  }

  /** The newest version of every object. */
  *live(): Generator<Stored> {
    // Everything up to `swept` is live by construction, so only links after it can point at superseded revisions.
    const live = rows(
      this.#db,
      `SELECT ${columns} FROM revisions WHERE deleted = 0 AND rv NOT IN
         (SELECT prev FROM revisions WHERE rv > (SELECT value FROM meta WHERE name = 'swept'))`,
    );
    // Buckets and namespaces repeat; sharing the strings keeps many objects small.
    const shared = new Map<string, string>();
    const share = (text: string) => shared.get(text) ?? shared.set(text, text).get(text) ?? text;
    for (const row of live.iterate() as unknown as Iterable<Row>) {
      row[4] = share(row[4]);
      row[5] = share(row[5]);
      yield this.#version(row);
    }
  }

  /** Changes of a bucket after `since`, up to and including `upTo`. */
  changes(bucket: string, since: number, upTo: number): Change[] {
    return (this.#history.all(since, upTo, bucket) as unknown as Row[]).map((row) => {
      const current = this.#version(row);
      const previous = row[1] === 0 ? undefined : this.#at(row[1]);
      const type = row[3] !== 0 ? 'DELETED' : row[1] === 0 ? 'ADDED' : 'MODIFIED';
      return { revision: current.revision, key: current, previous, current, type };
    });
  }

  /** What the objects that changed after `since`, up to and including `upTo`, were like at `since`. */
  undo(bucket: string, since: number, upTo: number): Undo {
    const undo = new Map<string, Stored | undefined>();
    for (const row of this.#firstChanges.all(since, upTo, bucket) as unknown as [number, string, string][]) {
      const path = pathOf({ namespace: row[1], name: row[2] });
      if (!undo.has(path)) undo.set(path, row[0] === 0 ? undefined : this.#at(row[0]));
    }
    return undo;
  }

  close(): void {
    this.#db.close();
  }

  #at(revision: number): Stored {
    const row = this.#byRevision.get(revision) as unknown as Row | undefined;
    if (row === undefined)
      throw new StoreError('corrupt', `revision ${revision} is referred to but is not in the database`);
    return this.#version(row);
  }

  #version([revision, , createdRevision, , bucket, namespace, name, uid, value]: Row): Stored {
    const key = { bucket, namespace, name };
    const json = typeof value === 'string' ? value : this.#sealer.open(key, value);
    return new StoredVersion({ key, uid, revision, createdRevision, json });
  }
}

function rows(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}
