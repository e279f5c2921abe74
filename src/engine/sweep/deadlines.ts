import type { Condition } from '../condition.ts';
import { askToStop, cutOff } from '../conditions/cancel.ts';
import { readStored, type StoredCondition } from '../conditions/condition-row.ts';
import { type Aftermath, failCondition, joinAftermaths, noAftermath, tellAftermath } from '../conditions/finalize.ts';
import { type Found, lockFound } from '../conditions/lock-lines.ts';
import type { EngineContext } from '../context.ts';
import type { Row, Transaction } from '../store/database.ts';

/** What is done about a condition whose deadline is over. */
export type DeadlineStep = 'fail' | 'ask-to-stop' | 'wait';

/**
 * What waits fails. What runs is asked to stop at a safe point, and cut off only when it did not within the grace time.
 * A flash has much more time for that: its worker ends it, or loses its lease; then another worker ends it within the grace
 * time. Past `flashGraceMs` no flash goes on any more: its worker does not end, and keeps the BMC.
 */
export function decideDeadline(
  condition: Condition,
  { now, graceMs, flashGraceMs }: { readonly now: number; readonly graceMs: number; readonly flashGraceMs: number },
): DeadlineStep {
  const { isCancelUnsafe, deadline = 0 } = condition;
  const isGraceOver = now >= deadline + graceMs;
  if (condition.state === 'pending') return isCancelUnsafe && !isGraceOver ? 'wait' : 'fail';
  if (condition.cancel === undefined) return 'ask-to-stop';
  const isOver = isCancelUnsafe ? now >= deadline + flashGraceMs : isGraceOver;
  return isOver ? 'fail' : 'wait';
}

/** What something is done about now: what only waits for its time must not stand before the others. */
const isDue = `finalized_at IS NULL AND deadline <= ? AND (
  (state = 'pending' AND (is_cancel_unsafe = 0 OR deadline <= ?))
  OR (state = 'active' AND (cancel_at IS NULL OR (is_cancel_unsafe = 0 AND deadline <= ?) OR deadline <= ?)))`;

/** Ends what is past its deadline. Returns how many failed by it. */
export async function passDeadlines(context: EngineContext): Promise<number> {
  const { deadlineGraceMs, flashGraceMs, sweepRows } = context.settings;
  const due = (tx: Transaction) => [
    tx.now,
    tx.now - deadlineGraceMs,
    tx.now - deadlineGraceMs,
    tx.now - Math.max(deadlineGraceMs, flashGraceMs),
  ];
  const find = (tx: Transaction) =>
    tx.all(`SELECT * FROM conditions WHERE ${isDue} ORDER BY deadline LIMIT ?`, ...due(tx), sweepRows);
  let failed = 0;
  for (;;) {
    if ((await context.database.read(find)).length === 0) return failed;
    const { aftermath, seen } = await context.write(async (tx) => {
      const still = { sql: isDue, values: due(tx) };
      const rows = await lockFound(context, tx, { rows: await find(tx), still, busy: 'skip' });
      const all: Aftermath[] = [];
      for (const stored of rows.map(readStored)) all.push(await pass(context, tx, stored));
      return { aftermath: joinAftermaths(all), seen: rows.length };
    });
    tellAftermath(context, aftermath);
    failed += aftermath.ended.filter((one) => one.condition.reason?.code === 'DeadlinePassed').length;
    if (seen < sweepRows) return failed;
  }
}

async function pass(context: EngineContext, tx: Transaction, stored: StoredCondition): Promise<Aftermath> {
  const { deadlineGraceMs: graceMs, flashGraceMs } = context.settings;
  const step = decideDeadline(stored.condition, { now: tx.now, graceMs, flashGraceMs });
  if (step === 'ask-to-stop') await askToStop(context, tx, { stored, by: 'deadline' });
  if (step !== 'fail') return noAftermath;
  const { state, deadline = 0, reason, isCancelUnsafe } = stored.condition;
  const why = reason === undefined ? '' : `, the last reason was: ${reason.message}`;
  const danger = isCancelUnsafe ? '; it was in the middle of a flash, which may go on: look at the device' : '';
  const message = `it was ${state} at its deadline ${new Date(deadline).toISOString()}${why}${danger}`;
  return await cutOff(context, tx, { stored, reason: { code: 'DeadlinePassed', message } });
}

const isOrphan = `state = 'pending' AND machine_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM machines WHERE machines.id = conditions.machine_id)`;
const isForgotten = `state = 'pending' AND is_ready = 1 AND created_at <= ? AND updated_at <= ?`;

/** Fails what nothing will ever run: its machine is gone, or no worker took it for far too long. */
export async function failUnrunnable(context: EngineContext): Promise<number> {
  const { longestWaitMs } = context.settings;
  const days = Math.round(longestWaitMs / 86_400_000);
  const orphans = await failAll(context, {
    still: () => ({ sql: isOrphan, values: [] }),
    reason: (row) => ({ code: 'MachineGone', message: `machine ${row.machine_id} is not known any more` }),
  });
  const forgotten = await failAll(context, {
    still: (now) => ({ sql: isForgotten, values: [now - longestWaitMs, now - longestWaitMs] }),
    reason: (row) => {
      const where = row.facility === '' ? '' : ` in facility ${row.facility}`;
      return { code: 'Unrunnable', message: `no worker took ${row.kind}${where} for ${days} days` };
    },
  });
  return orphans + forgotten;
}

interface Failing {
  still(now: number): Found['still'];
  reason(row: Row): { readonly code: string; readonly message: string };
}

async function failAll(context: EngineContext, { still, reason }: Failing): Promise<number> {
  const find = (tx: Transaction) => {
    const { sql, values } = still(tx.now);
    return tx.all(`SELECT * FROM conditions WHERE ${sql} LIMIT ?`, ...values, context.settings.sweepRows);
  };
  if ((await context.database.read(find)).length === 0) return 0;
  const aftermath = await context.write(async (tx) => {
    const found = { rows: await find(tx), still: still(tx.now), busy: 'skip' } as const;
    const all: Aftermath[] = [];
    for (const row of await lockFound(context, tx, found))
      all.push(await failCondition(context, tx, { id: String(row.id), reason: reason(row) }));
    return joinAftermaths(all);
  });
  tellAftermath(context, aftermath);
  return aftermath.ended.length;
}
