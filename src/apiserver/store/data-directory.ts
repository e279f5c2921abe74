import { chmodSync, closeSync, openSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../../kube/index.ts';
import { codeOf } from './durable-file.ts';
import { messageOf, StoreError } from './errors.ts';

/** The file of a data directory that is locked while it is in use. */
export const lockName = 'lock.db';

/**
 * Makes a data directory, or checks that one that is there is closed to others: whoever else owns it, or may write in
 * it, can put other keys and tokens in it.
 */
export function openDataDirectory(path: string): void {
  try {
    makeDirectory(path, { mode: 0o700 });
  } catch (error) {
    throw unusable(path, `cannot be made: ${messageOf(error)}`, error);
  }
  if (process.geteuid !== undefined) closeToOthers(path, statSync(path), process.geteuid());
  openAs('a', path, join(path, lockName));
}

/** Throws the real cause where a file of a data directory cannot be read and written; one that is missing is fine. */
export function requireAccess(directory: string, file: string): void {
  openAs('r+', directory, file);
}

function openAs(flags: 'a' | 'r+', directory: string, file: string): void {
  try {
    closeSync(openSync(file, flags, 0o600));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    const who = process.geteuid === undefined ? 'this process' : `this process (user ${process.geteuid()})`;
    throw unusable(directory, `cannot be used: ${who} may not read and write ${file}: ${messageOf(error)}`, error);
  }
}

/** A volume of a pod belongs to root, with rights for the group of the pod. */
function closeToOthers(path: string, { uid, mode }: Stats, user: number): void {
  if (uid !== user && uid !== 0) {
    throw unusable(path, `belongs to user ${uid}, not to user ${user}; chown it, or use another`);
  }
  if (uid !== user || (mode & 0o077) === 0) return;
  const files = readdirSync(path);
  const shown = (mode & 0o7777).toString(8).padStart(4, '0');
  if (files.length > 0 && !files.includes(lockName))
    throw unusable(path, `holds other files and is open to others (mode ${shown}); chmod 700 it, or use another`);
  chmodSync(path, 0o700);
}

function unusable(path: string, why: string, cause?: unknown): StoreError {
  return new StoreError('directory', `data directory ${path} ${why}`, { cause });
}
