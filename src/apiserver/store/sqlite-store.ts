import { dirname } from 'node:path';
import { backupDatabase } from './backup.ts';
import { Bucket } from './bucket.ts';
import type { WriterOptions } from './commit-protocol.ts';
import { type CommitListener, CommitQueue, type PendingWrite } from './commit-queue.ts';
import { CompactionClock, type Retention } from './compaction-clock.ts';
import { StoreError } from './errors.ts';
import { History, type HistoryLimits } from './history.ts';
import type { RevisionReader } from './revision-reader.ts';
import type {
  Change,
  Key,
  ListPage,
  ListQuery,
  ObjectStore,
  Stored,
  Subscription,
  Write,
  WriteConflict,
} from './store.ts';
import { keptOf, pathOf, storedVersion } from './stored-version.ts';
import { Subscriptions } from './subscriptions.ts';

/** What a store is put together from. */
export interface StoreParts {
  readonly reader: RevisionReader;
  readonly objects: Iterable<Stored>;
  readonly history: HistoryLimits;
  readonly retention: Retention;
  readonly writer: WriterOptions;
  now(): number;
  isSealed(bucket: string): boolean;
  onError(error: unknown): void;
  /** Called once everything is on disk and the files are closed. */
  onClosed(): void;
}

/** Numbers an operator or a metric may want. */
export interface StoreStats {
  readonly revision: number;
  readonly oldestRevision: number;
  readonly objects: number;
  readonly pendingWrites: number;
  readonly commits: number;
  readonly failedCommits: number;
  readonly recentChanges: number;
  readonly recentBytes: number;
  readonly subscribers: number;
}

/** The object store on SQLite: state in memory, every write on disk before it is answered. */
export class SqliteStore implements ObjectStore, CommitListener {
  readonly #parts: StoreParts;
  readonly #queue: CommitQueue;
  readonly #buckets = new Map<string, Bucket>();
  readonly #subscriptions: Subscriptions;
  readonly #history: History;
  readonly #clock: CompactionClock;
  /** Versions that were a head and never got to disk, for as long as anyone holds one. */
  readonly #failed = new WeakSet<Stored>();
  #assigned: number;
  #revision: number;
  #compacting: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#revision = parts.reader.bounds().revision;
    this.#assigned = this.#revision;
    this.#clock = new CompactionClock(parts.retention);
    this.#history = new History(parts.reader, parts.history);
    this.#subscriptions = new Subscriptions(parts.onError);
    for (const version of parts.objects) this.#load(version);
    this.#queue = new CommitQueue(parts.writer, this);
  }

  /** Settles when writes can be stored. */
  async start(): Promise<void> {
    try {
      await this.#queue.started();
    } catch (error) {
      this.#parts.reader.close();
      throw error;
    }
    this.#compacting = setInterval(() => this.#compactOld(), this.#parts.retention.intervalMs);
    this.#compacting.unref();
  }

  get(key: Key): Stored | undefined {
    return this.#buckets.get(key.bucket)?.find(pathOf(key))?.committed;
  }

  head(key: Key): Stored | undefined {
    return this.#buckets.get(key.bucket)?.find(pathOf(key))?.head;
  }

  list(query: ListQuery): ListPage | 'expired' {
    const revision = query.revision ?? this.#revision;
    if (revision > this.#revision)
      throw new RangeError(`revision ${revision} is ahead of the newest, ${this.#revision}`);
    const undo = revision === this.#revision ? undefined : this.#history.undo(query.bucket, revision);
    if (undo === 'expired') return 'expired';
    return this.#bucket(query.bucket).list(query, revision, undo);
  }

  scan(bucket: string): Iterable<Stored> {
    return this.#buckets.get(bucket)?.snapshot() ?? [];
  }

  count(bucket: string): number {
    return this.#buckets.get(bucket)?.size ?? 0;
  }

  revision(): number {
    return this.#revision;
  }

  assigned(): number {
    return this.#assigned;
  }

  oldestRevision(): number {
    return this.#history.oldest;
  }

  write(write: Write): Promise<Stored> | WriteConflict {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#queue.isDiskFull && !isNeededOnFullDisk(write))
      return Promise.reject(new StoreError('disk-full', this.diskFault() ?? ''));
    const bucket = this.#bucket(write.key.bucket);
    const path = pathOf(write.key);
    const head = bucket.find(path)?.head;
    if (write.kind === 'create' && head !== undefined) return { conflict: 'exists', head };
    if (write.kind !== 'create' && head === undefined) return { conflict: 'missing', head };
    if (write.kind !== 'create' && head?.revision !== write.expect) return { conflict: 'stale', head };
    const change = this.#change(write, head);
    const entry = bucket.propose(path, write.kind === 'delete' ? undefined : change.current);
    const settled = Promise.withResolvers<Stored>();
    this.#queue.push({ change, entry, isSealed: this.#parts.isSealed(write.key.bucket), ...settled });
    return settled.promise;
  }

  async durable(version: Stored): Promise<void> {
    const isPassed = version.revision <= this.#revision;
    // Later writes may have landed since this one failed: a revision that was passed need not be on disk.
    if (isPassed && !this.#failed.has(version)) return;
    const pending = isPassed ? undefined : this.#queue.find(version.revision);
    if (pending === undefined)
      throw new StoreError('commit-failed', `revision ${version.revision} could not be stored`);
    await pending.promise;
  }

  async settled(key: Key): Promise<void> {
    const entry = this.#buckets.get(key.bucket)?.find(pathOf(key));
    // Writes are settled in order, so the last one stands for all.
    const last = entry?.pending ? this.#queue.lastOf(entry) : undefined;
    await last?.promise.catch(() => undefined);
  }

  subscribe(
    bucket: string,
    since: number,
    onChange: (changes: readonly Change[]) => void,
    onLost?: () => void,
  ): Subscription | 'expired' {
    const history = this.#history.after(bucket, since);
    if (history === 'expired') return 'expired';
    return this.#subscriptions.add(bucket, { seen: Math.max(since, this.#revision), history }, { onChange, onLost });
  }

  async compact(revision: number): Promise<void> {
    const target = Math.min(revision, this.#revision);
    if (target <= this.#history.oldest) return;
    // First here, then on disk: nobody may be promised what the sweep is about to remove.
    this.#history.forget(target);
    await this.#queue.compact(target);
  }

  fault(): string | undefined {
    return this.#refusal()?.message;
  }

  diskFault(): string | undefined {
    if (!this.#queue.isDiskFull) return undefined;
    return `the disk of ${dirname(this.#parts.writer.file)} is full; only deletions and leases are stored until there is room`;
  }

  followerFault(): string | undefined {
    return this.#subscriptions.fault;
  }

  stats(): StoreStats {
    const { commits, failures, pending } = this.#queue.stats;
    let objects = 0;
    for (const bucket of this.#buckets.values()) objects += bucket.size;
    return {
      revision: this.#revision,
      oldestRevision: this.#history.oldest,
      objects,
      pendingWrites: pending,
      commits,
      failedCommits: failures,
      recentChanges: this.#history.recentChanges,
      recentBytes: this.#history.recentBytes,
      subscribers: this.#subscriptions.size,
    };
  }

  close(): Promise<void> {
    clearInterval(this.#compacting);
    this.#closing ??= this.#queue.close().then(() => {
      this.#parts.reader.close();
      this.#parts.onClosed();
    });
    return this.#closing;
  }

  /** Writes a consistent copy of the database to a new file while the store is in use. */
  backup(target: string): Promise<void> {
    return backupDatabase(this.#parts.writer.file, target);
  }

  committed(writes: readonly PendingWrite[]): void {
    const byBucket = new Map<string, Change[]>();
    for (const { change, entry } of writes) {
      const name = change.key.bucket;
      this.#bucket(name).commit(entry, change.type === 'DELETED' ? undefined : change.current);
      this.#history.push(change);
      const changes = byBucket.get(name);
      if (changes === undefined) byBucket.set(name, [change]);
      else changes.push(change);
    }
    // Only now may anyone look: a callback sees the whole batch or nothing of it.
    this.#revision = writes.at(-1)?.change.revision ?? this.#revision;
    for (const write of writes) write.resolve(write.change.current);
    for (const [bucket, changes] of byBucket) this.#subscriptions.publish(bucket, changes);
  }

  failed(writes: readonly PendingWrite[], error: StoreError): void {
    for (const { change, entry } of writes) {
      this.#failed.add(change.current);
      this.#bucket(change.key.bucket).rollBack(entry);
    }
    for (const write of writes) write.reject(error);
  }

  roomChanged(): void {
    const directory = dirname(this.#parts.writer.file);
    this.#parts.onError(this.diskFault() ?? `the disk of ${directory} has room again; every write is stored`);
  }

  faulted(message: string): void {
    this.#parts.onError(message);
  }

  #refusal(): StoreError | undefined {
    return this.#closing === undefined ? this.#queue.lost : new StoreError('closed', 'the store is closed');
  }

  #change(write: Write, previous: Stored | undefined): Change {
    const { key, object } = write;
    const revision = ++this.#assigned;
    object.metadata.resourceVersion = String(revision);
    const fields = {
      key,
      uid: previous?.uid ?? object.metadata.uid ?? '',
      revision,
      createdRevision: previous?.createdRevision ?? revision,
      json: JSON.stringify(object),
    };
    const current = storedVersion(fields, keptOf(object.metadata, previous));
    const type = write.kind === 'create' ? 'ADDED' : write.kind === 'update' ? 'MODIFIED' : 'DELETED';
    return { revision, key: current, previous, current, type };
  }

  #compactOld(): void {
    const old = this.#clock.tick(this.#parts.now(), this.#revision);
    this.compact(old).catch((error: unknown) => {
      // Closing leaves a sweep where it is; the next start goes on with it.
      if (this.#closing === undefined) this.#parts.onError(error);
    });
  }

  #load(version: Stored): void {
    const bucket = this.#bucket(version.bucket);
    bucket.commit(bucket.propose(pathOf(version), version), version);
  }

  #bucket(name: string): Bucket {
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      bucket = new Bucket();
      this.#buckets.set(name, bucket);
    }
    return bucket;
  }
}

/** What makes room, or keeps those who make it at work. */
function isNeededOnFullDisk({ kind, key, object }: Write): boolean {
  return (
    kind === 'delete' || object.metadata.deletionTimestamp !== undefined || key.bucket === 'coordination.k8s.io/leases'
  );
}
