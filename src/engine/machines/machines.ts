import { fitClaim, lockClaims } from '../claims/fit-claim.ts';
import { textOf } from '../conditions/condition-row.ts';
import { failCondition, joinAftermaths, tellAftermath } from '../conditions/finalize.ts';
import { forUpdate } from '../conditions/lock-lines.ts';
import { settleKeys } from '../conditions/settle-line.ts';
import type { EngineContext } from '../context.ts';
import type { Machines } from '../engine.ts';
import { EngineError } from '../errors.ts';
import type { ReadyWork } from '../hints.ts';
import type { Alias, AliasConflict, MachineRecord } from '../machine.ts';
import { type Transaction, UniqueViolation } from '../store/database.ts';
import { findDuplicates, forgetIdentity } from './lock-group.ts';
import { checkNames, findHolders, writeNames } from './machine-names.ts';
import { nameOf, readMachine } from './machine-row.ts';
import { findNamed } from './match-names.ts';
import { moveMachines, refuseIfBusy, writeMachine } from './move-machines.ts';
import { lockLinesOf, settleMachine } from './settle-machine.ts';
import { readStoredMachine, resolveBmc } from './shared-bmc.ts';

/** Machines and their names, kept in the engine's store. */
export function createMachines(context: EngineContext): Machines {
  const { database } = context;
  return {
    get: (id) => database.read((tx) => findMachine(tx, id)),
    findByAlias: (alias) =>
      database.read(async (tx) => {
        const ids = new Set((await findHolders(tx, alias)).map((row) => textOf(row, 'machine_id')));
        const [id, ...others] = ids;
        // An address without a system says nothing where its BMC has several.
        return id === undefined || others.length > 0 ? undefined : await findMachine(tx, id);
      }),
    findByNames: (names) =>
      database.read(async (tx) => {
        const id = await findNamed(tx, names);
        return id === undefined ? undefined : await findMachine(tx, id);
      }),
    aliasesOf: (id) =>
      database.read(async (tx) => {
        const rows = await tx.all(`SELECT kind, value FROM aliases WHERE machine_id = ? ORDER BY kind, value`, id);
        return rows.map((row) => ({ kind: textOf(row, 'kind') as Alias['kind'], value: textOf(row, 'value') }));
      }),
    duplicatesOf: (ids) => database.read((tx) => findDuplicates(tx, ids)),
    put: (machine, aliases, about) => putMachine(context, { machine, aliases, isSameBmc: about?.isSameBmc === true }),
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

interface Putting {
  readonly machine: MachineRecord;
  readonly aliases: readonly Alias[];
  /** Its BMC answers at the addresses given, whatever the old ones were. */
  readonly isSameBmc: boolean;
}

async function putMachine(context: EngineContext, put: Putting): Promise<'ok' | readonly AliasConflict[]> {
  const attempt = () => context.write((tx) => putIn(context, tx, put));
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
  { machine, aliases, isSameBmc }: Putting,
): Promise<{ readonly conflicts: readonly AliasConflict[]; readonly ready: readonly ReadyWork[] }> {
  await lockClaims(context, tx);
  const row = await tx.first(`SELECT * FROM machines WHERE id = ?${forUpdate(context)}`, machine.id);
  const before = row === undefined ? undefined : readStoredMachine(row);
  const wanted = [...new Map(aliases.map((alias) => [nameOf(alias).join(' '), alias])).values()];
  const { held, conflicts } = await checkNames(tx, machine.id, wanted);
  if (conflicts.length > 0) return { conflicts, ready: [] };
  const resolved = await resolveBmc(context, tx, { machine, before, aliases: wanted });
  const { bmcId, declaredBmcId, joining, isSame } = resolved;
  const isLeft = resolved.isLeft && !isSameBmc;
  // What the BMC at another address says of itself is not known yet.
  if (before !== undefined && !isSame) await forgetIdentity(tx, machine.id);
  const settled = { ...machine, bmcId, declaredBmcId };
  await writeMachine(tx, settled);
  const moves = [...joining.map((from) => ({ from, to: { ...from, bmcId } })), { from: before, to: settled, isLeft }];
  const keys = await moveMachines(context, tx, moves);
  await writeNames(tx, machine.id, { wanted, held });
  // Whoever owns it outside owns it from its first moment here: nothing can have been asked for before.
  await fitClaim(tx, machine.id);
  return { conflicts: [], ready: await settleKeys(tx, keys) };
}

/** Refused while work on it goes on; what only waits fails. */
async function removeMachine(context: EngineContext, id: string): Promise<void> {
  const aftermath = await context.write(async (tx) => {
    await findMachine(tx, id, forUpdate(context));
    await lockLinesOf(context, tx, { ids: [id] });
    const open = await refuseIfBusy(tx, id, 'removed');
    const reason = { code: 'MachineGone', message: `machine ${id} was removed` };
    const all = [];
    for (const { condition } of open) all.push(await failCondition(context, tx, { id: condition.id, reason }));
    await tx.run(`DELETE FROM aliases WHERE machine_id = ?`, id);
    await forgetIdentity(tx, id);
    await tx.run(`DELETE FROM outdated_machines WHERE machine_id = ?`, id);
    const removed = await tx.run(`DELETE FROM machines WHERE id = ?`, id);
    if (removed === 0) throw new EngineError('unknownMachine', { machine: id });
    return joinAftermaths(all);
  });
  tellAftermath(context, aftermath);
}
