import { parseVersion } from './parse-version.ts';

/** Versions of one vendor, each in whatever spelling. */
export interface VersionSet {
  readonly size: number;
  /** True when it has the version, by `isSameVersion`. */
  has(version: string): boolean;
  add(version: string): void;
}

/** Makes a set that looks a version up among thousands without comparing it with each. */
export function createVersionSet(vendor: string): VersionSet {
  /** The families that each version was seen in; undefined where none was told. */
  const seenIn = new Map<string, Set<string | undefined>>();
  const families = new Set<string>();
  /** Those of which nothing more was told. */
  const bareFamilies = new Set<string>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    has(text) {
      const { version, family } = parseVersion(vendor, text);
      if (version === '') return family !== undefined && families.has(family);
      if (family !== undefined && bareFamilies.has(family)) return true;
      const known = seenIn.get(version);
      return known !== undefined && (family === undefined || known.has(undefined) || known.has(family));
    },
    add(text) {
      const { version, family } = parseVersion(vendor, text);
      size += 1;
      if (family !== undefined) families.add(family);
      if (family !== undefined && version === '') bareFamilies.add(family);
      if (version !== '') seenIn.set(version, (seenIn.get(version) ?? new Set()).add(family));
    },
  };
}
