import type { Inventory } from '../../bmc/index.ts';
import type { JsonObject } from '../../engine/index.ts';
import { type Firmware, firmwareComponents, toFirmware } from '../../flasher/index.ts';
import { isSameVendor, isSameVersion } from '../../versions/index.ts';

/** What is to be installed, in the order in which it is. */
export function wantedOf(parameters: JsonObject): readonly Firmware[] {
  const list = Array.isArray(parameters.firmwares) ? parameters.firmwares : [];
  const order = (one: Firmware): number => firmwareComponents.indexOf(one.component);
  return list.map((one) => toFirmware(one as Parameters<typeof toFirmware>[0])).sort((a, b) => order(a) - order(b));
}

/** All slots that the firmware is for have its version, and there is one. */
export function isInstalled({ firmware: slots, system }: Inventory, { component, vendor, version }: Firmware): boolean {
  const own = slots.filter((slot) => slot.component === component && slot.isBackup !== true);
  const isServers = isSameVendor(vendor, system.manufacturer ?? '');
  const ofMaker = own.filter((slot) => isServers || slot.vendor === undefined || isSameVendor(slot.vendor, vendor));
  return ofMaker.length > 0 && ofMaker.every((slot) => isSameVersion(vendor, slot.version, version));
}
