import type { ResourceRegistry } from '../registry.ts';
import type { Change, ObjectStore, Stored, Subscription } from '../store/store.ts';

/** Told about every object the server keeps, and every change of one. */
export interface ObjectListener {
  /** An object is there, or was changed; `previous` is what it replaces. */
  set(current: Stored, previous: Stored | undefined): void;
  remove(last: Stored, previous: Stored | undefined): void;
}

/** Follows all buckets of the registry, also those that are served later; nothing that is committed is missed. */
export class EveryBucket {
  readonly #store: ObjectStore;
  readonly #registry: ResourceRegistry;
  readonly #listeners: ObjectListener[] = [];
  readonly #subscriptions = new Map<string, Subscription>();
  #isClosed = false;

  constructor(store: ObjectStore, registry: ResourceRegistry) {
    this.#store = store;
    this.#registry = registry;
  }

  /** Adds a listener; before `start`. */
  listen(listener: ObjectListener): void {
    this.#listeners.push(listener);
  }

  start(): void {
    this.#followAll();
    this.#registry.onChange(() => this.#followAll());
  }

  close(): void {
    this.#isClosed = true;
    for (const subscription of this.#subscriptions.values()) subscription.close();
    this.#subscriptions.clear();
  }

  #followAll(): void {
    if (this.#isClosed) return;
    for (const { bucket } of [...this.#registry.stored()]) if (!this.#subscriptions.has(bucket)) this.#follow(bucket);
  }

  // A bucket is followed even after its definition is gone: the last deletions may still be on their way to disk.
  #follow(bucket: string): void {
    const since = this.#store.revision();
    for (const stored of this.#store.scan(bucket)) for (const each of this.#listeners) each.set(stored, undefined);
    const subscription = this.#store.subscribe(bucket, since, (changes) => this.#passOn(changes));
    if (subscription === 'expired') throw new Error('the newest revision cannot be watched: the store is inconsistent');
    this.#subscriptions.set(bucket, subscription);
  }

  #passOn(changes: readonly Change[]): void {
    for (const { type, current, previous } of changes) {
      for (const each of this.#listeners) {
        if (type === 'DELETED') each.remove(current, previous);
        else each.set(current, previous);
      }
    }
  }
}
