import { charge, type Evaluate } from './frame.ts';
import type { Value } from './values.ts';

/**
 * A node ready to run. Selecting and indexing make paths (`self.spec.ports[0]`): a path costs one for itself and one for
 * each step, and when it is only part of something longer the one for itself is not charged.
 */
export interface Compiled {
  /** Evaluates and charges. */
  readonly run: Evaluate;
  /** Evaluates as the start of a longer path, a branch of a conditional, or an index. */
  readonly bare: Evaluate;
  readonly isPath: boolean;
  /** What a path that starts with this node costs for itself. */
  readonly pathCharge: 0 | 1;
  /** The value, where it is known before running. */
  readonly constant?: Value;
}

/** A value known at compile time; it costs nothing. */
export function constantNode(value: Value): Compiled {
  const run = (): Value => value;
  return { run, bare: run, isPath: false, pathCharge: 1, constant: value };
}

/** A computed value: as the start of a path it still pays for itself. */
export function computedNode(run: Evaluate): Compiled {
  return { run, bare: run, isPath: false, pathCharge: 1 };
}

/** A path. */
export function pathNode(bare: Evaluate, pathCharge: 0 | 1): Compiled {
  if (pathCharge === 0) return { run: bare, bare, isPath: true, pathCharge };
  const run: Evaluate = (frame) => {
    charge(frame, 1);
    return bare(frame);
  };
  return { run, bare, isPath: true, pathCharge };
}
