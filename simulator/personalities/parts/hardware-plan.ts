import type { DrivePart, Hardware, ProcessorPart } from '../../machine/hardware.ts';
import { codeOf, hashOf, labelAlphabet, macOf, pick, type Random } from './fleet-numbers.ts';

/** A processor a model comes with. */
export type ProcessorChoice = Omit<ProcessorPart, 'slot'>;

/** A memory module a model comes with. */
export interface DimmChoice {
  readonly manufacturer: string;
  readonly partNumber: string;
  readonly capacityMib: number;
  readonly speedMhz: number;
}

/** A disk a model comes with. */
export type DriveChoice = Omit<DrivePart, 'slot' | 'serial'>;

/** A network adapter a model comes with. */
export interface AdapterPlan {
  readonly slot: string;
  readonly model: string;
  readonly manufacturer: string;
  /** Of the adapter's maker, or of the server's where it is on the board. */
  readonly oui: string;
  readonly portIds: readonly string[];
  readonly speedMbps: number;
}

/** What goes into the servers of one model; every server has equal parts of a kind, drawn once. */
export interface HardwarePlan {
  readonly processorSlots: readonly string[];
  readonly processors: readonly [ProcessorChoice, ...ProcessorChoice[]];
  readonly dimmSlots: readonly string[];
  readonly dimms: readonly [DimmChoice, ...DimmChoice[]];
  readonly driveSlots: readonly string[];
  readonly drives: readonly [DriveChoice, ...DriveChoice[]];
  readonly adapters: readonly AdapterPlan[];
  readonly psuSlots: readonly string[];
  readonly psuModels: readonly [string, ...string[]];
  /** Of the BMC's own network port. */
  readonly bmcOui: string;
}

/** What tells one server from another of its model. */
export interface Identity {
  readonly model: string;
  readonly sku: string;
  readonly serial: string;
  readonly uuid: string;
  readonly boardSerial: string;
  readonly bmcSerial: string;
}

/** Puts a server together. Draws one number a kind of part, so that a seed gives the same server for ever. */
export function assembleHardware(
  plan: HardwarePlan,
  identity: Identity,
  order: { readonly index: number; readonly random: Random },
): Hardware {
  const processor = pick(order.random, plan.processors);
  const dimm = pick(order.random, plan.dimms);
  const drive = pick(order.random, plan.drives);
  const psu = pick(order.random, plan.psuModels);
  const serialOf = partSerials(order.index);
  let port = 0;
  return {
    ...identity,
    bmcMac: macOf({ oui: plan.bmcOui, index: order.index, port }),
    processors: plan.processorSlots.map((slot) => ({ slot, ...processor })),
    dimms: plan.dimmSlots.map((slot) => ({ slot, ...dimm, serial: serialOf(`dimm ${slot}`, 8) })),
    drives: plan.driveSlots.map((slot) => ({ slot, ...drive, serial: serialOf(`drive ${slot}`, 14) })),
    nics: plan.adapters.map((adapter) => ({
      slot: adapter.slot,
      model: adapter.model,
      manufacturer: adapter.manufacturer,
      serial: serialOf(`nic ${adapter.slot}`, 12),
      ports: adapter.portIds.map((id) => {
        port += 1;
        return { id, mac: macOf({ oui: adapter.oui, index: order.index, port }), speedMbps: adapter.speedMbps };
      }),
    })),
    psus: plan.psuSlots.map((slot) => ({ slot, model: psu, serial: serialOf(`psu ${slot}`, 12) })),
  };
}

/** Serial numbers of a server's parts: four characters of the place, then the server's own code. */
function partSerials(index: number): (place: string, width: number) => string {
  const own = codeOf({ index, width: 5, alphabet: labelAlphabet });
  return (place, width) => codeOf({ index: hashOf(place), width: width - own.length, alphabet: labelAlphabet }) + own;
}

/** `A1` to `A8` and `B1` to `B8`, and so on: slots numbered from 1 behind each prefix. */
export function slotsOf(prefixes: readonly string[], count: number): string[] {
  return prefixes.flatMap((prefix) => Array.from({ length: count }, (_, place) => `${prefix}${place + 1}`));
}
