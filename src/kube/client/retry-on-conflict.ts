import { backoffDelay } from '../backoff.ts';
import { type Clock, type Random, sleep } from '../clock.ts';
import { isConflict } from '../errors.ts';

/** How often and how fast a conflicting write is tried again. */
export interface RetryOnConflictOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** 5 unless given. */
  readonly attempts?: number;
}

/** Runs a read-change-write until it does not conflict. The function must read again each time. */
export async function retryOnConflict<T>(options: RetryOnConflictOptions, write: () => Promise<T>): Promise<T> {
  const attempts = options.attempts ?? 5;
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
      await sleep(options.clock, backoffDelay({ baseMs: 10, maxMs: 1000 }, attempt, options.random));
    }
  }
}
