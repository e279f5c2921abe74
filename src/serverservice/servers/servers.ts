import { isBmcError, parseBmcAddress } from '../../bmc/index.ts';
import type { Transaction } from '../../engine/index.ts';
import type { Page, PageRequest } from '../../rest/index.ts';
import { compileAttributeFilters } from '../attributes/attribute-filter.ts';
import { check, putAttribute } from '../attributes/attributes.ts';
import { appendVersion } from '../attributes/versioned-attributes.ts';
import type { InventoryContext } from '../context.ts';
import { InventoryError, isInventoryError } from '../errors.ts';
import { selectPage } from '../sql/select-page.ts';
import { Where } from '../sql/where.ts';
import { addressProblem, checkId, checkServer } from './check-server.ts';
import { putMachine, removeMachine } from './machine-registry.ts';
import type { ServerDetails, ServerDraft, ServerFields, ServerQuery, ServerRecord } from './server.ts';
import { loadDetails } from './server-details.ts';
import { findServer, insertServer, readServer, updateServer } from './server-row.ts';

/** The servers of the inventory. */
export interface Servers {
  /** Throws `notFound`, also for a deleted one unless those are asked for. */
  get(id: string, options?: { readonly isWithDeleted?: boolean }): Promise<ServerRecord>;
  getDetails(id: string, options?: { readonly isWithDeleted?: boolean }): Promise<ServerDetails>;
  list(query: ServerQuery, request: PageRequest): Promise<Page<ServerRecord>>;
  /** The same with all that is known of each. */
  listDetails(query: ServerQuery, request: PageRequest): Promise<Page<ServerDetails>>;
  /**
   * Adds a server, which becomes a machine. One that was deleted comes back with its attributes. Throws `duplicate` when
   * the id is taken and `duplicateMachine` when another machine has its BMC address, serial number or a MAC.
   */
  create(draft: ServerDraft): Promise<ServerRecord>;
  /** Changes what is given and leaves the rest. */
  update(id: string, fields: Partial<ServerFields>): Promise<ServerRecord>;
  /** The same BMC answers at another address: unlike `update` this is taken while work on the server goes on. */
  moveBmc(id: string, bmcAddress: string): Promise<ServerRecord>;
  /** Marks it as deleted; its credentials go for good. Throws `busy` while work on it goes on. */
  remove(id: string): Promise<void>;
  /** Makes machines of servers where that was interrupted; says how many it looked at. */
  reconcile(): Promise<number>;
}

const orders = {
  created_at: 's.created_at',
  updated_at: 's.updated_at',
  name: 's.name',
  facility_code: 's.facility',
  vendor: 's.vendor',
  model: 's.model',
  serial: 's.serial',
};

/** What servers can be ordered by. */
export const serverOrders = Object.keys(orders);

/** The servers kept in the store. */
export function createServers(context: InventoryContext): Servers {
  const { database } = context;
  const list = (tx: Transaction, query: ServerQuery, request: PageRequest) =>
    listServers(context, tx, { query, request });
  const one = async <T extends ServerRecord>(server: T): Promise<T> =>
    (await withDuplicates(context, [server]))[0] ?? server;
  return {
    get: async (id, options = {}) => one(await database.read((tx) => requireServer(tx, id, options))),
    getDetails: async (id, options = {}) => {
      const found = await database.read(async (tx) => {
        const server = await requireServer(tx, id, options);
        const [details] = await loadDetails(tx, [server]);
        return details ?? { ...server, attributes: [], versionedAttributes: [], components: [] };
      });
      return one(found);
    },
    async list(query, request) {
      const { records, total } = await database.read((tx) => list(tx, query, request));
      return { records: await withDuplicates(context, records), total };
    },
    async listDetails(query, request) {
      const { records, total } = await database.read(async (tx) => {
        const page = await list(tx, query, request);
        return { ...page, records: await loadDetails(tx, page.records) };
      });
      return { records: await withDuplicates(context, records), total };
    },
    create: (draft) => createServer(context, draft),
    update: (id, fields) => changeServer(context, id, { fields, isSameBmc: false }),
    moveBmc: (id, bmcAddress) => changeServer(context, id, { fields: { bmcAddress }, isSameBmc: true }),
    remove: (id) => removeServer(context, id),
    reconcile: () => reconcileMachines(context),
  };
}

/** The server with this id; throws `notFound`. */
export async function requireServer(
  tx: Transaction,
  id: string,
  options: { readonly isWithDeleted?: boolean } = {},
): Promise<ServerRecord> {
  const server = await findServer(tx, id.toLowerCase());
  if (server === undefined || (server.deletedAt !== undefined && options.isWithDeleted !== true))
    throw new InventoryError('notFound', { what: 'server', id });
  return server;
}

/** Servers with the other records of their machines. */
async function withDuplicates<T extends ServerRecord>(
  { machines }: InventoryContext,
  servers: readonly T[],
): Promise<readonly T[]> {
  if (machines === undefined) return servers;
  const duplicates = await machines.duplicatesOf(servers.map(({ id }) => id));
  return servers.map((server) => ({ ...server, duplicates: duplicates.get(server.id) ?? [] }));
}

async function listServers(
  context: InventoryContext,
  tx: Transaction,
  { query, request }: { readonly query: ServerQuery; readonly request: PageRequest },
): Promise<Page<ServerRecord>> {
  const where = new Where()
    .addIf('s.facility = ?', query.facility)
    .addIf('s.name = ?', query.name)
    .addIf('lower(s.vendor) = lower(?)', query.vendor)
    .addIf('lower(s.model) = lower(?)', query.model)
    .addIf('s.serial = ?', query.serial);
  if (query.bmcAddress !== undefined) whereBmc(where, query.bmcAddress);
  if (query.isWithProblem === true) where.add('s.machine_problem IS NOT NULL');
  if (query.isWithDeleted !== true) where.add('s.deleted_at IS NULL');
  const target = { dialect: context.database.dialect, ownerKind: 'server', ownerColumn: 's.id' } as const;
  const groups = [
    { name: 'attr', filters: query.attributeFilters ?? [] },
    { name: 'ver_attr', filters: query.versionedAttributeFilters ?? [] },
  ] as const;
  for (const { name, filters } of groups) {
    if (filters.length === 0) continue;
    const { sql, values } = compileAttributeFilters(filters, { ...target, name });
    where.add(sql, ...values);
  }
  const selection = { from: 'inventory_servers s', columns: 's.*', where, orders, tieBreak: 's.id' };
  const { rows, total } = await selectPage(tx, selection, request);
  return { records: rows.map(readServer), total };
}

/** A server known by its BMC alone is its only system. */
function whereBmc(where: Where, address: string): void {
  const { bmc, system } = parseAddress(address);
  where.add('s.bmc = ?', bmc);
  if (system !== bmc) where.add('s.bmc_system IN (?, ?)', system, bmc);
}

function parseAddress(text: string): ReturnType<typeof parseBmcAddress> {
  try {
    return parseBmcAddress(text);
  } catch (error) {
    if (!isBmcError(error, 'badAddress')) throw error;
    throw new InventoryError('badFilter', { name: 'bmc-address' }, { problems: [error.message], cause: error });
  }
}

async function createServer(context: InventoryContext, draft: ServerDraft): Promise<ServerRecord> {
  const { database, machines } = context;
  const id = draft.id === undefined ? context.newId() : checkId(draft.id);
  const fields = { ...checkServer(draft), isMachinePending: machines !== undefined };
  const attributes = (draft.attributes ?? []).map(check);
  const versioned = (draft.versionedAttributes ?? []).map(check);
  const { server, before } = await database.write(async (tx) => {
    const found = await findServer(tx, id);
    if (found?.deletedAt === undefined && found !== undefined) throw taken(id);
    if (found !== undefined) await updateServer(tx, id, fields);
    else if ((await insertServer(tx, id, fields)) === 0) throw taken(id);
    for (const one of attributes) await putAttribute(tx, { kind: 'server', id }, one);
    for (const one of versioned) await appendVersion(tx, { kind: 'server', id }, one);
    return { server: await requireServer(tx, id), before: found };
  });
  if (machines === undefined) return server;
  try {
    await putMachine(machines, server, { before });
  } catch (error) {
    if (isInventoryError(error, 'duplicateMachine', 'busy')) await takeBack(context, server, before);
    throw error;
  }
  await settle(context, id, undefined);
  return server;
}

function taken(id: string): InventoryError {
  return new InventoryError('duplicate', { what: 'server', fields: 'uuid', holder: id }, { record: { uuid: id } });
}

/** A server that cannot be a machine is not created at all. */
async function takeBack(
  { database }: InventoryContext,
  { id }: ServerRecord,
  before: ServerRecord | undefined,
): Promise<void> {
  await database.write(async (tx) => {
    if (before !== undefined) {
      await updateServer(tx, id, { ...before, isMachinePending: false });
      await tx.run('UPDATE inventory_servers SET deleted_at = ? WHERE id = ?', before.deletedAt ?? tx.now, id);
      return;
    }
    await tx.run('DELETE FROM inventory_servers WHERE id = ?', id);
    await tx.run(`DELETE FROM inventory_attributes WHERE owner_kind = 'server' AND owner_id = ?`, id);
    await tx.run(`DELETE FROM inventory_versioned_attributes WHERE owner_kind = 'server' AND owner_id = ?`, id);
  });
}

export async function settle({ database }: InventoryContext, id: string, problem: string | undefined): Promise<void> {
  await database.write((tx) => writeProblem(tx, { id, machineProblem: problem }));
}

async function writeProblem(
  tx: Transaction,
  { id, machineProblem }: Pick<ServerRecord, 'id' | 'machineProblem'>,
): Promise<void> {
  const sql = 'UPDATE inventory_servers SET is_machine_pending = 0, machine_problem = ? WHERE id = ?';
  await tx.run(sql, machineProblem ?? null, id);
}

/** What the machine of a server is made of; other changes are no concern of the machine. */
export function isOtherMachine(before: ServerFields, after: ServerFields): boolean {
  const parts = ({ facility, vendor, model, serial, bmcId, bmcAddress, macs }: ServerFields) =>
    JSON.stringify([facility, vendor, model, serial, bmcId, bmcAddress, macs]);
  return parts(before) !== parts(after);
}

/**
 * The machine is changed first, since it may refuse. The server is marked before and the mark taken off with the change,
 * so that after a crash between the two the machine is put again as the server says.
 */
async function changeServer(
  context: InventoryContext,
  id: string,
  { fields: given, isSameBmc }: { readonly fields: Partial<ServerFields>; readonly isSameBmc: boolean },
): Promise<ServerRecord> {
  const { database, machines } = context;
  const plan = async (tx: Transaction) => {
    const before = await requireServer(tx, id);
    return { before, after: { ...before, ...checkChange(before, given) } };
  };
  const { before, after } = await database.write(async (tx) => {
    const planned = await plan(tx);
    if (machines !== undefined && isOtherMachine(planned.before, planned.after))
      await tx.run('UPDATE inventory_servers SET is_machine_pending = 1 WHERE id = ?', planned.before.id);
    return planned;
  });
  if (machines !== undefined && isOtherMachine(before, after)) {
    try {
      await putMachine(machines, after, { before, isSameBmc });
    } catch (error) {
      if (isInventoryError(error)) await settle(context, before.id, before.machineProblem);
      throw error;
    }
  }
  const changed = await database.write(async (tx) => {
    const current = await plan(tx);
    await updateServer(tx, current.before.id, { ...current.after, isMachinePending: false });
    const problem = isOtherMachine(before, after) ? addressProblem(after.bmcAddress) : current.before.machineProblem;
    await writeProblem(tx, { id: before.id, machineProblem: problem });
    // The next inventory says what is still wrong.
    if (isOtherMachine(before, after))
      await tx.run(`UPDATE inventory_servers SET contradictions = '[]' WHERE id = ?`, current.before.id);
    return requireServer(tx, id);
  });
  if (isOtherMachine(before, after)) await retryProblems(context);
  return changed;
}

/** An address that older versions took and that cannot be read stays until another one is given. */
function checkChange(before: ServerRecord, given: Partial<ServerFields>): ServerFields {
  const merged = { ...before, ...given };
  if (given.bmcAddress !== undefined) return checkServer(merged);
  return { ...checkServer({ ...merged, bmcAddress: '' }), bmcAddress: before.bmcAddress };
}

async function removeServer(context: InventoryContext, id: string): Promise<void> {
  const { database, machines } = context;
  const { id: known } = await database.read((tx) => requireServer(tx, id));
  if (machines !== undefined) await removeMachine(machines, known);
  await database.write(async (tx) => {
    await tx.run(
      `UPDATE inventory_servers SET deleted_at = ?, updated_at = ?, is_machine_pending = 0
        WHERE id = ? AND deleted_at IS NULL`,
      tx.now,
      tx.now,
      known,
    );
    await tx.run('DELETE FROM inventory_credentials WHERE server_id = ?', known);
  });
  await retryProblems(context);
}

async function reconcileMachines(context: InventoryContext): Promise<number> {
  return await putAgain(context, '(is_machine_pending = 1 OR machine_problem IS NOT NULL)');
}

/** A server that goes or moves may have had the name that keeps another one from being a machine. */
async function retryProblems(context: InventoryContext): Promise<void> {
  await putAgain(context, 'is_machine_pending = 0 AND machine_problem IS NOT NULL');
}

async function putAgain(context: InventoryContext, which: string): Promise<number> {
  const { database, machines, logger } = context;
  if (machines === undefined) return 0;
  const rows = await database.read((tx) =>
    tx.all(`SELECT * FROM inventory_servers WHERE deleted_at IS NULL AND ${which} ORDER BY id`),
  );
  for (const server of rows.map(readServer)) {
    try {
      await putMachine(machines, server, { before: undefined });
      await settle(context, server.id, addressProblem(server.bmcAddress));
    } catch (error) {
      if (!isInventoryError(error)) throw error;
      if (error.message !== server.machineProblem)
        logger.warn('a server is no machine', { server: server.id, problem: error.message });
      await settle(context, server.id, error.message);
    }
  }
  return rows.length;
}
