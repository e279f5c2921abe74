import { readStored, type StoredCondition } from '../conditions/condition-row.ts';
import type { EngineContext } from '../context.ts';
import { EngineError } from '../errors.ts';
import { carryFence } from '../leases/fence.ts';
import type { MachineRecord } from '../machine.ts';
import type { Transaction } from '../store/database.ts';
import { lockKeyOf, modelKeyOf, targetOf } from './machine-row.ts';
import { lockLinesOf } from './settle-machine.ts';
import type { StoredMachine } from './shared-bmc.ts';

/** A machine before a change and after it. */
export interface Move {
  readonly from: MachineRecord | undefined;
  readonly to: Omit<StoredMachine, 'identity'>;
  /** It gives up an address of its BMC. */
  readonly isLeft?: boolean;
}

/** Takes what is not final along with machines that changed. Gives the lock keys to be settled: none when nothing waits. */
export async function moveMachines(
  context: EngineContext,
  tx: Transaction,
  moves: readonly Move[],
): Promise<readonly string[]> {
  const keyOf = (machine: MachineRecord): string => lockKeyOf(targetOf(machine.id), machine);
  const alsoKeys = [...new Set(moves.flatMap(({ from, to }) => [keyOf(from ?? to), keyOf(to)]))].sort();
  const keys = await lockLinesOf(context, tx, { ids: moves.map(({ to }) => to.id), alsoKeys });
  for (const { from, to, isLeft = false } of moves) {
    if (from === undefined || (from.bmcId === to.bmcId && !isLeft)) continue;
    // Work on it would go on under the lock of a BMC that is not its own any more, and another machine could get the BMC.
    await refuseIfBusy(tx, to.id, 'moved to another BMC');
    if (from.bmcId === to.bmcId) continue;
    await writeMachine(tx, to);
    await carryFence(tx, { from: keyOf(from), to: keyOf(to) });
  }
  if (keys.length === 0) return [];
  for (const { to } of moves) await moveConditions(tx, to);
  return [...new Set([...keys, ...moves.map(({ to }) => keyOf(to))])];
}

export async function writeMachine(tx: Transaction, machine: Omit<StoredMachine, 'identity'>): Promise<void> {
  const { id, facility, bmcId, declaredBmcId, manufacturer, model, hold } = machine;
  await tx.run(
    `INSERT INTO machines (id, facility, bmc_id, declared_bmc_id, manufacturer, model, hold_code, hold_message, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET facility = excluded.facility, bmc_id = excluded.bmc_id,
       declared_bmc_id = excluded.declared_bmc_id, manufacturer = excluded.manufacturer, model = excluded.model,
       hold_code = excluded.hold_code, hold_message = excluded.hold_message, updated_at = excluded.updated_at`,
    ...[id, facility, bmcId, declaredBmcId, manufacturer, model, hold?.code ?? null, hold?.message ?? null, tx.now],
  );
}

/**
 * What is not final follows its machine to another facility, model or BMC. What is worked on does so too, so that it goes
 * on there if its lease ends; its lock key is the same, since a machine at work keeps its BMC.
 */
async function moveConditions(tx: Transaction, machine: MachineRecord): Promise<void> {
  const place = [lockKeyOf(targetOf(machine.id), machine), machine.facility, modelKeyOf(machine)] as const;
  await tx.run(
    `UPDATE conditions SET lock_key = ?, facility = ?, model_key = ?, rev = rev + 1, updated_at = ?
      WHERE machine_id = ? AND finalized_at IS NULL AND (lock_key <> ? OR facility <> ? OR model_key <> ?)`,
    ...place,
    tx.now,
    machine.id,
    ...place,
  );
}

/** Throws `machineBusy` while work goes on, also on a BMC that a worker left in the middle of a flash. */
export async function refuseIfBusy(tx: Transaction, id: string, what: string): Promise<readonly StoredCondition[]> {
  const rows = await tx.all(`SELECT * FROM conditions WHERE machine_id = ? AND finalized_at IS NULL`, id);
  const open = rows.map(readStored);
  const busy = open.filter((one) => one.condition.state === 'active' || one.condition.isCancelUnsafe);
  if (busy.length === 0) return open;
  const conditions = busy.map(({ condition }) => `${condition.kind} ${condition.id}`).join(', ');
  throw new EngineError('machineBusy', { machine: id, what, conditions });
}
