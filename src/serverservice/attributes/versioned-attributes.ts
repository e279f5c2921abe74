import type { JsonObject, Row, Transaction } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import type { InventoryContext } from '../context.ts';
import { jsonOf, numberOf, textOf } from '../sql/rows.ts';
import { selectPage } from '../sql/select-page.ts';
import { inParts, Where } from '../sql/where.ts';
import type { AttributeOwner, VersionedAttribute } from './attribute.ts';
import { type AttributeDraft, type CheckedAttribute, check, groupByOwner } from './attributes.ts';

/** Attributes of which nothing is ever changed or removed: each new value is a new version. */
export interface VersionedAttributes {
  /** Of each namespace the newest version. */
  listLatest(owner: AttributeOwner, request: PageRequest): Promise<Page<VersionedAttribute>>;
  /** All versions of a namespace, newest first. */
  listVersions(owner: AttributeOwner, namespace: string, request: PageRequest): Promise<Page<VersionedAttribute>>;
  /** Adds a version, or counts once more the newest one if it is the same. */
  append(owner: AttributeOwner, draft: AttributeDraft): Promise<'created' | 'tallied'>;
}

const from = 'inventory_versioned_attributes';
const latestOrders = { namespace: 'namespace', created_at: 'created_at', updated_at: 'updated_at' };

/** The versioned attributes kept in the store. */
export function createVersionedAttributes({ database }: InventoryContext): VersionedAttributes {
  const list = (where: Where, orders: Readonly<Record<string, string>>, request: PageRequest) =>
    database.read(async (tx) => {
      const selection = { from, columns: '*', where, orders, tieBreak: 'version' };
      const { rows, total } = await selectPage(tx, selection, request);
      return { records: rows.map(readVersioned), total };
    });
  return {
    listLatest: (owner, request) => list(ownedBy(owner).add('is_latest = 1'), latestOrders, request),
    listVersions: (owner, namespace, request) =>
      list(
        ownedBy(owner).add('namespace = ?', namespace),
        { version: 'version' },
        {
          ...request,
          isDescending: request.orderBy === undefined || request.isDescending,
        },
      ),
    append: (owner, draft) => {
      const checked = check(draft);
      return database.write((tx) => appendVersion(tx, owner, checked));
    },
  };
}

function ownedBy(owner: AttributeOwner): Where {
  return new Where().add('owner_kind = ? AND owner_id = ?', owner.kind, owner.id);
}

/** Adds a version in somebody else's transaction. */
export async function appendVersion(
  tx: Transaction,
  owner: AttributeOwner,
  { namespace, text }: CheckedAttribute,
): Promise<'created' | 'tallied'> {
  const place = [owner.kind, owner.id, namespace] as const;
  const newest = await tx.first(
    `SELECT version, data FROM ${from} WHERE owner_kind = ? AND owner_id = ? AND namespace = ? AND is_latest = 1`,
    ...place,
  );
  const version = newest === undefined ? 0 : numberOf(newest, 'version');
  if (newest !== undefined && textOf(newest, 'data') === text) {
    await tx.run(
      `UPDATE ${from} SET tally = tally + 1, updated_at = ?
        WHERE owner_kind = ? AND owner_id = ? AND namespace = ? AND version = ?`,
      ...[tx.now, ...place, version],
    );
    return 'tallied';
  }
  await tx.run(
    `UPDATE ${from} SET is_latest = 0 WHERE owner_kind = ? AND owner_id = ? AND namespace = ? AND version = ?`,
    ...[...place, version],
  );
  await tx.run(
    `INSERT INTO ${from} (owner_kind, owner_id, namespace, version, is_latest, data, tally, created_at, updated_at)
     VALUES (?, ?, ?, ?, 1, ?, 0, ?, ?) ON CONFLICT DO NOTHING`,
    ...[...place, version + 1, text, tx.now, tx.now],
  );
  return 'created';
}

/** The newest versions of many owners of one kind, by id. */
export async function latestVersionsOf(
  tx: Transaction,
  kind: AttributeOwner['kind'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly VersionedAttribute[]>> {
  const rows = await inParts(ids, (list) =>
    tx.all(
      `SELECT * FROM ${from} WHERE owner_kind = ? AND owner_id IN ${list.sql} AND is_latest = 1
        ORDER BY owner_id, namespace`,
      kind,
      ...list.values,
    ),
  );
  return groupByOwner(rows, readVersioned);
}

function readVersioned(row: Row): VersionedAttribute {
  return {
    namespace: textOf(row, 'namespace'),
    data: jsonOf<JsonObject>(row, 'data'),
    version: numberOf(row, 'version'),
    tally: numberOf(row, 'tally'),
    createdAt: numberOf(row, 'created_at'),
    updatedAt: numberOf(row, 'updated_at'),
  };
}
