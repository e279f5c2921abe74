import { textOf } from '../conditions/condition-row.ts';
import type { Alias, MachineRecord } from '../machine.ts';
import type { Row } from '../store/database.ts';

const serverPrefix = 'server/';

/** The machine a target is, if it is one. */
export function machineIdOf(target: string): string | undefined {
  return target.startsWith(serverPrefix) ? target.slice(serverPrefix.length) : undefined;
}

/** The target that a machine is. */
export function targetOf(machineId: string): string {
  return `${serverPrefix}${machineId}`;
}

/** What exclusive work on a target locks: everything behind the BMC, or the target itself. */
export function lockKeyOf(target: string, machine: Pick<MachineRecord, 'bmcId'> | undefined): string {
  return machine === undefined ? target : `bmc/${machine.bmcId}`;
}

/** What the limit per model counts. */
export function modelKeyOf(machine: Pick<MachineRecord, 'manufacturer' | 'model'>): string {
  return `${machine.manufacturer}/${machine.model}`.toLowerCase();
}

/** Reads a row of `machines`. */
export function readMachine(row: Row): MachineRecord {
  return {
    id: textOf(row, 'id'),
    facility: textOf(row, 'facility'),
    bmcId: textOf(row, 'bmc_id'),
    manufacturer: textOf(row, 'manufacturer'),
    model: textOf(row, 'model'),
    hold: row.hold_code === null ? undefined : { code: textOf(row, 'hold_code'), message: textOf(row, 'hold_message') },
  };
}

/** MACs and addresses are written in either case; a name means one machine however it is written. */
export function nameOf(alias: Alias): [kind: string, value: string] {
  const isFolded = alias.kind === 'mac' || alias.kind === 'bmc-address';
  return [alias.kind, isFolded ? alias.value.trim().toLowerCase() : alias.value.trim()];
}
