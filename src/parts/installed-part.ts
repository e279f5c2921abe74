import type { FirmwareSlot } from '../bmc/index.ts';
import { type FirmwareComponent, firmwareComponents, isPartOfServer } from './component.ts';

/** A hardware part of a server and the firmware that is installed on it. Empty where the BMC does not say. */
export interface InstalledPart {
  /** Component class: `bios`, `bmc`, `cpld`, `nic`, `drive`, `storage-controller`, ... */
  readonly name: string;
  /** Maker of the part; of the server for its own firmware, and for its board parts where the BMC tells no other. */
  readonly manufacturer: string;
  /** Product, as the adapter, controller or drive reports it. */
  readonly model: string;
  /** The vendor's id of the firmware that the part takes. */
  readonly softwareId: string;
  /** More such ids: iLO shows several for each firmware. Absent where there are none. */
  readonly otherSoftwareIds?: string[];
  /** Where the part is, as the vendor names the slot; never empty and unique on a server. */
  readonly slot: string;
  readonly version: string;
}

/** What of an inventory says which parts are installed. */
export interface PartInventory {
  readonly system: { readonly manufacturer: string | undefined };
  readonly firmware: readonly FirmwareSlot[];
}

/** Parts that come from many makers: while the BMC does not say which, the maker is not known. */
const partsOfOthers: readonly FirmwareComponent[] = ['nic', 'drive', 'storage-controller', 'gpu'];

/** Firmware inventories have no types of their own for these; their names tell. */
const classesByName: readonly (readonly [RegExp, FirmwareComponent])[] = [
  [/backplane|expander/i, 'backplane'],
  [/\bcpu\b|processor|microcode/i, 'cpu'],
];

/** The class of the part that a slot belongs to. */
export function getPartClass({ component, name }: Pick<FirmwareSlot, 'component' | 'name'>): FirmwareComponent {
  if (component !== 'other' && component !== 'storage-controller') return component;
  return classesByName.find(([names]) => names.test(name))?.[1] ?? component;
}

/**
 * Every part of a server that has firmware, in the order of installation and then by slot. Spare banks and slots
 * without an installed version are no installed parts.
 */
export function getInstalledParts({ system, firmware }: PartInventory): readonly InstalledPart[] {
  const parts = firmware
    .filter(({ version, isBackup }) => version.trim() !== '' && isBackup !== true)
    .map((slot) => toInstalledPart(slot, system.manufacturer ?? ''));
  return withUniqueSlots(parts).toSorted(comparePlaces);
}

/** A BMC's slots are unique; what a strategy found by itself may have none, or one twice. */
function withUniqueSlots(parts: readonly InstalledPart[]): InstalledPart[] {
  const taken = new Set<string>();
  return parts.map((part) => {
    let { slot } = part;
    for (let count = 2; taken.has(slot); count += 1) slot = `${part.slot} #${count}`;
    taken.add(slot);
    return { ...part, slot };
  });
}

function toInstalledPart(slot: FirmwareSlot, serverManufacturer: string): InstalledPart {
  const name = getPartClass(slot);
  const unlessReported = partsOfOthers.includes(name) ? '' : serverManufacturer;
  const [softwareId = '', ...otherSoftwareIds] = getSoftwareIds(slot);
  const manufacturer = isPartOfServer(name) ? serverManufacturer : (slot.vendor ?? unlessReported);
  return {
    name,
    manufacturer: manufacturer.trim(),
    model: (slot.model ?? '').trim(),
    softwareId,
    ...(otherSoftwareIds.length > 0 ? { otherSoftwareIds } : {}),
    slot: [slot.slot, slot.name].find((text) => (text ?? '').trim() !== '') ?? name,
    version: slot.version.trim(),
  };
}

/** iDRAC shows `0` for firmware that it did not install; iLO shows its ids as targets. */
function getSoftwareIds({ softwareId, otherSoftwareIds = [] }: FirmwareSlot): readonly string[] {
  const shown = [softwareId, ...otherSoftwareIds].map((id) => (id ?? '').trim());
  return [...new Set(shown.filter((id) => id !== '' && id !== '0'))];
}

const installOrder: readonly string[] = firmwareComponents;

function comparePlaces(one: InstalledPart, other: InstalledPart): number {
  const rank = ({ name }: InstalledPart) => installOrder.indexOf(name);
  return rank(one) - rank(other) || one.slot.localeCompare(other.slot, 'en', { numeric: true });
}
