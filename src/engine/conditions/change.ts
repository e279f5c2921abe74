import { type Condition, isFinal } from '../condition.ts';
import type { EngineContext } from '../context.ts';
import type { ConditionChange } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { canonicalJson } from '../json.ts';
import { leaveBehind } from '../leases/fence.ts';
import type { Row, SqlValue, Transaction } from '../store/database.ts';
import { readStored, type StoredCondition } from './condition-row.ts';
import { type Aftermath, followEnd, noAftermath, tellAftermath } from './finalize.ts';
import { lockCondition } from './lock-lines.ts';
import { writeEvents } from './outbox.ts';
import { problemsOf } from './plan-order.ts';
import { sealedJson, whyNotSealable } from './sealed-urls.ts';
import { settleKeys } from './settle-line.ts';

/** The answer to a change: the record as it is now, whether it was changed or the lock was an old one. */
export interface ChangeOutcome {
  readonly outcome: 'changed' | 'stale';
  readonly current: Condition;
}

/** Changes a condition if the lock is the current one. Throws `notFound`, `illegalChange`, `badParameters`, `cancelUnsafe`. */
export async function changeCondition(
  context: EngineContext,
  id: string,
  change: ConditionChange,
): Promise<ChangeOutcome> {
  const { aftermath, ...answer } = await context.write(async (tx) => {
    const row = await lockCondition(context, tx, id);
    if (row === undefined) throw new EngineError('notFound', { id });
    const stored = readStored(row);
    if (stored.condition.lock !== change.lock) {
      return { outcome: 'stale' as const, current: stored.condition, aftermath: noAftermath };
    }
    return { outcome: 'changed' as const, ...(await changeIn(context, tx, { stored, change })) };
  });
  if (answer.outcome === 'stale') context.metrics.staleWrite('change');
  else if (!isFinal(answer.current.state)) context.hints.changed(answer.current);
  tellAftermath(context, aftermath);
  return answer;
}

async function changeIn(
  context: EngineContext,
  tx: Transaction,
  changing: { readonly stored: StoredCondition; readonly change: ConditionChange },
): Promise<{ readonly current: Condition; readonly aftermath: Aftermath }> {
  const { stored, change } = changing;
  refuseIllegal(stored, change);
  const written = readStored(await write(context, tx, changing));
  if (isFinal(written.condition.state)) {
    // A worker that holds it loses its lease by this; its last request may still be on its way.
    if (stored.condition.state === 'active') await leaveBehind(tx, stored, tx.now + stored.requestDeadlineMs);
    return { current: written.condition, aftermath: await followEnd(context, tx, written) };
  }
  await writeEvents(context, tx, [{ event: 'changed', about: written, detail: { members: membersOf(change) } }]);
  const isMoved = change.priority !== undefined && change.priority !== stored.condition.priority;
  const ready = isMoved ? await settleKeys(tx, [written.condition.lockKey]) : [];
  const after = isMoved ? await tx.first(`SELECT * FROM conditions WHERE id = ?`, written.condition.id) : undefined;
  const current = after === undefined ? written.condition : readStored(after).condition;
  return { current, aftermath: { ended: [], ready } };
}

function membersOf(change: ConditionChange): string[] {
  return Object.keys(change).filter((name) => name !== 'lock');
}

function refuseIllegal(stored: StoredCondition, change: ConditionChange): void {
  const { id, state, leases, progress } = stored.condition;
  // Also what goes on with work that was left in the middle: its steps are those of the parameters it had.
  const isBegun = leases > 0 || Object.keys(progress).length > 0;
  const refuse = (problem: string): never => {
    throw new EngineError('illegalChange', { id, problem });
  };
  if (isFinal(state)) refuse(`it has ${state}, and nothing follows that`);
  if (change.state === 'active' && state !== 'active') refuse('only a lease makes a condition active');
  if (change.state === 'pending' && state !== 'pending') refuse('only its worker can give it back');
  if (change.parameters !== undefined && isBegun) refuse('its work has begun, so its parameters stay as they are');
  if (change.controller !== undefined && state === 'active') refuse('the worker that has the lease is its controller');
  for (const problem of problemsOf({ priority: change.priority ?? 0 })) refuse(problem);
  const doesEnd = change.state !== undefined && isFinal(change.state);
  if (doesEnd && stored.condition.isCancelUnsafe) throw new EngineError('cancelUnsafe', { id });
}

async function write(
  context: EngineContext,
  tx: Transaction,
  changing: { readonly stored: StoredCondition; readonly change: ConditionChange },
): Promise<Row> {
  const { stored, change } = changing;
  const sets: Record<string, SqlValue> = { updated_at: tx.now };
  if (change.parameters !== undefined) sets.parameters = checkedParameters(context, stored, change.parameters);
  if (change.status !== undefined) sets.status = JSON.stringify(change.status);
  if (change.priority !== undefined) sets.priority = change.priority;
  if (change.controller !== undefined) sets.controller = change.controller;
  if (change.state !== undefined && isFinal(change.state)) {
    Object.assign(sets, { state: change.state, finalized_at: tx.now, lease_until: null, is_ready: 0 });
    Object.assign(sets, endingReason(change.state, tx.now));
  }
  const names = Object.keys(sets);
  const row = await tx.first(
    `UPDATE conditions SET rev = rev + 1, ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ? AND rev = ? RETURNING *`,
    ...names.map((name) => sets[name] ?? null),
    stored.condition.id,
    stored.rev,
  );
  if (row === undefined) throw new EngineError('notFound', { id: stored.condition.id });
  return row;
}

function endingReason(state: string, now: number): Record<string, SqlValue> {
  if (state === 'succeeded') return { reason_code: null, reason_message: null, reason_since: null };
  return { reason_code: 'SetFromOutside', reason_message: 'it was set to failed from outside', reason_since: now };
}

function checkedParameters(
  context: EngineContext,
  stored: StoredCondition,
  given: NonNullable<ConditionChange['parameters']>,
): string {
  const { kind } = stored.condition;
  const { parameters, problems } = context.kinds.find(kind).check(given);
  const all = [...problems, ...whyNotSealable(context.sealer, parameters)];
  if (all.length > 0) throw new EngineError('badParameters', { kind }, { problems: all });
  return sealedJson(context, canonicalJson(parameters));
}

/** Removes a condition that is final, wherever it is kept. Throws `notFound`, `notFinal`. */
export async function removeCondition(context: EngineContext, id: string): Promise<void> {
  await context.write(async (tx) => {
    const removed = await tx.run(`DELETE FROM conditions WHERE id = ? AND finalized_at IS NOT NULL`, id);
    if (removed > 0) return;
    const row = await tx.first(`SELECT state FROM conditions WHERE id = ?`, id);
    if (row !== undefined) throw new EngineError('notFinal', { id, state: String(row.state) });
    const forgotten = await tx.run(`DELETE FROM history WHERE id = ?`, id);
    if (forgotten === 0) throw new EngineError('notFound', { id });
  });
}
