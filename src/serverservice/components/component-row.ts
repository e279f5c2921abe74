import type { Row, Transaction } from '../../engine/index.ts';
import { attributesOf } from '../attributes/attributes.ts';
import { latestVersionsOf } from '../attributes/versioned-attributes.ts';
import { numberOf, textOf } from '../sql/rows.ts';
import { inParts } from '../sql/where.ts';
import type { ComponentRecord } from './component.ts';

/** Components are read together with the name of their type. */
export const componentTable = 'inventory_components c JOIN inventory_component_types t ON t.slug = c.type_slug';

/** The columns that `readComponents` reads. */
export const componentColumns = 'c.*, t.name AS type_name';

/** Reads rows, and the attributes of all of them at once. */
export async function readComponents(tx: Transaction, rows: readonly Row[]): Promise<ComponentRecord[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => textOf(row, 'id'));
  const attributes = await attributesOf(tx, 'component', ids);
  const versioned = await latestVersionsOf(tx, 'component', ids);
  return rows.map((row) => {
    const id = textOf(row, 'id');
    return {
      id,
      serverId: textOf(row, 'server_id'),
      type: textOf(row, 'type_slug'),
      typeName: textOf(row, 'type_name'),
      name: textOf(row, 'name'),
      vendor: textOf(row, 'vendor'),
      model: textOf(row, 'model'),
      serial: textOf(row, 'serial'),
      slot: textOf(row, 'slot'),
      attributes: attributes.get(id) ?? [],
      versionedAttributes: versioned.get(id) ?? [],
      createdAt: numberOf(row, 'created_at'),
      updatedAt: numberOf(row, 'updated_at'),
    };
  });
}

/** The components of many servers, by server. */
export async function componentsOf(
  tx: Transaction,
  serverIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ComponentRecord[]>> {
  const rows = await inParts(serverIds, (list) =>
    tx.all(
      `SELECT ${componentColumns} FROM ${componentTable} WHERE c.server_id IN ${list.sql}
        ORDER BY c.server_id, c.type_slug, c.slot, c.serial`,
      ...list.values,
    ),
  );
  const components = await readComponents(tx, rows);
  return Map.groupBy(components, ({ serverId }) => serverId);
}
