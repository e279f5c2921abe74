import type { Row } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import type { InventoryContext } from '../context.ts';
import { InventoryError } from '../errors.ts';
import { numberOf, textOf } from '../sql/rows.ts';
import { selectPage } from '../sql/select-page.ts';
import { Where } from '../sql/where.ts';
import type { ComponentType } from './component.ts';

/** Kinds of parts. */
export interface ComponentTypes {
  list(query: { readonly name?: string | undefined }, request: PageRequest): Promise<Page<ComponentType>>;
  /** Adds one; its slug is made from the name unless given. Throws `duplicate`. */
  create(draft: { readonly name: string; readonly slug?: string | undefined }): Promise<ComponentType>;
  /** Adds those that every inventory has, where they are missing. */
  seed(): Promise<void>;
}

const orders = { name: 'name', slug: 'slug', created_at: 'created_at' };

/** What component types can be ordered by. */
export const componentTypeOrders = Object.keys(orders);

/** Names of the types that every inventory has. */
const wellKnown = [
  'Backplane-Expander',
  'BIOS',
  'BMC',
  'Chassis',
  'CPLD',
  'CPU',
  'Drive',
  'GPU',
  'Mainboard',
  'NIC',
  'Other',
  'PhysicalMemory',
  'Power-Supply',
  'StorageController',
  'TPM',
  'Enclosure',
];

/** The component types kept in the store. */
export function createComponentTypes({ database, newId }: InventoryContext): ComponentTypes {
  const insert = `INSERT INTO inventory_component_types (id, name, slug, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
  return {
    list: (query, request) =>
      database.read(async (tx) => {
        const where = new Where().addIf('name = ?', query.name);
        const selection = { from: 'inventory_component_types', columns: '*', where, orders, tieBreak: 'id' };
        const { rows, total } = await selectPage(tx, selection, request);
        return { records: rows.map(readType), total };
      }),
    create: ({ name, slug = slugOf(name) }) => {
      const id = newId();
      if (!slugPattern.test(slug))
        throw new InventoryError('badValue', { what: 'component type' }, { problems: [`"${slug}" is no slug`] });
      return database.write(async (tx) => {
        if ((await tx.run(insert, id, name, slug, tx.now, tx.now)) === 0)
          throw new InventoryError('duplicate', { what: 'component type', fields: 'slug', holder: slug });
        return { id, name, slug, createdAt: tx.now, updatedAt: tx.now };
      });
    },
    seed: async () => {
      const drafts = wellKnown.map((name) => ({ id: newId(), name, slug: slugOf(name) }));
      await database.write(async (tx) => {
        for (const { id, name, slug } of drafts) await tx.run(insert, id, name, slug, tx.now, tx.now);
      });
    },
  };
}

const slugPattern = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/** The slug of a name: small letters, dashes for spaces. */
export function slugOf(name: string): string {
  return name.trim().toLowerCase().replaceAll(/\s+/g, '-');
}

function readType(row: Row): ComponentType {
  return {
    id: textOf(row, 'id'),
    name: textOf(row, 'name'),
    slug: textOf(row, 'slug'),
    createdAt: numberOf(row, 'created_at'),
    updatedAt: numberOf(row, 'updated_at'),
  };
}
