import type { JsonObject, Row, Transaction } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import type { InventoryContext } from '../context.ts';
import { InventoryError } from '../errors.ts';
import { jsonOf, numberOf, textOf } from '../sql/rows.ts';
import { selectPage } from '../sql/select-page.ts';
import { storeJson } from '../sql/store-json.ts';
import { inParts, Where } from '../sql/where.ts';
import type { Attribute, AttributeOwner } from './attribute.ts';
import { checkNamespace } from './namespace.ts';

/** What is written. */
export interface AttributeDraft {
  readonly namespace: string;
  readonly data: JsonObject;
}

/** Attributes by owner and namespace. Owners are not looked at: whoever calls knows that they are there. */
export interface Attributes {
  list(owner: AttributeOwner, request: PageRequest): Promise<Page<Attribute>>;
  get(owner: AttributeOwner, namespace: string): Promise<Attribute | undefined>;
  /** Writes it, there or not; says which. */
  put(owner: AttributeOwner, draft: AttributeDraft): Promise<'created' | 'updated'>;
  /** Writes one that is not there yet; throws `duplicate` otherwise. */
  create(owner: AttributeOwner, draft: AttributeDraft): Promise<void>;
  /** False when there was none. */
  remove(owner: AttributeOwner, namespace: string): Promise<boolean>;
}

const orders = { namespace: 'namespace', created_at: 'created_at', updated_at: 'updated_at' };

/** What attributes can be ordered by. */
export const attributeOrders = Object.keys(orders);

/** The attributes kept in the store. */
export function createAttributes({ database }: InventoryContext): Attributes {
  return {
    list: (owner, request) =>
      database.read(async (tx) => {
        const where = new Where().add('owner_kind = ? AND owner_id = ?', owner.kind, owner.id);
        const selection = { from: 'inventory_attributes', columns: '*', where, orders, tieBreak: 'namespace' };
        const { rows, total } = await selectPage(tx, selection, request);
        return { records: rows.map(readAttribute), total };
      }),
    get: (owner, namespace) => database.read((tx) => findAttribute(tx, owner, namespace)),
    put: (owner, draft) => {
      const checked = check(draft);
      return database.write((tx) => putAttribute(tx, owner, checked));
    },
    create: (owner, draft) => {
      const checked = check(draft);
      return database.write((tx) => insertAttribute(tx, owner, checked));
    },
    remove: (owner, namespace) =>
      database.write(async (tx) => {
        const removed = await tx.run(
          'DELETE FROM inventory_attributes WHERE owner_kind = ? AND owner_id = ? AND namespace = ?',
          owner.kind,
          owner.id,
          namespace,
        );
        return removed > 0;
      }),
  };
}

/** A draft that may be written, its data as text. */
export interface CheckedAttribute {
  readonly namespace: string;
  readonly text: string;
}

/** Throws `badValue` for a draft that cannot be kept. */
export function check(draft: AttributeDraft): CheckedAttribute {
  checkNamespace(draft.namespace);
  return { namespace: draft.namespace, text: storeJson(draft.data, `attribute ${draft.namespace}`) };
}

/** Writes an attribute in somebody else's transaction. */
export async function putAttribute(
  tx: Transaction,
  owner: AttributeOwner,
  { namespace, text }: CheckedAttribute,
): Promise<'created' | 'updated'> {
  const changed = await tx.run(
    `UPDATE inventory_attributes SET data = ?, updated_at = ? WHERE owner_kind = ? AND owner_id = ? AND namespace = ?`,
    ...[text, tx.now, owner.kind, owner.id, namespace],
  );
  if (changed > 0) return 'updated';
  await insert(tx, owner, { namespace, text });
  return 'created';
}

async function insertAttribute(tx: Transaction, owner: AttributeOwner, draft: CheckedAttribute): Promise<void> {
  if ((await insert(tx, owner, draft)) > 0) return;
  throw new InventoryError('duplicate', {
    what: 'attribute',
    fields: 'namespace',
    holder: `${owner.kind} ${owner.id} has ${draft.namespace}`,
  });
}

function insert(tx: Transaction, owner: AttributeOwner, { namespace, text }: CheckedAttribute): Promise<number> {
  return tx.run(
    `INSERT INTO inventory_attributes (owner_kind, owner_id, namespace, data, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ...[owner.kind, owner.id, namespace, text, tx.now, tx.now],
  );
}

async function findAttribute(
  tx: Transaction,
  owner: AttributeOwner,
  namespace: string,
): Promise<Attribute | undefined> {
  const row = await tx.first(
    'SELECT * FROM inventory_attributes WHERE owner_kind = ? AND owner_id = ? AND namespace = ?',
    owner.kind,
    owner.id,
    namespace,
  );
  return row === undefined ? undefined : readAttribute(row);
}

/** The attributes of many owners of one kind, by id. */
export async function attributesOf(
  tx: Transaction,
  kind: AttributeOwner['kind'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Attribute[]>> {
  const rows = await inParts(ids, (list) =>
    tx.all(
      `SELECT * FROM inventory_attributes WHERE owner_kind = ? AND owner_id IN ${list.sql} ORDER BY owner_id, namespace`,
      kind,
      ...list.values,
    ),
  );
  return groupByOwner(rows, readAttribute);
}

/** Collects rows by the owner they belong to. */
export function groupByOwner<T>(rows: readonly Row[], read: (row: Row) => T): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const id = textOf(row, 'owner_id');
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [read(row)]);
    else group.push(read(row));
  }
  return groups;
}

function readAttribute(row: Row): Attribute {
  return {
    namespace: textOf(row, 'namespace'),
    data: jsonOf<JsonObject>(row, 'data'),
    createdAt: numberOf(row, 'created_at'),
    updatedAt: numberOf(row, 'updated_at'),
  };
}
