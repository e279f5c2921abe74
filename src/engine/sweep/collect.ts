import type { Condition } from '../condition.ts';
import { readCondition } from '../conditions/condition-row.ts';
import { inList } from '../conditions/in-list.ts';
import type { EngineContext } from '../context.ts';
import type { SqlValue, Transaction } from '../store/database.ts';

/** Moves idle conditions into the history and forgets what is too old even for that. Returns how many were moved. */
export async function collectGarbage(context: EngineContext): Promise<number> {
  let collected = 0;
  for (;;) {
    const found = await context.database.read((tx) => findIdle(context, tx));
    if (found.length === 0) break;
    collected += await context.database.write((tx) => moveToHistory(context, tx));
    if (found.length < context.settings.sweepRows) break;
  }
  await context.database.write((tx) => forgetOld(context, tx));
  return collected;
}

/** Idle is what is final and past its retention, or whose machine is gone. */
function findIdle(context: EngineContext, tx: Transaction) {
  return tx.all(
    `SELECT * FROM conditions c WHERE finalized_at IS NOT NULL AND (finalized_at <= ? OR (machine_id IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM machines m WHERE m.id = c.machine_id))) ORDER BY finalized_at LIMIT ?`,
    tx.now - context.settings.retentionMs,
    context.settings.sweepRows,
  );
}

async function moveToHistory(context: EngineContext, tx: Transaction): Promise<number> {
  const idle = (await findIdle(context, tx)).map(readCondition);
  if (idle.length === 0) return 0;
  await tx.run(
    `INSERT INTO history (id, unit, target, kind, state, facility, controller, created_at, finalized_at, record)
     VALUES ${idle.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')} ON CONFLICT (id) DO NOTHING`,
    ...idle.flatMap(historyValues),
  );
  const ids = inList(idle.map((one) => one.id));
  return await tx.run(`DELETE FROM conditions WHERE id IN ${ids.sql}`, ...ids.values);
}

function historyValues(one: Condition): SqlValue[] {
  const { id, unit, target, kind, state, facility, controller, createdAt, finalizedAt } = one;
  const record = JSON.stringify(one);
  return [id, unit, target, kind, state, facility, controller ?? null, createdAt, finalizedAt ?? createdAt, record];
}

async function forgetOld(context: EngineContext, tx: Transaction): Promise<void> {
  const { historyMs, eventsMs, retentionMs } = context.settings;
  if (historyMs > 0) await tx.run(`DELETE FROM history WHERE finalized_at <= ?`, tx.now - historyMs);
  await tx.run(`DELETE FROM events WHERE happened_at <= ?`, tx.now - eventsMs);
  await tx.run(`DELETE FROM controllers WHERE is_online = 0 AND seen_at <= ?`, tx.now - retentionMs);
  await tx.run(
    `DELETE FROM slots WHERE NOT EXISTS (SELECT 1 FROM conditions c
       WHERE c.id = slots.condition_id AND c.state = 'active' AND c.fencing_token = slots.token)`,
  );
}
