import type { Clock } from '../../kube/index.ts';

/** How answers are kept. */
export interface PassingCacheOptions<V> {
  readonly clock: Clock;
  readonly ttlMs: number;
  /** How many at most; the oldest go first. */
  readonly limit: number;
  /** Which answers are kept at all. */
  readonly isKept: (value: V) => boolean;
}

/** Keeps answers for a short while. Those who ask for the same at the same time share one question; errors are not kept. */
export class PassingCache<V> {
  readonly #options: PassingCacheOptions<V>;
  readonly #kept = new Map<string, { readonly value: V; readonly until: number }>();
  readonly #asking = new Map<string, Promise<V>>();

  constructor(options: PassingCacheOptions<V>) {
    this.#options = options;
  }

  async get(key: string, ask: () => Promise<V>): Promise<V> {
    const { clock } = this.#options;
    const found = this.#kept.get(key);
    if (found !== undefined && clock.monotonic() < found.until) return found.value;
    this.#kept.delete(key);
    const asking = this.#asking.get(key) ?? this.#ask(key, ask);
    return await asking;
  }

  #ask(key: string, ask: () => Promise<V>): Promise<V> {
    // Counted from the question: what the authority said was true then, not when it arrived.
    const askedAt = this.#options.clock.monotonic();
    const asking = ask()
      .then((value) => {
        if (this.#options.isKept(value)) this.#keep(key, value, askedAt);
        return value;
      })
      .finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  #keep(key: string, value: V, askedAt: number): void {
    this.#kept.set(key, { value, until: askedAt + this.#options.ttlMs });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#options.limit) return;
      this.#kept.delete(oldest);
    }
  }
}
