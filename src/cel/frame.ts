import { CelError } from './errors.ts';
import type { Value } from './values.ts';

/** What stands in a variable's slot in place of its value. */
export abstract class Deferred {
  abstract force(frame: Frame): Value;
}

/** An error that a quantifier carries along, because a later element may still decide the result. */
export class HeldError extends Deferred {
  readonly error: CelError;

  constructor(error: CelError) {
    super();
    this.error = error;
  }

  override force(): never {
    throw this.error;
  }
}

/** A local variable that is computed when it is first read, and costs nothing when it never is. */
export class LazyValue extends Deferred {
  readonly #compute: Evaluate;
  #value: Value | undefined;

  constructor(compute: Evaluate) {
    super();
    this.#compute = compute;
  }

  override force(frame: Frame): Value {
    if (this.#value === undefined) this.#value = this.#compute(frame);
    return this.#value;
  }
}

/** The state of one evaluation: variables by slot, and what it has cost so far. */
export interface Frame {
  readonly slots: (Value | Deferred)[];
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
