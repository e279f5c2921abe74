import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDirectory } from '../../kube/index.ts';
import { requireAccess } from './data-directory.ts';
import { syncFile } from './durable-file.ts';
import { isFull, messageOf, StoreError } from './errors.ts';
import { migrate } from './migrations.ts';
import { checkKeys, reseal } from './reseal.ts';
import { RevisionReader } from './revision-reader.ts';
import { Sealer, type SealingKey } from './sealing.ts';
import type { Stored } from './store.ts';

/** What decides how a database is made ready. */
export interface PrepareOptions {
  readonly file: string;
  readonly keys: readonly SealingKey[];
  readonly quickCheck: boolean;
  isSealed(bucket: string): boolean;
}

/** Makes, checks, migrates and if need be re-encrypts the database, and returns every object in it. */
export function prepareDatabase(options: PrepareOptions): Stored[] {
  for (const suffix of ['', '-wal', '-shm']) requireAccess(dirname(options.file), `${options.file}${suffix}`);
  createFile(options.file);
  const db = new DatabaseSync(options.file);
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
    if (options.quickCheck) quickCheck(db, options.file);
    migrate(db, options.file);
    return loadObjects(db, options);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw isFull(error) ? asFull(options.file, error) : asCorrupt(options.file, error);
  } finally {
    db.close();
  }
}

/** Throws when the structure of a database is damaged. */
export function quickCheck(db: DatabaseSync, file: string): void {
  const rows = db.prepare('PRAGMA quick_check(5)').all();
  const findings = rows.map((row) => String(row.quick_check));
  if (findings.length === 1 && findings[0] === 'ok') return;
  throw new StoreError('corrupt', `${file} is damaged (${findings.join('; ')}); restore a backup`);
}

function loadObjects(db: DatabaseSync, { file, keys, isSealed }: PrepareOptions): Stored[] {
  const { isRotated } = checkKeys(db, file, keys);
  const sealer = new Sealer(keys);
  const plainBuckets = new Set<string>();
  const objects: Stored[] = [];
  for (const live of new RevisionReader(db, sealer).live()) {
    objects.push(live.version);
    if (!live.isSealed && isSealed(live.version.bucket)) plainBuckets.add(live.version.bucket);
  }
  reseal(db, { plan: { plainBuckets, isRotated }, sealer, keys });
  return objects;
}

/** Made here rather than by SQLite so that only the owner can read it from the first moment; its logs follow its mode. */
function createFile(file: string): void {
  makeDirectory(dirname(file), { mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  syncFile(file);
}

function asFull(file: string, cause: unknown): StoreError {
  return new StoreError('disk-full', `the disk of ${dirname(file)} is full: ${messageOf(cause)}; make room on it`, {
    cause,
  });
}

function asCorrupt(file: string, cause: unknown): StoreError {
  return new StoreError(
    'corrupt',
    `${file} cannot be opened: ${messageOf(cause)}; if it is damaged, restore a backup`,
    {
      cause,
    },
  );
}
