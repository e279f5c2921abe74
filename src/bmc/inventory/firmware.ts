import { isSameVersion } from '../../versions/index.ts';
import type { Bmc, ComponentType, FirmwareSlot, VendorName } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import {
  bareRoot,
  beginReading,
  childPath,
  collect,
  type Gap,
  isSamePath,
  linkIn,
  type Member,
  type Reading,
  type ReadingOptions,
  readMembers,
  systemOf,
  textIn,
} from '../redfish/index.ts';
import { readManager } from './manager.ts';
import { slotReaders, toEntry, withUniqueNames } from './slots/index.ts';

/** What is installed, and what of it could not be read. */
export interface FirmwareList {
  readonly slots: readonly FirmwareSlot[];
  readonly gaps: readonly Gap[];
}

/** The resources that say which BIOS and which BMC firmware runs. */
export interface RunningVersions {
  readonly system?: Member;
  readonly manager?: Member;
}

/** How a list of firmware is read. */
export interface FirmwareReadingOptions extends ReadingOptions {
  /** Also compare with what system and manager say, as a whole inventory does: the slots are those of `readInventory`. */
  readonly isCrossChecked?: boolean;
}

/**
 * What firmware is installed, in as few requests as possible: the list alone, and also manager and system on OpenBMC,
 * where they say which image of the list runs, and where there is no list.
 */
export async function readFirmware(bmc: Bmc, options: FirmwareReadingOptions = {}): Promise<FirmwareList> {
  const { vendor } = await bmc.root();
  const reading = beginReading(bmc, options);
  const members = await readInventoryMembers(reading);
  const isRunningNeeded = vendor === 'openbmc' || members === 'none' || options.isCrossChecked === true;
  const running = isRunningNeeded ? await readRunning(reading) : {};
  return { slots: toSlots(reading, members, { vendor, running }), gaps: reading.gaps };
}

async function readRunning(reading: Reading): Promise<RunningVersions> {
  const system = await systemOf(reading.bmc);
  const manager = await readManager(reading, system);
  return { system, ...(manager === undefined ? {} : { manager }) };
}

/** The slots within a longer reading; BIOS and BMC are checked with what system and manager say. */
export async function readSlots(
  reading: Reading,
  about: { readonly vendor: VendorName; readonly running: RunningVersions },
): Promise<readonly FirmwareSlot[]> {
  return toSlots(reading, await readInventoryMembers(reading), about);
}

function toSlots(
  reading: Reading,
  members: readonly Member[] | 'none',
  about: { readonly vendor: VendorName; readonly running: RunningVersions },
): readonly FirmwareSlot[] {
  const { vendor, running } = about;
  const entries = members === 'none' ? [] : members.map(toEntry);
  const system = running.system?.body;
  const manager = running.manager?.body;
  const hints = { vendor, ...(manager === undefined ? {} : { manager }), ...(system === undefined ? {} : { system }) };
  const slots = slotReaders[vendor](entries, hints);
  return withUniqueNames(crossCheck(reading, slots, about));
}

/** The usual place is tried first: the update service itself need not be read then. `none`: the BMC keeps no list. */
async function readInventoryMembers(reading: Reading): Promise<readonly Member[] | 'none'> {
  const { updateService } = await bareRoot(reading.bmc);
  if (updateService === undefined) return 'none';
  const usual = childPath(updateService, 'FirmwareInventory');
  try {
    return await readMembers(reading, usual);
  } catch (error) {
    if (!isBmcError(error, 'notFound')) {
      reading.note(usual, error);
      return [];
    }
    return readListElsewhere(reading, { updateService, usual });
  }
}

async function readListElsewhere(
  reading: Reading,
  known: { readonly updateService: string; readonly usual: string },
): Promise<readonly Member[] | 'none'> {
  const service = await reading.get(known.updateService);
  if (service === undefined) return [];
  const named = linkIn(service, 'FirmwareInventory');
  if (named === undefined) return 'none';
  if (!isSamePath(named, known.usual)) return collect(reading, named);
  reading.addGap({ path: named, reason: 'the update service names it and the BMC does not have it' });
  return 'none';
}

/** System and manager know which BIOS and BMC firmware runs. What the list lacks is added, what it denies is told. */
function crossCheck(
  reading: Reading,
  slots: readonly FirmwareSlot[],
  about: { readonly vendor: VendorName; readonly running: RunningVersions },
): readonly FirmwareSlot[] {
  const { system, manager } = about.running;
  const added: FirmwareSlot[] = [];
  const claims = [
    { component: 'bios' as const, by: system, version: textIn(system?.body ?? {}, 'BiosVersion'), uri: biosOf(system) },
    {
      component: 'bmc' as const,
      by: manager,
      version: textIn(manager?.body ?? {}, 'FirmwareVersion'),
      uri: manager?.path,
    },
  ];
  for (const { component, by, version, uri } of claims) {
    if (by === undefined || version === undefined || uri === undefined) continue;
    const listed = slots.filter(
      (slot) => slot.component === component && slot.isBackup !== true && slot.version !== '',
    );
    if (listed.length === 0) added.push(unlisted({ component, version, uri }));
    else if (!listed.some((slot) => isSameVersion(about.vendor, slot.version, version))) {
      const said = listed.map((slot) => slot.version).join(', ');
      reading.addGap({ path: by.path, reason: `it says ${component} ${version}, the firmware inventory says ${said}` });
    }
  }
  return [...slots, ...added];
}

function biosOf(system: Member | undefined): string | undefined {
  const body: JsonObject = system?.body ?? {};
  return linkIn(body, 'Bios') ?? system?.path;
}

function unlisted(seen: {
  readonly component: ComponentType;
  readonly version: string;
  readonly uri: string;
}): FirmwareSlot {
  const name = seen.component.toUpperCase();
  return {
    slot: name,
    component: seen.component,
    name,
    vendor: undefined,
    model: undefined,
    version: seen.version,
    pendingVersion: undefined,
    previousVersion: undefined,
    isUpdateable: false,
    softwareId: undefined,
    uri: seen.uri,
    relatedItems: [seen.uri],
    health: undefined,
  };
}
