import type { Hardware } from '../../machine/hardware.ts';
import { codeOf, labelAlphabet, type Random, uuidOf } from '../parts/fleet-numbers.ts';
import { type AdapterPlan, assembleHardware, type HardwarePlan } from '../parts/hardware-plan.ts';

/** OUI of HPE. */
export const hpeOui = '94:40:C9';
/** OUI of the maker of the fast adapters. */
export const mellanoxOui = '98:03:9B';

/** One ProLiant model. */
export interface HpeModel {
  readonly sku: string;
  readonly plan: HardwarePlan;
}

/** Places that every ProLiant has. */
export const hpePlaces = {
  processorSlots: ['Proc 1', 'Proc 2'],
  dimmSlots: ['PROC 1', 'PROC 2'].flatMap((processor) =>
    Array.from({ length: 8 }, (_, place) => `${processor} DIMM ${place + 1}`),
  ),
  driveSlots: Array.from({ length: 8 }, (_, bay) => `Port ${bay < 4 ? 1 : 2}I Box ${bay < 4 ? 1 : 2} Bay ${bay + 1}`),
  psuSlots: ['Bay 1', 'Bay 2'],
  bmcOui: hpeOui,
} as const;

/** An adapter. Ports are numbered through all adapters, so that a port's id is its own. */
export function hpeAdapter(
  part: { readonly model: string; readonly manufacturer: string; readonly oui: string; readonly speedMbps: number },
  place: { readonly slot: string; readonly firstPort: number; readonly ports: number },
): AdapterPlan {
  const portIds = Array.from({ length: place.ports }, (_, at) => String(place.firstPort + at));
  return { ...part, slot: place.slot, portIds };
}

/** A ProLiant of a known model. */
export function describeHpe(
  models: Readonly<Record<string, HpeModel>>,
  order: { readonly model: string; readonly index: number; readonly random: Random },
): Hardware {
  const known = models[order.model];
  if (known === undefined)
    throw new RangeError(
      `${order.model} is no model that is simulated: choose one of ${Object.keys(models).join(', ')}`,
    );
  const code = codeOf({ index: order.index, width: 7, alphabet: labelAlphabet });
  const identity = {
    model: order.model,
    sku: known.sku,
    serial: `CZJ${code}`,
    // Real ones spell the product number, byte by byte, before the serial number.
    uuid: uuidOf({ index: order.index, random: order.random, prefix: '38363739' }),
    boardSerial: `PYEXA0${code}`,
    bmcSerial: `ILOCZJ${code}`,
  };
  return assembleHardware(known.plan, identity, order);
}
