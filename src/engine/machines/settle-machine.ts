import { textOf } from '../conditions/condition-row.ts';
import { inList } from '../conditions/in-list.ts';
import { lockLines } from '../conditions/lock-lines.ts';
import { settleKeys } from '../conditions/settle-line.ts';
import type { EngineContext } from '../context.ts';
import type { ReadyWork } from '../hints.ts';
import type { Transaction } from '../store/database.ts';

/** Locks the lines of machines that are locked themselves: no condition can come or go to another line meanwhile. */
export async function lockLinesOf(
  context: EngineContext,
  tx: Transaction,
  { ids, alsoKeys = [] }: { readonly ids: readonly string[]; readonly alsoKeys?: readonly string[] },
): Promise<readonly string[]> {
  const machines = inList(ids);
  const query = `SELECT DISTINCT lock_key FROM conditions WHERE machine_id IN ${machines.sql} AND finalized_at IS NULL`;
  const keys = (await tx.all(query, ...machines.values)).map((row) => textOf(row, 'lock_key'));
  await lockLines(context, tx, [...keys, ...alsoKeys]);
  return keys;
}

/** Settles the lines of a machine that is locked itself. */
export async function settleMachine(
  context: EngineContext,
  tx: Transaction,
  id: string,
): Promise<readonly ReadyWork[]> {
  return await settleKeys(tx, await lockLinesOf(context, tx, { ids: [id] }));
}
