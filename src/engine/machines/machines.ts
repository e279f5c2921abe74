import { fitClaim, lockClaims } from '../claims/fit-claim.ts';
import { readStored, type StoredCondition, textOf } from '../conditions/condition-row.ts';
import { failCondition, joinAftermaths, tellAftermath } from '../conditions/finalize.ts';
import { forUpdate } from '../conditions/lock-lines.ts';
import { settleKeys } from '../conditions/settle-line.ts';
import type { EngineContext } from '../context.ts';
import type { Machines } from '../engine.ts';
import { EngineError } from '../errors.ts';
import type { ReadyWork } from '../hints.ts';
import { carryFence } from '../leases/fence.ts';
import type { Alias, AliasConflict, MachineRecord } from '../machine.ts';
import { type Transaction, UniqueViolation } from '../store/database.ts';
import { lockKeyOf, modelKeyOf, nameOf, readMachine, targetOf } from './machine-row.ts';
import { lockLinesOf, settleMachine } from './settle-machine.ts';

/** Machines and their names, kept in the engine's store. */
export function createMachines(context: EngineContext): Machines {
  const { database } = context;
  return {
    get: (id) => database.read((tx) => findMachine(tx, id)),
    findByAlias: (alias) =>
      database.read(async (tx) => {
        const held = await tx.first(`SELECT machine_id FROM aliases WHERE kind = ? AND value = ?`, ...nameOf(alias));
        return held === undefined ? undefined : await findMachine(tx, textOf(held, 'machine_id'));
      }),
    aliasesOf: (id) =>
      database.read(async (tx) => {
        const rows = await tx.all(`SELECT kind, value FROM aliases WHERE machine_id = ? ORDER BY kind, value`, id);
        return rows.map((row) => ({ kind: textOf(row, 'kind') as Alias['kind'], value: textOf(row, 'value') }));
      }),
    put: (machine, aliases) => putMachine(context, machine, aliases),
    async setHold(id, hold) {
      const ready = await context.write(async (tx) => {
        const changed = await tx.run(
          `UPDATE machines SET hold_code = ?, hold_message = ?, updated_at = ? WHERE id = ?`,
          hold?.code ?? null,
          hold?.message ?? null,
          tx.now,
          id,
        );
        if (changed === 0) throw new EngineError('unknownMachine', { machine: id });
        return await settleMachine(context, tx, id);
      });
      context.hints.work(ready);
    },
    remove: (id) => removeMachine(context, id),
  };
}

async function findMachine(tx: Transaction, id: string, lock = ''): Promise<MachineRecord | undefined> {
  const row = await tx.first(`SELECT * FROM machines WHERE id = ?${lock}`, id);
  return row === undefined ? undefined : readMachine(row);
}

async function putMachine(
  context: EngineContext,
  machine: MachineRecord,
  aliases: readonly Alias[],
): Promise<'ok' | readonly AliasConflict[]> {
  const attempt = () => context.write((tx) => putIn(context, tx, { machine, aliases }));
  // Two that claim one name at once: the unique index lets one have it, and the other looks again.
  const { conflicts, ready } = await attempt().catch((error: unknown) => {
    if (error instanceof UniqueViolation) return attempt();
    throw error;
  });
  context.hints.work(ready);
  return conflicts.length === 0 ? 'ok' : conflicts;
}

async function putIn(
  context: EngineContext,
  tx: Transaction,
  { machine, aliases }: { readonly machine: MachineRecord; readonly aliases: readonly Alias[] },
): Promise<{ readonly conflicts: readonly AliasConflict[]; readonly ready: readonly ReadyWork[] }> {
  await lockClaims(context, tx);
  const before = await findMachine(tx, machine.id, forUpdate(context));
  const wanted = [...new Map(aliases.map((alias) => [nameOf(alias).join(' '), alias])).values()];
  const conflicts: AliasConflict[] = [];
  const held = new Set<string>();
  for (const alias of wanted) {
    const row = await tx.first(`SELECT machine_id FROM aliases WHERE kind = ? AND value = ?`, ...nameOf(alias));
    if (row === undefined) continue;
    if (row.machine_id === machine.id) held.add(nameOf(alias).join(' '));
    else conflicts.push({ alias, heldBy: textOf(row, 'machine_id') });
  }
  if (conflicts.length > 0) return { conflicts, ready: [] };
  await writeMachine(tx, machine);
  const lockKey = lockKeyOf(targetOf(machine.id), machine);
  const left = before === undefined ? lockKey : lockKeyOf(targetOf(machine.id), before);
  const keys = await lockLinesOf(context, tx, { id: machine.id, alsoKeys: [left, lockKey] });
  // Work on it would go on under the lock of a BMC that is not its own any more.
  if (before !== undefined && before.bmcId !== machine.bmcId)
    await refuseIfBusy(tx, machine.id, 'moved to another BMC');
  await writeAliases(tx, machine.id, { wanted, held });
  // Whoever owns it outside owns it from its first moment here: nothing can have been asked for before.
  await fitClaim(tx, machine.id);
  if (before !== undefined && before.bmcId !== machine.bmcId) await carryFence(tx, { from: left, to: lockKey });
  if (keys.length === 0) return { conflicts: [], ready: [] };
  await moveConditions(tx, machine);
  return { conflicts: [], ready: await settleKeys(tx, [...keys, lockKey]) };
}

async function writeMachine(tx: Transaction, machine: MachineRecord): Promise<void> {
  const { id, facility, bmcId, manufacturer, model, hold } = machine;
  await tx.run(
    `INSERT INTO machines (id, facility, bmc_id, manufacturer, model, hold_code, hold_message, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET facility = excluded.facility, bmc_id = excluded.bmc_id,
       manufacturer = excluded.manufacturer, model = excluded.model, hold_code = excluded.hold_code,
       hold_message = excluded.hold_message, updated_at = excluded.updated_at`,
    ...[id, facility, bmcId, manufacturer, model, hold?.code ?? null, hold?.message ?? null, tx.now],
  );
}

/** The names given are all the names it has: those it had before and that are not given any more go. */
async function writeAliases(
  tx: Transaction,
  machineId: string,
  names: { readonly wanted: readonly Alias[]; readonly held: ReadonlySet<string> },
): Promise<void> {
  const wanted = new Set(names.wanted.map((alias) => nameOf(alias).join(' ')));
  const rows = await tx.all(`SELECT kind, value FROM aliases WHERE machine_id = ?`, machineId);
  for (const row of rows) {
    if (wanted.has(`${row.kind} ${row.value}`)) continue;
    await tx.run(`DELETE FROM aliases WHERE kind = ? AND value = ?`, textOf(row, 'kind'), textOf(row, 'value'));
  }
  for (const alias of names.wanted) {
    if (names.held.has(nameOf(alias).join(' '))) continue;
    await tx.run(`INSERT INTO aliases (kind, value, machine_id) VALUES (?, ?, ?)`, ...nameOf(alias), machineId);
  }
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
async function refuseIfBusy(tx: Transaction, id: string, what: string): Promise<readonly StoredCondition[]> {
  const rows = await tx.all(`SELECT * FROM conditions WHERE machine_id = ? AND finalized_at IS NULL`, id);
  const open = rows.map(readStored);
  const busy = open.filter((one) => one.condition.state === 'active' || one.isCancelUnsafe);
  if (busy.length === 0) return open;
  const conditions = busy.map(({ condition }) => `${condition.kind} ${condition.id}`).join(', ');
  throw new EngineError('machineBusy', { machine: id, what, conditions });
}

/** Refused while work on it goes on; what only waits fails. */
async function removeMachine(context: EngineContext, id: string): Promise<void> {
  const aftermath = await context.write(async (tx) => {
    await findMachine(tx, id, forUpdate(context));
    await lockLinesOf(context, tx, { id });
    const open = await refuseIfBusy(tx, id, 'removed');
    const reason = { code: 'MachineGone', message: `machine ${id} was removed` };
    const all = [];
    for (const { condition } of open) all.push(await failCondition(context, tx, { id: condition.id, reason }));
    await tx.run(`DELETE FROM aliases WHERE machine_id = ?`, id);
    const removed = await tx.run(`DELETE FROM machines WHERE id = ?`, id);
    if (removed === 0) throw new EngineError('unknownMachine', { machine: id });
    return joinAftermaths(all);
  });
  tellAftermath(context, aftermath);
}
