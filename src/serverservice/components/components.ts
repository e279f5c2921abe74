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
      for (const draft of checked) await writeComponent(tx, id, { draft, isNew: how === 'create' });
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
  { serverId, drafts }: { readonly serverId: string; readonly drafts: readonly ComponentDraft[] },
): Promise<void> {
  const checked = checkDrafts(context, drafts);
  await requireTypes(tx, checked);
  for (const draft of checked) await writeComponent(tx, serverId, { draft, isNew: false });
}

/** Takes away, in somebody else's transaction, parts that carry a versioned attribute and are not kept. */
export async function removeComponentsNoted(
  tx: Transaction,
  order: { readonly serverId: string; readonly namespace: string; readonly kept: readonly ComponentDraft[] },
): Promise<number> {
  const rows = await tx.all(
    `SELECT c.id, c.type_slug, c.serial FROM inventory_components c
      WHERE c.server_id = ? AND EXISTS (SELECT 1 FROM inventory_versioned_attributes v
        WHERE v.owner_kind = 'component' AND v.owner_id = c.id AND v.namespace = ?)`,
    order.serverId,
    order.namespace,
  );
  const kept = new Set(order.kept.map(({ type, serial }) => `${slugOf(type)} ${serial}`));
  return removeThese(
    tx,
    rows.filter((row) => !kept.has(`${row.type_slug} ${row.serial}`)),
  );
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
  const keys = checked.map(({ type, draft }) => `${type} with serial "${draft.serial}"`);
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
  { draft: { newId, draft, type, attributes, versioned }, isNew }: { draft: CheckedComponent; isNew: boolean },
): Promise<void> {
  const texts = [draft.name ?? '', draft.vendor ?? '', draft.model ?? ''];
  const added = await tx.run(
    `INSERT INTO inventory_components (name, vendor, model, updated_at, server_id, type_slug, serial, id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ...[...texts, tx.now, serverId, type, draft.serial, newId, tx.now],
  );
  if (added === 0 && isNew)
    throw new InventoryError('duplicate', {
      what: 'component',
      fields: 'type and serial',
      holder: `${type} ${draft.serial} of server ${serverId}`,
    });
  if (added === 0)
    await tx.run(
      `UPDATE inventory_components SET name = ?, vendor = ?, model = ?, updated_at = ?
        WHERE server_id = ? AND type_slug = ? AND serial = ?`,
      ...[...texts, tx.now, serverId, type, draft.serial],
    );
  const id = added > 0 ? newId : await idOf(tx, { serverId, type, serial: draft.serial });
  for (const one of attributes) await putAttribute(tx, { kind: 'component', id }, one);
  for (const one of versioned) await appendVersion(tx, { kind: 'component', id }, one);
}

async function idOf(
  tx: Transaction,
  part: { readonly serverId: string; readonly type: string; readonly serial: string },
): Promise<string> {
  const row = await tx.first(
    'SELECT id FROM inventory_components WHERE server_id = ? AND type_slug = ? AND serial = ?',
    part.serverId,
    part.type,
    part.serial,
  );
  if (row === undefined) throw new InventoryError('notFound', { what: 'component', id: part.serial });
  return textOf(row, 'id');
}

async function removeOthers(tx: Transaction, serverId: string, kept: readonly CheckedComponent[]): Promise<number> {
  const rows = await tx.all('SELECT id, type_slug, serial FROM inventory_components WHERE server_id = ?', serverId);
  const keep = new Set(kept.map(({ type, draft }) => `${type} ${draft.serial}`));
  return removeThese(
    tx,
    rows.filter((row) => !keep.has(`${row.type_slug} ${row.serial}`)),
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
