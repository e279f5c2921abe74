import type { EngineContext } from '../context.ts';
import type { Row, SqlValue, Transaction } from '../store/database.ts';
import { textOf } from './condition-row.ts';
import { inList } from './in-list.ts';

/**
 * A line, everybody un-finalized of a lock key, is changed by one transaction at a time, over all processes: whoever
 * decides on a line locks its fence first and reads the line afterwards. A plain report changes one row only and needs
 * no lock. The order is always: machine, fences by name, conditions. SQLite has one writer and needs none of this.
 */
function isShared({ database }: Pick<EngineContext, 'database'>): boolean {
  return database.dialect !== 'sqlite';
}

/** What ends a query that locks the rows it finds. */
export function forUpdate(context: Pick<EngineContext, 'database'>): string {
  return isShared(context) ? ' FOR UPDATE' : '';
}

/** What ends a query that locks the rows it finds and leaves those to others that they are changing. */
export function forUpdateOfFree(context: Pick<EngineContext, 'database'>): string {
  return isShared(context) ? ' FOR UPDATE SKIP LOCKED' : '';
}

/** Locks the lines of these lock keys, waiting for whoever changes them now. Makes the fences that are missing. */
export async function lockLines(context: EngineContext, tx: Transaction, lockKeys: readonly string[]): Promise<void> {
  const wanted = [...new Set(lockKeys)];
  if (!isShared(context) || wanted.length === 0) return;
  const keys = inList(wanted);
  for (;;) {
    const rows = await tx.all(
      `SELECT lock_key FROM fences WHERE lock_key IN ${keys.sql} ORDER BY lock_key FOR UPDATE`,
      ...keys.values,
    );
    const found = new Set(rows.map((row) => textOf(row, 'lock_key')));
    const missing = wanted.filter((key) => !found.has(key)).sort();
    if (missing.length === 0) return;
    await tx.run(
      `INSERT INTO fences (lock_key, token, quiet_until, leftovers)
       VALUES ${missing.map(() => `(?, 0, 0, '[]')`).join(', ')} ON CONFLICT (lock_key) DO NOTHING`,
      ...missing,
    );
  }
}

/** Locks the line that a condition is in. */
export async function lockLineOf(context: EngineContext, tx: Transaction, id: string): Promise<void> {
  if (!isShared(context)) return;
  await tx.first(
    `SELECT lock_key FROM fences WHERE lock_key = (SELECT lock_key FROM conditions WHERE id = ?) FOR UPDATE`,
    id,
  );
}

/** A condition whose line is locked, as it is then. */
export async function lockCondition(context: EngineContext, tx: Transaction, id: string): Promise<Row | undefined> {
  const find = () => tx.first(`SELECT * FROM conditions WHERE id = ?${forUpdate(context)}`, id);
  if (!isShared(context)) return await find();
  for (;;) {
    const seen = await tx.first(`SELECT lock_key FROM conditions WHERE id = ?`, id);
    if (seen === undefined) return undefined;
    await lockLines(context, tx, [textOf(seen, 'lock_key')]);
    const row = await find();
    // What waits follows its machine to another BMC, also just now.
    if (row === undefined || row.lock_key === seen.lock_key) return row;
  }
}

/** Conditions that something is to be done about. */
export interface Found {
  readonly rows: readonly Row[];
  /** What made them so, looked at again once they are locked. */
  readonly still: { readonly sql: string; readonly values: readonly SqlValue[] };
}

/** Locks the lines of what was found and gives those that are still so. `skip` leaves to others what they are changing. */
export async function lockFound(
  context: EngineContext,
  tx: Transaction,
  found: Found & { readonly busy: 'wait' | 'skip' },
): Promise<readonly Row[]> {
  const { rows, still, busy } = found;
  if (!isShared(context) || rows.length === 0) return rows;
  const keys = [...new Set(rows.map((row) => textOf(row, 'lock_key')))];
  const locked = new Set(busy === 'skip' ? (await lockFreeFences(context, tx, keys)).map((row) => row.lock_key) : keys);
  if (busy === 'wait') await lockLines(context, tx, keys);
  const open = rows.filter((row) => locked.has(row.lock_key ?? ''));
  if (open.length === 0) return [];
  const ids = inList(open.map((row) => row.id ?? ''));
  const now = await tx.all(
    `SELECT * FROM conditions WHERE id IN ${ids.sql} AND ${still.sql} ORDER BY id FOR UPDATE`,
    ...ids.values,
    ...still.values,
  );
  return now.filter((row) => locked.has(row.lock_key ?? ''));
}

/** The fences of these lock keys; where others write too, locked, and without those that others have locked. */
export async function lockFreeFences(
  context: EngineContext,
  tx: Transaction,
  lockKeys: readonly string[],
): Promise<readonly Row[]> {
  const keys = inList(lockKeys);
  return await tx.all(`SELECT * FROM fences WHERE lock_key IN ${keys.sql}${forUpdateOfFree(context)}`, ...keys.values);
}
