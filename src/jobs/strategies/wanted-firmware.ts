import type { FirmwareSlot, Inventory } from '../../bmc/index.ts';
import type { JsonObject } from '../../engine/index.ts';
import { type Firmware, idsOf, isForSlot, toFirmware } from '../../flasher/index.ts';
import { firmwareComponents } from '../../parts/index.ts';
import { isSameVendor, isSameVersion } from '../../versions/index.ts';
import { JobError } from '../errors.ts';

/** What is to be installed, in the order in which it is. */
export function wantedOf(parameters: JsonObject): readonly Firmware[] {
  const list = Array.isArray(parameters.firmwares) ? parameters.firmwares : [];
  const order = (one: Firmware): number => firmwareComponents.indexOf(one.component);
  return list.map((one) => toFirmware(one as Parameters<typeof toFirmware>[0])).sort((a, b) => order(a) - order(b));
}

/** All slots that the firmware is for have its version, and there is one. */
export function isInstalled(inventory: Inventory, firmware: Firmware): boolean {
  const slots = slotsFor(inventory, firmware);
  return slots.length > 0 && slots.every((slot) => isSameVersion(firmware.vendor, slot.version, firmware.version));
}

/**
 * Looks at the server itself once more before anything is written: an image was chosen by what was known of the server when
 * the update was asked for. Throws `otherHardware` where parts show what they are and the image is for none of them.
 */
export function requireHardware(inventory: Inventory, firmware: Firmware): void {
  const shown = [...new Set(ofMaker(inventory, firmware).flatMap(idsOf))];
  if (shown.length === 0 || slotsFor(inventory, firmware).length > 0) return;
  const { component, version, softwareIds = [] } = firmware;
  const listed = (ids: readonly string[]): string => ids.slice(0, 5).join(', ');
  throw new JobError('otherHardware', { component, version, wanted: listed(softwareIds), shown: listed(shown) });
}

/** An image with the vendor's own ids is for the parts that show one of them, where any part shows what it is. */
function slotsFor(inventory: Inventory, firmware: Firmware): readonly FirmwareSlot[] {
  const { softwareIds = [], slots: named } = firmware;
  const slots = ofMaker(inventory, firmware).filter(({ slot }) => named?.includes(slot) ?? true);
  const isTold = softwareIds.length > 0 && slots.some((slot) => idsOf(slot).length > 0);
  return isTold ? slots.filter((slot) => isForSlot(softwareIds, slot)) : slots;
}

function ofMaker({ firmware, system }: Inventory, { component, vendor }: Firmware): readonly FirmwareSlot[] {
  const own = firmware.filter((slot) => slot.component === component && slot.isBackup !== true);
  const isServers = isSameVendor(vendor, system.manufacturer ?? '');
  return own.filter((slot) => isServers || slot.vendor === undefined || isSameVendor(slot.vendor, vendor));
}
