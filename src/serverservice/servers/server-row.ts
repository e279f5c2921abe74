import { tryParseBmcAddress } from '../../bmc/index.ts';
import type { Row, SqlValue, Transaction } from '../../engine/index.ts';
import { jsonOf, numberOf, optionalNumber, optionalText, textOf } from '../sql/rows.ts';
import type { FilledFields, FilledServer } from './fill-server.ts';
import type { ServerFields, ServerRecord } from './server.ts';

/** Reads a row of `inventory_servers`. */
export function readServer(row: Row): ServerRecord {
  return {
    id: textOf(row, 'id'),
    name: textOf(row, 'name'),
    facility: textOf(row, 'facility'),
    vendor: textOf(row, 'vendor'),
    model: textOf(row, 'model'),
    serial: textOf(row, 'serial'),
    bmcId: textOf(row, 'bmc_id'),
    bmcAddress: textOf(row, 'bmc_address'),
    macs: jsonOf<string[]>(row, 'macs'),
    systemUuid: textOf(row, 'system_uuid'),
    bmcUuid: textOf(row, 'bmc_uuid'),
    contradictions: jsonOf<string[]>(row, 'contradictions'),
    duplicates: [],
    machineProblem: optionalText(row, 'machine_problem'),
    createdAt: numberOf(row, 'created_at'),
    updatedAt: numberOf(row, 'updated_at'),
    deletedAt: optionalNumber(row, 'deleted_at'),
  };
}

/** The server with this id, deleted or not. */
export async function findServer(tx: Transaction, id: string): Promise<ServerRecord | undefined> {
  const row = await tx.first('SELECT * FROM inventory_servers WHERE id = ?', id);
  return row === undefined ? undefined : readServer(row);
}

/** Adds a server; the number of rows is 0 when the id is taken. */
export function insertServer(
  tx: Transaction,
  id: string,
  fields: ServerFields & { readonly isMachinePending: boolean },
): Promise<number> {
  return tx.run(
    `INSERT INTO inventory_servers (name, facility, vendor, model, serial, bmc_id, bmc_address, bmc, bmc_system, macs,
       system_uuid, bmc_uuid, updated_at, is_machine_pending, id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ...valuesOf(fields, tx.now),
    fields.isMachinePending ? 1 : 0,
    id,
    tx.now,
  );
}

/** Changes a server; one that was deleted is there again. */
export function updateServer(
  tx: Transaction,
  id: string,
  fields: ServerFields & { readonly isMachinePending: boolean },
): Promise<number> {
  return tx.run(
    `UPDATE inventory_servers SET name = ?, facility = ?, vendor = ?, model = ?, serial = ?, bmc_id = ?,
       bmc_address = ?, bmc = ?, bmc_system = ?, macs = ?, system_uuid = ?, bmc_uuid = ?, updated_at = ?,
       is_machine_pending = ?, machine_problem = NULL, deleted_at = NULL
      WHERE id = ?`,
    ...valuesOf(fields, tx.now),
    fields.isMachinePending ? 1 : 0,
    id,
  );
}

function valuesOf(fields: ServerFields, now: number): SqlValue[] {
  const { name, facility, vendor, model, serial, bmcId, bmcAddress, macs, systemUuid, bmcUuid } = fields;
  const { bmc = null, system = null } = tryParseBmcAddress(bmcAddress) ?? {};
  const bmcOf = [bmcId, bmcAddress, bmc, system];
  return [name, facility, vendor, model, serial, ...bmcOf, JSON.stringify(macs), systemUuid, bmcUuid, now];
}

/** What inventories wrote into the record of a server. */
export async function findFilled(tx: Transaction, id: string): Promise<FilledFields> {
  const row = await tx.first('SELECT filled FROM inventory_servers WHERE id = ?', id);
  return row === undefined ? {} : (JSON.parse(textOf(row, 'filled')) as FilledFields);
}

/** Writes what an inventory found out about a server. */
export async function writeFilled(
  tx: Transaction,
  id: string,
  { fields, filled, contradictions, isMachinePending }: FilledServer & { readonly isMachinePending: boolean },
): Promise<void> {
  const { vendor, model, serial, macs, systemUuid, bmcUuid } = fields;
  await tx.run(
    `UPDATE inventory_servers SET vendor = ?, model = ?, serial = ?, macs = ?, system_uuid = ?, bmc_uuid = ?, filled = ?,
       contradictions = ?, is_machine_pending = CASE WHEN ? = 1 THEN 1 ELSE is_machine_pending END, updated_at = ? WHERE id = ?`,
    ...[vendor, model, serial, JSON.stringify(macs), systemUuid, bmcUuid],
    ...[JSON.stringify(filled), JSON.stringify(contradictions), isMachinePending ? 1 : 0, tx.now, id],
  );
}
