import type { DatabaseSync } from 'node:sqlite';
import { UniqueViolation } from '../database.ts';
import { messageOf, StoreError } from '../errors.ts';

/** Result codes of SQLite that are told apart here. */
export const sqliteCode = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  constraint: 19,
  notADatabase: 26,
} as const;

/** SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID. */
const uniqueCodes: readonly number[] = [1555, 2067, 2579];

/** SQLite's extended result code, where an error has one. */
export function extendedCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** SQLite's result code, where an error has one. */
export function primaryCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

/** What a failed statement means to whoever ran it. */
export function mapSqliteError(error: unknown, { db, where }: { db: DatabaseSync; where: string }): unknown {
  if (error instanceof StoreError) return error;
  const extended = extendedCode(error);
  // Not from SQLite: node refuses an integer that a JavaScript number cannot hold.
  if (extended === undefined) return new StoreError('badValue', { detail: messageOf(error) }, { cause: error });
  if (uniqueCodes.includes(extended)) return new UniqueViolation(constraintOf(messageOf(error), db), error);
  const fields = { where, detail: messageOf(error) };
  switch (extended & 0xff) {
    case sqliteCode.constraint:
      return new StoreError('constraint', fields, { cause: error });
    case sqliteCode.readOnly:
      return new StoreError('readOnly', fields, { cause: error });
    case sqliteCode.full:
      return new StoreError('diskFull', fields, { cause: error });
    case sqliteCode.ioError:
    case sqliteCode.busy:
    case sqliteCode.locked:
      return new StoreError('commitFailed', fields, { cause: error });
    case sqliteCode.corrupt:
    case sqliteCode.notADatabase:
      return new StoreError('unusable', { where, detail: `${messageOf(error)}; restore a backup` }, { cause: error });
    default:
      return new StoreError('badStatement', fields, { cause: error });
  }
}

/**
 * The name PostgreSQL would give to what was hit. SQLite names the columns (`t.a, t.b`) of an index, and the index
 * itself only where it is on expressions. Of several indexes on the same columns the first by name is taken.
 */
function constraintOf(message: string, db: DatabaseSync): string {
  const hit = message.replace(/^UNIQUE constraint failed: /, '');
  const named = /^index '(.+)'$/.exec(hit)?.[1];
  if (named !== undefined) return named;
  const table = hit.split('.')[0] ?? hit;
  const columns = hit.split(', ').map((column) => column.slice(table.length + 1));
  const same = db
    .prepare('SELECT name, origin FROM pragma_index_list(?) WHERE "unique" = 1 ORDER BY name')
    .all(table)
    .filter((index) => columnsOf(db, String(index.name)) === columns.join());
  const made = same.find((index) => index.origin === 'c');
  if (made !== undefined) return String(made.name);
  return same[0]?.origin === 'u' ? `${table}_${columns.join('_')}_key` : `${table}_pkey`;
}

function columnsOf(db: DatabaseSync, index: string): string {
  const rows = db.prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno').all(index);
  return rows.map((row) => String(row.name)).join();
}
