import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, StoreError } from '../errors.ts';
import { primaryCode, sqliteCode } from './sqlite-errors.ts';

/** The right to open a database file, held until released or until the process ends, however it ends. */
export interface FileLock {
  release(): void;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/**
 * Takes the right to open a database file, or says who has it. What locks is an exclusive transaction on a small
 * database beside the file, hence a lock of the operating system that ends with its process; the JSON beside it only
 * feeds the message. The database itself cannot be held that way, since its readers have connections of their own.
 */
export function lockFile(path: string, now: number): FileLock {
  const lockPath = `${path}.lock`;
  const holderPath = `${path}.lock.json`;
  closeSync(openSync(lockPath, 'a', 0o600));
  const lock = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    const isHeld = primaryCode(cause) === sqliteCode.busy || primaryCode(cause) === sqliteCode.locked;
    if (isHeld) throw new StoreError('inUse', { where: path, holder: describeHolder(holderPath) });
    throw new StoreError('unusable', { where: path, detail: `${lockPath}: ${messageOf(cause)}` }, { cause });
  }
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date(now).toISOString() };
  writeFileSync(holderPath, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  return {
    release() {
      if (!lock.isOpen) return;
      rmSync(holderPath, { force: true });
      lock.close();
    },
  };
}

function describeHolder(holderPath: string): string {
  try {
    const holder = JSON.parse(readFileSync(holderPath, 'utf8')) as Holder;
    const where = holder.host === hostname() ? '' : ` on ${holder.host}`;
    return `process ${holder.pid}${where} (since ${holder.since})`;
  } catch {
    // Only the message suffers: the holder may just be starting or ending.
    return 'another process';
  }
}
