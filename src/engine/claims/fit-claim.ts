import { textOf } from '../conditions/condition-row.ts';
import { forUpdate } from '../conditions/lock-lines.ts';
import type { EngineContext } from '../context.ts';
import type { Alias } from '../machine.ts';
import { isNamed } from '../machines/match-names.ts';
import type { Transaction } from '../store/database.ts';

/**
 * Locks the names of machines and claims: whoever comes second sees what the first has written. Comes before machines in
 * the order of locks.
 */
export async function lockClaims(context: EngineContext, tx: Transaction): Promise<void> {
  if (forUpdate(context) === '') return;
  await tx.first(`SELECT name FROM engine_facts WHERE name = 'claims'${forUpdate(context)}`);
}

/** Of addresses `a` and `n` of one BMC: those that mean one machine, since at least one of them names no system. */
export const isSameBmc = 'n.bmc = a.bmc AND (n.value = n.bmc OR a.value = a.bmc)';

/** Gives a machine the claim that fits its names; of several, the one it has, or the first by name, and a rival. */
export async function fitClaim(tx: Transaction, machineId: string): Promise<void> {
  const rows = await tx.all(
    `SELECT n.owner FROM aliases a JOIN claimed_names n ON n.kind = a.kind AND n.value = a.value WHERE a.machine_id = ?
     UNION SELECT n.owner FROM aliases a JOIN claimed_names n ON ${isSameBmc} WHERE a.machine_id = ?
     UNION SELECT owner FROM claimed_names WHERE kind = 'machine-id' AND value = ? ORDER BY owner`,
    machineId,
    machineId,
    machineId,
  );
  const owners: string[] = [];
  for (const row of rows) {
    const owner = textOf(row, 'owner');
    if (await isNamed(tx, await readClaimedNames(tx, owner), machineId)) owners.push(owner);
  }
  const machine = await tx.first(`SELECT claim_owner, claim_rival FROM machines WHERE id = ?`, machineId);
  const present = machine?.claim_owner ?? null;
  const fitting = owners.some((owner) => owner === present) ? present : (owners[0] ?? null);
  const rival = owners.find((owner) => owner !== fitting) ?? null;
  if (fitting === present && rival === (machine?.claim_rival ?? null)) return;
  await tx.run(`UPDATE machines SET claim_owner = ?, claim_rival = ? WHERE id = ?`, fitting, rival, machineId);
}

/** The names that an owner claims its machine by. */
export async function readClaimedNames(tx: Transaction, owner: string): Promise<readonly Alias[]> {
  const rows = await tx.all(`SELECT kind, value FROM claimed_names WHERE owner = ?`, owner);
  return rows.map((row) => ({ kind: textOf(row, 'kind') as Alias['kind'], value: textOf(row, 'value') }));
}
