import type { Change } from './store.ts';

/** How much recent history stays in memory. */
export interface RingLimits {
  readonly changes: number;
  readonly bytes: number;
}

/** A first-in, first-out list whose front is dropped without moving the rest each time. */
class Fifo<T> {
  #items: T[] = [];
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }
  push(item: T): void {
    this.#items.push(item);
  }
  first(): T | undefined {
    return this.#items[this.#start];
  }
  shift(): void {
    // Dropped items must not stay reachable until the next trim.
    this.#items[this.#start] = undefined as T;
    this.#start += 1;
    if (this.#start > 1024 && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
  }
  /** Items from the first one that satisfies the (monotonic) test. */
  from(test: (item: T) => boolean): T[] {
    let low = this.#start;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (test(this.#items[middle] as T)) high = middle;
      else low = middle + 1;
    }
    return this.#items.slice(low);
  }
}

/**
 * The newest changes of all buckets, bounded by count and bytes. Everything after `floor` is here; what came before has
 * to be read from disk.
 */
export class ChangeRing {
  readonly #limits: RingLimits;
  readonly #order = new Fifo<string>();
  readonly #byBucket = new Map<string, Fifo<Change>>();
  #floor: number;
  #bytes = 0;

  constructor(limits: RingLimits, floor: number) {
    this.#limits = limits;
    this.#floor = floor;
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
    while (this.#order.length > this.#limits.changes || (this.#bytes > this.#limits.bytes && this.#order.length > 0))
      this.#drop();
  }

  /** Changes of a bucket after `since`, which must not be below the floor. */
  after(bucket: string, since: number): Change[] {
    return this.#byBucket.get(bucket)?.from((change) => change.revision > since) ?? [];
  }

  /** Forgets everything at or before a revision. */
  forget(revision: number): void {
    while (this.#order.length > 0 && (this.#oldest()?.first()?.revision ?? 0) <= revision) this.#drop();
    this.#floor = Math.max(this.#floor, revision);
  }

  #oldest(): Fifo<Change> | undefined {
    return this.#byBucket.get(this.#order.first() ?? '');
  }

  #drop(): void {
    const changes = this.#oldest();
    const change = changes?.first();
    this.#order.shift();
    if (changes === undefined || change === undefined) return;
    changes.shift();
    if (changes.length === 0) this.#byBucket.delete(change.key.bucket);
    this.#floor = change.revision;
    this.#bytes -= weight(change);
  }
}

/** A change may be the only holder of the version before it, so both count. */
function weight(change: Change): number {
  return change.current.json.length + (change.previous?.json.length ?? 0);
}
