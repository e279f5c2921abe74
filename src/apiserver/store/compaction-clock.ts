/** How long history is kept. */
export interface Retention {
  /** Milliseconds a superseded version is kept for. */
  readonly retentionMs: number;
  /** Milliseconds between compactions. */
  readonly intervalMs: number;
  /** At most this many revisions of history are kept, however young. */
  readonly revisions: number;
}

/** Remembers which revision was the newest when, to know what has become old. */
export class CompactionClock {
  readonly #retention: Retention;
  readonly #samples: { at: number; revision: number }[] = [];

  constructor(retention: Retention) {
    this.#retention = retention;
  }

  /** Notes the newest revision; returns the one up to which history is no longer kept. */
  tick(now: number, revision: number): number {
    this.#samples.push({ at: now, revision });
    let old = revision - this.#retention.revisions;
    while ((this.#samples[0]?.at ?? now) <= now - this.#retention.retentionMs)
      old = Math.max(old, this.#samples.shift()?.revision ?? 0);
    return old;
  }
}
