import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** The requests that are being answered, so that a server that stops can let them come to an end. Watches have none. */
export class Flights {
  readonly #open = new Set<Promise<unknown>>();

  /** Takes note of a request: it is over when its work is done and its answer has left, or nobody is there to get it. */
  add(work: Promise<void>, response: ServerResponse): void {
    const left = response.closed ? undefined : new Promise((resolve) => response.once('close', resolve));
    const flight = Promise.all([work, left]).finally(() => this.#open.delete(flight));
    this.#open.add(flight);
  }

  /** Resolves when all that are open now are over, or after so long. */
  async landed(patienceMs: number): Promise<void> {
    const timer = new AbortController();
    const late = delay(patienceMs, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#open), late]);
    timer.abort();
  }
}
