import type { Condition } from '../condition.ts';
import { isFinal } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import { EngineError } from '../errors.ts';
import { leaveBehind } from '../leases/fence.ts';
import type { Transaction } from '../store/database.ts';
import { readStored, type StoredCondition } from './condition-row.ts';
import { type Aftermath, failCondition, noAftermath, tellAftermath } from './finalize.ts';
import { lockCondition } from './lock-lines.ts';
import { writeEvents } from './outbox.ts';

/** Who cancels, and how much they want it. */
export interface CancelOrder {
  readonly client: string;
  readonly isForced: boolean;
  readonly doesInsist: boolean;
}

/** Cancels a condition, or asks its worker to stop at the next safe point. Throws `notFound`, `cancelUnsafe`. */
export async function cancelCondition(context: EngineContext, id: string, by: CancelOrder): Promise<Condition> {
  const { current, aftermath } = await context.write(async (tx) => {
    const row = await lockCondition(context, tx, id);
    if (row === undefined) throw new EngineError('notFound', { id });
    const aftermath = await cancelIn(context, tx, { stored: readStored(row), by });
    const after = await tx.first(`SELECT * FROM conditions WHERE id = ?`, id);
    return { current: readStored(after ?? row).condition, aftermath };
  });
  tellAftermath(context, aftermath);
  if (current.state === 'active' && current.cancel !== undefined) context.hints.cancelled(id);
  return current;
}

async function cancelIn(
  context: EngineContext,
  tx: Transaction,
  cancelling: { readonly stored: StoredCondition; readonly by: CancelOrder },
): Promise<Aftermath> {
  const { stored, by } = cancelling;
  const { condition } = stored;
  const { isCancelUnsafe } = condition;
  if (isFinal(condition.state)) return noAftermath;
  // A flash outlives the worker that began it: also a pending condition may be in the middle of one.
  if (by.isForced && isCancelUnsafe && !by.doesInsist) throw new EngineError('cancelUnsafe', { id: condition.id });
  const isIdle = condition.state === 'pending' && !isCancelUnsafe;
  if (isIdle || by.isForced) return await cutOff(context, tx, { stored, ...messageOf(stored, by) });
  await askToStop(context, tx, { stored, by: by.client });
  return noAftermath;
}

function messageOf({ condition }: StoredCondition, by: CancelOrder) {
  const { state, controller, isCancelUnsafe } = condition;
  const worker = state === 'active' ? ` while ${controller ?? 'a worker'} worked on it` : '';
  const danger = isCancelUnsafe
    ? '; it was in the middle of a flash and the caller insisted: the device may be unusable, look at it'
    : '';
  return { reason: { code: 'Cancelled', message: `cancelled by ${by.client}${worker}${danger}` } };
}

/** Fails a condition at once. A worker on it loses its lease, and the device stays quiet for its last request. */
export async function cutOff(
  context: EngineContext,
  tx: Transaction,
  cutting: { readonly stored: StoredCondition; readonly reason: { readonly code: string; readonly message: string } },
): Promise<Aftermath> {
  const { stored, reason } = cutting;
  if (stored.condition.state === 'active') await leaveBehind(tx, stored, tx.now + stored.requestDeadlineMs);
  return await failCondition(context, tx, { id: stored.condition.id, reason });
}

/** Tells the worker to stop at its next safe point. Asking again changes nothing. */
export async function askToStop(
  context: EngineContext,
  tx: Transaction,
  asking: { readonly stored: StoredCondition; readonly by: string },
): Promise<void> {
  const { stored, by } = asking;
  if (stored.condition.cancel !== undefined) return;
  const row = await tx.first(
    `UPDATE conditions SET cancel_at = ?, cancel_is_forced = 0, cancel_by = ?, rev = rev + 1, updated_at = ?
      WHERE id = ? RETURNING *`,
    tx.now,
    by,
    tx.now,
    stored.condition.id,
  );
  if (row === undefined) return;
  await writeEvents(context, tx, [{ event: 'cancel-asked', about: readStored(row), detail: { by } }]);
}
