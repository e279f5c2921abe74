import { Validators } from '../../../rest/index.ts';
import type { MachineDetails } from '../../discovery-source.ts';
import { hardwareDetailsOf, type JsonObject, objectOf, objectsOf, textOf } from '../../ironic/index.ts';
import { AgentError } from '../errors.ts';
import { Introduction, inventoryLimits } from './introduction-shape.ts';
import { readLldp } from './lldp.ts';

/** An introduction that was checked. */
export interface ReadIntroduction {
  /** In lower case, each once, in the order of its interfaces. */
  readonly macs: readonly string[];
  readonly bootMac: string;
  readonly details: MachineDetails;
  readonly earlier?: { readonly id: string; readonly token: string } | undefined;
}

/** Reads introductions; throws `badInventory` with the reasons. */
export function createIntroductionReader(): (body: unknown) => ReadIntroduction {
  const check = new Validators().compileValue(Introduction);
  return (body) => {
    // Lists come first: checking each of a hundred thousand elements is what somebody hostile would want.
    const problems = lengthProblems(body);
    if (problems.length === 0) problems.push(...check(body).map((each) => each.replace(/^value/, 'body')));
    if (problems.length === 0) problems.push(...macProblems(body));
    if (problems.length > 0) throw new AgentError('badInventory', {}, { problems: problems.slice(0, 10) });
    return read(objectOf(body));
  };
}

function lengthProblems(body: unknown): string[] {
  const inventory = objectOf(objectOf(body).inventory);
  const lists: readonly [string, unknown, number][] = [
    ['interfaces', inventory.interfaces, inventoryLimits.interfaces],
    ['disks', inventory.disks, inventoryLimits.disks],
    ['cpu.flags', objectOf(inventory.cpu).flags, inventoryLimits.flags],
    ...objectsOf(inventory.interfaces)
      .slice(0, inventoryLimits.interfaces)
      .map(({ lldp }, index): [string, unknown, number] => [`interfaces.${index}.lldp`, lldp, inventoryLimits.lldp]),
  ];
  return lists
    .filter(([, list, most]) => Array.isArray(list) && list.length > most)
    .map(([name, , most]) => `body.inventory.${name}: must NOT have more than ${most} items`);
}

function macsIn(body: unknown): readonly string[] {
  const macs = objectsOf(objectOf(objectOf(body).inventory).interfaces).flatMap(
    (each) => textOf(each.mac_address)?.toLowerCase() ?? [],
  );
  return [...new Set(macs)];
}

/** Addresses that no NIC has: nothing, everybody, or a group. */
function macProblems(body: unknown): string[] {
  const macs = macsIn(body);
  if (macs.length === 0) return ['body.inventory.interfaces: none of them has a MAC address'];
  return macs
    .filter((mac) => mac === '00:00:00:00:00:00' || Number.parseInt(mac.slice(0, 2), 16) % 2 === 1)
    .map((mac) => `body.inventory.interfaces: ${mac} is not the address of one NIC`);
}

function read(body: JsonObject): ReadIntroduction {
  const inventory = objectOf(body.inventory);
  const macs = macsIn(body);
  const bootMac = bootMacIn(body, macs);
  const hardware = hardwareDetailsOf({ inventory, plugin_data: pluginData(inventory, bootMac) });
  const ip = (hardware.nics ?? []).find((nic) => nic.mac?.toLowerCase() === bootMac && nic.ip !== undefined)?.ip;
  const first = (hardware.nics ?? []).find((nic) => nic.ip !== undefined)?.ip;
  const earlier = objectOf(body.earlier);
  const [id, token] = [textOf(earlier.id), textOf(earlier.token)];
  return {
    macs,
    bootMac,
    details: {
      hardware,
      hostname: hardware.hostname,
      ip: ip ?? first,
      serialNumber: hardware.systemVendor?.serialNumber,
    },
    ...(id === undefined || token === undefined ? {} : { earlier: { id, token } }),
  };
}

/** The one that it says it booted from, if it has that one. */
function bootMacIn(body: JsonObject, macs: readonly string[]): string {
  const told = textOf(objectOf(objectOf(body.inventory).boot).pxe_interface)?.toLowerCase();
  // PXE puts the type of the hardware in front: 01 is Ethernet.
  const byPxe = /^01-((?:[0-9a-f]{2}-){5}[0-9a-f]{2})$/.exec((textOf(body.boot_interface) ?? '').toLowerCase())?.[1];
  const candidates = [told, byPxe?.replaceAll('-', ':')];
  return macs.find((mac) => candidates.includes(mac)) ?? macs[0] ?? '';
}

function pluginData(inventory: JsonObject, bootMac: string): JsonObject {
  const interfaces = objectsOf(inventory.interfaces);
  const by = (value: (each: JsonObject) => unknown) =>
    Object.fromEntries(interfaces.map((each) => [textOf(each.name) ?? '', value(each)]));
  return {
    all_interfaces: by((each) => ({ pxe_enabled: textOf(each.mac_address)?.toLowerCase() === bootMac })),
    parsed_lldp: by((each) => readLldp(each.lldp)),
  };
}
