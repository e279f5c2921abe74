import type { Row, Transaction } from '../../engine/index.ts';
import { billPlace } from '../bom/boms.ts';
import type { InventoryContext } from '../context.ts';
import { InventoryError, isInventoryError } from '../errors.ts';
import { urlsPlace } from '../firmware/sealed-urls.ts';
import { textOf } from '../sql/rows.ts';
import { credentialPlace } from './credentials.ts';
import type { Sealer } from './sealer.ts';

/** Secrets of one kind in the store. */
interface SealedTable {
  readonly name: string;
  readonly column: string;
  /** The columns that tell rows apart. */
  readonly keys: readonly string[];
  /** Where a secret was sealed for. */
  place(row: Row): string;
}

const tables: readonly SealedTable[] = [
  {
    name: 'inventory_credentials',
    column: 'sealed',
    keys: ['server_id', 'type_slug'],
    place: (row) => credentialPlace([textOf(row, 'server_id'), textOf(row, 'type_slug')]),
  },
  {
    name: 'inventory_boms',
    column: 'num_def_pwd',
    keys: ['serial'],
    place: (row) => billPlace(textOf(row, 'serial')),
  },
  {
    name: 'inventory_firmware',
    column: 'sealed_urls',
    keys: ['id'],
    place: (row) => urlsPlace(textOf(row, 'id')),
  },
];

/** Rows of one transaction: others wait no longer than these take. */
const batch = 200;

/**
 * Encrypts with the first key what another one sealed, whatever holds it; says how many. Afterwards old keys can go.
 * What cannot be opened stays as it is, and the log says where.
 */
export async function resealSecrets(context: InventoryContext): Promise<number> {
  const { sealer } = context;
  if (sealer === undefined) throw new InventoryError('noKeys', {});
  let count = 0;
  for (const table of tables) {
    let after: readonly string[] | undefined = table.keys.map(() => '');
    while (after !== undefined) {
      const done = await resealBatch(context, sealer, { table, after });
      count += done.count;
      after = done.next;
    }
  }
  return count;
}

async function resealBatch(
  { database, logger }: InventoryContext,
  sealer: Sealer,
  { table, after }: { readonly table: SealedTable; readonly after: readonly string[] },
): Promise<{ readonly count: number; readonly next: readonly string[] | undefined }> {
  const { name, column, keys } = table;
  return database.write(async (tx) => {
    const rows = await tx.all(
      `SELECT ${[...keys, column].join(', ')} FROM ${name}
        WHERE (${keys.join(', ')}) > (${keys.map(() => '?').join(', ')}) AND ${column} <> '' AND ${column} NOT LIKE ?
        ORDER BY ${keys.join(', ')} LIMIT ${batch}`,
      ...after,
      `${sealer.newestMark}%`,
    );
    let count = 0;
    for (const row of rows) {
      const sealed = resealText(sealer, table.place(row), textOf(row, column));
      if (typeof sealed === 'string') count += await replace(tx, table, { row, sealed });
      else logger.error('a secret cannot be encrypted anew, and its old key must stay', { error: sealed });
    }
    const last = rows.at(-1);
    const isMore = last !== undefined && rows.length === batch;
    return { count, next: isMore ? keys.map((key) => textOf(last, key)) : undefined };
  });
}

function resealText(sealer: Sealer, place: string, sealed: string): string | InventoryError {
  try {
    return sealer.seal(place, sealer.open(place, sealed));
  } catch (error) {
    if (isInventoryError(error, 'unreadable')) return error;
    throw error;
  }
}

/** Only if nobody wrote another secret meanwhile. */
function replace(
  tx: Transaction,
  { name, column, keys }: SealedTable,
  { row, sealed }: { readonly row: Row; readonly sealed: string },
): Promise<number> {
  return tx.run(
    `UPDATE ${name} SET ${column} = ? WHERE ${[...keys, column].map((key) => `${key} = ?`).join(' AND ')}`,
    sealed,
    ...[...keys, column].map((key) => textOf(row, key)),
  );
}
