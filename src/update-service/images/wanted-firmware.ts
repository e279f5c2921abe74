import { partName } from '../../parts/index.ts';
import type { FirmwareRecord } from '../../serverservice/index.ts';
import { isSameVersion } from '../../versions/index.ts';
import type { FirmwareVersion } from '../desk/check-request.ts';

/**
 * Says of images whether they bring a part to a version that is wanted. An update finds no image that is not among these;
 * some more are, since an entry may name the maker of the part or of the server, and the model is not compared.
 */
export function createWantedCheck(
  wanted: readonly FirmwareVersion[],
): (image: Pick<FirmwareRecord, 'component' | 'vendor' | 'version'>) => boolean {
  const byClass = Map.groupBy(wanted, ({ name }) => partName(name));
  const versionsOf = new Map(
    [...byClass].map(([name, those]) => [name, new Set(those.map((one) => plain(one.version)))]),
  );
  return ({ component, vendor, version }) => {
    const versions = versionsOf.get(partName(component)) ?? new Set<string>();
    return versions.has(plain(version)) || [...versions].some((one) => isSameVersion(vendor, one, version));
  };
}

function plain(version: string): string {
  return version.trim().toLowerCase();
}
