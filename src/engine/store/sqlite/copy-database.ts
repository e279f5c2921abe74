import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Writes a consistent copy of a database that may be in use; the target must not be there yet. */
export function copyDatabase(path: string, target: string): void {
  reserve(target);
  const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    source.prepare('VACUUM INTO ?').run(target);
    syncPath(target);
    syncPath(dirname(target));
  } catch (cause) {
    rmSync(target, { force: true });
    throw cause;
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

/** An empty file that only the owner can read; SQLite writes into an empty one, and this fails when there is one. */
function reserve(target: string): void {
  closeSync(openSync(target, 'wx', 0o600));
}
