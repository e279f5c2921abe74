import type { HeavyLimits } from './limits.ts';
import { Overloaded } from './overloaded.ts';

interface Account {
  /** Values that may still be worked on; below nothing while the client has had more than its share. */
  left: number;
  at: number;
}

/**
 * What each client may have done on the main thread by requests that keep it busy for long, counted in values: fields
 * and elements of objects. A share is saved up to a limit, so that a few large objects pass at once; past it the
 * client is told when to come again. Who has all of its share again is forgotten.
 */
export class WorkBudget {
  readonly #limits: Pick<HeavyLimits, 'savedValues' | 'valuesPerSecond'>;
  readonly #now: () => number;
  readonly #accounts = new Map<string, Account>();

  constructor(limits: Pick<HeavyLimits, 'savedValues' | 'valuesPerSecond'>, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Throws 429 while the client has nothing left. */
  check(client: string): void {
    const { left } = this.#accountOf(client);
    if (left > 0) return;
    const seconds = Math.ceil((1 - left) / this.#limits.valuesPerSecond);
    throw new Overloaded('heavy-work', seconds);
  }

  charge(client: string, values: number): void {
    const account = this.#accountOf(client);
    account.left -= values;
    this.#accounts.set(client, account);
  }

  #accountOf(client: string): Account {
    const now = this.#now();
    const { savedValues, valuesPerSecond } = this.#limits;
    const known = this.#accounts.get(client);
    if (known === undefined) return { left: savedValues, at: now };
    known.left = Math.min(savedValues, known.left + ((now - known.at) / 1000) * valuesPerSecond);
    known.at = now;
    if (known.left === savedValues) this.#accounts.delete(client);
    return known;
  }
}
