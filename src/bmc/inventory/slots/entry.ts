import type { FirmwareSlot, VendorName } from '../../bmc.ts';
import type { JsonObject } from '../../json.ts';
import { booleanIn, firstTextIn, lastSegment, linksIn, type Member, statusIn, textIn } from '../../redfish/index.ts';
import { componentOf } from '../component-type.ts';

/** One member of the firmware inventory as the BMC lists it. */
export interface FirmwareEntry {
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly softwareId: string | undefined;
  readonly isUpdateable: boolean;
  readonly relatedItems: readonly string[];
  readonly state: string | undefined;
  readonly health: string | undefined;
  readonly body: JsonObject;
}

/** What besides the entries tells which of them is active. */
export interface SlotHints {
  readonly vendor: VendorName;
  readonly manager?: JsonObject;
  readonly system?: JsonObject;
}

/** Turns a vendor's list into slots. */
export type SlotReader = (entries: readonly FirmwareEntry[], hints: SlotHints) => readonly FirmwareSlot[];

/** Reads a member with care. */
export function toEntry({ path, body }: Member): FirmwareEntry {
  const { state, health } = statusIn(body);
  const id = textIn(body, 'Id') ?? lastSegment(path);
  return {
    id,
    path,
    name: firstTextIn(body, 'Name', 'Description') ?? id,
    version: firstTextIn(body, 'Version', 'VersionString') ?? '',
    softwareId: textIn(body, 'SoftwareId'),
    isUpdateable: booleanIn(body, 'Updateable') ?? false,
    relatedItems: linksIn(body, 'RelatedItem'),
    state,
    health,
    body,
  };
}

/** A slot as the standard alone tells of it; a vendor's reader gives what it knows better. */
export function toSlot(entry: FirmwareEntry, known: Partial<FirmwareSlot> = {}): FirmwareSlot {
  const slot = plainSlot(entry, known);
  // A spare bank with the same version is nothing to go back or forward to.
  const other = (version: string | undefined) => (version === slot.version || version === '' ? undefined : version);
  return { ...slot, pendingVersion: other(slot.pendingVersion), previousVersion: other(slot.previousVersion) };
}

function plainSlot(entry: FirmwareEntry, known: Partial<FirmwareSlot>): FirmwareSlot {
  return {
    slot: entry.id,
    component: componentOf({ relatedItems: entry.relatedItems, names: [entry.id, entry.name] }),
    name: entry.name,
    vendor: textIn(entry.body, 'Manufacturer'),
    model: textIn(entry.body, 'Model'),
    version: entry.version,
    pendingVersion: undefined,
    previousVersion: undefined,
    isUpdateable: entry.isUpdateable,
    softwareId: entry.softwareId,
    uri: entry.path,
    relatedItems: entry.relatedItems,
    health: entry.health,
    ...known,
  };
}

/** Gives slots of one name a number each from the second on, so that a name means one place. */
export function withUniqueNames(slots: readonly FirmwareSlot[]): FirmwareSlot[] {
  const taken = new Set<string>();
  return slots.map((each) => {
    let slot = each.slot;
    for (let count = 2; taken.has(slot); count += 1) slot = `${each.slot} #${count}`;
    taken.add(slot);
    return slot === each.slot ? each : { ...each, slot };
  });
}
