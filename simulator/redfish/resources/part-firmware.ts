import type { ComponentType } from '../../images/component-type.ts';
import type { Machine } from '../../machine/machine.ts';

/** A part of the hardware that has firmware: by its slot, or else by its place among the parts of its kind. */
export interface PartPlace {
  readonly component: ComponentType;
  readonly slot: string;
  readonly index: number;
}

/** The version of the firmware on a part; empty where the machine tells of none. */
export function versionOn(machine: Machine, place: PartPlace): string {
  const slots = machine.firmware.filter(({ component }) => component === place.component);
  const own = slots.find(({ slot }) => slot === place.slot || slot.startsWith(`${place.slot}-`));
  return (own ?? slots[place.index] ?? slots[0])?.version ?? '';
}
