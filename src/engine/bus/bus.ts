/** A hint that travels over the bus. Losing or doubling one costs time, never work. */
export type BusHint =
  | { readonly about: 'work'; readonly facility: string; readonly kind: string; readonly conditionId: string }
  | { readonly about: 'condition'; readonly conditionId: string; readonly target: string }
  | { readonly about: 'online'; readonly workerId: string }
  | { readonly about: 'cancel'; readonly conditionId: string };

/** What makes things faster: in process, or NATS JetStream. */
export interface Bus {
  /** Takes a hint to others, or drops it when it cannot soon; never rejects because the bus is away. */
  publish(hint: BusHint): Promise<void>;
  /** Work for a facility and kinds: each hint goes to one of the subscribed workers. */
  takeWork(
    order: { readonly facilities: readonly string[]; readonly kinds: readonly string[]; readonly workerId: string },
    listener: (hint: BusHint) => void,
  ): Promise<() => Promise<void>>;
  /** Everything else goes to everybody. */
  listen(listener: (hint: BusHint) => void): Promise<() => Promise<void>>;
  /** Keeps a sign of life that vanishes by itself. Some buses count in whole seconds. */
  keepAlive(workerId: string, ttlMs: number): Promise<void>;
  /** Ids of those that are alive, as far as the bus knows; rejects with `away` when it cannot know. */
  alive(): Promise<ReadonlySet<string>>;
  /** True while hints travel, and come back to whoever published them. */
  readonly isConnected: boolean;
  close(): Promise<void>;
}
