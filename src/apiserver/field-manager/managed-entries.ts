import type { ManagedFieldsEntry } from '../object.ts';
import { type ElementOrder, type FieldSet, LEAF, unionAll } from './field-set.ts';
import { BadFieldSet, parseFieldSet } from './path-element.ts';

/** Who owns fields: one line of `managedFields` without what it owns. */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

/** One owner and its fields. */
export interface Entry extends Owner {
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The stored form this entry was read from, used again when nothing in it changed. */
  readonly stored?: ManagedFieldsEntry;
}

/** More owners by update than this are folded into one. */
export const maxUpdateOwners = 10;

/** Reads entries this server wrote, which are canonical already. */
export function readStoredEntries(entries: readonly ManagedFieldsEntry[] | undefined): Entry[] {
  return (entries ?? []).map((entry) => ({
    manager: entry.manager ?? '',
    operation: entry.operation ?? 'Update',
    apiVersion: entry.apiVersion ?? '',
    subresource: entry.subresource ?? '',
    time: entry.time,
    set: (entry.fieldsV1 ?? LEAF) as FieldSet,
    stored: entry,
  }));
}

/** Reads entries a client sent; throws BadFieldSet with the reason when they make no sense. */
export function readClientEntries(entries: readonly ManagedFieldsEntry[], order: ElementOrder): Entry[] {
  const byIdentity = new Map<string, Entry>();
  for (const [i, entry] of entries.entries()) {
    const read = readClientEntry(entry, i, order);
    byIdentity.set(identityOf(read), read);
  }
  return [...byIdentity.values()];
}

function readClientEntry(entry: ManagedFieldsEntry, index: number, order: ElementOrder): Entry {
  const { operation, apiVersion = '', fieldsType = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new BadFieldSet('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new BadFieldSet('apiVersion must not be empty');
  if (fieldsType === '') throw new BadFieldSet(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1')
    throw new BadFieldSet(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  const time =
    typeof entry.time === 'string' && !Number.isNaN(Date.parse(entry.time))
      ? printTime(new Date(entry.time))
      : undefined;
  return {
    manager: entry.manager ?? '',
    operation,
    apiVersion,
    subresource: entry.subresource ?? '',
    time,
    set: parseFieldSet(entry.fieldsV1 ?? {}, order),
  };
}

/** True when the client asks to forget all owners: an empty list, or one empty entry. */
export function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  if (entries.length === 0) return true;
  const [only] = entries;
  return (
    entries.length === 1 &&
    only !== undefined &&
    Object.values(only).every((value) => value === undefined || value === '' || value === null)
  );
}

/** The text that tells owners apart and orders them in messages. An applier is the same in every version. */
export function identityOf(owner: Owner): string {
  return JSON.stringify({
    ...(owner.manager === '' ? {} : { manager: owner.manager }),
    operation: owner.operation,
    ...(owner.operation === 'Apply' ? {} : { apiVersion: owner.apiVersion }),
    ...(owner.subresource === '' ? {} : { subresource: owner.subresource }),
  });
}

/** True when both are one and the same line of managedFields. */
export function isSameOwner(a: Owner, b: Owner): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.subresource === b.subresource &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  );
}

/** Times have whole seconds. */
export function printTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** Writes the entries in the order every client sees them. */
export function writeEntries(entries: readonly Entry[]): ManagedFieldsEntry[] {
  return [...entries].sort(compareEntries).map(writeEntry);
}

function writeEntry(entry: Entry): ManagedFieldsEntry {
  const { stored } = entry;
  if (stored !== undefined && stored.fieldsV1 === entry.set && stored.time === entry.time) return stored;
  const written: ManagedFieldsEntry = {
    apiVersion: entry.apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: entry.set as NonNullable<ManagedFieldsEntry['fieldsV1']>,
    manager: entry.manager,
    operation: entry.operation,
  };
  if (entry.subresource !== '') written.subresource = entry.subresource;
  if (entry.time !== undefined) written.time = entry.time;
  return written;
}

function compareEntries(a: Entry, b: Entry): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Folds the oldest owners by update into `ancient-changes`, one per version, until there are few enough. */
export function capUpdateOwners(entries: readonly Entry[], order: ElementOrder): readonly Entry[] {
  const updaters = entries.filter((entry) => entry.operation === 'Update');
  if (updaters.length <= maxUpdateOwners) return entries;
  updaters.sort((a, b) => compareText(a.time ?? '', b.time ?? '') || compareText(identityOf(a), identityOf(b)));
  const kept = new Set(entries);
  const buckets = new Map<string, Entry>();
  const firstOfVersion = new Map<string, Entry>();
  for (const entry of entries)
    if (isSameOwner(entry, bucketFor(entry.apiVersion))) buckets.set(entry.apiVersion, entry);
  const folds = new Map<string, { sets: FieldSet[]; time: string | undefined }>();
  let count = updaters.length;
  for (const entry of updaters) {
    if (count <= maxUpdateOwners) break;
    const { apiVersion } = entry;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, entry);
      continue;
    }
    const old = buckets.get(apiVersion) ?? first;
    kept.delete(old);
    kept.delete(entry);
    const sets = folds.get(apiVersion)?.sets ?? [old.set];
    sets.push(entry.set);
    folds.set(apiVersion, { sets, time: entry.time });
    count--;
  }
  const folded = [...folds].map(([apiVersion, { sets, time }]) => {
    return { ...bucketFor(apiVersion), time, set: unionAll(sets, order) };
  });
  return [...kept, ...folded];
}

function bucketFor(apiVersion: string): Owner {
  return { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' };
}
