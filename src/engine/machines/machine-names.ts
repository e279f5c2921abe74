import { textOf } from '../conditions/condition-row.ts';
import type { Alias, AliasConflict } from '../machine.ts';
import type { Row, Transaction } from '../store/database.ts';
import { bmcOf, nameOf } from './machine-row.ts';

/** Names of one machine that it has already, and those that another machine has. */
export interface NameCheck {
  readonly held: ReadonlySet<string>;
  readonly conflicts: readonly AliasConflict[];
}

/** Looks up who has these names. */
export async function checkNames(tx: Transaction, machineId: string, names: readonly Alias[]): Promise<NameCheck> {
  const held = new Set<string>();
  const conflicts: AliasConflict[] = [];
  for (const alias of names) {
    for (const row of await findHolders(tx, alias)) {
      const heldBy = textOf(row, 'machine_id');
      const value = textOf(row, 'value');
      const isSame = value === nameOf(alias)[1];
      if (heldBy !== machineId) conflicts.push(isSame ? { alias, heldBy } : { alias, heldBy, heldAs: value });
      else if (isSame) held.add(nameOf(alias).join(' '));
    }
  }
  return { held, conflicts };
}

/**
 * The names that mean the machine of a name. An address without a system means the only system of its BMC, so that it
 * means the same machine as one that names a system there.
 */
export async function findHolders(tx: Transaction, alias: Alias): Promise<readonly Row[]> {
  const [kind, value] = nameOf(alias);
  if (kind === 'machine-id')
    return await tx.all(`SELECT id AS machine_id, id AS value FROM machines WHERE id = ?`, value);
  const bmc = bmcOf(alias);
  const select = 'SELECT machine_id, value FROM aliases WHERE';
  if (bmc === undefined) return await tx.all(`${select} kind = ? AND value = ?`, kind, value);
  if (bmc === value) return await tx.all(`${select} bmc = ? ORDER BY value, machine_id`, bmc);
  return await tx.all(`${select} kind = ? AND value IN (?, ?) ORDER BY value DESC`, kind, value, bmc);
}

/** The names given are all the names the machine has: those it had before and that are not given any more go. */
export async function writeNames(
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
    const values = [...nameOf(alias), bmcOf(alias) ?? null, machineId];
    await tx.run(`INSERT INTO aliases (kind, value, bmc, machine_id) VALUES (?, ?, ?, ?)`, ...values);
  }
}
