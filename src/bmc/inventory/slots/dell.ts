import type { ComponentType, FirmwareSlot } from '../../bmc.ts';
import { componentOf } from '../component-type.ts';
import { type FirmwareEntry, type SlotReader, toSlot } from './entry.ts';
import type { PartNaming } from './part-naming.ts';

/** `Installed-159-2.1.8__BIOS.Setup.1-1`: role, software id, version, FQDD. */
const idForm = /^(Installed|Current|Previous|Available)-([^-]*)-(.*)__(.+)$/;

const fqddRules: readonly (readonly [RegExp, ComponentType])[] = [
  [/^iDRAC\./i, 'bmc'],
  [/^BIOS\./i, 'bios'],
  [/^CPLD\./i, 'cpld'],
  [/^(?:NIC|InfiniBand|FC|Ethernet)\./i, 'nic'],
  [/^(?:RAID|NonRAID|AHCI|BOSS|SAS|HBA)\./i, 'storage-controller'],
  [/^Disk\.|^PCIeSSD\./i, 'drive'],
  [/^PSU\./i, 'psu'],
  [/^(?:Video|GPU|ProcAccelerator|Accelerator)\./i, 'gpu'],
  [/^TPM\./i, 'tpm'],
  [/^(?:LC|USC|DriverPack|Diagnostics|OSCollector|SystemConfiguration|ServiceModule|Enclosure|Backplane)\./i, 'other'],
];

interface DellEntry {
  readonly role: string;
  readonly softwareId: string;
  readonly fqdd: string;
  readonly entry: FirmwareEntry;
}

/**
 * Dell lists a place up to three times: Installed, Current (the same again) and Previous (what can be rolled back to).
 * The FQDD at the end of the id says which place it is.
 */
export const readDellSlots: SlotReader = (entries) => {
  const known: DellEntry[] = [];
  const others: FirmwareSlot[] = [];
  for (const entry of entries) {
    const [, role, softwareId = '', , fqdd] = idForm.exec(entry.id) ?? [];
    if (role === undefined || fqdd === undefined) others.push(toSlot(entry));
    else known.push({ role, softwareId, fqdd, entry });
  }
  const places = Map.groupBy(known, ({ fqdd, softwareId }) => `${fqdd}\n${softwareId}`);
  const perFqdd = Map.groupBy(places.values(), ([first]) => first?.fqdd);
  const slots = [...places.values()].flatMap((place) => {
    const slot = mergePlace(place);
    if (slot === undefined) return [];
    // Rarely two pieces of software live in one place; then the software id tells them apart.
    const isShared = (perFqdd.get(place[0]?.fqdd)?.filter(hasActive).length ?? 0) > 1;
    return [isShared ? { ...slot, slot: `${slot.slot}/${slot.softwareId ?? ''}` } : slot];
  });
  return [...slots, ...others];
};

function hasActive(place: readonly DellEntry[]): boolean {
  return place.some(({ role }) => role === 'Installed' || role === 'Current');
}

function mergePlace(place: readonly DellEntry[]): FirmwareSlot | undefined {
  const byRole = (role: string) => place.find((each) => each.role === role);
  const active = byRole('Installed') ?? byRole('Current');
  if (active === undefined) return undefined;
  const { entry, fqdd, softwareId } = active;
  return toSlot(entry, {
    slot: fqdd,
    component: componentOfFqdd(fqdd, entry.name),
    previousVersion: byRole('Previous')?.entry.version,
    softwareId: entry.softwareId ?? softwareId,
  });
}

function componentOfFqdd(fqdd: string, name: string): ComponentType {
  const rule = fqddRules.find(([pattern]) => pattern.test(fqdd));
  return rule?.[1] ?? componentOf({ relatedItems: [], names: [name, fqdd] });
}

/** The FQDD of a port (`NIC.Slot.3-1-1`) begins with that of its adapter (`NIC.Slot.3`). */
export const dellPartNaming: PartNaming = {
  getIds: ({ slot }) => [slot, slot.replace(/-\d+(?:-\d+)?$/, '')],
  getMaker: (name) => (/^(?:PERC|BOSS|HBA\d)/i.test(name) ? 'Dell' : undefined),
};
