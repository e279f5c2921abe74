import type { EngineContext } from '../context.ts';
import type { Transaction } from '../store/database.ts';
import type { HeldLease } from './report.ts';
import { requireLease } from './require-lease.ts';

/** The process that works under a lease which another leased. */
export interface LeaseHolder {
  /** By which the process sends heartbeats. */
  readonly workerId: string;
  /** How long it may be silent. */
  readonly lostAfterMs: number;
}

/** How the engine calls the process that a lease was handed over to. */
export function leaseHolderId({ conditionId, token }: HeldLease): string {
  return `job/${conditionId}/${token}`;
}

/**
 * Hands a lease over to a process that works under this one only, and promises what a worker does that is fenced by
 * heartbeats. Done again it changes nothing. Throws `leaseLost`.
 */
export async function handOverLease(context: EngineContext, lease: HeldLease): Promise<LeaseHolder> {
  const { conditionId } = lease;
  const holder = { workerId: leaseHolderId(lease), lostAfterMs: context.settings.controllerLostMs };
  await context.write(async (tx) => {
    await requireLease(tx, lease);
    // Nothing was sent under the lease before: what it sends from now on it says with its checks.
    const handOver = `UPDATE conditions SET controller = ?, request_until = COALESCE(request_until, 0) WHERE id = ?`;
    await tx.run(handOver, holder.workerId, conditionId);
    // One that was lost meanwhile stays so: its lease ends with the sweep that is under way.
    await tx.run(
      `INSERT INTO controllers (id, kinds, facilities, condition_id, lost_after_ms, is_online, seen_at, online_since)
       VALUES (?, '[]', '[]', ?, ?, 1, ?, ?)
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at WHERE controllers.is_online = 1`,
      ...[holder.workerId, conditionId, holder.lostAfterMs, tx.now, tx.now],
    );
  });
  return holder;
}

const isOfEndedLease = `condition_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM conditions c
  WHERE c.id = controllers.condition_id AND c.state = 'active' AND c.controller = controllers.id)`;

/** Forgets the processes that leases were handed over to, once those ended: nobody waits for their heartbeats. */
export async function forgetLeaseHolders(context: EngineContext): Promise<void> {
  const find = (tx: Transaction) => tx.first(`SELECT id FROM controllers WHERE ${isOfEndedLease}`);
  if ((await context.database.read(find)) === undefined) return;
  await context.write((tx) => tx.run(`DELETE FROM controllers WHERE ${isOfEndedLease}`));
}
