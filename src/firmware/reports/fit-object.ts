import type { Firmware, PartFirmware } from '../../api/index.ts';
import { partName } from '../../parts/index.ts';
import type { AvailableProduct } from '../server/available-products.ts';
import { biosName } from '../server/desired.ts';

/** What a status holds: the API server refuses more, and then the whole report would be lost for the one part. */
const longestText = 253;

/** So many parts are in the status of a server. */
export const mostParts = 1000;

/** So many more ids a part in a status has. */
const mostOtherIds = 20;

/** So many firmwares are in the status of a discovery. */
export const mostFirmwares = 256;

function fits(text: string): boolean {
  return text.length > 0 && text.length <= longestText;
}

/** The BIOS has a place of its own, whoever made it. */
function isNamed({ name, manufacturer }: Pick<Firmware, 'name' | 'manufacturer'>): boolean {
  return partName(name) === biosName || (fits(name) && fits(manufacturer));
}

/** What is installed, without what no object can name; texts that are too long are cut. A slot is listed once. */
export function fitInstalled(installed: readonly PartFirmware[]): readonly PartFirmware[] {
  const listed = new Set<string>();
  return installed
    .filter(({ name, version }) => fits(name.trim()) && version.trim() !== '')
    .map(toPartFirmware)
    .filter((part) => {
      const key = JSON.stringify(part.slot === undefined ? { ...part, version: '' } : part.slot);
      return !listed.has(key) && listed.add(key);
    });
}

function toPartFirmware(part: PartFirmware): PartFirmware {
  const { name, manufacturer, model, softwareId, otherSoftwareIds = [], slot, version } = part;
  const cut = (text: string | undefined) => (text ?? '').slice(0, longestText);
  const known = { model: cut(model), softwareId: cut(softwareId), slot: cut(slot) };
  const entries = Object.entries(known).filter(([, text]) => text !== '');
  const others = otherSoftwareIds.filter(fits).slice(0, mostOtherIds);
  return {
    ...{ name, manufacturer: cut(manufacturer), ...Object.fromEntries(entries), version: cut(version) },
    ...(others.length > 0 ? { otherSoftwareIds: others } : {}),
  };
}

/** What can be had, without what no object can name: half a version could not be asked for. */
export function fitAvailable(available: readonly AvailableProduct[]): readonly AvailableProduct[] {
  return available.filter(isNamed).map(({ model, softwareIds, ...each }) => ({
    ...each,
    ...(model !== undefined && fits(model) ? { model } : {}),
    ...(softwareIds === undefined ? {} : { softwareIds: softwareIds.filter(fits) }),
    versions: each.versions.filter(fits),
  }));
}
