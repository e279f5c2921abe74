import { readStored, type StoredCondition, textOf } from '../conditions/condition-row.ts';
import { failCondition, joinAftermaths, tellAftermath } from '../conditions/finalize.ts';
import { settleKeys } from '../conditions/settle-line.ts';
import type { EngineContext } from '../context.ts';
import type { Machines } from '../engine.ts';
import { EngineError } from '../errors.ts';
import type { ReadyWork } from '../hints.ts';
import type { Alias, AliasConflict, MachineRecord } from '../machine.ts';
import { type Transaction, UniqueViolation } from '../store/database.ts';
import { lockKeyOf, modelKeyOf, readMachine, targetOf } from './machine-row.ts';

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
      const ready = await database.write(async (tx) => {
        const changed = await tx.run(
          `UPDATE machines SET hold_code = ?, hold_message = ?, updated_at = ? WHERE id = ?`,
          hold?.code ?? null,
          hold?.message ?? null,
          tx.now,
          id,
        );
        if (changed === 0) throw new EngineError('unknownMachine', { machine: id });
        return await settleMachine(tx, id);
      });
      context.hints.work(ready);
    },
    remove: (id) => removeMachine(context, id),
  };
}

/** MACs and addresses are written in either case; a name means one machine however it is written. */
function nameOf(alias: Alias): [string, string] {
  const isFolded = alias.kind === 'mac' || alias.kind === 'bmc-address';
  return [alias.kind, isFolded ? alias.value.trim().toLowerCase() : alias.value.trim()];
}

async function findMachine(tx: Transaction, id: string): Promise<MachineRecord | undefined> {
  const row = await tx.first(`SELECT * FROM machines WHERE id = ?`, id);
  return row === undefined ? undefined : readMachine(row);
}

async function settleMachine(tx: Transaction, id: string): Promise<readonly ReadyWork[]> {
  const rows = await tx.all(
    `SELECT DISTINCT lock_key FROM conditions WHERE machine_id = ? AND finalized_at IS NULL`,
    id,
  );
  return await settleKeys(
    tx,
    rows.map((row) => textOf(row, 'lock_key')),
  );
}

async function putMachine(
  context: EngineContext,
  machine: MachineRecord,
  aliases: readonly Alias[],
): Promise<'ok' | readonly AliasConflict[]> {
  const attempt = () => context.database.write((tx) => putIn(tx, machine, aliases));
  // Two that claim one name at once: the unique index lets one have it, and the other looks again.
  const { conflicts, ready } = await attempt().catch((error: unknown) => {
    if (error instanceof UniqueViolation) return attempt();
    throw error;
  });
  context.hints.work(ready);
  return conflicts.length === 0 ? 'ok' : conflicts;
}

async function putIn(
  tx: Transaction,
  machine: MachineRecord,
  aliases: readonly Alias[],
): Promise<{ readonly conflicts: readonly AliasConflict[]; readonly ready: readonly ReadyWork[] }> {
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
  const before = await findMachine(tx, machine.id);
  // Work on it would go on under the lock of a BMC that is not its own any more.
  if (before !== undefined && before.bmcId !== machine.bmcId)
    await refuseIfBusy(tx, machine.id, 'moved to another BMC');
  await writeMachine(tx, machine);
  await writeAliases(tx, machine.id, { wanted, held });
  const ready = before === undefined ? [] : await moveConditions(tx, machine);
  return { conflicts: [], ready };
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

/** What waits follows its machine to another facility, model or BMC. */
async function moveConditions(tx: Transaction, machine: MachineRecord): Promise<readonly ReadyWork[]> {
  const place = [lockKeyOf(targetOf(machine.id), machine), machine.facility, modelKeyOf(machine)] as const;
  const left = await tx.all(
    `SELECT DISTINCT lock_key FROM conditions
      WHERE machine_id = ? AND state = 'pending' AND (lock_key <> ? OR facility <> ? OR model_key <> ?)`,
    machine.id,
    ...place,
  );
  if (left.length > 0) {
    await tx.run(
      `UPDATE conditions SET lock_key = ?, facility = ?, model_key = ?, rev = rev + 1, updated_at = ?
        WHERE machine_id = ? AND state = 'pending'`,
      ...place,
      tx.now,
      machine.id,
    );
  }
  const settled = await settleKeys(
    tx,
    left.map((row) => textOf(row, 'lock_key')),
  );
  return [...settled, ...(await settleMachine(tx, machine.id))];
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
  const aftermath = await context.database.write(async (tx) => {
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
