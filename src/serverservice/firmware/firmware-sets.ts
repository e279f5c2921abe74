import type { Row, Transaction } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import type { InventoryContext } from '../context.ts';
import { InventoryError } from '../errors.ts';
import { requireServer } from '../servers/servers.ts';
import { orDuplicate } from '../sql/or-duplicate.ts';
import { numberOf, textOf } from '../sql/rows.ts';
import { selectPage } from '../sql/select-page.ts';
import { inList, inParts, Where } from '../sql/where.ts';
import type { FirmwareSet, FirmwareSetQuery } from './firmware.ts';
import { type FirmwareWriter, readFirmware } from './firmware-row.ts';
import { checkLabels, type Labels, writeLabels } from './set-labels.ts';
import { insertValidation, listValidations, type SetValidation } from './set-validations.ts';

/** What can be said of a set. */
export interface FirmwareSetDraft {
  readonly name: string;
  readonly labels?: Labels | undefined;
  /** Ids of firmware. */
  readonly firmware?: readonly string[] | undefined;
}

/** Sets of firmware. */
export interface FirmwareSets {
  /** Throws `notFound`. */
  get(id: string): Promise<FirmwareSet>;
  list(query: FirmwareSetQuery, request: PageRequest): Promise<Page<FirmwareSet>>;
  /** Throws `duplicate` when the name is taken, `badValue` for firmware that is unknown or does not fit together. */
  create(draft: FirmwareSetDraft): Promise<FirmwareSet>;
  /** Changes name and labels where given, and adds firmware. */
  update(id: string, change: Partial<FirmwareSetDraft>): Promise<FirmwareSet>;
  /** Throws `badValue` when one of them is not in the set; then none is taken out. */
  removeFirmware(id: string, firmware: readonly string[]): Promise<FirmwareSet>;
  remove(id: string): Promise<void>;
  /** Notes that a set was installed on a server and found good. */
  noteValidation(fact: {
    readonly setId: string;
    readonly serverId: string;
    readonly performedOn: number;
  }): Promise<void>;
  /** Where a set was found good, the newest first. Throws `notFound` for an unknown set. */
  listValidations(setId: string, request: PageRequest): Promise<Page<SetValidation>>;
}

const orders = { created_at: 's.created_at', updated_at: 's.updated_at', name: 's.name' };

/** What firmware sets can be ordered by. */
export const firmwareSetOrders = Object.keys(orders);

const maxFirmware = 500;

/** The firmware sets kept in the store. */
export function createFirmwareSets(context: InventoryContext): FirmwareSets {
  const { database, newId } = context;
  return {
    get: (id) => database.read((tx) => requireSet(context, tx, id)),
    list: (query, request) =>
      database.read(async (tx) => {
        const selection = {
          from: 'inventory_firmware_sets s',
          columns: 's.*',
          where: whereOf(query),
          orders,
          tieBreak: 's.id',
        };
        const { rows, total } = await selectPage(tx, selection, request);
        return { records: await readSets(context, tx, rows), total };
      }),
    create: async (draft) => {
      const id = newId();
      const labels = checkLabels(draft.labels ?? {});
      const name = checkName(draft.name);
      return database.write(async (tx) => {
        await insertSet(tx, id, name);
        await writeLabels(tx, id, labels);
        await addFirmware(context, tx, id, draft.firmware ?? []);
        return requireSet(context, tx, id);
      });
    },
    update: async (id, change) => {
      const labels = change.labels === undefined ? undefined : checkLabels(change.labels);
      const name = change.name === undefined ? undefined : checkName(change.name);
      const changed = database.write(async (tx) => {
        const set = await requireSet(context, tx, id);
        if (name !== undefined && name !== set.name) await rename(tx, set.id, name);
        if (labels !== undefined) await writeLabels(tx, set.id, labels);
        await addFirmware(context, tx, set.id, change.firmware ?? []);
        await tx.run('UPDATE inventory_firmware_sets SET updated_at = ? WHERE id = ?', tx.now, set.id);
        return requireSet(context, tx, id);
      });
      return orDuplicate(changed, { what: 'firmware set', fields: 'name', holder: name ?? '' });
    },
    removeFirmware: (id, firmware) => database.write((tx) => takeOut(context, tx, id, firmware)),
    remove: (id) => database.write((tx) => removeSet(context, tx, id)),
    noteValidation: ({ setId, serverId, performedOn }) => {
      const id = newId();
      return database.write(async (tx) => {
        const [set, server] = [await requireSet(context, tx, setId), await requireServer(tx, serverId)];
        await insertValidation(tx, { id, setId: set.id, serverId: server.id, performedOn });
      });
    },
    listValidations: (setId, request) =>
      database.read(async (tx) => listValidations(tx, (await requireSet(context, tx, setId)).id, request)),
  };
}

function checkName(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= 255) return name;
  throw new InventoryError('badValue', { what: 'firmware set' }, { problems: ['its name has 1 to 255 characters'] });
}

function nameTaken(name: string): InventoryError {
  return new InventoryError('duplicate', { what: 'firmware set', fields: 'name', holder: name });
}

async function insertSet(tx: Transaction, id: string, name: string): Promise<void> {
  const added = await tx.run(
    `INSERT INTO inventory_firmware_sets (id, name, created_at, updated_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ...[id, name, tx.now, tx.now],
  );
  if (added === 0) throw nameTaken(name);
}

async function rename(tx: Transaction, id: string, name: string): Promise<void> {
  const holder = await tx.first('SELECT id FROM inventory_firmware_sets WHERE name = ?', name);
  if (holder !== undefined) throw nameTaken(name);
  await tx.run('UPDATE inventory_firmware_sets SET name = ? WHERE id = ?', name, id);
}

/** The set with this id; throws `notFound`. */
async function requireSet(context: FirmwareWriter, tx: Transaction, id: string): Promise<FirmwareSet> {
  const row = await tx.first('SELECT * FROM inventory_firmware_sets WHERE id = ?', id.toLowerCase());
  const [set] = row === undefined ? [] : await readSets(context, tx, [row]);
  if (set === undefined) throw new InventoryError('notFound', { what: 'firmware set', id });
  return set;
}

async function readSets(context: FirmwareWriter, tx: Transaction, rows: readonly Row[]): Promise<FirmwareSet[]> {
  const ids = rows.map((row) => textOf(row, 'id'));
  const labels = await inParts(ids, (list) =>
    tx.all(`SELECT * FROM inventory_firmware_set_labels WHERE set_id IN ${list.sql} ORDER BY name`, ...list.values),
  );
  const members = await inParts(ids, (list) =>
    tx.all(
      `SELECT f.*, m.set_id FROM inventory_firmware f JOIN inventory_firmware_set_members m ON m.firmware_id = f.id
        WHERE m.set_id IN ${list.sql} ORDER BY f.vendor, f.component, f.version, f.filename`,
      ...list.values,
    ),
  );
  const labelsById = Map.groupBy(labels, (row) => row.set_id);
  const membersById = Map.groupBy(members, (row) => row.set_id);
  return rows.map((row) => {
    const id = textOf(row, 'id');
    return {
      id,
      name: textOf(row, 'name'),
      labels: Object.fromEntries((labelsById.get(id) ?? []).map((one) => [textOf(one, 'name'), textOf(one, 'value')])),
      firmware: (membersById.get(id) ?? []).map((row) => readFirmware(context, row)),
      createdAt: numberOf(row, 'created_at'),
      updatedAt: numberOf(row, 'updated_at'),
    };
  });
}

function whereOf(query: FirmwareSetQuery): Where {
  if ((query.vendor === undefined) !== (query.model === undefined))
    throw new InventoryError(
      'badFilter',
      { name: 'vendor' },
      { problems: ['vendor and model are given both or neither'] },
    );
  const isByModel = query.vendor !== undefined && query.labels === undefined;
  const wanted = {
    ...(query.vendor === undefined ? {} : { vendor: query.vendor, model: query.model ?? '' }),
    ...(isByModel ? { default: 'true' } : query.labels),
  };
  const where = new Where().addIf('s.name = ?', query.name).addIf('s.id = ?', query.id?.toLowerCase());
  for (const [name, value] of Object.entries(checkLabels(wanted)))
    where.add(
      `EXISTS (SELECT 1 FROM inventory_firmware_set_labels l
        WHERE l.set_id = s.id AND l.name = ? AND lower(l.value) = lower(?))`,
      name,
      value,
    );
  return where;
}

/** In a set, each component of a vendor has each version once. */
async function addFirmware(
  context: FirmwareWriter,
  tx: Transaction,
  setId: string,
  given: readonly string[],
): Promise<void> {
  const ids = [...new Set(given.map((id) => id.toLowerCase()))];
  if (ids.length === 0) return;
  const set = await requireSet(context, tx, setId);
  const list = inList(ids);
  const rows = await tx.all(`SELECT * FROM inventory_firmware WHERE id IN ${list.sql}`, ...list.values);
  const found = rows.map((row) => readFirmware(context, row));
  const known = new Set(found.map(({ id }) => id));
  const added = found.filter(({ id }) => !set.firmware.some((one) => one.id === id));
  const keys = [...set.firmware, ...added].map(({ vendor, component, version }) => `${vendor} ${component} ${version}`);
  const problems = [
    ...ids.filter((id) => !known.has(id)).map((id) => `there is no firmware ${id}`),
    ...[...new Set(keys.filter((key, index) => keys.indexOf(key) !== index))].map(
      (key) => `${key} would be in it twice`,
    ),
    ...(keys.length > maxFirmware ? [`a set has at most ${maxFirmware} firmware versions`] : []),
  ];
  if (problems.length > 0) throw new InventoryError('badValue', { what: 'firmware set' }, { problems });
  for (const { id } of added)
    await tx.run('INSERT INTO inventory_firmware_set_members (set_id, firmware_id) VALUES (?, ?)', setId, id);
}

async function takeOut(
  context: FirmwareWriter,
  tx: Transaction,
  setId: string,
  given: readonly string[],
): Promise<FirmwareSet> {
  const set = await requireSet(context, tx, setId);
  const ids = [...new Set(given.map((id) => id.toLowerCase()))];
  const problems = ids
    .filter((id) => !set.firmware.some((one) => one.id === id))
    .map((id) => `firmware ${id} is not in the set`);
  if (problems.length > 0) throw new InventoryError('badValue', { what: 'firmware set' }, { problems });
  const list = inList(ids);
  await tx.run(
    `DELETE FROM inventory_firmware_set_members WHERE set_id = ? AND firmware_id IN ${list.sql}`,
    set.id,
    ...list.values,
  );
  await tx.run('UPDATE inventory_firmware_sets SET updated_at = ? WHERE id = ?', tx.now, set.id);
  return requireSet(context, tx, setId);
}

async function removeSet(context: FirmwareWriter, tx: Transaction, id: string): Promise<void> {
  const set = await requireSet(context, tx, id);
  for (const table of ['members', 'labels', 'validations'])
    await tx.run(`DELETE FROM inventory_firmware_set_${table} WHERE set_id = ?`, set.id);
  await tx.run('DELETE FROM inventory_firmware_sets WHERE id = ?', set.id);
}
