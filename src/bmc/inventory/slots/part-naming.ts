import type { FirmwareSlot, VendorName } from '../../bmc.ts';
import { dellPartNaming } from './dell.ts';
import { hpePartNaming } from './hpe.ts';
import { lenovoPartNaming } from './lenovo.ts';

/** How a vendor's firmware inventory refers to adapters, controllers and drives where it has no links to them. */
export interface PartNaming {
  /** Ids that the resource of the part in a slot may have, the most exact first. */
  getIds(slot: Pick<FirmwareSlot, 'slot' | 'name'>): readonly string[];
  /** Maker of parts that have the vendor's own product names. */
  getMaker?(name: string): string | undefined;
}

const standardNaming: PartNaming = { getIds: ({ slot }) => [slot] };

const namings: Partial<Record<VendorName, PartNaming>> = {
  dell: dellPartNaming,
  hpe: hpePartNaming,
  lenovo: lenovoPartNaming,
};

/** How a vendor refers to parts. */
export function partNamingFor(vendor: VendorName): PartNaming {
  return namings[vendor] ?? standardNaming;
}
