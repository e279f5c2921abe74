import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncFile } from './durable-file.ts';
import { messageOf, StoreError } from './errors.ts';
import { migrate } from './migrations.ts';

/** Makes the database when missing, checks it, and brings it to the newest format. Returns a connection that may write. */
export function openDatabase(file: string, options: { quickCheck: boolean }): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Made here rather than by SQLite so that only the owner can read it from the first moment; the log files follow its mode.
  closeSync(openSync(file, 'a', 0o600));
  syncFile(file);
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
    if (options.quickCheck) quickCheck(db, file);
    migrate(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error instanceof StoreError ? error : asCorrupt(file, error);
  }
}

function quickCheck(db: DatabaseSync, file: string): void {
  const findings = db
    .prepare('PRAGMA quick_check(5)')
    .all()
    .map((row) => String(row.quick_check));
  if (findings.length === 1 && findings[0] === 'ok') return;
  throw new StoreError('corrupt', `${file} is damaged (${findings.join('; ')}); restore a backup`);
}

function asCorrupt(file: string, cause: unknown): StoreError {
  return new StoreError(
    'corrupt',
    `${file} cannot be opened: ${messageOf(cause)}; if it is damaged, restore a backup`,
    { cause },
  );
}
