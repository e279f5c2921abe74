import { compareKeys, type OrderKey, orderKey, type VersionOf } from './order-key.ts';
import { parseVersion } from './parse-version.ts';

/** Something of a version, as a list has it. */
export interface Versioned {
  readonly version: string;
  /** The day it came out, `2023-07-20`, where that is known. */
  readonly releaseDate?: string | undefined;
}

/**
 * Sorts versions of one thing, the newest first. Versions that can be ordered by their vendor's scheme are; those of
 * which nothing is known go by the day they came out, and after those with a day come those without, by their text.
 * The outcome does not depend on the order of what is given.
 */
export function sortVersions<T extends Versioned>(of: VersionOf, items: readonly T[]): T[] {
  const kinds = new Map<string, Kind<T>>();
  for (const item of items) {
    const key = orderKey(of, parseVersion(of.vendor, item.version));
    // Without an order each version is a kind of its own.
    const name = key?.kind ?? `text/${item.version.trim().toLowerCase()}`;
    const kind: Kind<T> = kinds.get(name) ?? { name, newestDate: '', members: [] };
    kind.newestDate = max(kind.newestDate, item.releaseDate ?? '');
    kind.members.push({ item, key });
    kinds.set(name, kind);
  }
  return [...kinds.values()]
    .sort((a, b) => descending(a.newestDate, b.newestDate) || descending(a.name, b.name))
    .flatMap(({ members }) => members.sort(byVersion).map(({ item }) => item));
}

interface Kind<T> {
  readonly name: string;
  newestDate: string;
  readonly members: Member<T>[];
}

interface Member<T> {
  readonly item: T;
  readonly key: OrderKey | undefined;
}

function byVersion<T extends Versioned>(a: Member<T>, b: Member<T>): number {
  const order = a.key === undefined || b.key === undefined ? 0 : compareKeys(b.key, a.key);
  if (order !== 0) return order;
  return descending(a.item.releaseDate ?? '', b.item.releaseDate ?? '') || descending(a.item.version, b.item.version);
}

function descending(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? 1 : -1;
}

function max(a: string, b: string): string {
  return a < b ? b : a;
}
