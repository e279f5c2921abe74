/** What stands for "no bound": the largest number the reference implementation can count to. */
export const unbounded = 2 ** 64;

/** The least and the most that something can be: elements of a value, or the cost of an evaluation. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Exactly this much. */
export function exactly(amount: number): Range {
  return { min: amount, max: amount };
}

/** Nothing is known. */
export const unknownRange: Range = { min: 0, max: unbounded };

const capped = (amount: number): number => Math.min(amount, unbounded);

/** Both together. */
export function plus(a: Range, b: Range): Range {
  return { min: capped(a.min + b.min), max: capped(a.max + b.max) };
}

/** One for each of the other. */
export function times(a: Range, b: Range): Range {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) };
}

/** A share of it, rounded up. */
export function scaled(range: Range, factor: number): Range {
  return { min: capped(Math.ceil(range.min * factor)), max: capped(Math.ceil(range.max * factor)) };
}

/** Either of the two. */
export function either(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** All together. */
export function sumOf(ranges: readonly Range[]): Range {
  return ranges.reduce(plus, exactly(0));
}
