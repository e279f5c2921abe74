import type { Row, Transaction } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import { numberOf, textOf } from '../sql/rows.ts';
import { selectPage } from '../sql/select-page.ts';
import { Where } from '../sql/where.ts';

/** That a set was installed on a server and found good. */
export interface SetValidation {
  readonly id: string;
  readonly setId: string;
  readonly serverId: string;
  readonly performedOn: number;
}

const orders = { performed_on: 'performed_on' };

/** What validations can be ordered by. */
export const validationOrders = Object.keys(orders);

/** Notes a validation. */
export async function insertValidation(tx: Transaction, validation: SetValidation): Promise<void> {
  const { id, setId, serverId, performedOn } = validation;
  await tx.run(
    `INSERT INTO inventory_firmware_set_validations (id, set_id, server_id, performed_on, created_at)
     VALUES (?, ?, ?, ?, ?)`,
    ...[id, setId, serverId, performedOn, tx.now],
  );
}

/** Where a set was found good, the newest first unless told otherwise. */
export async function listValidations(
  tx: Transaction,
  setId: string,
  request: PageRequest,
): Promise<Page<SetValidation>> {
  const where = new Where().add('set_id = ?', setId);
  const selection = { from: 'inventory_firmware_set_validations', columns: '*', where, orders, tieBreak: 'id' };
  const isDescending = request.orderBy === undefined || request.isDescending;
  const { rows, total } = await selectPage(tx, selection, { ...request, isDescending });
  return { records: rows.map(readValidation), total };
}

function readValidation(row: Row): SetValidation {
  return {
    id: textOf(row, 'id'),
    setId: textOf(row, 'set_id'),
    serverId: textOf(row, 'server_id'),
    performedOn: numberOf(row, 'performed_on'),
  };
}
