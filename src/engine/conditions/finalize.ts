import { type Condition, isFinal, type JsonObject } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import type { ReadyWork } from '../hints.ts';
import { followReads } from '../rereads/rereads.ts';
import type { Transaction } from '../store/database.ts';
import { readStored, type StoredCondition } from './condition-row.ts';
import { type EventDraft, writeEvents } from './outbox.ts';
import { settleKeys } from './settle-line.ts';

/** What followed from the end of a condition; told to others once it is durable. */
export interface Aftermath {
  readonly ended: readonly StoredCondition[];
  readonly ready: readonly ReadyWork[];
}

/** Nothing followed. */
export const noAftermath: Aftermath = { ended: [], ready: [] };

/** Fails an un-finalized condition from outside of a report, and does what follows. */
export async function failCondition(
  context: EngineContext,
  tx: Transaction,
  failing: { readonly id: string; readonly reason: { readonly code: string; readonly message: string } },
): Promise<Aftermath> {
  const row = await tx.first(
    `UPDATE conditions SET state = 'failed', reason_code = ?, reason_message = ?, reason_since = ?, lease_until = NULL,
       finalized_at = ?, updated_at = ?, is_ready = 0, rev = rev + 1
     WHERE id = ? AND finalized_at IS NULL RETURNING *`,
    failing.reason.code,
    failing.reason.message,
    tx.now,
    tx.now,
    tx.now,
    failing.id,
  );
  if (row === undefined) return noAftermath;
  return await followEnd(context, tx, readStored(row));
}

/** What follows from an end, in its transaction: events, the rest of the unit, and whoever waits for the device. */
export async function followEnd(context: EngineContext, tx: Transaction, first: StoredCondition): Promise<Aftermath> {
  const rest = first.unitSize === 1 ? [] : await followInUnit(tx, first.condition);
  const ended = [first, ...rest];
  await followReads(context, tx, ended);
  await writeEvents(context, tx, ended.map(finalizedEvent));
  const ready = await settleKeys(tx, [...ended.map((one) => one.condition.lockKey)]);
  return { ended, ready };
}

function finalizedEvent(about: StoredCondition): EventDraft {
  const { condition } = about;
  const detail: JsonObject = {
    controller: condition.controller ?? null,
    reason: condition.reason === undefined ? null : { code: condition.reason.code, message: condition.reason.message },
    status: condition.status,
  };
  return { event: 'finalized', about, detail };
}

/** The next of a unit has its turn after a success; after a failure the rest fails too. Returns those that failed. */
async function followInUnit(tx: Transaction, condition: Condition): Promise<readonly StoredCondition[]> {
  if (condition.state === 'succeeded') {
    await tx.run(
      `UPDATE conditions SET is_turn = 1, rev = rev + 1, updated_at = ?
        WHERE unit = ? AND unit_index = ? AND finalized_at IS NULL`,
      tx.now,
      condition.unit,
      condition.unitIndex + 1,
    );
    return [];
  }
  const message = `${condition.kind} ${condition.id} before it in its unit failed: ${condition.reason?.message ?? 'no reason given'}`;
  const rows = await tx.all(
    `UPDATE conditions SET state = 'failed', reason_code = 'UnitFailed', reason_message = ?, reason_since = ?,
       finalized_at = ?, updated_at = ?, is_ready = 0, rev = rev + 1
     WHERE unit = ? AND unit_index > ? AND finalized_at IS NULL RETURNING *`,
    message,
    tx.now,
    tx.now,
    tx.now,
    condition.unit,
    condition.unitIndex,
  );
  return rows.map(readStored);
}

/** Tells everybody what became of conditions, once it is durable. */
export function tellAftermath(context: EngineContext, aftermath: Aftermath): void {
  for (const { condition } of aftermath.ended) {
    if (isFinal(condition.state)) context.metrics.finalized(condition);
    context.hints.changed(condition);
  }
  context.hints.work(aftermath.ready);
}

/** Puts what followed from several ends together. */
export function joinAftermaths(all: readonly Aftermath[]): Aftermath {
  return { ended: all.flatMap((one) => one.ended), ready: all.flatMap((one) => one.ready) };
}
