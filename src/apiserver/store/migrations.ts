import { rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { codeOf, reserveFile, syncFile } from './durable-file.ts';
import { StoreError } from './errors.ts';

/** One step from the format before it. Steps are never changed once released, only added. */
export interface Migration {
  readonly format: number;
  up(db: DatabaseSync): void;
}

/**
 * `prev` links a revision to the one it replaced (0 for a creation), which makes the table its own index: history,
 * compaction and opening all work along the primary key, and a commit touches one end of one tree.
 */
const createTables = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
  CREATE TABLE revisions (
    rv INTEGER PRIMARY KEY,
    prev INTEGER NOT NULL,
    created INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    bucket TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    uid TEXT NOT NULL,
    value ANY NOT NULL
  ) STRICT;
  INSERT INTO meta VALUES ('floor', 1), ('compacted', 0), ('swept', 0);
`;

/** The formats of the object database, oldest first. */
export const migrations: readonly Migration[] = [{ format: 1, up: (db) => db.exec(createTables) }];

/** The format a database is in; 0 when it is empty. */
export function formatOf(db: DatabaseSync): number {
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'meta'`).get() === undefined) return 0;
  return Number(db.prepare(`SELECT value FROM meta WHERE name = 'format'`).get()?.value ?? 0);
}

/**
 * Brings a database to the newest format, in one transaction. A copy of an older, non-empty one is kept beside it first,
 * and its path is returned. A format newer than the last step is refused.
 */
export function migrate(db: DatabaseSync, file: string, steps: readonly Migration[] = migrations): string | undefined {
  const format = formatOf(db);
  const newest = steps.at(-1)?.format ?? 0;
  if (format > newest) {
    throw new StoreError(
      'newer-format',
      `${file} was written by a newer version (format ${format}; this version knows formats up to ${newest}); start that version, or restore a backup made by this one`,
    );
  }
  if (format === newest) return undefined;
  const copy = format === 0 ? undefined : keepCopy(db, `${file}.format-${format}`);
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const step of steps) if (step.format > format) step.up(db);
    db.prepare(`INSERT INTO meta VALUES ('format', ?) ON CONFLICT DO UPDATE SET value = excluded.value`).run(newest);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
  return copy;
}

function keepCopy(db: DatabaseSync, copy: string): string {
  // The copy of an earlier, interrupted attempt is older than what is in the database now, so it is not overwritten.
  for (let n = 1; ; n++) {
    const target = n === 1 ? copy : `${copy}.${n}`;
    try {
      reserveFile(target);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue;
      throw error;
    }
    try {
      db.prepare('VACUUM INTO ?').run(target);
    } catch (error) {
      rmSync(target, { force: true });
      throw error;
    }
    syncFile(target);
    return target;
  }
}
