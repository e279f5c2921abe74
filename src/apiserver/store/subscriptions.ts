import { messageOf } from './errors.ts';
import type { Change, Subscription } from './store.ts';

/** What watches a bucket; `seen` is the last revision it was told of. */
interface Subscriber {
  seen: number;
  readonly onChange: (changes: readonly Change[]) => void;
  readonly onLost: (() => void) | undefined;
}

/**
 * Who is told of committed changes. Nothing is buffered here: a callback gets each batch once and must take it or
 * keep it, so a slow client is the business of whoever holds its connection.
 */
export class Subscriptions {
  readonly #byBucket = new Map<string, Set<Subscriber>>();
  readonly #onError: (error: unknown) => void;
  #fault: string | undefined;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get size(): number {
    let size = 0;
    for (const subscribers of this.#byBucket.values()) size += subscribers.size;
    return size;
  }

  /** Which subscriber that cannot be told of its loss has missed a change, and why. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Tells of the history at once, then of what comes after `seen`. */
  add(
    bucket: string,
    start: { seen: number; history: readonly Change[] },
    { onChange, onLost }: Pick<Subscriber, 'onChange' | 'onLost'>,
  ): Subscription {
    const subscriber: Subscriber = { seen: start.seen, onChange, onLost };
    let subscribers = this.#byBucket.get(bucket);
    if (subscribers === undefined) {
      subscribers = new Set();
      this.#byBucket.set(bucket, subscribers);
    }
    subscribers.add(subscriber);
    const close = () => this.#remove(bucket, subscriber);
    if (start.history.length > 0) this.#tell(bucket, subscriber, start.history);
    return { close };
  }

  /** Tells everyone who watches the bucket of a batch of changes. */
  publish(bucket: string, changes: readonly Change[]): void {
    const subscribers = this.#byBucket.get(bucket);
    const last = changes.at(-1)?.revision;
    if (subscribers === undefined || last === undefined) return;
    // A subscriber that is added or closed by a callback meanwhile is handled by `seen` and by the set itself.
    for (const subscriber of subscribers) {
      if (subscriber.seen >= last) continue;
      const isNew = (change: Change) => change.revision > subscriber.seen;
      const fresh = (changes[0]?.revision ?? 0) > subscriber.seen ? changes : changes.filter(isNew);
      subscriber.seen = last;
      this.#tell(bucket, subscriber, fresh);
    }
  }

  /** One subscriber that throws must not keep a commit from the others. */
  #tell(bucket: string, subscriber: Subscriber, changes: readonly Change[]): void {
    try {
      subscriber.onChange(changes);
    } catch (error) {
      if (subscriber.onLost !== undefined) {
        this.#remove(bucket, subscriber);
        subscriber.onLost();
      } else {
        // What follows for as long as the store is open had better miss one change than all that come after it.
        this.#fault ??= `a follower of ${bucket} failed at revision ${changes[0]?.revision}: ${messageOf(error)}`;
      }
      this.#onError(error);
    }
  }

  #remove(bucket: string, subscriber: Subscriber): void {
    const subscribers = this.#byBucket.get(bucket);
    subscribers?.delete(subscriber);
    if (subscribers?.size === 0) this.#byBucket.delete(bucket);
  }
}
