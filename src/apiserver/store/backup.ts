import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { codeOf, reserveFile, syncFile } from './durable-file.ts';
import { StoreError } from './errors.ts';
import { formatOf, migrations } from './migrations.ts';
import { quickCheck } from './prepare-database.ts';

/** The name of the database inside its directory. */
export const databaseName = 'objects.db';

/** Writes a consistent copy of a database to a new file; the database may be in use meanwhile. */
export async function backupDatabase(file: string, target: string): Promise<void> {
  // A connection of its own, so that neither reads nor commits wait for the copy.
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    reserveNew(target);
    // One step for the whole database: a copy in several steps starts over whenever a commit comes between them.
    await backup(db, target, { rate: 0x7fffffff }).catch((error: unknown) => {
      rmSync(target, { force: true });
      throw error;
    });
  } finally {
    db.close();
  }
  syncFile(target);
}

function reserveNew(target: string): void {
  try {
    reserveFile(target);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new StoreError('exists', `${target} exists already; a backup is written to a new file`);
  }
}

/**
 * Puts a backup into a directory that has no database yet. Revisions jump ahead by `skipRevisions`, and history from
 * before is declared gone, so that a client that saw more than the backup holds is told to list anew instead of being
 * given other objects under the revisions it knows.
 */
export async function restoreDatabase(
  source: string,
  directory: string,
  options: { skipRevisions?: number } = {},
): Promise<void> {
  const target = join(directory, databaseName);
  if (existsSync(target))
    throw new StoreError('exists', `${directory} already holds objects; restore into an empty directory`);
  const draft = `${target}.restoring`;
  rmSync(draft, { force: true });
  await backupDatabase(source, draft);
  const db = new DatabaseSync(draft);
  try {
    quickCheck(db, source);
    checkFormat(db, source);
    skipAhead(db, options.skipRevisions ?? 1_000_000_000);
    db.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    db.close();
    rmSync(draft, { force: true });
    throw error;
  }
  db.close();
  syncFile(draft);
  renameSync(draft, target);
  syncFile(target);
}

/** An older format is migrated when the directory is first opened; a newer one would only fail there. */
function checkFormat(db: DatabaseSync, source: string): void {
  const format = formatOf(db);
  const newest = migrations.at(-1)?.format ?? 0;
  if (format === 0) throw new StoreError('corrupt', `${source} is not a backup of an object store`);
  if (format <= newest) return;
  throw new StoreError(
    'newer-format',
    `${source} was written by a newer version (format ${format}; this version knows formats up to ${newest}); restore it with that version`,
  );
}

function skipAhead(db: DatabaseSync, by: number): void {
  db.exec('BEGIN IMMEDIATE');
  const newest = `(SELECT max(a, b, c) FROM (SELECT
    (SELECT coalesce(max(rv), 0) FROM revisions) AS a,
    (SELECT value FROM meta WHERE name = 'floor') AS b,
    (SELECT value FROM meta WHERE name = 'compacted') AS c))`;
  db.prepare(`UPDATE meta SET value = ${newest} + ? WHERE name = 'floor'`).run(by);
  db.exec(`UPDATE meta SET value = (SELECT value FROM meta WHERE name = 'floor') WHERE name = 'compacted'`);
  db.exec('COMMIT');
}
