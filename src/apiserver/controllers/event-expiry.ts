import { type Clock, systemClock, type Timer } from '../../kube/index.ts';
import { type Event, eventBucket } from '../builtins/event-object.ts';
import type { ServerCore } from '../core.ts';
import { deleteObject } from '../handlers/delete.ts';
import { systemContext, systemDeletion } from '../handlers/system-context.ts';
import { ApiError } from '../status.ts';
import type { Stored, Subscription } from '../store/store.ts';
import { addressOf, keyAt } from './object-address.ts';

/** How long events are kept. */
export interface EventExpiryOptions {
  readonly core: ServerCore;
  readonly ttlMs: number;
  readonly clock?: Clock;
  onFault(error: unknown): void;
}

/** Deletes events some time after they were last written, so that they never fill the store. */
export class EventExpiry {
  readonly #options: EventExpiryOptions;
  readonly #clock: Clock;
  /** When each event is due, in the order in which they are: an event that is written again moves to the end. */
  readonly #due = new Map<string, number>();
  #subscription: Subscription | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: EventExpiryOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  start(): void {
    const { core, ttlMs } = this.#options;
    const since = core.store.revision();
    const known = [...core.store.scan(eventBucket)].map((stored) => ({ stored, at: lastWritten(stored) }));
    known.sort((a, b) => a.at - b.at);
    for (const { stored, at } of known) this.#due.set(addressOf(stored), at + ttlMs);
    const subscription = core.store.subscribe(eventBucket, since, (changes) => {
      for (const { type, current } of changes) {
        this.#due.delete(addressOf(current));
        if (type !== 'DELETED') this.#due.set(addressOf(current), this.#clock.now() + ttlMs);
      }
      this.#arm();
    });
    if (subscription === 'expired') throw new Error('the newest revision cannot be watched: the store is inconsistent');
    this.#subscription = subscription;
    this.#arm();
  }

  close(): void {
    this.#isClosed = true;
    this.#subscription?.close();
    this.#timer?.cancel();
  }

  /** Sets one timer for the event that is due first. */
  #arm(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    for (const due of this.#due.values()) {
      this.#timer = this.#clock.after(Math.max(0, due - this.#clock.now()), () => {
        this.#timer = undefined;
        void this.#sweep().then(() => this.#arm());
      });
      return;
    }
  }

  async #sweep(): Promise<void> {
    const now = this.#clock.now();
    const deletes: Promise<void>[] = [];
    for (const [address, due] of this.#due) {
      if (due > now) break;
      this.#due.delete(address);
      deletes.push(this.#delete(address));
    }
    await Promise.all(deletes);
  }

  async #delete(address: string): Promise<void> {
    const { core } = this.#options;
    const key = keyAt(address);
    const served = core.registry.storage(eventBucket);
    if (served === undefined || this.#isClosed) return;
    const context = systemContext(core, served, { verb: 'delete', namespace: key.namespace, name: key.name });
    try {
      await deleteObject(core, context, served, { key, options: systemDeletion() });
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return;
      this.#options.onFault(error);
      // At the end of the order, where nothing is due before.
      this.#due.set(address, this.#clock.now() + this.#options.ttlMs);
    }
  }
}

/** When an event was last written, as far as it says so itself; in milliseconds. */
function lastWritten({ json }: Stored): number {
  const event = JSON.parse(json) as Event;
  const times = [
    event.metadata.creationTimestamp,
    event.lastTimestamp,
    event.series?.lastObservedTime,
    ...(event.metadata.managedFields ?? []).map(({ time }) => time),
  ];
  return Math.max(0, ...times.map((time) => Date.parse(time ?? '') || 0));
}
