import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { ChangeRing, type RingLimits } from './change-ring.ts';
import { CompactionClock, type Retention } from './compaction-clock.ts';
import { type DataDirectoryLock, lockDataDirectory } from './data-dir-lock.ts';
import { syncFile } from './durable-file.ts';
import { openDatabase } from './open-database.ts';
import { RevisionReader } from './revision-reader.ts';
import { Sealer, type SealingKey } from './sealing.ts';
import { SqliteStore, type StoreStats } from './sqlite-store.ts';
import type { ObjectStore } from './store.ts';

/** How to open a store; everything but the directory has a default. */
export interface StoreOptions {
  readonly directory: string;
  /** A lock on the directory that the caller holds; without it the store takes and releases its own. */
  readonly lock?: DataDirectoryLock;
  /** Which buckets are encrypted on disk; needs keys. */
  readonly encrypt?: (bucket: string) => boolean;
  /** The first encrypts, all decrypt. */
  readonly keys?: readonly SealingKey[];
  readonly retention?: Partial<Retention>;
  /** How much recent history stays in memory. */
  readonly recent?: Partial<RingLimits>;
  /** Refuse to grow the database file past this. */
  readonly maxBytes?: number;
  /** Check the database's structure before using it. */
  readonly quickCheck?: boolean;
  /** About how much is written to the log before it is moved into the database. */
  readonly checkpointBytes?: number;
  /** Told of a subscriber that threw and of a compaction that failed; without it such an error ends the process. */
  readonly onError?: (error: unknown) => void;
  readonly now?: () => number;
}

/** A store with what its owner needs besides the contract. */
export interface OpenStore extends ObjectStore {
  stats(): StoreStats;
  /** Writes a consistent copy of the database to a new file while the store is in use. */
  backup(target: string): Promise<void>;
}

/** The name of the database inside its directory. */
export const databaseName = 'objects.db';

/** Opens the object store in a directory, making, migrating and locking it as needed. */
export async function openStore(options: StoreOptions): Promise<OpenStore> {
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
  const keys = options.keys ?? [];
  openDatabase(file, { quickCheck: options.quickCheck ?? false }).close();
  const reader = new RevisionReader(new DatabaseSync(file, { readOnly: true }), new Sealer(keys));
  const { revision, compacted } = reader.bounds();
  const onError = options.onError ?? endProcess;
  const store = new SqliteStore({
    reader,
    ring: new ChangeRing({ changes: 50_000, bytes: 64 << 20, ...options.recent }, revision),
    writer: { file, keys, maxBytes: options.maxBytes, checkpointBytes: options.checkpointBytes ?? 8 << 20 },
    revision,
    compacted,
    isSealed: options.encrypt ?? (() => false),
    onError,
  });
  await store.started();
  const stop = keepCompacting(store, options, onError);
  const close = store.close.bind(store);
  let closing: Promise<void> | undefined;
  return Object.assign(store, {
    backup: (target: string) => backUp(file, target),
    close: () => {
      stop();
      closing ??= close().finally(release);
      return closing;
    },
  });
}

function keepCompacting(store: ObjectStore, options: StoreOptions, onError: (error: unknown) => void): () => void {
  const retention = { retentionMs: 5 * 60_000, intervalMs: 30_000, revisions: 200_000, ...options.retention };
  const now = options.now ?? Date.now;
  const clock = new CompactionClock(retention);
  const timer = setInterval(() => {
    store.compact(clock.tick(now(), store.revision())).catch(onError);
  }, retention.intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** A connection of its own, so that neither reads nor commits wait for the copy. */
async function backUp(file: string, target: string): Promise<void> {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    // One step for the whole database: a copy in several steps starts over whenever a commit comes between them.
    await backup(db, target, { rate: 0x7fffffff });
  } finally {
    db.close();
  }
  syncFile(target, { mode: 0o600 });
}

function endProcess(error: unknown): void {
  process.nextTick(() => {
    throw error;
  });
}
