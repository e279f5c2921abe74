import { readVendor } from '../../versions/index.ts';
import type { ComponentType, FirmwareSlot, VendorName } from '../bmc.ts';
import {
  barePath,
  childPath,
  collect,
  firstTextIn,
  type Gap,
  lastSegment,
  linkIn,
  type Member,
  objectsIn,
  type Reading,
  textIn,
} from '../redfish/index.ts';
import { usableSerial } from './other-machine.ts';
import { type PartNaming, partNamingFor } from './slots/index.ts';

/** The resources of parts that know their maker and product. */
export interface PartResources {
  readonly adapters: readonly Member[];
  readonly drives: readonly Member[];
  readonly controllers: readonly Member[];
  readonly powerSupplies: readonly Member[];
  /** What could not be read. */
  readonly gaps: readonly Gap[];
}

/** Where a gap may have hidden the resource of a part. */
const pathsOf: Partial<Record<ComponentType, RegExp>> = {
  nic: /\/NetworkAdapters\b/i,
  drive: /\/(?:Storage|Drives)\b/i,
  'storage-controller': /\/Storage\b/i,
  psu: /\/Power\b/i,
};

/** A part as its own resource describes it. */
interface DescribedPart {
  readonly component: ComponentType;
  readonly path: string;
  readonly id: string;
  readonly manufacturer: string | undefined;
  readonly products: readonly string[];
  readonly model: string | undefined;
  readonly serial: string | undefined;
}

/** Storage controllers: most BMCs describe them within the storage, newer ones as resources of their own. */
export async function readControllers(reading: Reading, storages: readonly Member[]): Promise<readonly Member[]> {
  const found: Member[] = [];
  for (const { path, body } of storages) {
    const within = objectsIn(body, 'StorageControllers').filter((each) => firstTextIn(each, 'Model', 'Name'));
    const own = within.length > 0 ? [] : await collect(reading, linkIn(body, 'Controllers'));
    // The storage has the id that a firmware inventory knows; several controllers of one storage are of one kind.
    found.push(...within.slice(0, 1).map((each) => ({ path, body: each })));
    found.push(...own.slice(0, 1).map((each) => ({ path, body: each.body })));
  }
  return found;
}

/** Power supplies, where the inventory of firmware does not tell which product one is; elsewhere it costs no request. */
export async function readPowerSupplies(
  reading: Reading,
  { chassis, slots }: { readonly chassis: readonly Member[]; readonly slots: readonly FirmwareSlot[] },
): Promise<readonly Member[]> {
  const isUntold = (slot: FirmwareSlot) =>
    slot.component === 'psu' && slot.softwareId === undefined && (slot.model ?? modelIn(slot)) === undefined;
  if (!slots.some(isUntold)) return [];
  const found: Member[] = [];
  for (const { body } of chassis) {
    const path = linkIn(body, 'Power');
    const power = path === undefined ? undefined : await reading.get(path);
    for (const each of objectsIn(power ?? {}, 'PowerSupplies'))
      found.push({ path: textIn(each, '@odata.id') ?? '', body: each });
  }
  return found;
}

/**
 * Gives slots the maker and the product of the adapter, controller or drive that they belong to. A firmware inventory
 * links to it, or names it in the vendor's own way, or has the name of the product alone.
 */
export function identifyParts(
  slots: readonly FirmwareSlot[],
  about: { readonly vendor: VendorName; readonly resources: PartResources },
): FirmwareSlot[] {
  const { adapters, drives, controllers, powerSupplies, gaps } = about.resources;
  const parts = [
    ...adapters.map((each) => describe('nic', each)),
    ...drives.map((each) => describe('drive', each)),
    ...controllers.map((each) => describe('storage-controller', each)),
    ...powerSupplies.map((each) => describe('psu', each)),
  ];
  const naming = partNamingFor(about.vendor);
  return slots.map((slot) => {
    const own = parts.filter(({ component }) => component === slot.component);
    const found = findPart(slot, own, naming);
    const part = found?.part;
    // Half an identity would make another part of it until the resource can be read again.
    const isHidden = part === undefined && gaps.some(({ path }) => pathsOf[slot.component]?.test(path));
    return isHidden
      ? { ...slot, vendor: undefined, model: undefined }
      : withSerial(withIdentity(slot, part, naming), found);
  });
}

function describe(component: ComponentType, { path, body }: Member): DescribedPart {
  const texts = [textIn(body, 'Model'), textIn(body, 'Name')];
  return {
    component,
    path: barePath(path),
    id: component === 'storage-controller' ? lastSegment(path) : (textIn(body, 'Id') ?? lastSegment(path)),
    manufacturer: textIn(body, 'Manufacturer'),
    products: texts.flatMap((text) => (text === undefined ? [] : [fold(text)])),
    model: texts.find((text) => text !== undefined),
    serial: usableSerial(firstTextIn(body, 'SerialNumber')),
  };
}

/** Of several parts of one product only the one that is named has this serial number. */
function withSerial(slot: FirmwareSlot, found: FoundPart | undefined): FirmwareSlot {
  return found?.isNamed === true && found.part.serial !== undefined ? { ...slot, serial: found.part.serial } : slot;
}

interface FoundPart {
  readonly part: DescribedPart;
  /** The slot links to it or has its name; otherwise only the product is the same. */
  readonly isNamed: boolean;
}

function findPart(slot: FirmwareSlot, parts: readonly DescribedPart[], naming: PartNaming): FoundPart | undefined {
  const items = slot.relatedItems.map(barePath);
  const linked = parts.find(({ path }) => items.some((item) => item === path || item.startsWith(childPath(path, ''))));
  if (linked !== undefined) return { part: linked, isNamed: true };
  for (const id of naming.getIds(slot).map(fold)) {
    const named = parts.find((part) => fold(part.id) === id);
    if (named !== undefined) return { part: named, isNamed: true };
  }
  const product = fold(productIn(slot.name));
  const part = parts.find(({ products }) => products.includes(product));
  return part === undefined ? undefined : { part, isNamed: false };
}

/** Parts whose firmware does not come from the maker of the server. */
const partsOfOthers: readonly ComponentType[] = ['nic', 'drive', 'storage-controller', 'psu', 'gpu'];

function withIdentity(slot: FirmwareSlot, part: DescribedPart | undefined, naming: PartNaming): FirmwareSlot {
  if (slot.component === 'bios' || slot.component === 'bmc') return slot;
  const isOfOthers = partsOfOthers.includes(slot.component);
  const byName = isOfOthers ? (naming.getMaker?.(slot.name) ?? makerIn(slot.name)) : undefined;
  // What an inventory of software tells of itself is who made the package, often the maker of the server.
  const vendor = part?.manufacturer ?? (isOfOthers ? byName : undefined) ?? slot.vendor;
  return { ...slot, vendor, model: part?.model ?? slot.model ?? modelIn(slot) };
}

/** `Mellanox ConnectX-5` says who makes it. */
function makerIn(name: string): string | undefined {
  const [word = ''] = name.trim().split(/\s+/, 1);
  return readVendor(word).vendor === undefined ? undefined : word;
}

/** iDRAC puts the MAC address of the port behind the product. */
function productIn(name: string): string {
  return name.replace(/\s+-\s+(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i, '').trim();
}

/** Names that say only what it is and where: `Disk 0 in Backplane 1`, `Power Supply.Slot.1`, `PSU2`. */
const placeNames =
  /^(?:(?:physical )?disk|pcie ssd|ssd|drive|nvme|nvmecontroller|power ?supply|psu|nic|storage)\b|^(?:psu|nic|disk|powersupply|nvmecontroller)\d/i;

function modelIn({ name }: FirmwareSlot): string | undefined {
  const product = productIn(name);
  return product === '' || placeNames.test(product) ? undefined : product;
}

function fold(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
}
