import type { Row, Transaction } from '../../engine/index.ts';
import type { PageRequest } from '../../rest/index.ts';
import { InventoryError } from '../errors.ts';
import type { Where } from './where.ts';

/** What is listed. */
export interface PageSelection {
  /** A table with its short name: `inventory_servers s`. */
  readonly from: string;
  readonly columns: string;
  readonly where: Where;
  /** Names that may be ordered by, and the column of each. The first is the order when none is asked for. */
  readonly orders: Readonly<Record<string, string>>;
  /** What makes the order total. */
  readonly tieBreak: string;
}

/** Reads one page and counts the whole. */
export async function selectPage(
  tx: Transaction,
  selection: PageSelection,
  request: PageRequest,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
  const { from, columns, where } = selection;
  const count = await tx.first(`SELECT count(*) AS total FROM ${from} WHERE ${where.sql}`, ...where.values);
  const rows = await tx.all(
    `SELECT ${columns} FROM ${from} WHERE ${where.sql} ORDER BY ${orderOf(selection, request)} LIMIT ? OFFSET ?`,
    ...where.values,
    request.limit,
    (request.page - 1) * request.limit,
  );
  return { rows, total: Number(count?.total ?? 0) };
}

/** Only columns of the list get into the statement, whatever was asked for. */
function orderOf({ orders, tieBreak }: PageSelection, { orderBy, isDescending }: PageRequest): string {
  const names = Object.keys(orders);
  const name = orderBy ?? names[0] ?? '';
  const column = Object.hasOwn(orders, name) ? orders[name] : undefined;
  if (column === undefined)
    throw new InventoryError('badFilter', { name: 'orderby' }, { problems: [`it is one of ${names.join(', ')}`] });
  const direction = isDescending ? ' DESC' : '';
  return `${column}${direction}, ${tieBreak}${direction}`;
}

/** The whole of a list that is known to be short, as a page. */
export const firstPage: PageRequest = { limit: 1000, page: 1, orderBy: undefined, isDescending: false };
