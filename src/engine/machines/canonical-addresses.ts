import { lockClaims } from '../claims/fit-claim.ts';
import { textOf } from '../conditions/condition-row.ts';
import { settleKeys } from '../conditions/settle-line.ts';
import type { EngineContext } from '../context.ts';
import { isEngineError } from '../errors.ts';
import type { Alias } from '../machine.ts';
import type { Row, Transaction } from '../store/database.ts';
import { bmcOf, nameOf } from './machine-row.ts';
import { moveMachines } from './move-machines.ts';
import { chooseBmc, findOn } from './shared-bmc.ts';

const rowsAtOnce = 1000;

/** Addresses that older versions stored as they were written get their one spelling; each machine keeps its other names. */
export async function canonicaliseAddresses(context: EngineContext): Promise<void> {
  const { database } = context;
  const find = (tx: Transaction, table: string, order: string) =>
    tx.all(
      `SELECT * FROM ${table} a WHERE a.kind = 'bmc-address' AND a.bmc IS NULL ORDER BY ${order} LIMIT ${rowsAtOnce}`,
    );
  // Of two machines with one address, the one with a Kubernetes object keeps it.
  const serversFirst = `CASE WHEN EXISTS (SELECT 1 FROM aliases s WHERE s.machine_id = a.machine_id AND s.kind = 'server')
    THEN 0 ELSE 1 END, a.machine_id, a.value`;
  while ((await database.read((tx) => find(tx, 'aliases', serversFirst))).length > 0) {
    const duplicates = await context.write(async (tx) => {
      await lockClaims(context, tx);
      const found: Duplicate[] = [];
      for (const row of await find(tx, 'aliases', serversFirst)) found.push(...(await rewriteAlias(tx, row)));
      return found;
    });
    for (const duplicate of duplicates) warn(context, duplicate);
  }
  for (const duplicate of await context.write((tx) => dropOverlaps(context, tx))) warn(context, duplicate);
  while ((await database.read((tx) => find(tx, 'claimed_names', 'a.owner, a.value'))).length > 0) {
    await context.write(async (tx) => {
      await lockClaims(context, tx);
      for (const row of await find(tx, 'claimed_names', 'a.owner, a.value')) await rewriteClaimedName(tx, row);
    });
  }
}

const sameBmc = 'two machines have one BMC address: the first keeps it, both share one lock; delete one of the servers';

interface Duplicate {
  readonly address: string;
  readonly machine: string;
  readonly duplicate: string;
}

function warn({ logger }: EngineContext, duplicate: Duplicate): void {
  logger.warn(sameBmc, { ...duplicate });
}

/** An address without a system means the only system of its BMC: whoever names that keeps it. */
async function dropOverlaps(context: EngineContext, tx: Transaction): Promise<readonly Duplicate[]> {
  await lockClaims(context, tx);
  const rows = await tx.all(
    `SELECT a.value AS value, MIN(o.machine_id) AS holder, a.machine_id AS duplicate FROM aliases a JOIN aliases o
       ON o.bmc = a.bmc AND o.machine_id <> a.machine_id
      WHERE a.kind = 'bmc-address' AND a.value = a.bmc GROUP BY a.value, a.machine_id`,
  );
  const found = rows.map((row) => ({
    address: textOf(row, 'value'),
    machine: textOf(row, 'holder'),
    duplicate: textOf(row, 'duplicate'),
  }));
  for (const one of found) await dropName(tx, one);
  return found;
}

async function dropName(tx: Transaction, { address, machine, duplicate }: Duplicate): Promise<void> {
  await tx.run(`DELETE FROM aliases WHERE kind = 'bmc-address' AND value = ? AND machine_id = ?`, address, duplicate);
  const declaredOf = async (id: string) =>
    (await tx.first(`SELECT declared_bmc_id FROM machines WHERE id = ?`, id))?.declared_bmc_id;
  // Without the address only this says that it, and who was found to hang on its BMC before, hang on the other's.
  const [to, from] = [await declaredOf(machine), await declaredOf(duplicate)];
  await tx.run(`UPDATE machines SET declared_bmc_id = ? WHERE declared_bmc_id = ?`, to ?? null, from ?? null);
}

function aliasIn(row: Row): Alias {
  return { kind: 'bmc-address', value: textOf(row, 'value') };
}

async function rewriteAlias(tx: Transaction, row: Row): Promise<readonly Duplicate[]> {
  const alias = aliasIn(row);
  const duplicate = textOf(row, 'machine_id');
  const [, value] = nameOf(alias);
  const bmc = bmcOf(alias) ?? '';
  const holder = value === alias.value ? undefined : await findHolder(tx, value);
  if (holder === undefined) {
    await tx.run(
      `UPDATE aliases SET value = ?, bmc = ? WHERE kind = 'bmc-address' AND value = ?`,
      value,
      bmc,
      alias.value,
    );
    return [];
  }
  await tx.run(`UPDATE aliases SET bmc = ? WHERE kind = 'bmc-address' AND value = ?`, bmc, value);
  const found = { address: alias.value, machine: holder, duplicate };
  if (holder !== duplicate) {
    await dropName(tx, found);
    return [found];
  }
  await tx.run(`DELETE FROM aliases WHERE kind = 'bmc-address' AND value = ?`, alias.value);
  return [];
}

async function findHolder(tx: Transaction, value: string): Promise<string | undefined> {
  const row = await tx.first(`SELECT machine_id FROM aliases WHERE kind = 'bmc-address' AND value = ?`, value);
  return row === undefined ? undefined : textOf(row, 'machine_id');
}

async function rewriteClaimedName(tx: Transaction, row: Row): Promise<void> {
  const alias = aliasIn(row);
  const owner = textOf(row, 'owner');
  const [kind, value] = nameOf(alias);
  await tx.run(`DELETE FROM claimed_names WHERE kind = ? AND value = ? AND owner = ?`, kind, alias.value, owner);
  await tx.run(
    `INSERT INTO claimed_names (kind, value, bmc, owner) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, value, owner) DO UPDATE SET bmc = excluded.bmc`,
    ...[kind, value, bmcOf(alias) ?? '', owner],
  );
}

/**
 * Gives machines that hang on one BMC one lock. Those at work on two locks keep them until one is free: false then, and it
 * is to be called again.
 */
export async function shareBmcs(context: EngineContext): Promise<boolean> {
  const groups = await context.database.read((tx) =>
    tx.all(
      `SELECT MIN(m.bmc_id) AS one, MAX(m.bmc_id) AS other, a.bmc AS name FROM aliases a JOIN machines m
         ON m.id = a.machine_id WHERE a.bmc IS NOT NULL AND a.bmc <> '' GROUP BY a.bmc HAVING MIN(m.bmc_id) <> MAX(m.bmc_id)
       UNION SELECT MIN(bmc_id) AS one, MAX(bmc_id) AS other, declared_bmc_id AS name FROM machines
         GROUP BY declared_bmc_id HAVING MIN(bmc_id) <> MAX(bmc_id)`,
    ),
  );
  let isDone = true;
  for (const group of groups) isDone = (await shareOne(context, group)) && isDone;
  // Of three locks two have become one so far.
  return groups.length === 0 || (isDone && (await shareBmcs(context)));
}

async function shareOne(context: EngineContext, group: Row): Promise<boolean> {
  const candidates = [textOf(group, 'one'), textOf(group, 'other')];
  try {
    const ready = await context.write(async (tx) => {
      await lockClaims(context, tx);
      const bmcId = await chooseBmc(tx, candidates);
      const joining = await findOn(
        context,
        tx,
        candidates.filter((each) => each !== bmcId),
      );
      const keys = await moveMachines(
        context,
        tx,
        joining.map((from) => ({ from, to: { ...from, bmcId } })),
      );
      context.logger.warn('machines on one BMC share one lock from now on', {
        bmc: textOf(group, 'name'),
        lock: bmcId,
        moved: joining.map(({ id }) => id),
      });
      return await settleKeys(tx, keys);
    });
    context.hints.work(ready);
    return true;
  } catch (error) {
    if (!isEngineError(error, 'machineBusy')) throw error;
    context.logger.warn('machines on one BMC are both worked on, and share one lock as soon as one is free', {
      bmc: textOf(group, 'name'),
      locks: candidates,
      error,
    });
    return false;
  }
}
