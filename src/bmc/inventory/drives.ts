import type { Inventory } from '../bmc.ts';
import { isBmcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import {
  barePath,
  bareRoot,
  collect,
  firstTextIn,
  integerIn,
  isAbsent,
  isJsonObject,
  isWhole,
  lastSegment,
  linkIn,
  linksIn,
  listCollection,
  listIn,
  type Member,
  objectIn,
  objectsIn,
  type Reading,
  readExpanded,
  type System,
  selfIn,
  textIn,
} from '../redfish/index.ts';

type Drive = Inventory['drives'][number];

/** Drives by path; undefined until read. */
type Found = Map<string, JsonObject | undefined>;

/** The storage of a machine: its controllers and the drives that hang on them. */
export function readStorages(reading: Reading, system: System): Promise<readonly Member[]> {
  return collect(reading, linkIn(system.body, 'Storage'));
}

/** The resources of all drives. Those that hang in a chassis and under a storage controller are listed once. */
export async function readDriveMembers(
  reading: Reading,
  system: System,
  about: { readonly chassis: readonly Member[]; readonly storages: readonly Member[] },
): Promise<readonly Member[]> {
  const found: Found = new Map();
  const { chassis, storages } = about;
  for (const { body } of storages) addDrives(found, body);
  const systems = barePath((await bareRoot(reading.bmc)).systems);
  // A chassis of several systems names the drives of all of them.
  const isForeign = (path: string) => isUnder(path, systems) && !isUnder(path, barePath(system.path));
  await addChassisDrives(reading, found, { chassis, isForeign });
  for (const storage of storages) await fillFromStorage(reading, found, storage);
  for (const [path, body] of found) if (body === undefined) found.set(path, await reading.get(path));
  return [...found].flatMap(([path, body]) => (body === undefined || isAbsent(body) ? [] : [{ path, body }]));
}

/** All drives of a machine, from their resources; from the older list where the BMC has no storage at all. */
export async function readDrives(
  reading: Reading,
  system: System,
  about: { readonly storages: readonly Member[]; readonly members: readonly Member[] },
): Promise<Drive[]> {
  const { storages, members } = about;
  if (members.length === 0 && storages.length === 0) return readSimpleStorage(reading, system);
  return once(members.map(({ path, body }) => toDrive(path, body)));
}

function addDrives(found: Found, body: JsonObject): void {
  for (const drive of listIn(body, 'Drives')) {
    const path = isJsonObject(drive) ? selfIn(drive) : undefined;
    if (path === undefined || !isJsonObject(drive)) continue;
    found.set(barePath(path), isWhole(drive) ? drive : found.get(barePath(path)));
  }
}

/** A chassis names its drives too, partly by other paths: those whose id is known already are not asked for again. */
async function addChassisDrives(
  reading: Reading,
  found: Found,
  about: { readonly chassis: readonly Member[]; readonly isForeign: (path: string) => boolean },
): Promise<void> {
  for (const { body } of about.chassis) {
    for (const { path, body: drive } of await chassisDrives(reading, body)) {
      if (about.isForeign(path)) continue;
      const isKnown = found.has(path) || [...found.keys()].some((each) => lastSegment(each) === lastSegment(path));
      if (!isKnown || drive !== undefined) found.set(path, drive ?? found.get(path));
    }
  }
}

function isUnder(path: string, parent: string): boolean {
  return path.toLowerCase().startsWith(`${parent.toLowerCase()}/`);
}

async function chassisDrives(
  reading: Reading,
  body: JsonObject,
): Promise<readonly { readonly path: string; readonly body: JsonObject | undefined }[]> {
  const linked = linksIn(objectIn(body, 'Links'), 'Drives').map((path) => ({ path: barePath(path), body: undefined }));
  const collection = linkIn(body, 'Drives');
  if (collection === undefined) return linked;
  try {
    const listed = await listCollection(reading, collection);
    return [...linked, ...listed.map((each) => ({ path: barePath(each.path), body: each.body }))];
  } catch (error) {
    if (!isBmcError(error, 'notFound')) reading.note(collection, error);
    return linked;
  }
}

/** Several drives of one controller come in one answer where the BMC can expand. */
async function fillFromStorage(reading: Reading, found: Found, storage: Member): Promise<void> {
  const missing = linksIn(storage.body, 'Drives').filter((path) => found.get(barePath(path)) === undefined);
  if (missing.length < 2) return;
  const body = await readExpanded(reading, storage.path);
  if (body !== undefined) addDrives(found, body);
}

function toDrive(path: string, body: JsonObject): Drive {
  return {
    id: textIn(body, 'Id') ?? lastSegment(path),
    model: textIn(body, 'Model'),
    serial: textIn(body, 'SerialNumber'),
    capacityBytes: integerIn(body, 'CapacityBytes'),
    mediaType: textIn(body, 'MediaType'),
    protocol: textIn(body, 'Protocol'),
    firmwareVersion: firstTextIn(body, 'FirmwareVersion', 'Revision'),
  };
}

/** One drive may be listed by two paths; its serial number tells. */
function once(drives: readonly Drive[]): Drive[] {
  const seen = new Set<string>();
  return drives.filter(({ serial, model }) => {
    if (serial === undefined) return true;
    const key = `${model ?? ''}\n${serial}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** Older BMCs have only this, without serial numbers. */
async function readSimpleStorage(reading: Reading, system: System): Promise<Drive[]> {
  const members = await collect(reading, linkIn(system.body, 'SimpleStorage'));
  return members.flatMap(({ body }) =>
    objectsIn(body, 'Devices')
      .filter((device) => !isAbsent(device))
      .map((device, index) => ({
        ...toDrive('', device),
        id: `${textIn(body, 'Id') ?? 'storage'}:${textIn(device, 'Name') ?? index}`,
      })),
  );
}
