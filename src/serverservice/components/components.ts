import type { Row, Transaction } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import { check, putAttribute } from '../attributes/attributes.ts';
import { appendVersion } from '../attributes/versioned-attributes.ts';
import type { InventoryContext } from '../context.ts';
import { InventoryError } from '../errors.ts';
import { requireServer } from '../servers/servers.ts';
import { textOf } from '../sql/rows.ts';
import { selectPage } from '../sql/select-page.ts';
import { inList, Where } from '../sql/where.ts';
import type { ComponentDraft, ComponentQuery, ComponentRecord } from './component.ts';
import { componentColumns, componentTable, readComponents } from './component-row.ts';
import { slugOf } from './component-types.ts';

/** The parts of servers. Those of one server are written all or none. */
export interface Components {
  list(query: ComponentQuery, request: PageRequest): Promise<Page<ComponentRecord>>;
  /** Adds parts; throws `duplicate` when one is there. */
  create(serverId: string, drafts: readonly ComponentDraft[]): Promise<void>;
  /** Adds or changes parts; others stay. */
  put(serverId: string, drafts: readonly ComponentDraft[]): Promise<void>;
  /** Makes these the parts of the server: what is not among them goes. */
  replace(serverId: string, drafts: readonly ComponentDraft[]): Promise<void>;
  /** Takes all parts away; says how many. */
  removeAll(serverId: string): Promise<number>;
}

const orders = {
  created_at: 'c.created_at',
  updated_at: 'c.updated_at',
  name: 'c.name',
  vendor: 'c.vendor',
  model: 'c.model',
  serial: 'c.serial',
};

/** What components can be ordered by. */
export const componentOrders = Object.keys(orders);

/** The components kept in the store. */
export function createComponents(context: InventoryContext): Components {
  const { database } = context;
  const write = (serverId: string, drafts: readonly ComponentDraft[], how: 'create' | 'put' | 'replace') => {
    const checked = checkDrafts(context, drafts);
    return database.write(async (tx) => {
      const { id } = await requireServer(tx, serverId);
      await requireTypes(tx, checked);
      if (how === 'replace') await removeOthers(tx, id, checked);
      for (const draft of checked) await writeComponent(tx, id, { draft, isNew: how === 'create', keepsKnown: false });
    });
  };
  return {
    list: (query, request) =>
      database.read(async (tx) => {
        const where = new Where()
          .addIf('c.server_id = ?', query.serverId)
          .addIf('c.type_slug = ?', query.type)
          .addIf('c.name = ?', query.name)
          .addIf('lower(c.vendor) = lower(?)', query.vendor)
          .addIf('lower(c.model) = lower(?)', query.model)
          .addIf('c.serial = ?', query.serial);
        const selection = { from: componentTable, columns: componentColumns, where, orders, tieBreak: 'c.id' };
        const { rows, total } = await selectPage(tx, selection, request);
        return { records: await readComponents(tx, rows), total };
      }),
    create: (serverId, drafts) => write(serverId, drafts, 'create'),
    put: (serverId, drafts) => write(serverId, drafts, 'put'),
    replace: (serverId, drafts) => write(serverId, drafts, 'replace'),
    removeAll: (serverId) =>
      database.write(async (tx) => {
        const { id } = await requireServer(tx, serverId);
        return removeOthers(tx, id, []);
      }),
  };
}

/** Adds or changes parts in somebody else's transaction. */
export async function putComponents(
  context: InventoryContext,
  tx: Transaction,
  order: {
    readonly serverId: string;
    readonly drafts: readonly ComponentDraft[];
    /** What a draft leaves empty stays as it is known. */
    readonly keepsKnown: boolean;
  },
): Promise<void> {
  const checked = checkDrafts(context, order.drafts);
  await requireTypes(tx, checked);
  const how = { isNew: false, keepsKnown: order.keepsKnown };
  for (const draft of checked) await writeComponent(tx, order.serverId, { draft, ...how });
}

/** Takes away, in somebody else's transaction, parts that carry a versioned attribute and are not kept. */
export async function removeComponentsNoted(
  tx: Transaction,
  order: { readonly serverId: string; readonly namespace: string; readonly kept: readonly ComponentDraft[] },
): Promise<number> {
  const rows = await tx.all(
    `SELECT c.id, c.type_slug, c.serial, c.slot FROM inventory_components c
      WHERE c.server_id = ? AND EXISTS (SELECT 1 FROM inventory_versioned_attributes v
        WHERE v.owner_kind = 'component' AND v.owner_id = c.id AND v.namespace = ?)`,
    order.serverId,
    order.namespace,
  );
  const kept = new Set(order.kept.map(({ type, serial, slot }) => keyOf({ type: slugOf(type), serial, slot })));
  return removeThese(
    tx,
    rows.filter((row) => !kept.has(keyOfRow(row))),
  );
}

/** What tells the parts of a server apart. */
function keyOf({ type, serial, slot = '' }: Pick<ComponentDraft, 'type' | 'serial' | 'slot'>): string {
  return slot === '' ? `${type} with serial "${serial}"` : `${type} in slot "${slot}"`;
}

function keyOfRow(row: Row): string {
  return keyOf({ type: textOf(row, 'type_slug'), serial: textOf(row, 'serial'), slot: textOf(row, 'slot') });
}

interface CheckedComponent {
  readonly newId: string;
  readonly draft: ComponentDraft;
  readonly type: string;
  readonly attributes: readonly ReturnType<typeof check>[];
  readonly versioned: readonly ReturnType<typeof check>[];
}

function checkDrafts(context: InventoryContext, drafts: readonly ComponentDraft[]): CheckedComponent[] {
  const checked = drafts.map((draft) => ({
    newId: context.newId(),
    draft,
    type: slugOf(draft.type),
    attributes: (draft.attributes ?? []).map(check),
    versioned: (draft.versionedAttributes ?? []).map(check),
  }));
  const keys = checked.map(({ type, draft }) => keyOf({ ...draft, type }));
  const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
  if (twice.length === 0) return checked;
  const problems = [...new Set(twice)].map((key) => `${key} is named twice`);
  throw new InventoryError('badValue', { what: 'list of components' }, { problems });
}

async function requireTypes(tx: Transaction, components: readonly CheckedComponent[]): Promise<void> {
  const wanted = [...new Set(components.map(({ type }) => type))];
  if (wanted.length === 0) return;
  const list = inList(wanted);
  const rows = await tx.all(`SELECT slug FROM inventory_component_types WHERE slug IN ${list.sql}`, ...list.values);
  const known = new Set(rows.map((row) => textOf(row, 'slug')));
  const unknown = wanted.filter((slug) => !known.has(slug));
  if (unknown.length === 0) return;
  const problems = unknown.map(
    (slug) => `there is no component type "${slug}"; /api/v1/server-component-types lists them`,
  );
  throw new InventoryError('badValue', { what: 'list of components' }, { problems });
}

async function writeComponent(
  tx: Transaction,
  serverId: string,
  how: { readonly draft: CheckedComponent; readonly isNew: boolean; readonly keepsKnown: boolean },
): Promise<void> {
  const { newId, draft, type, attributes, versioned } = how.draft;
  const place = { serverId, type, serial: draft.serial, slot: draft.slot ?? '' };
  const texts = [draft.name ?? '', draft.vendor ?? '', draft.model ?? '', draft.serial];
  const added =
    (await findId(tx, place)) === undefined &&
    (await tx.run(
      `INSERT INTO inventory_components (name, vendor, model, serial, slot, updated_at, server_id, type_slug, id, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      ...[...texts, place.slot, tx.now, serverId, type, newId, tx.now],
    )) > 0;
  if (!added && how.isNew)
    throw new InventoryError('duplicate', {
      what: 'component',
      fields: 'type and serial',
      holder: `${type} ${draft.serial} of server ${serverId}`,
    });
  const id = added ? newId : await requireId(tx, place);
  const value = (column: string) => (how.keepsKnown ? `coalesce(nullif(?, ''), ${column})` : '?');
  if (!added)
    await tx.run(
      `UPDATE inventory_components SET name = ${value('name')}, vendor = ${value('vendor')}, model = ${value('model')},
         serial = ${value('serial')}, slot = coalesce(nullif(?, ''), slot), updated_at = ? WHERE id = ?`,
      ...[...texts, place.slot, tx.now, id],
    );
  for (const one of attributes) await putAttribute(tx, { kind: 'component', id }, one);
  for (const one of versioned) await appendVersion(tx, { kind: 'component', id }, one);
}

interface Place {
  readonly serverId: string;
  readonly type: string;
  readonly serial: string;
  readonly slot: string;
}

async function requireId(tx: Transaction, place: Place): Promise<string> {
  const id = await findId(tx, place);
  if (id === undefined) throw new InventoryError('notFound', { what: 'component', id: place.serial });
  return id;
}

/** A part by its slot, or by its serial number where only one of the two records knows the slot. */
async function findId(tx: Transaction, { serverId, type, serial, slot }: Place): Promise<string | undefined> {
  const find = async (where: string, value: string): Promise<string | undefined> => {
    const query = `SELECT id FROM inventory_components WHERE server_id = ? AND type_slug = ? AND ${where} ORDER BY slot`;
    const row = await tx.first(query, serverId, type, value);
    return row === undefined ? undefined : textOf(row, 'id');
  };
  const known = slot === '' ? undefined : await find('slot = ?', slot);
  if (known !== undefined) return known;
  if (serial === '') return slot === '' ? await find(`serial = ? AND slot = ''`, '') : undefined;
  return await find(slot === '' ? 'serial = ?' : `serial = ? AND slot = ''`, serial);
}

async function removeOthers(tx: Transaction, serverId: string, kept: readonly CheckedComponent[]): Promise<number> {
  const rows = await tx.all(
    'SELECT id, type_slug, serial, slot FROM inventory_components WHERE server_id = ?',
    serverId,
  );
  const keep = new Set(kept.map(({ type, draft }) => keyOf({ ...draft, type })));
  return removeThese(
    tx,
    rows.filter((row) => !keep.has(keyOfRow(row))),
  );
}

async function removeThese(tx: Transaction, rows: readonly Row[]): Promise<number> {
  const gone = rows.map((row) => textOf(row, 'id'));
  if (gone.length === 0) return 0;
  const list = inList(gone);
  for (const table of ['inventory_attributes', 'inventory_versioned_attributes'])
    await tx.run(`DELETE FROM ${table} WHERE owner_kind = 'component' AND owner_id IN ${list.sql}`, ...list.values);
  return tx.run(`DELETE FROM inventory_components WHERE id IN ${list.sql}`, ...list.values);
}
