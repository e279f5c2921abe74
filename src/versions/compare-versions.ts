import { compareKeys, orderKey, type VersionOf } from './order-key.ts';
import { areSame, parseVersion } from './parse-version.ts';

/** How one version stands to another; `unknown` where the vendor's scheme does not tell, which is not `same`. */
export type VersionOrder = 'older' | 'same' | 'newer' | 'unknown';

/** Two versions of one thing. */
export interface VersionPair extends VersionOf {
  readonly version: string;
  /** What it is compared with. */
  readonly than: string;
}

/** Says whether a version is older or newer than another, as their vendor writes them; never guesses. */
export function compareVersions({ version, than, ...of }: VersionPair): VersionOrder {
  const [a, b] = [parseVersion(of.vendor, version), parseVersion(of.vendor, than)];
  if (areSame(a, b)) return 'same';
  // Where only one text tells the family, both are taken to be of it, as they are by `isSameVersion`.
  const [x, y] = [orderKey(of, { ...a, line: a.line ?? b.line }), orderKey(of, { ...b, line: b.line ?? a.line })];
  if (x === undefined || y === undefined || x.kind !== y.kind) return 'unknown';
  const difference = compareKeys(x, y);
  // The same numbers in two builds, or padded in another way: neither is known to come first.
  if (difference === 0) return 'unknown';
  return difference < 0 ? 'older' : 'newer';
}
