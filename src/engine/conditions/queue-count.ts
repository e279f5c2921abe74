import type { Clock } from '../../kube/index.ts';
import type { EngineContext } from '../context.ts';
import type { EngineLimits } from '../engine.ts';
import { EngineError } from '../errors.ts';
import type { KindDefinition } from '../kinds.ts';
import type { Transaction } from '../store/database.ts';
import { numberOf } from './condition-row.ts';
import { forUpdate } from './lock-lines.ts';

/** How many conditions wait, without counting 20,000 rows for each that comes. */
export interface QueueCount {
  /** Throws `queueFull` when there is no room for one more of each of these. */
  admit(tx: Transaction, kinds: readonly KindDefinition[]): Promise<void>;
  /** So many were stored. */
  added(many: number): void;
}

const trustedForMs = 1000;

/**
 * Trusts its last count for a second while the limit is far away, and counts for each order once it is near. Several
 * processes may overshoot only by what they store between two counts.
 */
export function createQueueCount(
  options: Pick<EngineContext, 'database'> & { readonly clock: Clock; limits(): EngineLimits },
): QueueCount {
  let counted = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  return {
    async admit(tx, kinds) {
      for (const one of kinds) await admitKind(options, tx, one);
      const more = kinds.length;
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

/** A kind's own limit is counted anew for each order, one order at a time: whoever sets one wants it held. */
async function admitKind(
  context: Pick<EngineContext, 'database'>,
  tx: Transaction,
  { kind, limits }: KindDefinition,
): Promise<void> {
  const limit = limits?.pending ?? 0;
  if (limit <= 0) return;
  await tx.first(`SELECT name FROM engine_facts WHERE name = 'limits'${forUpdate(context)}`);
  const row = await tx.first(`SELECT count(*) AS n FROM conditions WHERE state = 'pending' AND kind = ?`, kind);
  const pending = numberOf(row ?? {}, 'n');
  if (pending >= limit) throw new EngineError('kindQueueFull', { kind, pending, limit });
}
