import type { ComponentType, FirmwareSlot } from '../../bmc.ts';
import { objectIn, textIn, textsIn } from '../../redfish/index.ts';
import { componentOf } from '../component-type.ts';
import { type FirmwareEntry, type SlotReader, toSlot, withUniqueNames } from './entry.ts';
import type { PartNaming } from './part-naming.ts';

/**
 * HPE numbers its entries anew at every boot, so the name and the place on the board say which is which. The redundant
 * system ROM is the other bank of the system ROM: what one can go back to.
 */
export const readHpeSlots: SlotReader = (entries) => {
  const redundant = entries.find(isRedundantRom);
  return withUniqueNames(entries.map((entry) => toHpeSlot(entry, redundant)));
};

function isRedundantRom({ name }: FirmwareEntry): boolean {
  return /redundant system rom|backup system rom/i.test(name);
}

/** Real iLOs show a few for each firmware. */
const mostTargets = 100;

function toHpeSlot(entry: FirmwareEntry, redundant: FirmwareEntry | undefined): FirmwareSlot {
  const own = objectIn(entry.body, 'Oem', 'Hpe');
  const place = textIn(own, 'DeviceContext');
  const targets = textsIn(own, 'Targets').slice(0, mostTargets);
  const isOnBoard = place === undefined || /system board|embedded/i.test(place);
  const isBackup = isRedundantRom(entry);
  const isRom = !isBackup && /system rom/i.test(entry.name);
  return toSlot(entry, {
    slot: isOnBoard ? entry.name : `${entry.name} (${place})`,
    component: componentOfName(entry, place),
    ...(targets.length > 0 ? { otherSoftwareIds: targets } : {}),
    ...(isRom && redundant !== undefined ? { previousVersion: redundant.version } : {}),
    ...(isBackup ? { isBackup } : {}),
  });
}

function componentOfName({ name, relatedItems }: FirmwareEntry, place: string | undefined): ComponentType {
  if (/^ilo\b/i.test(name)) return 'bmc';
  if (/system rom/i.test(name)) return 'bios';
  if (/embedded video/i.test(name)) return 'other';
  const component = componentOf({ relatedItems, names: [name] });
  // Drives go by their model alone; the place is a box and a bay.
  return component === 'other' && /\bbox\b.*\bbay\b/i.test(place ?? '') ? 'drive' : component;
}

/** The place in brackets is the id of an adapter (`DC080000`), or where a drive is (`Port 1I Box 1 Bay 1`). */
export const hpePartNaming: PartNaming = {
  getIds: ({ slot }) => {
    const place = /\(([^()]+)\)(?: #\d+)?$/.exec(slot)?.[1];
    return place === undefined ? [slot] : [place];
  },
  getMaker: (name) => (/^Smart Array\b/i.test(name) ? 'HPE' : undefined),
};
