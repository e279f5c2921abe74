import { readStored } from '../conditions/condition-row.ts';
import { EngineError } from '../errors.ts';
import type { Transaction } from '../store/database.ts';
import { type HeldLease, heldLease, whyLost } from './report.ts';

/**
 * Throws `leaseLost` unless the lease is held by the store's clock, in somebody else's transaction: what is written in it
 * is stored only by who holds the lease at that moment.
 */
export async function requireLease(tx: Transaction, lease: HeldLease): Promise<void> {
  const { conditionId, token } = lease;
  // Changes nothing, but nobody can take the lease away before this transaction has ended.
  const hold = `UPDATE conditions SET rev = rev WHERE ${heldLease} RETURNING id`;
  if ((await tx.first(hold, conditionId, token, tx.now)) !== undefined) return;
  const row = await tx.first(`SELECT * FROM conditions WHERE id = ?`, conditionId);
  const detail = row === undefined ? 'the condition is gone' : whyLost(readStored(row).condition, lease, tx.now);
  throw new EngineError('leaseLost', { id: conditionId, detail });
}
