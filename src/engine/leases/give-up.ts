import type { JsonObject } from '../condition.ts';
import { readStored, type StoredCondition } from '../conditions/condition-row.ts';
import { type Aftermath, failCondition, tellAftermath } from '../conditions/finalize.ts';
import { forUpdate, lockLineOf } from '../conditions/lock-lines.ts';
import { writeEvents } from '../conditions/outbox.ts';
import { settleKeys } from '../conditions/settle-line.ts';
import { toldText } from '../conditions/told-text.ts';
import type { EngineContext } from '../context.ts';
import type { Transaction } from '../store/database.ts';
import type { ReleaseOptions } from '../worker/worker-port.ts';
import { longestPauseMs } from './clock-watch.ts';
import { forgetLeftovers, leaveBehind, quietAfter } from './fence.ts';
import { type HeldLease, heldLease } from './report.ts';

/** How a lease ended without an end of the work. */
export interface GivingUp {
  readonly event: 'lease-expired' | 'released';
  readonly reason: { readonly code: string; readonly message: string };
  readonly detail: JsonObject;
  /** True when it counts towards the kind's `maxLeases`. */
  readonly isStrike: boolean;
  readonly notBefore: number;
}

/** Makes an active condition pending again, or fails it when that happened too often. */
async function giveUp(
  context: EngineContext,
  tx: Transaction,
  giving: GivingUp & { readonly stored: StoredCondition; readonly previous: string | null },
): Promise<Aftermath> {
  const { stored } = giving;
  const { condition } = stored;
  const strikes = stored.strikes + (giving.isStrike ? 1 : 0);
  const maxLeases = context.kinds.get(condition.kind)?.maxLeases ?? Number.POSITIVE_INFINITY;
  if (giving.isStrike && strikes >= maxLeases) {
    const next =
      context.kinds.get(condition.kind)?.isCarriedOn === true ? '; asked for again, it goes on from there' : '';
    const danger = stored.condition.isCancelUnsafe
      ? `; it was in the middle of a flash: look at the device${next}`
      : '';
    const message = `${strikes} leases ended without an end of the work, the last one so: ${giving.reason.message}${danger}`;
    return await failCondition(context, tx, { id: condition.id, reason: { code: 'Unrunnable', message } });
  }
  const row = await tx.first(
    `UPDATE conditions SET state = 'pending', lease_until = NULL, is_ready = 1, strikes = ?, previous = ?, not_before = ?,
       reason_code = ?, reason_message = ?, reason_since = ?, rev = rev + 1, updated_at = ? WHERE id = ? RETURNING *`,
    strikes,
    giving.previous,
    Math.trunc(giving.notBefore),
    giving.reason.code,
    giving.reason.message,
    tx.now,
    tx.now,
    condition.id,
  );
  if (row === undefined) return { ended: [], ready: [] };
  const about = readStored(row);
  await writeEvents(context, tx, [{ event: giving.event, about, detail: giving.detail }]);
  const { facility, kind, id } = condition;
  const ready = await settleKeys(tx, [condition.lockKey]);
  return { ended: [about], ready: [{ facility, kind, conditionId: id }, ...ready] };
}

/**
 * Takes a lease away from a holder that may still be alive somewhere: whoever comes next waits until the last request
 * of this one must be over, and is told whose session to end.
 */
export async function takeAway(
  context: EngineContext,
  tx: Transaction,
  taking: {
    readonly stored: StoredCondition;
    readonly why: string;
    readonly heldUntil: number;
    readonly code?: 'LeaseExpired' | 'WorkerLost';
  },
): Promise<Aftermath> {
  const { stored, heldUntil, why, code = 'LeaseExpired' } = taking;
  const { controller, fencingToken: token, status, leases } = stored.condition;
  const quietUntil = quietAfter(stored, heldUntil);
  await leaveBehind(tx, stored, quietUntil);
  return await giveUp(context, tx, {
    event: 'lease-expired',
    stored,
    previous: holderOf(stored),
    reason: { code, message: why },
    detail: { controller: controller ?? null, token, leases, status, why, resumesAt: quietUntil },
    isStrike: true,
    notBefore: quietUntil,
  });
}

/** A holder, for whoever comes next. */
function holderOf({ condition, sessionUri }: StoredCondition): string {
  const { controller = '', fencingToken: token } = condition;
  return JSON.stringify({ controller, token, ...(sessionUri === undefined ? {} : { sessionUri }) });
}

/** The holder gives its work back. One that does not hold it any more has nothing to give: that is no error. */
export async function releaseLease(
  context: EngineContext,
  lease: HeldLease,
  giving: ReleaseOptions & { readonly why: string },
): Promise<void> {
  const { afterMs, isHolderGone = false } = giving;
  const why = toldText(giving.why);
  const aftermath = await context.write(async (tx): Promise<Aftermath | undefined> => {
    await lockLineOf(context, tx, lease.conditionId);
    const query = `SELECT * FROM conditions WHERE ${heldLease}${forUpdate(context)}`;
    const row = await tx.first(query, lease.conditionId, lease.token, tx.now);
    if (row === undefined) return undefined;
    const stored = readStored(row);
    const quietUntil = isHolderGone ? quietAfter(stored, tx.now) : 0;
    const notBefore = Math.max(quietUntil, tx.now + Math.min(Math.max(0, afterMs ?? 0), longestPauseMs));
    if (isHolderGone) await leaveBehind(tx, stored, quietUntil);
    else if (giving.areLeftoversKept !== true) await forgetLeftovers(tx, stored);
    if (stored.condition.cancel !== undefined && !stored.condition.isCancelUnsafe)
      return await endCancelled(context, tx, stored);
    return await giveUp(context, tx, {
      event: 'released',
      stored,
      previous: isHolderGone ? holderOf(stored) : null,
      reason: { code: isHolderGone ? 'WorkerLost' : 'Released', message: why },
      detail: { controller: stored.condition.controller ?? null, why },
      isStrike: afterMs !== undefined && giving.isNotCounted !== true,
      notBefore,
    });
  });
  if (aftermath === undefined) context.metrics.staleWrite('release');
  else tellAftermath(context, aftermath);
}

/** Takes the lease from a holder that has nothing on its way to the device; the work waits for its turn again. */
export async function handBack(
  context: EngineContext,
  tx: Transaction,
  giving: Pick<GivingUp, 'reason' | 'notBefore'> & { readonly stored: StoredCondition },
): Promise<Aftermath> {
  const { stored, reason } = giving;
  const { condition } = stored;
  if (condition.cancel !== undefined && !condition.isCancelUnsafe) return await endCancelled(context, tx, stored);
  const detail = { controller: condition.controller ?? null, why: reason.message };
  return await giveUp(context, tx, { ...giving, event: 'released', previous: null, isStrike: false, detail });
}

/** Work that is given back while a cancel waits has reached its safe point: it ends here. */
async function endCancelled(context: EngineContext, tx: Transaction, stored: StoredCondition): Promise<Aftermath> {
  const { id, cancel } = stored.condition;
  const code = cancel?.by === 'deadline' ? 'DeadlinePassed' : 'Cancelled';
  return await failCondition(context, tx, {
    id,
    reason: { code, message: `cancelled by ${cancel?.by ?? 'somebody'}` },
  });
}
