import { Bucket, type Undo } from './bucket.ts';
import type { ChangeRing } from './change-ring.ts';
import type { WriterOptions } from './commit-protocol.ts';
import { type CommitListener, CommitQueue, type PendingWrite } from './commit-queue.ts';
import { StoreError } from './errors.ts';
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
import { pathOf, StoredVersion } from './stored-version.ts';
import { Subscriptions } from './subscriptions.ts';

/** What a store is put together from. */
export interface StoreParts {
  readonly reader: RevisionReader;
  readonly ring: ChangeRing;
  readonly writer: WriterOptions;
  readonly revision: number;
  readonly compacted: number;
  isSealed(bucket: string): boolean;
  onError(error: unknown): void;
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
  #assigned: number;
  #revision: number;
  #oldest: number;
  #closing: Promise<void> | undefined;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#assigned = parts.revision;
    this.#revision = parts.revision;
    this.#oldest = parts.compacted;
    this.#subscriptions = new Subscriptions(parts.onError);
    for (const version of parts.reader.live()) this.#load(version);
    this.#queue = new CommitQueue(parts.writer, this);
  }

  /** Settles when writes can be stored. */
  started(): Promise<void> {
    return this.#queue.started();
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
    if (revision < this.#oldest) return 'expired';
    return this.#bucket(query.bucket).list(query, revision, this.#undo(query.bucket, revision));
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

  oldestRevision(): number {
    return this.#oldest;
  }

  write(write: Write): Promise<Stored> | WriteConflict {
    const refusal = this.#closing === undefined ? this.#queue.lost : new StoreError('closed', 'the store is closed');
    if (refusal !== undefined) return Promise.reject(refusal);
    const bucket = this.#bucket(write.key.bucket);
    const path = pathOf(write.key);
    const head = bucket.find(path)?.head;
    if (write.kind === 'create' && head !== undefined) return { conflict: 'exists', head };
    if (write.kind !== 'create' && head === undefined) return { conflict: 'missing', head };
    if (write.kind !== 'create' && head?.revision !== write.expect) return { conflict: 'stale', head };
    const change = this.#change(write, head);
    const entry = bucket.entry(path);
    entry.head = write.kind === 'delete' ? undefined : change.current;
    const settled = Promise.withResolvers<Stored>();
    this.#queue.push({ change, entry, isSealed: this.#parts.isSealed(write.key.bucket), ...settled });
    return settled.promise;
  }

  async durable(version: Stored): Promise<void> {
    if (version.revision <= this.#revision) return;
    const pending = this.#queue.find(version.revision);
    if (pending === undefined)
      throw new StoreError('commit-failed', `revision ${version.revision} could not be stored`);
    await pending.promise;
  }

  subscribe(bucket: string, since: number, onChange: (changes: readonly Change[]) => void): Subscription | 'expired' {
    if (since < this.#oldest) return 'expired';
    const { reader, ring } = this.#parts;
    const older = since < ring.floor ? reader.changes(bucket, since, ring.floor) : [];
    const history = [...older, ...ring.after(bucket, since)];
    return this.#subscriptions.add(bucket, { seen: Math.max(since, this.#revision), history }, onChange);
  }

  async compact(revision: number): Promise<void> {
    const target = Math.min(revision, this.#revision);
    if (target <= this.#oldest) return;
    this.#oldest = target;
    this.#parts.ring.forget(target);
    await this.#queue.compact(target);
  }

  stats(): StoreStats {
    const { commits, failures, pending } = this.#queue.stats;
    const { ring } = this.#parts;
    let objects = 0;
    for (const bucket of this.#buckets.values()) objects += bucket.size;
    return {
      revision: this.#revision,
      oldestRevision: this.#oldest,
      objects,
      pendingWrites: pending,
      commits,
      failedCommits: failures,
      recentChanges: ring.length,
      recentBytes: ring.bytes,
      subscribers: this.#subscriptions.size,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#queue.close().then(() => this.#parts.reader.close());
    return this.#closing;
  }

  committed(writes: readonly PendingWrite[]): void {
    const byBucket = new Map<string, Change[]>();
    for (const { change, entry } of writes) {
      const name = change.key.bucket;
      this.#bucket(name).commit(entry, change.type === 'DELETED' ? undefined : change.current);
      this.#parts.ring.push(change);
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
    for (const { change, entry } of writes) this.#bucket(change.key.bucket).rollBack(entry);
    for (const write of writes) write.reject(error);
  }

  #change(write: Write, previous: Stored | undefined): Change {
    const { key, object } = write;
    const revision = ++this.#assigned;
    object.metadata.resourceVersion = String(revision);
    const current = new StoredVersion({
      key,
      uid: previous?.uid ?? object.metadata.uid ?? '',
      revision,
      createdRevision: previous?.createdRevision ?? revision,
      json: JSON.stringify(object),
      labels: object.metadata.labels && { ...object.metadata.labels },
    });
    const type = write.kind === 'create' ? 'ADDED' : write.kind === 'update' ? 'MODIFIED' : 'DELETED';
    return { revision, key: current, previous, current, type };
  }

  #undo(bucket: string, revision: number): Undo | undefined {
    if (revision === this.#revision) return undefined;
    const { reader, ring } = this.#parts;
    if (revision < ring.floor) return reader.undo(bucket, revision, this.#revision);
    const undo = new Map<string, Stored | undefined>();
    for (const { key, previous } of ring.after(bucket, revision)) {
      const path = pathOf(key);
      if (!undo.has(path)) undo.set(path, previous);
    }
    return undo;
  }

  #load(version: Stored): void {
    const bucket = this.#bucket(version.bucket);
    const entry = bucket.entry(pathOf(version));
    entry.head = version;
    bucket.commit(entry, version);
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
