import { Fifo } from './fifo.ts';

/**
 * Which revisions on disk belong to which bucket, for those that are no longer (or, after a restart, not yet) in the
 * ring. A few bytes per revision in memory instead of an index on disk that every commit would have to write.
 */
export class HistoryIndex {
  readonly #byBucket = new Map<string, Fifo<number>>();

  /** Adds the revision, which must be newer than all before. */
  push(bucket: string, revision: number): void {
    let revisions = this.#byBucket.get(bucket);
    if (revisions === undefined) {
      revisions = new Fifo();
      this.#byBucket.set(bucket, revisions);
    }
    revisions.push(revision);
  }

  /** Revisions of a bucket after `since`. */
  after(bucket: string, since: number): number[] {
    return this.#byBucket.get(bucket)?.from((revision) => revision > since) ?? [];
  }

  /** Forgets everything at or before a revision. */
  forget(revision: number): void {
    for (const [bucket, revisions] of this.#byBucket) {
      while ((revisions.first() ?? Number.POSITIVE_INFINITY) <= revision) revisions.shift();
      if (revisions.length === 0) this.#byBucket.delete(bucket);
    }
  }
}
