import { CelError } from './errors.ts';
import type { Value } from './values.ts';

/** An error that a quantifier carries along, because a later element may still decide the result. */
export class HeldError {
  readonly error: CelError;

  constructor(error: CelError) {
    this.error = error;
  }
}

/** The state of one evaluation: variables by slot, and what it has cost so far. */
export interface Frame {
  readonly slots: (Value | HeldError)[];
  cost: number;
  readonly limit: number;
}

/** A compiled node. */
export type Evaluate = (frame: Frame) => Value;

/** Adds to the cost; ends the evaluation when it becomes too expensive. */
export function charge(frame: Frame, amount: number): void {
  frame.cost += amount;
  if (frame.cost > frame.limit) throw new CelError('operation cancelled: actual cost limit exceeded', 'cost-limit');
}

/** The error as one that `&&`, `||` and quantifiers may absorb; anything else is thrown on. */
export function absorbable(error: unknown): CelError {
  if (error instanceof CelError && error.kind !== 'cost-limit') return error;
  throw error;
}
