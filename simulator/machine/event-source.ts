import type { EventFeed, MachineEvent, Subscription } from './machine.ts';
import type { MachineBody } from './machine-body.ts';
import type { SavedEvents } from './saved-machine.ts';

const none: readonly never[] = Object.freeze([]);

/** The events of one machine. Nothing is kept but who listens. */
export class EventSource implements EventFeed {
  readonly #machine: MachineBody;
  #subscriptions: readonly Subscription[] = none;
  #listeners: readonly ((event: MachineEvent) => void)[] = none;
  #events = 0;
  #subscribed = 0;

  constructor(machine: MachineBody) {
    this.#machine = machine;
  }

  /** How many subscriptions there ever were. */
  get count(): number {
    return this.#subscribed;
  }

  get subscriptions(): readonly Subscription[] {
    return this.#subscriptions;
  }

  subscribe(order: Omit<Subscription, 'id'>): Subscription | 'exhausted' {
    if (this.#subscriptions.length >= this.#machine.personality.limits.subscriptions) return 'exhausted';
    this.#subscribed++;
    const subscription: Subscription = { ...order, id: String(this.#subscribed) };
    this.#subscriptions = [...this.#subscriptions, subscription];
    this.#machine.log.add('subscription.open', `id=${subscription.id}`);
    return subscription;
  }

  unsubscribe(id: string): boolean {
    const left = this.#subscriptions.filter((each) => each.id !== id);
    const had = left.length < this.#subscriptions.length;
    this.#subscriptions = left;
    if (had) this.#machine.log.add('subscription.close', `id=${id}`);
    return had;
  }

  /** What outlives the simulator; undefined when nobody has subscribed. */
  save(): SavedEvents | undefined {
    return this.#subscriptions.length === 0 ? undefined : { subscriptions: [...this.#subscriptions] };
  }

  restore(saved: SavedEvents | undefined, count: number): void {
    this.#subscriptions = saved?.subscriptions ?? none;
    this.#subscribed = count;
  }

  publish(event: Omit<MachineEvent, 'at' | 'id'>): void {
    this.#events++;
    if (this.#listeners.length === 0) return;
    const sent: MachineEvent = { ...event, at: this.#machine.manager.now(), id: String(this.#events) };
    for (const listener of this.#listeners) listener(sent);
  }

  listen(listener: (event: MachineEvent) => void): () => void {
    // Wrapped, so that one function that listens twice is two listeners.
    const own = (event: MachineEvent): void => listener(event);
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== own);
    };
  }
}
