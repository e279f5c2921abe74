import type { Condition } from '../condition.ts';
import { readCondition } from '../conditions/condition-row.ts';
import { inList } from '../conditions/in-list.ts';
import { forUpdateOfFree } from '../conditions/lock-lines.ts';
import { sealedJson } from '../conditions/sealed-urls.ts';
import type { EngineContext } from '../context.ts';
import type { SqlValue, Transaction } from '../store/database.ts';

/** What makes a condition that is final idle: its retention is over, or its machine is gone. */
const idle = {
  old: 'finalized_at <= ?',
  // Goes through all that is final, so it is not asked often.
  gone: `finalized_at <= ? AND machine_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM machines WHERE machines.id = conditions.machine_id)`,
};

/**
 * Moves idle conditions into the history and forgets what is too old even for that. Returns how many were moved. With
 * `isThorough` also those whose machine is gone.
 */
export async function collectGarbage(context: EngineContext, { isThorough = true } = {}): Promise<number> {
  const { retentionMs } = context.settings;
  let collected = await collectAll(context, { sql: idle.old, olderThanMs: retentionMs });
  if (isThorough) collected += await collectAll(context, { sql: idle.gone, olderThanMs: 0 });
  await forgetOld(context);
  return collected;
}

interface Idle {
  readonly sql: string;
  readonly olderThanMs: number;
}

async function collectAll(context: EngineContext, which: Idle): Promise<number> {
  let collected = 0;
  for (;;) {
    const found = await context.database.read((tx) => findIdle(context, tx, which));
    if (found.length === 0) return collected;
    collected += await context.write((tx) => moveToHistory(context, tx, which));
    if (found.length < context.settings.sweepRows) return collected;
  }
}

function findIdle(context: EngineContext, tx: Transaction, { sql, olderThanMs, lock = '' }: Idle & { lock?: string }) {
  return tx.all(
    `SELECT * FROM conditions WHERE finalized_at IS NOT NULL AND ${sql} ORDER BY finalized_at LIMIT ?${lock}`,
    tx.now - olderThanMs,
    context.settings.sweepRows,
  );
}

async function moveToHistory(context: EngineContext, tx: Transaction, which: Idle): Promise<number> {
  const found = await findIdle(context, tx, { ...which, lock: forUpdateOfFree(context) });
  const idle = found.map(readCondition);
  if (idle.length === 0) return 0;
  await tx.run(
    `INSERT INTO history (id, unit, target, kind, state, facility, controller, created_at, finalized_at, record)
     VALUES ${idle.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')} ON CONFLICT (id) DO NOTHING`,
    ...idle.flatMap((one) => historyValues(context, one)),
  );
  const ids = inList(idle.map((one) => one.id));
  return await tx.run(`DELETE FROM conditions WHERE id IN ${ids.sql}`, ...ids.values);
}

function historyValues(context: EngineContext, one: Condition): SqlValue[] {
  const { id, unit, target, kind, state, facility, controller, createdAt, finalizedAt } = one;
  const record = sealedJson(context, JSON.stringify(one));
  return [id, unit, target, kind, state, facility, controller ?? null, createdAt, finalizedAt ?? createdAt, record];
}

/** How much one transaction forgets: after a long rest there may be millions, and others have to write too. */
const mostForgotten = 1000;

async function forgetOld(context: EngineContext): Promise<void> {
  const { historyMs, eventsMs, retentionMs } = context.settings;
  if (historyMs > 0) await forgetAll(context, { table: 'history', column: 'finalized_at', olderThanMs: historyMs });
  await forgetAll(context, { table: 'events', column: 'happened_at', olderThanMs: eventsMs });
  await context.write(async (tx) => {
    await tx.run(`DELETE FROM controllers WHERE is_online = 0 AND seen_at <= ?`, tx.now - retentionMs);
    await tx.run(
      `DELETE FROM slots WHERE NOT EXISTS (SELECT 1 FROM conditions c
         WHERE c.id = slots.condition_id AND c.state = 'active' AND c.fencing_token = slots.token)`,
    );
  });
}

async function forgetAll(
  context: EngineContext,
  old: {
    readonly table: 'history' | 'events';
    readonly column: 'finalized_at' | 'happened_at';
    readonly olderThanMs: number;
  },
): Promise<void> {
  const { table, column, olderThanMs } = old;
  const find = `SELECT id FROM ${table} WHERE ${column} <= ? ORDER BY ${column} LIMIT ?`;
  const forget = (tx: Transaction) =>
    tx.run(`DELETE FROM ${table} WHERE id IN (${find})`, tx.now - olderThanMs, mostForgotten);
  while ((await context.write(forget)) === mostForgotten);
}
