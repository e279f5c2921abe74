import { type InstalledFirmware, readInstalled } from '../../conditionorc/index.ts';
import { getInstalledParts, type InstalledPart } from '../../parts/index.ts';
import type { Serverservice } from '../../serverservice/index.ts';

/** Reads what the inventory knows to be installed on servers. */
export interface InventoryReader {
  /** Undefined where a server was never read. */
  read(machineId: string): Promise<InstalledFirmware | undefined>;
}

/** Reads it from Serverservice. */
export function createInventoryReader(
  service: Pick<Serverservice, 'components' | 'versionedAttributes'>,
): InventoryReader {
  return { read: (machineId) => readInstalled(service, machineId) };
}

/** The parts of a server in the inventory; the maker of the server where its BMC never told it. */
export function toInstalledParts({ server }: InstalledFirmware, serverManufacturer: string): readonly InstalledPart[] {
  const manufacturer = server.manufacturer ?? serverManufacturer;
  return getInstalledParts({ system: { manufacturer }, firmware: server.slots });
}
