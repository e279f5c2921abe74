import type { BmcIdentity } from '../../bmc/index.ts';
import { textOf } from '../conditions/condition-row.ts';
import { inList } from '../conditions/in-list.ts';
import type { Transaction } from '../store/database.ts';
import { isSameBmc, isSameMachine, marksOf } from './bmc-identity.ts';
import { readIdentity } from './machine-row.ts';

/** Machines whose BMC says the same of itself. */
export async function findByIdentity(tx: Transaction, identity: BmcIdentity): Promise<readonly string[]> {
  const marks = inList(marksOf(identity));
  const rows = await tx.all(
    `SELECT DISTINCT m.id, m.bmc_identity FROM bmc_marks b JOIN machines m ON m.id = b.machine_id
      WHERE b.mark IN ${marks.sql}`,
    ...marks.values,
  );
  const same = rows.filter((row) => isKnownSame(isSameBmc, identity, readIdentity(row)));
  return same.map((row) => textOf(row, 'id'));
}

function isKnownSame(
  isSame: (one: BmcIdentity, other: BmcIdentity) => boolean,
  one: BmcIdentity | undefined,
  other: BmcIdentity | undefined,
): boolean {
  return one !== undefined && other !== undefined && isSame(one, other);
}

/** Writes down what the BMC of a machine says of itself. */
export async function writeIdentity(tx: Transaction, id: string, identity: BmcIdentity): Promise<void> {
  await forgetIdentity(tx, id);
  await tx.run(`UPDATE machines SET bmc_identity = ? WHERE id = ?`, JSON.stringify(identity), id);
  for (const mark of marksOf(identity))
    await tx.run(`INSERT INTO bmc_marks (machine_id, mark) VALUES (?, ?)`, id, mark);
}

/** Nothing is known of the BMC of a machine until it is asked again. */
export async function forgetIdentity(tx: Transaction, id: string): Promise<void> {
  await tx.run(`UPDATE machines SET bmc_identity = NULL WHERE id = ? AND bmc_identity IS NOT NULL`, id);
  await tx.run(`DELETE FROM bmc_marks WHERE machine_id = ?`, id);
}

/** Records of the same machine, by machine; those that have none are missing. */
export async function findDuplicates(
  tx: Transaction,
  machineIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (machineIds.length === 0) return new Map();
  const list = inList(machineIds);
  const rows = await tx.all(
    `SELECT DISTINCT own.machine_id AS own_id, o.bmc_identity AS own_identity, m.id, m.bmc_identity
       FROM bmc_marks own JOIN machines o ON o.id = own.machine_id
       JOIN bmc_marks b ON b.mark = own.mark AND b.machine_id <> own.machine_id JOIN machines m ON m.id = b.machine_id
      WHERE own.machine_id IN ${list.sql} ORDER BY own.machine_id, m.id`,
    ...list.values,
  );
  const same = rows.filter((row) => {
    const own = readIdentity({ bmc_identity: row.own_identity ?? null });
    return isKnownSame(isSameMachine, own, readIdentity(row));
  });
  const byOwner = Map.groupBy(same, (row) => textOf(row, 'own_id'));
  return new Map([...byOwner].map(([id, all]) => [id, all.map((row) => textOf(row, 'id'))]));
}
