import type { Row, Transaction } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import type { InventoryContext } from '../context.ts';
import { InventoryError } from '../errors.ts';
import { orDuplicate } from '../sql/or-duplicate.ts';
import { jsonOf, numberOf, textOf } from '../sql/rows.ts';
import { selectPage } from '../sql/select-page.ts';
import { storeJson } from '../sql/store-json.ts';
import { inParts, Where } from '../sql/where.ts';
import type { BiosConfigComponent, BiosConfigDraft, BiosConfigQuery, BiosConfigSet } from './bios-config.ts';

/** BIOS settings that belong together. */
export interface BiosConfigSets {
  /** Throws `notFound`. */
  get(id: string): Promise<BiosConfigSet>;
  list(query: BiosConfigQuery, request: PageRequest): Promise<Page<BiosConfigSet>>;
  /** Throws `duplicate` when the name is taken, `badValue` when something is named twice. */
  create(draft: BiosConfigDraft): Promise<BiosConfigSet>;
  /** Replaces all that is said of a set. */
  update(id: string, draft: BiosConfigDraft): Promise<BiosConfigSet>;
  remove(id: string): Promise<void>;
}

const orders = { created_at: 's.created_at', updated_at: 's.updated_at', name: 's.name', version: 's.version' };

/** What sets of BIOS settings can be ordered by. */
export const biosConfigOrders = Object.keys(orders);

const table = 'inventory_bios_config_sets';

/** The sets of BIOS settings kept in the store. */
export function createBiosConfigSets({ database, newId }: InventoryContext): BiosConfigSets {
  const taken = (name: string) => ({ what: 'BIOS config set', fields: 'name', holder: name });
  return {
    get: (id) => database.read((tx) => requireSet(tx, id)),
    list: (query, request) =>
      database.read(async (tx) => {
        const selection = { from: `${table} s`, columns: 's.*', where: whereOf(query), orders, tieBreak: 's.id' };
        const { rows, total } = await selectPage(tx, selection, request);
        return { records: await readSets(tx, rows), total };
      }),
    create: async (draft) => {
      const id = newId();
      const checked = checkDraft(draft);
      return database.write(async (tx) => {
        const added = await tx.run(
          `INSERT INTO ${table} (id, name, version, created_at, updated_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          ...[id, checked.name, checked.version, tx.now, tx.now],
        );
        if (added === 0) throw new InventoryError('duplicate', taken(checked.name));
        await writeComponents(tx, id, withIds(checked, newId));
        return requireSet(tx, id);
      });
    },
    update: async (id, draft) => {
      const checked = checkDraft(draft);
      const changed = database.write(async (tx) => {
        const set = await requireSet(tx, id);
        await tx.run(
          `UPDATE ${table} SET name = ?, version = ?, updated_at = ? WHERE id = ?`,
          ...[checked.name, checked.version, tx.now, set.id],
        );
        await tx.run('DELETE FROM inventory_bios_config_components WHERE set_id = ?', set.id);
        await writeComponents(tx, set.id, withIds(checked, newId));
        return requireSet(tx, id);
      });
      return orDuplicate(changed, taken(checked.name));
    },
    remove: (id) =>
      database.write(async (tx) => {
        const set = await requireSet(tx, id);
        await tx.run('DELETE FROM inventory_bios_config_components WHERE set_id = ?', set.id);
        await tx.run(`DELETE FROM ${table} WHERE id = ?`, set.id);
      }),
  };
}

/** Names in their one spelling. Throws `badValue` with all reasons. */
function checkDraft(draft: BiosConfigDraft): BiosConfigDraft {
  const name = draft.name.trim();
  const version = draft.version.trim();
  const parts = draft.components.map((one) => ({ ...one, name: one.name.trim() }));
  const problems = [
    ...(name === '' ? ['its name is empty'] : []),
    ...(version === '' ? ['its version is empty'] : []),
    ...repeated(parts.map((one) => [one.name, one.vendor, one.model, one.serial].join(' ').trim())).map(
      (one) => `the component ${one} is named twice`,
    ),
    ...parts.flatMap((part) =>
      repeated(part.settings.map(({ key }) => key)).map((key) => `${part.name}: the setting ${key} is named twice`),
    ),
  ];
  if (problems.length > 0) throw new InventoryError('badValue', { what: 'BIOS config set' }, { problems });
  return { name, version, components: parts };
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

function withIds(draft: BiosConfigDraft, newId: () => string): BiosConfigComponent[] {
  return draft.components.map((component) => ({
    ...component,
    id: newId(),
    settings: component.settings.map((setting) => ({ ...setting, id: newId() })),
  }));
}

async function writeComponents(
  tx: Transaction,
  setId: string,
  components: readonly BiosConfigComponent[],
): Promise<void> {
  for (const [position, { id, name, vendor, model, serial, settings }] of components.entries()) {
    const text = storeJson(
      settings.map((one) => ({ ...one })),
      'BIOS config set',
    );
    await tx.run(
      `INSERT INTO inventory_bios_config_components (id, set_id, position, name, vendor, model, serial, settings)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, setId, position, name, vendor, model, serial, text],
    );
  }
}

async function requireSet(tx: Transaction, id: string): Promise<BiosConfigSet> {
  const row = await tx.first(`SELECT * FROM ${table} WHERE id = ?`, id.toLowerCase());
  const [set] = row === undefined ? [] : await readSets(tx, [row]);
  if (set === undefined) throw new InventoryError('notFound', { what: 'BIOS config set', id });
  return set;
}

async function readSets(tx: Transaction, rows: readonly Row[]): Promise<BiosConfigSet[]> {
  const found = await inParts(
    rows.map((row) => textOf(row, 'id')),
    (list) =>
      tx.all(
        `SELECT * FROM inventory_bios_config_components WHERE set_id IN ${list.sql} ORDER BY position`,
        ...list.values,
      ),
  );
  const bySet = Map.groupBy(found, (row) => row.set_id);
  return rows.map((row) => ({
    id: textOf(row, 'id'),
    name: textOf(row, 'name'),
    version: textOf(row, 'version'),
    components: (bySet.get(row.id ?? null) ?? []).map(readComponent),
    createdAt: numberOf(row, 'created_at'),
    updatedAt: numberOf(row, 'updated_at'),
  }));
}

function readComponent(row: Row): BiosConfigComponent {
  return {
    id: textOf(row, 'id'),
    name: textOf(row, 'name'),
    vendor: textOf(row, 'vendor'),
    model: textOf(row, 'model'),
    serial: textOf(row, 'serial'),
    settings: jsonOf<{ id: string; key: string; value: string; raw?: string }[]>(row, 'settings'),
  };
}

function whereOf(query: BiosConfigQuery): Where {
  const where = new Where().addIf('s.name = ?', query.name).addIf('s.version = ?', query.version);
  const columns = { name: query.component, vendor: query.vendor, model: query.model };
  const wanted = Object.entries(columns).filter(([, value]) => value !== undefined);
  if (wanted.length === 0) return where;
  const conditions = wanted.map(([column]) => `lower(c.${column}) = lower(?)`).join(' AND ');
  return where.add(
    `EXISTS (SELECT 1 FROM inventory_bios_config_components c WHERE c.set_id = s.id AND ${conditions})`,
    ...wanted.map(([, value]) => value ?? ''),
  );
}
