import { selectorKey } from '../../parts/index.ts';
import { type Ownership, readEntryKey } from '../fleet/ownership.ts';
import { biosName } from '../server/desired.ts';

/** The parts whose version somebody else says, in any spelling: there the group has no say. `spec.bios` is one of them. */
export function takenParts(ownership: Ownership, serverManufacturer: string | undefined): ReadonlySet<string> {
  const parts = new Set([...ownership.otherEntries].map((key) => selectorKey(readEntryKey(key))));
  if (ownership.isBiosTaken) parts.add(selectorKey({ name: biosName, manufacturer: serverManufacturer ?? '' }));
  return parts;
}
