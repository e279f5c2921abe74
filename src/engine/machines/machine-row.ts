import { type BmcIdentity, tryParseBmcAddress } from '../../bmc/index.ts';
import type { Condition } from '../condition.ts';
import { textOf } from '../conditions/condition-row.ts';
import type { Alias, MachineRecord } from '../machine.ts';
import type { Row } from '../store/database.ts';

const serverPrefix = 'server/';

/** The machine a target is, if it is one. */
export function machineIdOf(target: string): string | undefined {
  return target.startsWith(serverPrefix) ? target.slice(serverPrefix.length) : undefined;
}

/** A target for people: the id of a machine, or the model as it is written in the parameters. */
export function readableTarget({ target, parameters }: Pick<Condition, 'target' | 'parameters'>): string {
  const { manufacturer, model } = parameters;
  const isModel = target.startsWith('model/') && typeof manufacturer === 'string' && typeof model === 'string';
  return isModel ? `model/${manufacturer}/${model}` : (machineIdOf(target) ?? target);
}

/** The target that a machine is. */
export function targetOf(machineId: string): string {
  return `${serverPrefix}${machineId}`;
}

/** What exclusive work on a target locks: everything behind the BMC, or the target itself. */
export function lockKeyOf(target: string, machine: Pick<MachineRecord, 'bmcId'> | undefined): string {
  return machine === undefined ? target : `bmc/${machine.bmcId}`;
}

/** What the BMC of a machine said of itself last; undefined where it was not asked yet. Reads a row of `machines`. */
export function readIdentity(row: Row): BmcIdentity | undefined {
  const text = row.bmc_identity ?? null;
  return text === null ? undefined : (JSON.parse(textOf(row, 'bmc_identity')) as BmcIdentity);
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

/** The one spelling of a name: addresses as `parseBmcAddress` reads them, MACs in small letters. */
export function nameOf(alias: Alias): [kind: string, value: string] {
  const { kind, value } = alias;
  if (kind === 'bmc-address') return [kind, tryParseBmcAddress(value)?.system ?? value.trim().toLowerCase()];
  return [kind, kind === 'mac' ? value.trim().toLowerCase() : value.trim()];
}

/** The BMC that an address leads to; undefined for other names. */
export function bmcOf({ kind, value }: Alias): string | undefined {
  return kind === 'bmc-address' ? tryParseBmcAddress(value)?.bmc : undefined;
}
