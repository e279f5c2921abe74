import type { Clock } from '../../kube/index.ts';
import type { EngineLimits } from '../engine.ts';
import { EngineError } from '../errors.ts';
import type { Transaction } from '../store/database.ts';
import { numberOf } from './condition-row.ts';

/** How many conditions wait, without counting 20,000 rows for each that comes. */
export interface QueueCount {
  /** Throws `queueFull` when there is no room for so many more. */
  admit(tx: Transaction, more: number): Promise<void>;
  /** So many were stored. */
  added(many: number): void;
}

const trustedForMs = 1000;

/**
 * Trusts its last count for a second while the limit is far away, and counts for each order once it is near. Several
 * processes may overshoot only by what they store between two counts.
 */
export function createQueueCount(options: { readonly clock: Clock; limits(): EngineLimits }): QueueCount {
  let counted = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  return {
    async admit(tx, more) {
      const limit = options.limits().pending;
      if (limit <= 0) return;
      const isNear = counted + more > limit - Math.max(1000, limit * 0.1);
      if (isNear || options.clock.monotonic() - countedAt > trustedForMs) {
        const row = await tx.first(`SELECT count(*) AS n FROM conditions WHERE state = 'pending'`);
        counted = numberOf(row ?? {}, 'n');
        countedAt = options.clock.monotonic();
      }
      if (counted + more > limit) throw new EngineError('queueFull', { pending: counted, limit });
    },
    added(many) {
      counted += many;
    },
  };
}
