import { Fifo } from './fifo.ts';
import type { Change } from './store.ts';

/** How much recent history stays in memory. */
export interface RingLimits {
  readonly changes: number;
  /** Of what is held for the sake of history alone. */
  readonly bytes: number;
}

/**
 * The newest changes of all buckets, bounded by count and bytes. Everything after `floor` is here; what came before has
 * to be read from disk.
 */
export class ChangeRing {
  readonly #limits: RingLimits;
  readonly #onDrop: (change: Change) => void;
  readonly #order = new Fifo<string>();
  readonly #byBucket = new Map<string, Fifo<Change>>();
  #floor: number;
  #bytes = 0;

  constructor(limits: RingLimits, floor: number, onDrop: (change: Change) => void) {
    this.#limits = limits;
    this.#floor = floor;
    this.#onDrop = onDrop;
  }

  /** Changes after this revision are all in the ring. */
  get floor(): number {
    return this.#floor;
  }
  get length(): number {
    return this.#order.length;
  }
  get bytes(): number {
    return this.#bytes;
  }

  push(change: Change): void {
    const bucket = change.key.bucket;
    let changes = this.#byBucket.get(bucket);
    if (changes === undefined) {
      changes = new Fifo();
      this.#byBucket.set(bucket, changes);
    }
    changes.push(change);
    this.#order.push(bucket);
    this.#bytes += weight(change);
    while (this.#order.length > this.#limits.changes || this.#bytes > this.#limits.bytes) {
      const dropped = this.#drop();
      if (dropped === undefined) break;
      this.#onDrop(dropped);
    }
  }

  /** Changes of a bucket after `since`, which must not be below the floor. */
  after(bucket: string, since: number): Change[] {
    return this.#byBucket.get(bucket)?.from((change) => change.revision > since) ?? [];
  }

  /** Forgets everything at or before a revision. */
  forget(revision: number): void {
    while ((this.#oldest()?.first()?.revision ?? Number.POSITIVE_INFINITY) <= revision) this.#drop();
    this.#floor = Math.max(this.#floor, revision);
  }

  #oldest(): Fifo<Change> | undefined {
    const bucket = this.#order.first();
    return bucket === undefined ? undefined : this.#byBucket.get(bucket);
  }

  #drop(): Change | undefined {
    const changes = this.#oldest();
    const change = changes?.shift();
    this.#order.shift();
    if (changes === undefined || change === undefined) return undefined;
    if (changes.length === 0) this.#byBucket.delete(change.key.bucket);
    this.#floor = change.revision;
    this.#bytes -= weight(change);
    return change;
  }
}

/** About what the records around the texts of a change take. */
const recordBytes = 512;

/**
 * What is in memory because the change is: the version before it, which nothing else holds but older changes, and the
 * text of a deletion. What is live is held by its bucket, and counts here when a later change replaces it.
 */
function weight({ type, current, previous }: Change): number {
  return recordBytes + (previous?.json.length ?? 0) + (type === 'DELETED' ? current.json.length : 0);
}
