import { askToStop, cutOff } from '../conditions/cancel.ts';
import { readStored, type StoredCondition } from '../conditions/condition-row.ts';
import { type Aftermath, failCondition, joinAftermaths, noAftermath, tellAftermath } from '../conditions/finalize.ts';
import type { EngineContext } from '../context.ts';
import type { Transaction } from '../store/database.ts';

/** What is done about a condition whose deadline is over. */
export type DeadlineStep = 'fail' | 'ask-to-stop' | 'wait';

/**
 * What waits fails. What runs is asked to stop at a safe point, and cut off only when it did not within the grace time.
 * A flash is never cut off: its worker ends it, or loses its lease; then somebody else ends it within the grace time.
 */
export function decideDeadline(
  seen: Pick<StoredCondition, 'condition' | 'isCancelUnsafe'>,
  { now, graceMs }: { readonly now: number; readonly graceMs: number },
): DeadlineStep {
  const { condition, isCancelUnsafe } = seen;
  const isGraceOver = now >= (condition.deadline ?? 0) + graceMs;
  if (condition.state === 'pending') return isCancelUnsafe && !isGraceOver ? 'wait' : 'fail';
  if (condition.cancel === undefined) return 'ask-to-stop';
  return isGraceOver && !isCancelUnsafe ? 'fail' : 'wait';
}

/** Ends what is past its deadline. Returns how many failed by it. */
export async function passDeadlines(context: EngineContext): Promise<number> {
  const find = (tx: Transaction) =>
    tx.all(
      `SELECT * FROM conditions WHERE finalized_at IS NULL AND deadline <= ? ORDER BY deadline LIMIT ?`,
      tx.now,
      context.settings.sweepRows,
    );
  const due = await context.database.read(find);
  if (due.length === 0) return 0;
  const aftermath = await context.database.write(async (tx) => {
    const all: Aftermath[] = [];
    for (const stored of (await find(tx)).map(readStored)) all.push(await pass(context, tx, stored));
    return joinAftermaths(all);
  });
  tellAftermath(context, aftermath);
  return aftermath.ended.filter((one) => one.condition.reason?.code === 'DeadlinePassed').length;
}

async function pass(context: EngineContext, tx: Transaction, stored: StoredCondition): Promise<Aftermath> {
  const step = decideDeadline(stored, { now: tx.now, graceMs: context.settings.deadlineGraceMs });
  if (step === 'ask-to-stop') await askToStop(context, tx, { stored, by: 'deadline' });
  if (step !== 'fail') return noAftermath;
  const { state, deadline = 0, reason } = stored.condition;
  const why = reason === undefined ? '' : `, the last reason was: ${reason.message}`;
  const message = `it was ${state} at its deadline ${new Date(deadline).toISOString()}${why}`;
  return await cutOff(context, tx, { stored, reason: { code: 'DeadlinePassed', message } });
}

/** Fails what nothing will ever run: its machine is gone, or no worker took it for far too long. */
export async function failUnrunnable(context: EngineContext): Promise<number> {
  const find = async (tx: Transaction) => ({
    orphans: await tx.all(
      `SELECT id, machine_id FROM conditions c WHERE state = 'pending' AND machine_id IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM machines m WHERE m.id = c.machine_id) LIMIT ?`,
      context.settings.sweepRows,
    ),
    forgotten: await tx.all(
      `SELECT id, kind, facility FROM conditions
        WHERE state = 'pending' AND is_ready = 1 AND leases = 0 AND created_at <= ? LIMIT ?`,
      tx.now - context.settings.longestWaitMs,
      context.settings.sweepRows,
    ),
  });
  const seen = await context.database.read(find);
  if (seen.orphans.length + seen.forgotten.length === 0) return 0;
  const aftermath = await context.database.write(async (tx) => {
    const { orphans, forgotten } = await find(tx);
    const all: Aftermath[] = [];
    for (const row of orphans) {
      const reason = { code: 'MachineGone', message: `machine ${row.machine_id} is not known any more` };
      all.push(await failCondition(context, tx, { id: String(row.id), reason }));
    }
    for (const row of forgotten) {
      const where = row.facility === '' ? '' : ` in facility ${row.facility}`;
      const days = Math.round(context.settings.longestWaitMs / 86_400_000);
      const reason = { code: 'Unrunnable', message: `no worker took ${row.kind}${where} for ${days} days` };
      all.push(await failCondition(context, tx, { id: String(row.id), reason }));
    }
    return joinAftermaths(all);
  });
  tellAftermath(context, aftermath);
  return aftermath.ended.length;
}
