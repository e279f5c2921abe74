import { chmodSync, closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Clock, isOutOfRoom, makeDirectory } from '../../../kube/index.ts';
import { StoreError } from '../errors.ts';
import type { DatabaseFaults } from '../faults.ts';
import { CommitLog } from './commit-log.ts';
import { SqliteConnection } from './connection.ts';
import { syncPath } from './copy-database.ts';
import { DiskRoom } from './disk-room.ts';
import { type FileLock, lockFile } from './file-lock.ts';
import { Housekeeping } from './housekeeping.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { mapSqliteError, primaryCode, sqliteCode } from './sqlite-errors.ts';

/** How to open a database file. */
export interface SqliteOptions {
  /** The file, made if it is not there; `:memory:` is a database that nobody else sees and that is gone when closed. */
  readonly path: string;
  readonly clock: Clock;
  /** Told when the disk failed and nothing more will be taken: whoever owns the process should end it. */
  readonly onFault?: (fault: StoreError) => void;
  /** How large the file beside it is that is given up when the disk is full, so that work that has begun goes on; none unless given. */
  readonly reserveBytes?: number;
  /** How often it is looked whether a full disk has room again. */
  readonly fullDiskPollMs?: number;
  /** Told when the disk is full, and when it has room again. */
  readonly onRoom?: (message: string) => void;
  /** For tests: failures to inject. */
  readonly faults?: DatabaseFaults;
  /** For tests: what makes the log of commits durable, given the usual way of doing it. */
  readonly wrapSync?: (sync: () => Promise<void>) => () => Promise<void>;
}

/** Opens a database file for this process alone. */
export async function openSqliteDatabase(options: SqliteOptions): Promise<SqliteDatabase> {
  return options.path === ':memory:' ? openPassing(options) : openLasting(options);
}

async function openLasting(options: SqliteOptions): Promise<SqliteDatabase> {
  const path = resolve(options.path);
  makeDirectory(dirname(path), { mode: 0o700 });
  const room = openRoom(path, options);
  let lock: FileLock | undefined;
  try {
    lock = withReserve(room, () => lockFile(path, options.clock.now()));
    return await openLocked(path, options, { lock, room });
  } catch (error) {
    lock?.release();
    room.close();
    throw error;
  }
}

async function openLocked(
  path: string,
  options: SqliteOptions,
  { lock, room }: { readonly lock: FileLock; readonly room: DiskRoom },
): Promise<SqliteDatabase> {
  createFile(path);
  const writer = withReserve(room, () => openWriter(path, 'NORMAL'));
  const log = await open(`${path}-wal`, 'r+');
  const sync = () => log.datasync();
  return new SqliteDatabase({
    path,
    writer,
    clock: options.clock,
    faults: options.faults,
    log: new CommitLog({ where: path, sync: options.wrapSync?.(sync) ?? sync, onFault: options.onFault }),
    housekeeping: keepHouse(path, writer),
    room,
    async onClosed() {
      await log.close();
      lock.release();
    },
  });
}

/**
 * A database that lives no longer than its handle. SQLite's own in-memory databases let readers wait for writers or
 * have one connection only, so this one is a file like any other, except that nothing waits for the disk.
 */
async function openPassing(options: SqliteOptions): Promise<SqliteDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-passing-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const path = join(folder, 'passing.db');
  createFile(path);
  const writer = openWriter(path, 'OFF');
  process.once('exit', remove);
  return new SqliteDatabase({
    path,
    writer,
    clock: options.clock,
    faults: options.faults,
    log: new CommitLog({ where: ':memory:', sync: undefined, onFault: options.onFault }),
    housekeeping: keepHouse(path, writer),
    room: openRoom(path, { clock: options.clock }),
    onClosed() {
      process.removeListener('exit', remove);
      remove();
    },
  });
}

function openRoom(path: string, options: Omit<SqliteOptions, 'path'>): DiskRoom {
  const { clock, reserveBytes = 0, fullDiskPollMs = 5_000, onRoom = () => undefined } = options;
  return new DiskRoom({ path, clock, reserveBytes, pollMs: fullDiskPollMs, onChange: onRoom });
}

function keepHouse(path: string, writer: SqliteConnection): Housekeeping {
  return new Housekeeping(path, () => writer.db.exec('PRAGMA wal_autocheckpoint = 1000'));
}

/** Made here rather than by SQLite so that only the owner can read it from the first moment; its logs follow its mode. */
function createFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  syncPath(dirname(path));
}

/** Even to open a database takes some room. */
function withReserve<T>(room: DiskRoom, open: () => T): T {
  try {
    return open();
  } catch (error) {
    const { cause } = error as Error;
    const codes: readonly (number | undefined)[] = [sqliteCode.full, sqliteCode.ioError];
    const lacksRoom = codes.includes(primaryCode(cause)) || isOutOfRoom(error);
    if (!lacksRoom || !room.give()) throw error;
    return open();
  }
}

function openWriter(path: string, synchronous: 'NORMAL' | 'OFF'): SqliteConnection {
  const writer = new SqliteConnection(path, { where: path, isReadOnly: false });
  try {
    const mode = writer.db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
    // Without shared memory, as on network file systems, SQLite stays in its old mode.
    if (mode !== 'wal') throw new StoreError('unusable', { where: path, detail: 'its file system has no locks' });
    writer.db.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384`);
    // Pages are moved from the log into the database on another thread.
    writer.db.exec('PRAGMA wal_autocheckpoint = 0');
    writer.db.exec('BEGIN IMMEDIATE; COMMIT');
    return writer;
  } catch (error) {
    const mapped = mapSqliteError(error, { db: writer.db, where: path });
    writer.close();
    throw mapped;
  }
}
