import { createVersionSet, readVendor, sortVersions } from '../versions/index.ts';
import type { CatalogQuery, FirmwareEntry } from './entry.ts';
import type { CatalogFormat } from './source.ts';

/**
 * Sorts entries by what they are for, the newest version of each first, and keeps so many versions of each. Several
 * images of one version, such as those for other ways to install it, count once.
 */
export function newestEntries(
  entries: readonly FirmwareEntry[],
  format: CatalogFormat,
  { manufacturer, versionsToStore = Number.POSITIVE_INFINITY }: CatalogQuery,
): FirmwareEntry[] {
  const lines = Map.groupBy(entries, (entry) => lineOf(entry));
  const names = [...lines.keys()].sort();
  return names.flatMap((name) => {
    const [first, ...others] = lines.get(name) ?? [];
    if (first === undefined) return [];
    // In a vendor's catalogue versions are written as that vendor does; in our own, as the maker of the part does.
    const vendor = format === 'plain' ? first.manufacturer : manufacturer;
    const sorted = sortVersions({ vendor, component: first.component }, [first, ...others]);
    return firstVersions(sorted, vendor, versionsToStore);
  });
}

/** What all versions of one firmware have in common. */
export function lineOf({ component, manufacturer, line }: FirmwareEntry): string {
  return JSON.stringify([component, readVendor(manufacturer).key, line]);
}

function firstVersions(sorted: readonly FirmwareEntry[], vendor: string, most: number): FirmwareEntry[] {
  const versions = createVersionSet(vendor);
  return sorted.filter(({ version }) => {
    if (versions.has(version)) return true;
    if (versions.size >= most) return false;
    versions.add(version);
    return true;
  });
}
