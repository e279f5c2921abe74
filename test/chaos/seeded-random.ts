/** A source of numbers that gives the same ones for the same seed. */
export interface SeededRandom {
  /** An integer from 0 up to, not including, `below`. */
  below(below: number): number;
}

/** Starts a sequence from a seed. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  return {
    below(below) {
      // A 32-bit mixing step (additive constant, two multiply-xorshift rounds): plenty for choosing moments and keys.
      state = (state + 0x9e3779b9) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
      mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
      return ((mixed ^ (mixed >>> 16)) >>> 0) % below;
    },
  };
}
