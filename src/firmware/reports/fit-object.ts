import type { Firmware } from '../../api/index.ts';
import { partName } from '../../flasher/index.ts';
import { biosName } from '../server/desired.ts';

/** What a status holds: the API server refuses more, and then the whole report would be lost for the one part. */
const longestText = 253;

/** So many firmwares are in a status. */
export const mostFirmwares = 256;

function fits(text: string): boolean {
  return text.length > 0 && text.length <= longestText;
}

/** The BIOS has a place of its own, whoever made it. */
function isNamed({ name, manufacturer }: Pick<Firmware, 'name' | 'manufacturer'>): boolean {
  return partName(name) === biosName || (fits(name) && fits(manufacturer));
}

/** What is installed, without what no object can name; versions that are too long are cut. */
export function fitInstalled(installed: readonly Firmware[]): readonly Firmware[] {
  return installed
    .filter((each) => isNamed(each) && each.version.length > 0)
    .map((each) => ({ ...each, version: each.version.slice(0, longestText) }));
}

/** What can be had, without what no object can name: half a version could not be asked for. */
export function fitAvailable<T extends Pick<Firmware, 'name' | 'manufacturer'> & { versions: readonly string[] }>(
  available: readonly T[],
): readonly T[] {
  return available.filter(isNamed).map((each) => ({ ...each, versions: each.versions.filter(fits) }));
}
