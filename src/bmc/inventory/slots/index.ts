import type { VendorName } from '../../bmc.ts';
import { readDellSlots } from './dell.ts';
import { type SlotReader, toSlot } from './entry.ts';
import { readHpeSlots } from './hpe.ts';
import { readLenovoSlots } from './lenovo.ts';
import { readOpenbmcSlots } from './openbmc.ts';
import { readSupermicroSlots } from './supermicro.ts';

export { type FirmwareEntry, type SlotHints, toEntry, withUniqueNames } from './entry.ts';
export { type PartNaming, partNamingFor } from './part-naming.ts';

/** As the standard says: every entry is a place of its own (also NVIDIA, with many of a type). */
const readGenericSlots: SlotReader = (entries) => entries.map((entry) => toSlot(entry));

/** How each vendor's list is read. */
export const slotReaders: Readonly<Record<VendorName, SlotReader>> = {
  dell: readDellSlots,
  hpe: readHpeSlots,
  lenovo: readLenovoSlots,
  supermicro: readSupermicroSlots,
  openbmc: readOpenbmcSlots,
  ami: readGenericSlots,
  nvidia: readGenericSlots,
  generic: readGenericSlots,
};
