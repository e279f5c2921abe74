import { readStored, type StoredCondition } from '../conditions/condition-row.ts';
import { inList } from '../conditions/in-list.ts';
import { lockLines } from '../conditions/lock-lines.ts';
import type { EngineContext } from '../context.ts';
import { carryFence } from '../leases/fence.ts';
import type { Transaction } from '../store/database.ts';
import { lockKeyOf, targetOf } from './machine-row.ts';
import { bmcsOfMachine, findOn, findPeers, freeBmcId, type StoredMachine } from './shared-bmc.ts';

/** Which lock machines of one BMC are to have, decided while their lines are locked. */
export interface Regrouping {
  /** Machines that share the lock from then on, as they are before. */
  readonly group: readonly StoredMachine[];
  readonly bmcId: string;
  /** Every lock key that one of the group has or gets. */
  readonly keys: readonly string[];
  /** Everything un-finalized on machines of the group. */
  readonly open: readonly StoredCondition[];
}

/**
 * Decides on the lock of a machine that is worked on, and of all that share its BMC, and locks them. A lock under which
 * others are at work stays as it is. Undefined where several of them are: they cannot become one now.
 */
export async function planRegrouping(
  context: EngineContext,
  tx: Transaction,
  { machine, own }: { readonly machine: StoredMachine; readonly own: string },
): Promise<Regrouping | undefined> {
  const bmcs = await bmcsOfMachine(tx, machine.id);
  const peers = await findPeers(context, tx, { ...machine, bmcs });
  const locks = [...new Set(peers.map(({ bmcId }) => bmcId))].sort();
  const joined = locks.length === 0 ? [] : await findOn(context, tx, locks);
  const group = [machine, ...joined.filter(({ id }) => id !== machine.id)];
  const fresh = locks.length === 0 ? await freeBmcId(tx, machine) : undefined;
  const present = [...new Set(group.map(({ bmcId }) => bmcId))];
  const keys = [...new Set([...present, ...(fresh === undefined ? [] : [fresh])])].map(keyOf);
  await lockLines(context, tx, keys);
  const ids = inList(group.map(({ id }) => id));
  const rows = await tx.all(
    `SELECT * FROM conditions WHERE machine_id IN ${ids.sql} AND finalized_at IS NULL`,
    ...ids.values,
  );
  const open = rows.map(readStored);
  const held = new Set(open.filter((one) => isHeld(one, own)).map(({ condition }) => condition.lockKey));
  if (held.size > 1) return undefined;
  const bmcId = fresh ?? locks.find((lock) => held.has(keyOf(lock))) ?? locks[0] ?? machine.bmcId;
  return { group, bmcId, keys, open };
}

function keyOf(bmcId: string): string {
  return lockKeyOf(targetOf(''), { bmcId });
}

function isHeld({ condition, sharing }: StoredCondition, own: string): boolean {
  return condition.id !== own && sharing === 'exclusive' && condition.state === 'active';
}

/** Gives all machines of the group the lock that was decided on, with what is asked for on them and what was left there. */
export async function regroup(tx: Transaction, { group, bmcId, keys }: Regrouping): Promise<void> {
  const moving = group.filter((one) => one.bmcId !== bmcId).map((one) => one.id);
  if (moving.length === 0) return;
  const lockKey = keyOf(bmcId);
  const ids = inList(moving);
  await tx.run(`UPDATE machines SET bmc_id = ? WHERE id IN ${ids.sql}`, bmcId, ...ids.values);
  await tx.run(
    `UPDATE conditions SET lock_key = ?, rev = rev + 1, updated_at = ? WHERE machine_id IN ${ids.sql}
       AND finalized_at IS NULL AND lock_key <> ?`,
    ...[lockKey, tx.now, ...ids.values, lockKey],
  );
  for (const from of keys) if (from !== lockKey) await carryFence(tx, { from, to: lockKey });
}
