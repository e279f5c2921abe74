import type { Library } from '../declarations.ts';
import { compareStrings } from '../equality.ts';
import { CelError } from '../errors.ts';
import { CelOpaque, normalizeInt, uint64Max, type Value } from '../values.ts';

/** A semantic version; what follows `+` does not count. */
class CelSemver extends CelOpaque {
  override readonly typeName = 'kubernetes.Semver';
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly (string | bigint)[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly (string | bigint)[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  override equals(other: CelOpaque): boolean {
    return other instanceof CelSemver && this.compare(other) === 0;
  }

  compare(other: CelSemver): number {
    for (const [i, number] of this.numbers.entries()) {
      const difference = number - (other.numbers[i] as bigint);
      if (difference !== 0n) return difference < 0n ? -1 : 1;
    }
    return comparePrereleases(this.prerelease, other.prerelease);
  }
}

/** A release comes after its prereleases; numbers come before words, and fewer parts before more. */
function comparePrereleases(a: readonly (string | bigint)[], b: readonly (string | bigint)[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareParts(a[i] as string | bigint, b[i] as string | bigint);
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

function compareParts(a: string | bigint, b: string | bigint): number {
  if (typeof a === 'string' && typeof b === 'string') return Math.sign(compareStrings(a, b));
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function parseSemver(text: string): CelSemver {
  if (text === '') throw new CelError('Version string empty');
  const [major, minor, ...rest] = text.split('.') as [string, string | undefined, ...string[]];
  if (minor === undefined || rest.length === 0) throw new CelError('No Major.Minor.Patch elements found');
  let patch = rest.join('.');
  const plus = patch.indexOf('+');
  const build = plus < 0 ? [] : patch.slice(plus + 1).split('.');
  if (plus >= 0) patch = patch.slice(0, plus);
  const dash = patch.indexOf('-');
  const prerelease = dash < 0 ? [] : patch.slice(dash + 1).split('.');
  if (dash >= 0) patch = patch.slice(0, dash);
  const numbers = [readNumber(major, 'Major'), readNumber(minor, 'Minor'), readNumber(patch, 'Patch')] as const;
  const parts = prerelease.map(readPrerelease);
  build.forEach(checkBuild);
  return new CelSemver(numbers, parts);
}

function readNumber(text: string, name: string): bigint {
  if (!/^\d*$/.test(text))
    throw new CelError(`Invalid character(s) found in ${name.toLowerCase()} number ${JSON.stringify(text)}`);
  if (/^0\d/.test(text)) throw new CelError(`${name} number must not contain leading zeroes ${JSON.stringify(text)}`);
  return readUint(text);
}

function readUint(text: string): bigint {
  if (text === '') throw new CelError('strconv.ParseUint: parsing "": invalid syntax');
  const value = BigInt(text);
  if (value > uint64Max) throw new CelError(`strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`);
  return value;
}

function readPrerelease(text: string): string | bigint {
  if (text === '') throw new CelError('Prerelease is empty');
  if (/^\d+$/.test(text)) {
    if (/^0\d/.test(text))
      throw new CelError(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(text)}`);
    return readUint(text);
  }
  if (!/^[0-9A-Za-z-]+$/.test(text))
    throw new CelError(`Invalid character(s) found in prerelease ${JSON.stringify(text)}`);
  return text;
}

function checkBuild(text: string): void {
  if (text === '') throw new CelError('Build meta data is empty');
  if (!/^[0-9A-Za-z-]+$/.test(text))
    throw new CelError(`Invalid character(s) found in build meta data ${JSON.stringify(text)}`);
}

/** Takes a leading `v` away, fills up missing numbers and drops leading zeros. */
function normalized(text: string): string {
  const [first = '', second, ...others] = text.replace(/^v/, '').split('.');
  const parts = [first, ...(second === undefined ? [] : [second]), ...(others.length === 0 ? [] : [others.join('.')])];
  const trimmed = parts.map((part) => (part.length > 1 ? part.replace(/^0+(?=\d)/, '') : part));
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) as string)) {
    throw new CelError('short version cannot contain PreRelease/Build meta data');
  }
  while (trimmed.length < 3) trimmed.push('0');
  return trimmed.join('.');
}

function toSemver(text: Value, normalizes: Value = false): CelSemver {
  return parseSemver(normalizes === true ? normalized(text as string) : (text as string));
}

function isSemver(text: Value, normalizes: Value = false): Value {
  try {
    toSemver(text, normalizes);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

const compare = (a: Value, b: Value): number => (a as CelSemver).compare(b as CelSemver);
const number = (semver: Value, index: 0 | 1 | 2): Value => normalizeInt((semver as CelSemver).numbers[index]);
const type = 'kubernetes.Semver';

/** Semantic versions. */
export const semverLibrary: Library = {
  semver: {
    string_to_semver: [`(string) -> ${type}`, (text) => toSemver(text)],
    string_bool_to_semver: [`(string, bool) -> ${type}`, toSemver],
  },
  isSemver: {
    is_semver_string: ['(string) -> bool', (text) => isSemver(text)],
    is_semver_string_bool: ['(string, bool) -> bool', isSemver],
  },
  isGreaterThan: { semver_is_greater_than: [`${type}.(${type}) -> bool`, (a, b) => compare(a, b) > 0] },
  isLessThan: { semver_is_less_than: [`${type}.(${type}) -> bool`, (a, b) => compare(a, b) < 0] },
  compareTo: { semver_compare_to: [`${type}.(${type}) -> int`, compare] },
  major: { semver_major: [`${type}.() -> int`, (semver) => number(semver, 0)] },
  minor: { semver_minor: [`${type}.() -> int`, (semver) => number(semver, 1)] },
  patch: { semver_patch: [`${type}.() -> int`, (semver) => number(semver, 2)] },
};
