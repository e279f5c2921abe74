import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { reserveBeside } from '../../kube/index.ts';
import { databaseName } from './backup.ts';
import type { Retention } from './compaction-clock.ts';
import { type DataDirectoryLock, lockDataDirectory } from './data-dir-lock.ts';
import { StoreError } from './errors.ts';
import type { HistoryLimits } from './history.ts';
import { type PrepareOptions, prepareDatabase } from './prepare-database.ts';
import { RevisionReader } from './revision-reader.ts';
import { Sealer, type SealingKey } from './sealing.ts';
import { SqliteStore, type StoreStats } from './sqlite-store.ts';
import type { ObjectStore, Stored } from './store.ts';

/** How to open a store; everything but the directory has a default. */
export interface StoreOptions {
  readonly directory: string;
  /** A lock on the directory that the caller holds; without it the store takes and releases its own. */
  readonly lock?: DataDirectoryLock;
  /** Which buckets are encrypted on disk; needs keys. */
  readonly encrypt?: (bucket: string) => boolean;
  /** The first encrypts, all decrypt. */
  readonly keys?: readonly SealingKey[];
  /** How long superseded versions are kept: 5 minutes, at most 200,000 revisions, looked at every 30 seconds. */
  readonly retention?: Partial<Retention>;
  /** How much history is kept in memory (50,000 changes, 24 MiB beyond what is live) or read from disk at once (10,000 changes). */
  readonly history?: Partial<HistoryLimits>;
  /** The database file may not grow past this. */
  readonly maxBytes?: number;
  /** Check the database's structure before using it. */
  readonly quickCheck?: boolean;
  /** About how much is written to the log before it is moved into the database: 2 MiB. */
  readonly checkpointBytes?: number;
  /** Room on the disk that is kept for deletions and leases; none unless given. */
  readonly reserveBytes?: number;
  /** How often a full disk is looked at again: 5 seconds. */
  readonly fullDiskPollMs?: number;
  /** Told of a subscriber that threw, of a compaction that failed and, in words, of a full disk; without it such an error ends the process. */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds of any clock that only grows; decides what is old enough to be compacted. */
  readonly now?: () => number;
}

/** A store with what its owner needs besides the contract. */
export interface OpenStore extends ObjectStore {
  /** Why no write can succeed any more, when that is so; only opening the store anew helps then. */
  fault(): string | undefined;
  /** Which disk is full, when one is. */
  diskFault(): string | undefined;
  /** What kept a subscriber that follows for good from taking a change, when that happened: it may act on old state. */
  followerFault(): string | undefined;
  stats(): StoreStats;
  /** Writes a consistent copy of the database to a new file while the store is in use. */
  backup(target: string): Promise<void>;
}

/** Opens the object store in a directory, making, migrating and locking it as needed. */
export async function openStore(options: StoreOptions): Promise<OpenStore> {
  if (options.encrypt !== undefined && (options.keys ?? []).length === 0) {
    throw new StoreError('key-missing', 'buckets are to be encrypted, but no key was given');
  }
  const lock = options.lock ?? lockDataDirectory(options.directory);
  const release = () => {
    if (options.lock === undefined) lock.release();
  };
  try {
    return await openLocked(options, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function openLocked(options: StoreOptions, release: () => void): Promise<OpenStore> {
  const file = join(options.directory, databaseName);
  const isSealed = options.encrypt ?? (() => false);
  const keys = options.keys ?? [];
  const objects = prepareWithReserve({ file, keys, isSealed, quickCheck: options.quickCheck ?? false });
  const store = new SqliteStore({
    reader: new RevisionReader(new DatabaseSync(file, { readOnly: true }), new Sealer(keys)),
    objects,
    history: { changes: 50_000, bytes: 24 << 20, replayChanges: 10_000, ...options.history },
    retention: { retentionMs: 5 * 60_000, intervalMs: 30_000, revisions: 200_000, ...options.retention },
    writer: {
      ...{ file, keys, maxBytes: options.maxBytes, checkpointBytes: options.checkpointBytes ?? 2 << 20 },
      ...{ reserveBytes: options.reserveBytes ?? 0, fullDiskPollMs: options.fullDiskPollMs ?? 5_000 },
    },
    now: options.now ?? (() => performance.now()),
    isSealed,
    onError: options.onError ?? endProcess,
    onClosed: release,
  });
  await store.start();
  return store;
}

/** A start on a full disk takes the room of the reserve. */
function prepareWithReserve(options: PrepareOptions): Stored[] {
  try {
    return prepareDatabase(options);
  } catch (error) {
    const isOutOfRoom = error instanceof StoreError && error.code === 'disk-full';
    if (!isOutOfRoom || !reserveBeside(options.file, 0).giveUp()) throw error;
    return prepareDatabase(options);
  }
}

function endProcess(error: unknown): void {
  process.nextTick(() => {
    throw error;
  });
}
