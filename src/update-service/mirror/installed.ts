import { type InstalledFirmware, readInstalled } from '../../conditionorc/index.ts';
import type { JsonObject, JsonValue } from '../../engine/index.ts';
import { partKey, partName } from '../../flasher/index.ts';
import type { Serverservice } from '../../serverservice/index.ts';
import { sortVersions } from '../../versions/index.ts';
import type { FirmwareVersion } from '../desk/check-request.ts';

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

/** Parts whose maker is the server's, whatever a BMC says. */
const ofTheServer: readonly string[] = ['bios', 'bmc', 'cpld'];

/**
 * What is installed, in the words of ServerFirmware: one entry for each component and maker. Of several parts the oldest
 * version counts, so that a server is up to date only when all of them are.
 */
export function installedOf({ server }: InstalledFirmware, ownMaker: string): readonly FirmwareVersion[] {
  const maker = ownMaker === '' ? (server.manufacturer ?? '') : ownMaker;
  const entries = server.slots
    .filter(({ version, isBackup }) => version.trim() !== '' && isBackup !== true)
    .map(({ component, vendor, version }) => ({
      name: component,
      manufacturer: ofTheServer.includes(component) ? maker : (vendor ?? maker),
      version,
    }));
  return oldestOfEach(entries.filter(({ manufacturer }) => manufacturer !== ''));
}

/** One entry for each name and maker, with the oldest version. */
export function oldestOfEach(entries: readonly FirmwareVersion[]): readonly FirmwareVersion[] {
  const groups = Map.groupBy(entries, partKey);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const sorted = sortVersions({ vendor: first.manufacturer, component: partName(first.name) }, group);
    return [{ ...first, version: sorted.at(-1)?.version ?? first.version }];
  });
}

/** What a job said to be installed, from the status of its condition. */
export function toldInstalled(status: JsonObject): readonly FirmwareVersion[] | undefined {
  const { installed } = status;
  if (!Array.isArray(installed)) return undefined;
  return oldestOfEach(installed.flatMap(toVersion));
}

function toVersion(value: JsonValue): FirmwareVersion[] {
  const { name, manufacturer, version } = Object(value) as Partial<Record<string, JsonValue>>;
  const isWhole = typeof name === 'string' && typeof manufacturer === 'string' && typeof version === 'string';
  return isWhole ? [{ name, manufacturer, version }] : [];
}
