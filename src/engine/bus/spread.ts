import type { BusHint } from './bus.ts';
import type { HintListener } from './hand-over.ts';

/** Somebody who takes work of some facilities and kinds. */
export interface Taker {
  readonly facilities: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
  readonly listener: HintListener;
}

/** The takers of work, each of which gets its turn. */
export interface Spread {
  add(taker: Taker): void;
  remove(taker: Taker): void;
  /** Whose turn it is among those that can take this. */
  next(hint: Extract<BusHint, { about: 'work' }>): Taker | undefined;
  clear(): void;
}

/** Makes a round in which whoever got a hint goes behind all the others. */
export function createSpread(): Spread {
  // Kept in the order of their turns: a Set remembers when something was added.
  const turns = new Set<Taker>();
  return {
    add: (taker) => void turns.add(taker),
    remove: (taker) => void turns.delete(taker),
    next(hint) {
      for (const taker of turns) {
        if (!taker.facilities.has(hint.facility) || !taker.kinds.has(hint.kind)) continue;
        turns.delete(taker);
        turns.add(taker);
        return taker;
      }
      return undefined;
    },
    clear: () => turns.clear(),
  };
}
