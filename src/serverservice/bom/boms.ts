import type { Transaction } from '../../engine/index.ts';
import type { InventoryContext } from '../context.ts';
import type { Sealer } from '../credentials/sealer.ts';
import { InventoryError } from '../errors.ts';
import { textOf } from '../sql/rows.ts';

/** What the maker of a server says of it before it is seen: enough to recognise it by a MAC address. */
export interface BillOfMaterials {
  readonly serial: string;
  /** MACs of add-on cards. */
  readonly aocMacs: readonly string[];
  readonly bmcMacs: readonly string[];
  /** The number of the power monitoring unit, as makers call it. */
  readonly numDefiPmi: string;
  /** The first password, as on the sticker; encrypted in the store and empty in what is read from there. */
  readonly numDefPwd: string;
  readonly metro: string;
}

/** Bills of materials. */
export interface BillsOfMaterials {
  /** Writes them all or none. Throws `duplicate` when a MAC belongs to another serial number. */
  putAll(bills: readonly BillOfMaterials[]): Promise<void>;
  /** The bill that has this MAC, without the password. Throws `notFound`. */
  findByMac(kind: 'aoc' | 'bmc', mac: string): Promise<BillOfMaterials>;
  /** The first password of a server; empty where none was told. Throws `notFound`. */
  readPassword(serial: string): Promise<string>;
}

/** The bills kept in the store. */
export function createBillsOfMaterials({ database, sealer }: InventoryContext): BillsOfMaterials {
  return {
    putAll: async (bills) => {
      const checked = bills.map(check).map((bill) => ({ ...bill, numDefPwd: sealPassword(sealer, bill) }));
      await database.write(async (tx) => {
        for (const bill of checked) await putBill(tx, bill);
      });
    },
    findByMac: (kind, mac) =>
      database.read(async (tx) => {
        const row = await tx.first(
          'SELECT serial FROM inventory_bom_macs WHERE mac = ? AND kind = ?',
          macOf(mac),
          kind,
        );
        if (row === undefined)
          throw new InventoryError('notFound', { what: `bill of materials with ${kind} MAC`, id: mac });
        return { ...(await readBill(tx, textOf(row, 'serial'))), numDefPwd: '' };
      }),
    readPassword: (serial) => database.read(async (tx) => openPassword(sealer, await readBill(tx, serial))),
  };
}

/** What the password of a bill is sealed for. */
export function billPlace(serial: string): string {
  return `bill of materials ${serial}`;
}

function sealPassword(sealer: Sealer | undefined, { serial, numDefPwd }: BillOfMaterials): string {
  if (numDefPwd === '') return '';
  if (sealer === undefined) throw new InventoryError('noKeys', {});
  return sealer.seal(billPlace(serial), numDefPwd);
}

function openPassword(sealer: Sealer | undefined, { serial, numDefPwd }: BillOfMaterials): string {
  if (numDefPwd === '') return '';
  if (sealer === undefined) throw new InventoryError('noKeys', {});
  return sealer.open(billPlace(serial), numDefPwd);
}

function macOf(text: string): string {
  return text.trim().toLowerCase().replaceAll('-', ':');
}

function check(bill: BillOfMaterials): BillOfMaterials {
  const serial = bill.serial.trim();
  const [aocMacs, bmcMacs] = [bill.aocMacs.map(macOf), bill.bmcMacs.map(macOf)];
  const problems = [
    ...(serial === '' ? ['serial_num is empty'] : []),
    ...[...aocMacs, ...bmcMacs]
      .filter((mac) => !/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/.test(mac))
      .map((mac) => `"${mac}" is not a MAC address`),
  ];
  if (problems.length > 0) throw new InventoryError('badValue', { what: 'bill of materials' }, { problems });
  return { ...bill, serial, aocMacs, bmcMacs };
}

async function putBill(tx: Transaction, bill: BillOfMaterials): Promise<void> {
  const values = [bill.numDefiPmi, bill.numDefPwd, bill.metro, tx.now, bill.serial];
  const changed = await tx.run(
    'UPDATE inventory_boms SET num_defi_pmi = ?, num_def_pwd = ?, metro = ?, updated_at = ? WHERE serial = ?',
    ...values,
  );
  if (changed === 0)
    await tx.run(
      `INSERT INTO inventory_boms (num_defi_pmi, num_def_pwd, metro, updated_at, serial, created_at)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      ...values,
      tx.now,
    );
  await tx.run('DELETE FROM inventory_bom_macs WHERE serial = ?', bill.serial);
  const macs = [
    ...bill.aocMacs.map((mac) => ({ mac, kind: 'aoc' })),
    ...bill.bmcMacs.map((mac) => ({ mac, kind: 'bmc' })),
  ];
  for (const { mac, kind } of macs) {
    const added = await tx.run(
      'INSERT INTO inventory_bom_macs (mac, kind, serial) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      ...[mac, kind, bill.serial],
    );
    if (added === 0) throw new InventoryError('duplicate', { what: 'bill of materials', fields: 'MAC', holder: mac });
  }
}

async function readBill(tx: Transaction, serial: string): Promise<BillOfMaterials> {
  const row = await tx.first('SELECT * FROM inventory_boms WHERE serial = ?', serial);
  if (row === undefined) throw new InventoryError('notFound', { what: 'bill of materials', id: serial });
  const macs = await tx.all('SELECT mac, kind FROM inventory_bom_macs WHERE serial = ? ORDER BY mac', serial);
  const of = (kind: string) => macs.filter((one) => one.kind === kind).map((one) => textOf(one, 'mac'));
  return {
    serial,
    aocMacs: of('aoc'),
    bmcMacs: of('bmc'),
    numDefiPmi: textOf(row, 'num_defi_pmi'),
    numDefPwd: textOf(row, 'num_def_pwd'),
    metro: textOf(row, 'metro'),
  };
}
