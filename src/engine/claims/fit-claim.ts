import { forUpdate } from '../conditions/lock-lines.ts';
import type { EngineContext } from '../context.ts';
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
     UNION SELECT n.owner FROM aliases a JOIN claimed_names n ON ${isSameBmc} WHERE a.machine_id = ? ORDER BY owner`,
    machineId,
    machineId,
  );
  const owners = rows.map((row) => row.owner ?? null);
  const machine = await tx.first(`SELECT claim_owner, claim_rival FROM machines WHERE id = ?`, machineId);
  const present = machine?.claim_owner ?? null;
  const fitting = owners.includes(present) ? present : (owners[0] ?? null);
  const rival = owners.find((owner) => owner !== fitting) ?? null;
  if (fitting === present && rival === (machine?.claim_rival ?? null)) return;
  await tx.run(`UPDATE machines SET claim_owner = ?, claim_rival = ? WHERE id = ?`, fitting, rival, machineId);
}
