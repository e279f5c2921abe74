import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isOutOfRoom } from '../../kube/index.ts';
import { lockName, openDataDirectory } from './data-directory.ts';
import { messageOf, StoreError } from './errors.ts';

/** The right to use a data directory, held until released or until the process ends, however it ends. */
export interface DataDirectoryLock {
  readonly directory: string;
  release(): void;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly startedAt: string;
}

/**
 * Locks a data directory for this process, or says who holds it. The lock is an exclusive SQLite transaction on a small
 * database, that is, a lock of the operating system that dies with the process; the file beside it only feeds the message.
 */
export function lockDataDirectory(directory: string, now: () => Date = () => new Date()): DataDirectoryLock {
  const path = resolve(directory);
  openDataDirectory(path);
  const file = join(path, lockName);
  const holderFile = join(path, 'lock.json');
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    // In memory, a lock needs no room on the disk.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    if (!isBusy(cause)) throw new StoreError('corrupt', `${file} cannot be locked: ${messageOf(cause)}`, { cause });
    const by = describe(readHolder(holderFile));
    throw new StoreError('in-use', `data directory ${path} is in use by ${by}; stop it or use another --data-dir`);
  }
  const holder: Holder = { pid: process.pid, host: hostname(), startedAt: now().toISOString() };
  writeHolder(holderFile, holder);
  return {
    directory: path,
    release() {
      if (!db.isOpen) return;
      rmSync(holderFile, { force: true });
      db.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 6);
}

function writeHolder(file: string, holder: Holder): void {
  try {
    writeFileSync(file, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch (error) {
    // Only the message to others suffers.
    if (!isOutOfRoom(error)) throw error;
  }
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    // Only the message suffers: the holder may just be starting or ending.
    return undefined;
  }
}

function describe(holder: Holder | undefined): string {
  if (holder === undefined) return 'another process';
  const where = holder.host === hostname() ? '' : ` on ${holder.host}`;
  return `process ${holder.pid}${where} (started ${holder.startedAt})`;
}
