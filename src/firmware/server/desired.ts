import { createHash } from 'node:crypto';
import type { Firmware, ServerFirmware } from '../../api/index.ts';
import { type PartSelector, partName, selectorKey } from '../../parts/index.ts';
import { entryKey, type Ownership } from '../fleet/ownership.ts';

/** The name the BIOS goes by among the firmwares of a request. */
export const biosName = 'bios';

/** An entry of spec, and whether it came from a group. */
export type DesiredFirmware = Firmware & { readonly isFromGroup: boolean };

/** What desired versions are read from. */
export type OwnedSpec = Pick<ServerFirmware, 'spec' | 'status'> & { readonly ownership: Ownership };

/**
 * Everything wanted on a server. A BIOS that only follows the server is no wish: whatever is installed is right, and asking
 * for what the server had before would take an update back that somebody made by hand.
 */
export function desiredOf(
  { spec, ownership }: OwnedSpec,
  serverManufacturer: string | undefined,
): readonly DesiredFirmware[] {
  const bios =
    spec.bios === undefined || !ownership.isBiosTaken
      ? []
      : [{ name: biosName, manufacturer: serverManufacturer ?? '', version: spec.bios.version, isFromGroup: false }];
  const others = (spec.firmwares ?? []).map((entry) => {
    const key = entryKey(entry);
    return { ...entry, isFromGroup: ownership.groupEntries.has(key) && !ownership.otherEntries.has(key) };
  });
  return [...bios, ...others];
}

/** Names a desired list: equal for lists that ask for the same, in any order and spelling of components and makers. */
export function desiredHash(entries: readonly Firmware[]): string {
  const lines = entries.map((entry) => JSON.stringify([selectorKey(entry), entry.version]));
  return createHash('sha256')
    .update([...new Set(lines)].toSorted().join('\n'))
    .digest('hex')
    .slice(0, 32);
}

/** An entry in a few words: `nic ConnectX-6 Lx (Dell Inc.)`. */
export function describeEntry({ name, manufacturer, model = '', softwareId = '', slot = '' }: EntryWords): string {
  const narrowed = [model, softwareId, slot].filter((text) => text !== '').join(' ');
  const maker = manufacturer === '' ? '' : ` (${manufacturer})`;
  return `${name}${narrowed === '' ? '' : ` ${narrowed}`}${maker}`;
}

type EntryWords = PartSelector;

/** The class of the parts that an entry is for. */
export function classOf({ name }: Pick<Firmware, 'name'>): string {
  return partName(name);
}
