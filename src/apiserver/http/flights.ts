import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** The requests that are being answered, so that a server that stops can let them come to an end. */
export class Flights {
  readonly #open = new Set<Promise<unknown>>();
  /** Watches end only when their connections are closed. */
  readonly #watches = new Set<Promise<unknown>>();

  /** Takes note of a request: it is over when its work is done and its answer has left, or nobody is there to get it. */
  add(work: Promise<void>, response: ServerResponse): void {
    const left = response.closed ? undefined : new Promise((resolve) => response.once('close', resolve));
    const flight = Promise.all([work, left]).finally(() => this.#open.delete(flight));
    this.#open.add(flight);
  }

  /** Takes note of a watch, whose line of the audit log is written when it ends. */
  addWatch(work: Promise<void>): void {
    const watch = work.finally(() => this.#watches.delete(watch));
    this.#watches.add(watch);
  }

  /** Resolves when all that are open now are over, or after so long; watches have no end while they are connected. */
  landed(patienceMs: number): Promise<void> {
    return within(this.#open, patienceMs);
  }

  /** The same with watches, for connections that are closed. */
  allLanded(patienceMs: number): Promise<void> {
    return within([...this.#open, ...this.#watches], patienceMs);
  }
}

async function within(work: Iterable<Promise<unknown>>, patienceMs: number): Promise<void> {
  const timer = new AbortController();
  const late = delay(patienceMs, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([Promise.all(work), late]);
  timer.abort();
}
