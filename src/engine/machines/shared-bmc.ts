import type { BmcIdentity } from '../../bmc/index.ts';
import { textOf } from '../conditions/condition-row.ts';
import { inList } from '../conditions/in-list.ts';
import { forUpdate } from '../conditions/lock-lines.ts';
import type { EngineContext } from '../context.ts';
import type { Alias, MachineRecord } from '../machine.ts';
import type { Row, Transaction } from '../store/database.ts';
import { findByIdentity } from './lock-group.ts';
import { bmcOf, readIdentity, readMachine } from './machine-row.ts';

/** A machine as it is stored. */
export interface StoredMachine extends MachineRecord {
  /** The BMC that it was put with; `bmcId` is the one whose lock it shares. */
  readonly declaredBmcId: string;
  /** What its BMC said of itself last. */
  readonly identity: BmcIdentity | undefined;
}

/** Reads a row of `machines` with what only the engine needs. */
export function readStoredMachine(row: Row): StoredMachine {
  const machine = readMachine(row);
  const declaredBmcId = row.declared_bmc_id === null ? machine.bmcId : textOf(row, 'declared_bmc_id');
  return { ...machine, declaredBmcId, identity: readIdentity(row) };
}

/** The BMC of a machine, and the machines that have to move to it since they turn out to hang on it too. */
export interface SharedBmc {
  readonly bmcId: string;
  readonly declaredBmcId: string;
  readonly joining: readonly StoredMachine[];
  /** Its BMC is where it was. */
  readonly isSame: boolean;
  /** It gives up an address of its BMC: from then on another machine may have that. */
  readonly isLeft: boolean;
}

/** A machine that is put. */
export interface PutMachine {
  readonly machine: MachineRecord;
  readonly before: StoredMachine | undefined;
  readonly aliases: readonly Alias[];
}

/**
 * Finds the BMC whose lock a machine shares: that of any machine with an address of the same BMC, put with the same BMC
 * id, or whose BMC says the same of itself. Without any it keeps the one it has while nothing else is said of it.
 */
export async function resolveBmc(context: EngineContext, tx: Transaction, put: PutMachine): Promise<SharedBmc> {
  const { machine, before } = put;
  // What was read from here carries the BMC it shares, not the one it was declared with.
  const declaredBmcId = machine.bmcId === before?.bmcId ? before.declaredBmcId : machine.bmcId;
  const bmcs = bmcsOf(put.aliases);
  const known = new Set(await bmcsOfMachine(tx, machine.id));
  const hasSameBmcs = known.symmetricDifference(new Set(bmcs)).size === 0;
  const isSame = before?.declaredBmcId === declaredBmcId && hasSameBmcs;
  const isLeft = !known.isSubsetOf(new Set(bmcs));
  const own = isSame ? before.bmcId : undefined;
  const identity = isSame ? before.identity : undefined;
  const peers = await findPeers(context, tx, { id: machine.id, declaredBmcId, bmcs, identity });
  if (peers.length === 0) {
    const bmcId = own ?? (await freeBmcId(tx, { id: machine.id, declaredBmcId }));
    return { bmcId, declaredBmcId, joining: [], isSame, isLeft };
  }
  const candidates = new Set([...(own === undefined ? [] : [own]), ...peers.map((peer) => peer.bmcId).sort()]);
  const bmcId = await chooseBmc(tx, [...candidates]);
  const others = [...candidates].filter((each) => each !== bmcId);
  const joining = others.length === 0 ? [] : await findOn(context, tx, others);
  return { bmcId, declaredBmcId, joining: joining.filter((one) => one.id !== machine.id), isSame, isLeft };
}

/** A lock that no other machine has: one whose BMC was taken for this one may have kept its name. */
export async function freeBmcId(
  tx: Transaction,
  { id, declaredBmcId }: { readonly id: string; readonly declaredBmcId: string },
): Promise<string> {
  const taken = await tx.first(`SELECT id FROM machines WHERE bmc_id = ? AND id <> ?`, declaredBmcId, id);
  return taken === undefined ? declaredBmcId : `${declaredBmcId}/${id}`;
}

/** The BMCs that names lead to. */
export function bmcsOf(aliases: readonly Alias[]): readonly string[] {
  return [...new Set(aliases.flatMap((alias) => bmcOf(alias) ?? []))];
}

/** The BMCs that the addresses of a machine lead to now. */
export async function bmcsOfMachine(tx: Transaction, machineId: string): Promise<readonly string[]> {
  const rows = await tx.all(`SELECT DISTINCT bmc FROM aliases WHERE machine_id = ? AND bmc <> ''`, machineId);
  return rows.map((row) => textOf(row, 'bmc'));
}

/** Of several, the one where work goes on, since work keeps its lock; else the first. */
export async function chooseBmc(tx: Transaction, [first = '', ...others]: readonly string[]): Promise<string> {
  if (others.length === 0) return first;
  const list = inList([first, ...others].map((bmcId) => `bmc/${bmcId}`));
  const busy = await tx.all(
    `SELECT DISTINCT lock_key FROM conditions WHERE finalized_at IS NULL AND lock_key IN ${list.sql}
       AND (state = 'active' OR is_cancel_unsafe = 1)`,
    ...list.values,
  );
  const working = new Set(busy.map((row) => textOf(row, 'lock_key')));
  return [first, ...others].find((bmcId) => working.has(`bmc/${bmcId}`)) ?? first;
}

/** A machine as far as others that share its BMC are found by it. */
export interface BmcTraces {
  readonly id: string;
  readonly declaredBmcId: string;
  /** The BMCs that its addresses lead to. */
  readonly bmcs: readonly string[];
  readonly identity: BmcIdentity | undefined;
}

/** Machines with the same BMC, locked: by its address, by its id, or by what it says of itself. */
export async function findPeers(
  context: EngineContext,
  tx: Transaction,
  { id, declaredBmcId, bmcs, identity }: BmcTraces,
): Promise<readonly StoredMachine[]> {
  const list = inList(bmcs);
  const marked = identity === undefined ? [] : await findByIdentity(tx, identity);
  const rows = await tx.all(
    `SELECT id FROM machines WHERE declared_bmc_id = ?
     UNION SELECT machine_id AS id FROM aliases WHERE bmc IN ${list.sql}`,
    declaredBmcId,
    ...list.values,
  );
  const all = new Set([...rows.map((row) => textOf(row, 'id')), ...marked]);
  const ids = [...all].filter((each) => each !== id);
  return ids.length === 0 ? [] : await findMachines(context, tx, { column: 'id', values: ids });
}

/** All machines on these BMCs, locked. */
export function findOn(
  context: EngineContext,
  tx: Transaction,
  bmcIds: readonly string[],
): Promise<readonly StoredMachine[]> {
  return findMachines(context, tx, { column: 'bmc_id', values: bmcIds });
}

async function findMachines(
  context: EngineContext,
  tx: Transaction,
  { column, values }: { readonly column: 'id' | 'bmc_id'; readonly values: readonly string[] },
): Promise<readonly StoredMachine[]> {
  const list = inList(values);
  const sql = `SELECT * FROM machines WHERE ${column} IN ${list.sql} ORDER BY id${forUpdate(context)}`;
  return (await tx.all(sql, ...list.values)).map(readStoredMachine);
}
