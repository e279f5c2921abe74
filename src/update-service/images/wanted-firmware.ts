import { partKey } from '../../flasher/index.ts';
import type { FirmwareRecord } from '../../serverservice/index.ts';
import { isSameVersion } from '../../versions/index.ts';
import type { FirmwareVersion } from '../desk/check-request.ts';

/**
 * Says of images whether they bring a part to a version that somebody wants. Whoever asks for an update finds no image
 * that is not among these; some more are, since the model is not looked at, and the server's own maker may be any.
 */
export function createWantedCheck(
  wanted: readonly FirmwareVersion[],
): (image: Pick<FirmwareRecord, 'component' | 'vendor' | 'version'>) => boolean {
  const versionsOf = new Map<string, Set<string>>();
  for (const one of wanted) {
    const versions = versionsOf.get(partKey(one)) ?? new Set();
    versions.add(plain(one.version));
    versionsOf.set(partKey(one), versions);
  }
  return ({ component: name, vendor, version }) =>
    [vendor, ''].some((manufacturer) => {
      const versions = versionsOf.get(partKey({ name, manufacturer })) ?? new Set();
      return versions.has(plain(version)) || [...versions].some((one) => isSameVersion(vendor, one, version));
    });
}

function plain(version: string): string {
  return version.trim().toLowerCase();
}
