import type { Condition, ConditionReason } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import { readBudget } from '../leases/budget.ts';
import { readController } from '../leases/controllers.ts';
import type { Transaction } from '../store/database.ts';
import { numberOf } from './condition-row.ts';
import { inList } from './in-list.ts';

/**
 * Adds why conditions that could be leased are not: limits and missing workers. Both change with every lease, so they
 * are found when somebody looks instead of being written to every row that waits.
 */
export async function explainWaiting(
  context: EngineContext,
  tx: Transaction,
  conditions: readonly Condition[],
): Promise<readonly Condition[]> {
  const waiting = conditions.filter((one) => one.state === 'pending' && !isHeldBack(one));
  if (waiting.length === 0) return conditions;
  const budget = await readBudget(tx, context.limits(), context.kinds.activeLimits);
  const controllers = (await tx.all(`SELECT * FROM controllers WHERE is_online = 1`)).map(readController);
  const more = await readPlaces(tx, waiting);
  const explain = (one: Condition): ConditionReason | undefined => {
    const since = one.updatedAt;
    const isServed = controllers.some(
      ({ kinds, facilities }) => kinds.includes(one.kind) && (one.facility === '' || facilities.includes(one.facility)),
    );
    if (!isServed) {
      const where = one.facility === '' ? '' : ` in facility ${one.facility}`;
      return { code: 'NoWorker', message: `no worker for ${one.kind} is online${where}`, since };
    }
    const place = more.get(one.id);
    const obstacle = budget.obstacle({ facility: one.facility, modelKey: place?.modelKey ?? '', kind: one.kind });
    if (obstacle !== undefined) return { code: 'LimitReached', message: obstacle, since };
    if (place !== undefined && place.notBefore > tx.now) {
      const seconds = Math.ceil((place.notBefore - tx.now) / 1000);
      return one.reason ?? { code: 'Quiet', message: `the device is left alone for ${seconds} s more`, since };
    }
    return one.reason;
  };
  return conditions.map((one) => (waiting.includes(one) ? { ...one, reason: explain(one) } : one));
}

/** What was written as the reason stands, unless it only says how the last lease ended. */
function isHeldBack({ reason }: Condition): boolean {
  return reason !== undefined && !['LeaseExpired', 'Released'].includes(reason.code);
}

async function readPlaces(tx: Transaction, waiting: readonly Condition[]) {
  const ids = inList(waiting.map((one) => one.id));
  const rows = await tx.all(`SELECT id, model_key, not_before FROM conditions WHERE id IN ${ids.sql}`, ...ids.values);
  return new Map(
    rows.map((row) => [String(row.id), { modelKey: String(row.model_key), notBefore: numberOf(row, 'not_before') }]),
  );
}
