import { textOf } from '../conditions/condition-row.ts';
import type { Alias } from '../machine.ts';
import type { Transaction } from '../store/database.ts';
import { findHolders } from './machine-names.ts';
import { bmcOf, nameOf } from './machine-row.ts';

/** A machine and the names that it is known by. */
export interface NamedMachine {
  readonly id: string;
  readonly aliases: readonly Alias[];
}

/** The strongest evidence first: an id is what the BMC told, and several servers of a chassis may share a serial number. */
const byStrength: readonly Alias['kind'][] = ['machine-id', 'bmc-address', 'baremetalhost', 'server', 'mac', 'serial'];

/**
 * The machine that somebody outside means by these names. The strongest name that leads to one machine decides; names
 * of a machine that cannot be meant are passed over.
 */
export async function findNamed(tx: Transaction, names: readonly Alias[]): Promise<string | undefined> {
  for (const kind of byStrength) {
    for (const name of names) {
      if (name.kind !== kind) continue;
      const [id, ...others] = new Set((await findHolders(tx, name)).map((row) => textOf(row, 'machine_id')));
      // An address without a system says nothing where its BMC has several.
      if (id !== undefined && others.length === 0 && (await isNamed(tx, names, id))) return id;
    }
  }
  return undefined;
}

/** Whether a machine that has some of these names can be the one that is meant by them. */
export async function isNamed(tx: Transaction, names: readonly Alias[], machineId: string): Promise<boolean> {
  const rows = await tx.all(`SELECT kind, value FROM aliases WHERE machine_id = ?`, machineId);
  const aliases = rows.map(
    (row): Alias => ({ kind: textOf(row, 'kind') as Alias['kind'], value: textOf(row, 'value') }),
  );
  const ids = names.flatMap(({ kind, value }) => (kind === 'machine-id' && value !== machineId ? [value] : []));
  let isOtherKnown = false;
  for (const id of ids) isOtherKnown ||= (await tx.first(`SELECT id FROM machines WHERE id = ?`, id)) !== undefined;
  return isMatch(names, { id: machineId, aliases }, { isOtherKnown });
}

/**
 * Whether names mean a machine. Its address and its id decide. By MACs and serial number it is found where the engine has
 * no machine of that id (`isOtherKnown`): they are of the last inspection, and the host may have moved since.
 */
export function isMatch(
  names: readonly Alias[],
  { id, aliases }: NamedMachine,
  { isOtherKnown }: { readonly isOtherKnown: boolean },
): boolean {
  const pairs = names.flatMap((name) => aliases.map((alias) => compareAddresses(name, alias)));
  if (pairs.includes('same')) return true;
  if (pairs.includes('other-system')) return false;
  if (names.some(({ kind, value }) => kind === 'machine-id' && value === id)) return true;
  if (isOtherKnown) return false;
  const shared = new Set(sharedNames(names, aliases).map(({ kind }) => kind));
  if (shared.size === 0) return false;
  // The servers of one chassis may tell its serial number as theirs; their NICs tell them apart.
  const haveBothMacs = [names, aliases].every((all) => all.some(({ kind }) => kind === 'mac'));
  return !(shared.size === 1 && shared.has('serial') && haveBothMacs);
}

function sharedNames(names: readonly Alias[], aliases: readonly Alias[]): readonly Alias[] {
  const known = new Set(aliases.map((alias) => nameOf(alias).join(' ')));
  return names.filter((name) => name.kind !== 'bmc-address' && known.has(nameOf(name).join(' ')));
}

/** Two addresses of one BMC mean one machine if they name the same system, or if one of them names none. */
function compareAddresses(one: Alias, other: Alias): 'same' | 'other-system' | 'nothing' {
  if (one.kind !== 'bmc-address' || other.kind !== 'bmc-address') return 'nothing';
  const [[, value], [, otherValue]] = [nameOf(one), nameOf(other)];
  if (value === otherValue) return 'same';
  const bmc = bmcOf(one);
  if (bmc === undefined || bmc !== bmcOf(other)) return 'nothing';
  return value === bmc || otherValue === bmc ? 'same' : 'other-system';
}
