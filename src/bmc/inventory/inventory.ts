import type { Bmc, Inventory, VendorName } from '../bmc.ts';
import {
  bareRoot,
  beginReading,
  collect,
  detectVendor,
  linksIn,
  type Member,
  objectIn,
  type Reading,
  type ReadingOptions,
  type System,
  statusIn,
  systemOf,
  textIn,
} from '../redfish/index.ts';
import { readDriveMembers, readDrives, readStorages } from './drives.ts';
import { readSlots } from './firmware.ts';
import { usableUuid } from './machine-id.ts';
import { describeManager, readManager } from './manager.ts';
import { identifyParts, readControllers, readPowerSupplies } from './part-identity.ts';
import { readMemory, readProcessors } from './parts.ts';
import { readAdapters, readPorts } from './ports.ts';

/**
 * Everything a machine is made of. What cannot be read becomes a gap and the rest is good; a BMC that refuses us as a
 * whole (credentials, certificate, lease) or has stopped to answer is an error.
 */
export async function readInventory(bmc: Bmc, options: ReadingOptions = {}): Promise<Inventory> {
  const reading = beginReading(bmc, options);
  const system = await systemOf(bmc);
  const manager = await readManager(reading, system);
  const vendor = await learnVendor(bmc, system, manager);
  const chassis = await readChassis(reading, system);
  const storages = await readStorages(reading, system);
  const drives = await readDriveMembers(reading, system, { chassis, storages });
  const adapters = await readAdapters(reading, { chassis, vendor });
  const running = { system, ...(manager === undefined ? {} : { manager }) };
  const controllers = await readControllers(reading, storages);
  const slots = await readSlots(reading, { vendor, running });
  const powerSupplies = await readPowerSupplies(reading, { chassis, slots });
  const serviceUuid = usableUuid((await bareRoot(bmc)).uuid);
  return {
    vendor,
    ...(serviceUuid === undefined ? {} : { serviceUuid }),
    system: describeSystem(system),
    manager: manager === undefined ? undefined : await describeManager(reading, manager),
    processors: await readProcessors(reading, system),
    memory: await readMemory(reading, system),
    drives: await readDrives(reading, system, { storages, members: drives }),
    ports: await readPorts(reading, system, { adapters, vendor }),
    firmware: identifyParts(slots, {
      vendor,
      resources: { adapters, drives, controllers, powerSupplies, gaps: reading.gaps },
    }),
    gaps: reading.gaps,
  };
}

/** System and manager are at hand, so no further request is made to learn whose BMC it is. */
async function learnVendor(bmc: Bmc, system: System, manager: Member | undefined): Promise<VendorName> {
  const root = await bareRoot(bmc);
  const vendor = detectVendor({
    root: root.body,
    system: system.body,
    ...(manager === undefined ? {} : { manager: manager.body }),
  });
  if (bmc.notes !== undefined) bmc.notes.vendor ??= vendor;
  return vendor;
}

function describeSystem({ path, body }: System): Inventory['system'] {
  return {
    path,
    uuid: textIn(body, 'UUID')?.toLowerCase(),
    manufacturer: textIn(body, 'Manufacturer'),
    model: textIn(body, 'Model'),
    serial: textIn(body, 'SerialNumber'),
    sku: textIn(body, 'SKU'),
    biosVersion: textIn(body, 'BiosVersion'),
    powerState: textIn(body, 'PowerState'),
    health: statusIn(body).health,
  };
}

/** The chassis that the system names; all there are where it names none. */
async function readChassis(reading: Reading, system: System): Promise<readonly Member[]> {
  const named = linksIn(objectIn(system.body, 'Links'), 'Chassis').slice(0, 16);
  if (named.length === 0) return collect(reading, (await bareRoot(reading.bmc)).chassis);
  const found: Member[] = [];
  for (const path of named) {
    const body = await reading.get(path);
    if (body !== undefined) found.push({ path, body });
  }
  return found;
}
