import type { Alias, AliasConflict, Machines } from '../../engine/index.ts';
import { isEngineError } from '../../engine/index.ts';
import { InventoryError } from '../errors.ts';
import type { ServerRecord } from './server.ts';

/** Where servers become machines that work can be done on; the engine's machines fit. */
export type MachineRegistry = Pick<Machines, 'get' | 'aliasesOf' | 'put' | 'remove' | 'duplicatesOf'>;

/** What vendors leave where a serial number should be: it names no machine. */
const placeholders = new Set(
  ['0123456789', '123456789', '1234567890', 'none', 'na', 'n/a', 'unknown', 'notspecified', 'defaultstring'].concat([
    'tobefilledbyo.e.m.',
    'systemserialnumber',
    'chassisserialnumber',
    'oem',
    '0',
    '00000000',
  ]),
);

/** The names by which a server is known. */
export function aliasesOf(server: Pick<ServerRecord, 'bmcAddress' | 'serial' | 'macs'>): Alias[] {
  const isNamed = server.serial !== '' && !placeholders.has(server.serial.toLowerCase().replaceAll(/\s/g, ''));
  return [
    ...(server.bmcAddress === '' ? [] : [{ kind: 'bmc-address', value: server.bmcAddress } as const]),
    ...(isNamed ? [{ kind: 'serial', value: server.serial } as const] : []),
    ...server.macs.map((value) => ({ kind: 'mac', value }) as const),
  ];
}

/**
 * Makes the machine of a server what the server says. Names that other doors gave the machine stay, and so does what
 * holds it; names that the server had before and has no more go. Throws `duplicateMachine`.
 */
export async function putMachine(
  machines: MachineRegistry,
  server: ServerRecord,
  about: { readonly before: ServerRecord | undefined; readonly isSameBmc?: boolean },
): Promise<void> {
  const outcome = await tryPut(machines, server, { ...about, without: [] });
  if (outcome !== 'ok') throw duplicateMachine(outcome);
}

/**
 * The same after an inventory: work on the server goes on, so names that other machines have are left to them. Gives what
 * is wrong then.
 */
export async function putObservedMachine(
  machines: MachineRegistry,
  server: ServerRecord,
  before: ServerRecord,
): Promise<readonly AliasConflict[]> {
  const without: Alias[] = [];
  const conflicts: AliasConflict[] = [];
  for (let tries = 0; tries < 3; tries++) {
    const outcome = await tryPut(machines, server, { before, without });
    if (outcome === 'ok') break;
    conflicts.push(...outcome);
    without.push(...outcome.map(({ alias }) => alias));
  }
  return conflicts;
}

/** Names that one machine has, for people. */
export function describeConflicts(conflicts: readonly AliasConflict[]): string {
  return duplicateMachine(conflicts).message;
}

interface PutOptions {
  readonly before: ServerRecord | undefined;
  readonly without: readonly Alias[];
  readonly isSameBmc?: boolean;
}

async function tryPut(
  machines: MachineRegistry,
  server: ServerRecord,
  { before, without, isSameBmc = false }: PutOptions,
): Promise<'ok' | readonly AliasConflict[]> {
  const old = new Set((before === undefined ? [] : aliasesOf(before)).map(keyOf));
  const present = await machines.get(server.id);
  const others = present === undefined ? [] : await machines.aliasesOf(server.id);
  // The inventory alone says where a BMC is.
  const kept = others.filter((alias) => alias.kind !== 'bmc-address' && !old.has(keyOf(alias)));
  const machine = {
    id: server.id,
    facility: server.facility,
    bmcId: server.bmcId === '' ? server.id : server.bmcId,
    manufacturer: server.vendor,
    model: server.model,
    hold: present?.hold,
  };
  const left = new Set(without.map(keyOf));
  const names = [...kept, ...aliasesOf(server)].filter((alias) => !left.has(keyOf(alias)));
  return await machines.put(machine, names, { isSameBmc }).catch((error: unknown) => rethrowBusy(error, server.id));
}

/** Takes the machine of a server away. Throws `busy` while work on it goes on. */
export async function removeMachine(machines: MachineRegistry, id: string): Promise<void> {
  await machines.remove(id).catch((error: unknown) => {
    if (isEngineError(error, 'unknownMachine')) return;
    rethrowBusy(error, id);
  });
}

function rethrowBusy(error: unknown, id: string): never {
  if (isEngineError(error, 'machineBusy'))
    throw new InventoryError('busy', { id, detail: error.message }, { cause: error });
  throw error;
}

function duplicateMachine(conflicts: readonly AliasConflict[]): InventoryError {
  const problems = conflicts.map(({ alias, heldBy, heldAs }) =>
    heldAs === undefined
      ? `${alias.kind} ${alias.value} belongs to machine ${heldBy}`
      : `${alias.kind} ${alias.value} is that of machine ${heldBy}, known as ${heldAs}: an address without a system means the only system of its BMC; where it has several, name the system in both`,
  );
  const record = { held_by: [...new Set(conflicts.map(({ heldBy }) => heldBy))] };
  return new InventoryError('duplicateMachine', { names: problems.join('; ') }, { problems, record });
}

function keyOf({ kind, value }: Alias): string {
  return `${kind} ${value.trim().toLowerCase()}`;
}
