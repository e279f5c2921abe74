import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, StoreError } from '../errors.ts';

/** Writes a consistent copy of a database that may be in use; the target must not be there yet. */
export async function copyDatabase(path: string, target: string): Promise<void> {
  reserve(target);
  const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    source.prepare('VACUUM INTO ?').run(target);
    syncPath(target);
    syncPath(dirname(target));
  } catch (cause) {
    rmSync(target, { force: true });
    throw new StoreError('unusable', { where: target, detail: `no copy was made: ${messageOf(cause)}` }, { cause });
  } finally {
    source.close();
  }
}

/** Makes a file, or the entries of a folder, survive a power cut. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** An empty file that only the owner can read; SQLite writes into an empty one. */
function reserve(target: string): void {
  try {
    closeSync(openSync(target, 'wx', 0o600));
  } catch (cause) {
    throw new StoreError('unusable', { where: target, detail: `no copy was made: ${messageOf(cause)}` }, { cause });
  }
}
