import type { Row, Transaction } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import { slugOf } from '../components/component-types.ts';
import type { InventoryContext } from '../context.ts';
import { InventoryError } from '../errors.ts';
import { requireServer } from '../servers/servers.ts';
import { numberOf, textOf } from '../sql/rows.ts';
import { selectPage } from '../sql/select-page.ts';
import { Where } from '../sql/where.ts';
import { resealSecrets } from './reseal.ts';
import type { Sealer } from './sealer.ts';

/** What a credential is for. */
export interface CredentialType {
  readonly id: string;
  readonly name: string;
  /** `bmc`. */
  readonly slug: string;
  readonly isBuiltin: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A log-in of a server. */
export interface Credential {
  readonly username: string;
  readonly password: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Log-ins of servers, encrypted in the store. They are read one by one; nothing lists them. */
export interface Credentials {
  listTypes(request: PageRequest): Promise<Page<CredentialType>>;
  /** Throws `duplicate`. */
  createType(draft: { readonly name: string; readonly slug?: string | undefined }): Promise<CredentialType>;
  /** Throws `notFound` for an unknown server or type, or when there is none. */
  get(serverId: string, type: string): Promise<Credential>;
  put(
    serverId: string,
    type: string,
    credential: { readonly username: string; readonly password: string },
  ): Promise<'created' | 'updated'>;
  remove(serverId: string, type: string): Promise<void>;
  /** Encrypts with the first key all secrets that another one sealed; says how many. Afterwards old keys can go. */
  reseal(): Promise<number>;
  /** Adds the type that every inventory has. */
  seed(): Promise<void>;
}

const orders = { name: 'name', slug: 'slug', created_at: 'created_at' };

/** What credential types can be ordered by. */
export const credentialTypeOrders = Object.keys(orders);

/** The credentials kept in the store. */
export function createCredentials(context: InventoryContext): Credentials {
  const { database, newId } = context;
  const sealer = (): Sealer => {
    if (context.sealer === undefined) throw new InventoryError('noKeys', {});
    return context.sealer;
  };
  return {
    listTypes: (request) =>
      database.read(async (tx) => {
        const selection = {
          from: 'inventory_credential_types',
          columns: '*',
          where: new Where(),
          orders,
          tieBreak: 'id',
        };
        const { rows, total } = await selectPage(tx, selection, request);
        return { records: rows.map(readType), total };
      }),
    createType: ({ name, slug = slugOf(name) }) => {
      if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(slug))
        throw new InventoryError('badValue', { what: 'credential type' }, { problems: [`"${slug}" is no slug`] });
      const id = newId();
      return database.write(async (tx) => {
        if (!(await insertType(tx, { id, name, slug, isBuiltin: false })))
          throw new InventoryError('duplicate', { what: 'credential type', fields: 'slug', holder: slug });
        return { id, name, slug, isBuiltin: false, createdAt: tx.now, updatedAt: tx.now };
      });
    },
    get: (serverId, type) => {
      const opener = sealer();
      return database.read((tx) => getCredential(tx, opener, { serverId, type }));
    },
    put: (serverId, type, credential) => putCredential(context, sealer(), { serverId, type, credential }),
    remove: (serverId, type) =>
      database.write(async (tx) => {
        const place = await requirePlace(tx, serverId, type);
        const removed = await tx.run(
          'DELETE FROM inventory_credentials WHERE server_id = ? AND type_slug = ?',
          ...place,
        );
        if (removed === 0) throw missing(place);
      }),
    reseal: () => resealSecrets(context),
    seed: async () => {
      const id = newId();
      await database.write((tx) => insertType(tx, { id, name: 'BMC', slug: 'bmc', isBuiltin: true }));
    },
  };
}

async function insertType(
  tx: Transaction,
  type: { readonly id: string; readonly name: string; readonly slug: string; readonly isBuiltin: boolean },
): Promise<boolean> {
  const added = await tx.run(
    `INSERT INTO inventory_credential_types (id, name, slug, is_builtin, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ...[type.id, type.name, type.slug, type.isBuiltin ? 1 : 0, tx.now, tx.now],
  );
  return added > 0;
}

/** Server and type as they are stored. */
type Place = readonly [serverId: string, type: string];

async function requirePlace(tx: Transaction, serverId: string, type: string): Promise<Place> {
  const { id } = await requireServer(tx, serverId);
  const slug = type.toLowerCase();
  const row = await tx.first('SELECT slug FROM inventory_credential_types WHERE slug = ?', slug);
  if (row === undefined) throw new InventoryError('notFound', { what: 'credential type', id: type });
  return [id, slug];
}

function missing([serverId, type]: Place): InventoryError {
  return new InventoryError('notFound', { what: `credential ${type} of server`, id: serverId });
}

/** What a credential is sealed for. */
export function credentialPlace([serverId, type]: Place): string {
  return `server ${serverId}, ${type}`;
}

async function getCredential(
  tx: Transaction,
  sealer: Sealer,
  { serverId, type }: { readonly serverId: string; readonly type: string },
): Promise<Credential> {
  const place = await requirePlace(tx, serverId, type);
  const row = await tx.first('SELECT * FROM inventory_credentials WHERE server_id = ? AND type_slug = ?', ...place);
  if (row === undefined) throw missing(place);
  const opened = JSON.parse(sealer.open(credentialPlace(place), textOf(row, 'sealed'))) as {
    username: string;
    password: string;
  };
  return { ...opened, createdAt: numberOf(row, 'created_at'), updatedAt: numberOf(row, 'updated_at') };
}

function putCredential(
  { database }: InventoryContext,
  sealer: Sealer,
  wanted: {
    readonly serverId: string;
    readonly type: string;
    readonly credential: { username: string; password: string };
  },
): Promise<'created' | 'updated'> {
  const { username, password } = wanted.credential;
  return database.write(async (tx) => {
    const place = await requirePlace(tx, wanted.serverId, wanted.type);
    const sealed = sealer.seal(credentialPlace(place), JSON.stringify({ username, password }));
    const changed = await tx.run(
      'UPDATE inventory_credentials SET sealed = ?, updated_at = ? WHERE server_id = ? AND type_slug = ?',
      sealed,
      tx.now,
      ...place,
    );
    if (changed > 0) return 'updated';
    await tx.run(
      `INSERT INTO inventory_credentials (sealed, created_at, updated_at, server_id, type_slug)
       VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      ...[sealed, tx.now, tx.now, ...place],
    );
    return 'created';
  });
}

function readType(row: Row): CredentialType {
  return {
    id: textOf(row, 'id'),
    name: textOf(row, 'name'),
    slug: textOf(row, 'slug'),
    isBuiltin: numberOf(row, 'is_builtin') === 1,
    createdAt: numberOf(row, 'created_at'),
    updatedAt: numberOf(row, 'updated_at'),
  };
}
