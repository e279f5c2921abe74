import type { Undo } from './bucket.ts';
import { ChangeRing, type RingLimits } from './change-ring.ts';
import { HistoryIndex } from './history-index.ts';
import type { RevisionReader } from './revision-reader.ts';
import type { Change, Stored } from './store.ts';
import { pathOf } from './stored-version.ts';

/** How far back history can be asked for, and at what cost. */
export interface HistoryLimits extends RingLimits {
  /** More changes than this are not read from disk in one go: listing anew is cheaper for everyone. */
  readonly replayChanges: number;
}

/** Every committed change since the last compaction: the newest in memory, the others on disk. */
export class History {
  readonly #reader: RevisionReader;
  readonly #limits: HistoryLimits;
  readonly #onDisk = new HistoryIndex();
  readonly #ring: ChangeRing;
  #oldest: number;

  constructor(reader: RevisionReader, limits: HistoryLimits) {
    const { revision, compacted } = reader.bounds();
    this.#reader = reader;
    this.#limits = limits;
    this.#oldest = compacted;
    for (const old of reader.buckets(compacted)) this.#onDisk.push(old.bucket, old.revision);
    this.#ring = new ChangeRing(limits, revision, (change) => this.#onDisk.push(change.key.bucket, change.revision));
  }

  /** The oldest revision that can still be asked for. */
  get oldest(): number {
    return this.#oldest;
  }
  get recentChanges(): number {
    return this.#ring.length;
  }
  get recentBytes(): number {
    return this.#ring.bytes;
  }

  push(change: Change): void {
    this.#ring.push(change);
  }

  /** Changes of a bucket after a revision. */
  after(bucket: string, since: number): Change[] | 'expired' {
    const revisions = this.#revisionsOnDisk(bucket, since);
    if (revisions === 'expired') return revisions;
    const recent = this.#ring.after(bucket, since);
    return revisions.length === 0 ? recent : [...this.#reader.changes(revisions), ...recent];
  }

  /** What the objects of a bucket that changed after a revision were like at that revision. */
  undo(bucket: string, since: number): Undo | 'expired' {
    const revisions = this.#revisionsOnDisk(bucket, since);
    if (revisions === 'expired') return revisions;
    const undo = new Map<string, Stored | undefined>(this.#reader.undo(revisions));
    for (const { key, previous } of this.#ring.after(bucket, since)) {
      const path = pathOf(key);
      if (!undo.has(path)) undo.set(path, previous);
    }
    return undo;
  }

  /** Forgets everything before a revision. */
  forget(revision: number): void {
    this.#oldest = revision;
    this.#ring.forget(revision);
    this.#onDisk.forget(revision);
  }

  #revisionsOnDisk(bucket: string, since: number): number[] | 'expired' {
    if (since < this.#oldest) return 'expired';
    if (since >= this.#ring.floor) return [];
    const revisions = this.#onDisk.after(bucket, since);
    return revisions.length > this.#limits.replayChanges ? 'expired' : revisions;
  }
}
