import { type Firmware, firmwareKeys } from '../../api/index.ts';
import type { ManagedFieldsEntry } from '../../kube/index.ts';
import { fieldManagers } from '../resources.ts';

/** Who owns what of an object, as far as this room has to know; kept in place of `managedFields`, which are large. */
export interface Ownership {
  /** Entries whose version the group controller owns. */
  readonly groupEntries: ReadonlySet<string>;
  /** Entries that the group controller made and whose version it does not own: somebody edited them. */
  readonly editedEntries: ReadonlySet<string>;
  /** True when the group controller owns anything at all. */
  readonly isGroupManaged: boolean;
  /** Entries whose version somebody else owns: they win. */
  readonly otherEntries: ReadonlySet<string>;
  /** Entries that somebody else has as a whole: they stay when the group controller lets go of them. */
  readonly otherItems: ReadonlySet<string>;
  /** True when somebody else owns `spec.bios`. */
  readonly isBiosTaken: boolean;
  /** True when we own `spec.bios`. */
  readonly isBiosOurs: boolean;
  /** True when onboarding owns `spec.serverRef`: it made the ServerFirmware. */
  readonly isOnboarded: boolean;
  /** Labels that onboarding owns. */
  readonly onboardedLabels: ReadonlySet<string>;
  /** Labels that somebody else owns. */
  readonly otherLabels: ReadonlySet<string>;
  /** True when somebody else owns the annotation that names the group. */
  readonly isGroupAnnotationTaken: boolean;
}

/** Which parts an entry is for, without the version that they should have. */
export type FirmwareEntryKey = Omit<Firmware, 'version'>;

/** Which entry of a list of firmwares; equal keys are one entry to the API server. */
export function entryKey(entry: FirmwareEntryKey): string {
  return JSON.stringify(firmwareKeys.map((key) => entry[key] ?? ''));
}

/** The entry a key is of. */
export function readEntryKey(key: string): FirmwareEntryKey {
  const [name = '', manufacturer = '', model, softwareId, slot] = JSON.parse(key) as string[];
  return {
    name,
    manufacturer,
    ...(model ? { model } : {}),
    ...(softwareId ? { softwareId } : {}),
    ...(slot ? { slot } : {}),
  };
}

/** Reads `metadata.managedFields`. */
export function readOwnership(
  managedFields: readonly ManagedFieldsEntry[] | undefined,
  annotations: { readonly group: string },
): Ownership {
  const sets = {
    groupEntries: new Set<string>(),
    editedEntries: new Set<string>(),
    otherItems: new Set<string>(),
    otherEntries: new Set<string>(),
    onboardedLabels: new Set<string>(),
    otherLabels: new Set<string>(),
  };
  let [isGroupManaged, isBiosTaken, isBiosOurs, isGroupAnnotationTaken] = [false, false, false, false];
  let isOnboarded = false;
  for (const entry of managedFields ?? []) {
    if (entry.subresource !== undefined && entry.subresource !== '') continue;
    const fields = readFields(entry.fieldsV1);
    const applier = entry.operation === 'Apply' ? entry.manager : undefined;
    const [isGroup, isBios] = [applier === fieldManagers.group, applier === fieldManagers.bios];
    isGroupManaged ||= isGroup;
    for (const { key, hasVersion, isWhole, isOfOlderKeys } of fields.entries) {
      // The API server matches such an entry with nothing any more: the group has to apply it again.
      if (isGroup && isOfOlderKeys) continue;
      if (isGroup) (hasVersion ? sets.groupEntries : sets.editedEntries).add(key);
      else if (hasVersion) sets.otherEntries.add(key);
      if (!isGroup && isWhole) sets.otherItems.add(key);
    }
    isBiosOurs ||= fields.hasBios && isBios;
    isBiosTaken ||= fields.hasBios && !isBios;
    const isOnboarding = applier === fieldManagers.onboarding;
    isOnboarded ||= isOnboarding && fields.hasServerRef;
    const labels = isOnboarding ? sets.onboardedLabels : sets.otherLabels;
    for (const label of fields.labels) labels.add(label);
    if (!isGroup && fields.annotations.includes(annotations.group)) isGroupAnnotationTaken = true;
  }
  return { ...sets, isGroupManaged, isBiosTaken, isBiosOurs, isOnboarded, isGroupAnnotationTaken };
}

/** So many different digests are far more than a fleet has; then it is begun anew, so that it cannot grow without end. */
const mostShared = 10_000;

/**
 * Gives equal digests as one object. A fleet has few different ones, and an object for each server would be most of what a
 * cache holds; what is one object is also compared at once.
 */
export function createOwnershipSharing(): (ownership: Ownership) => Ownership {
  const known = new Map<string, Ownership>();
  return (ownership) => {
    const text = JSON.stringify(ownership, (_, value: unknown) =>
      value instanceof Set ? [...value].toSorted() : value,
    );
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= mostShared) known.clear();
    known.set(text, ownership);
    return ownership;
  };
}

/** An entry of `spec.firmwares` of which something is owned. */
interface OwnedEntry {
  readonly key: string;
  readonly hasVersion: boolean;
  readonly isWhole: boolean;
  /** Written when an entry had fewer keys. */
  readonly isOfOlderKeys: boolean;
}

interface Fields {
  readonly entries: readonly OwnedEntry[];
  readonly hasBios: boolean;
  readonly hasServerRef: boolean;
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
}

type FieldSet = Readonly<Record<string, unknown>>;

function readFields(fields: unknown): Fields {
  const metadata = child(fields, 'f:metadata');
  const spec = child(fields, 'f:spec');
  const firmwares = child(spec, 'f:firmwares');
  return {
    entries: Object.keys(firmwares).flatMap((element): OwnedEntry[] => {
      const found = element.startsWith('k:') ? entryIn(element) : undefined;
      const owned = child(firmwares, element);
      return found === undefined ? [] : [{ ...found, hasVersion: 'f:version' in owned, isWhole: '.' in owned }];
    }),
    hasBios: 'f:version' in child(spec, 'f:bios'),
    hasServerRef: 'f:serverRef' in spec,
    labels: namesIn(child(metadata, 'f:labels')),
    annotations: namesIn(child(metadata, 'f:annotations')),
  };
}

function child(fields: unknown, name: string): FieldSet {
  const value = isFieldSet(fields) ? fields[name] : undefined;
  return isFieldSet(value) ? value : {};
}

function isFieldSet(value: unknown): value is FieldSet {
  return typeof value === 'object' && value !== null;
}

function namesIn(fields: FieldSet): string[] {
  return Object.keys(fields)
    .filter((name) => name.startsWith('f:'))
    .map((name) => name.slice(2));
}

/** `k:{"manufacturer":"Intel","model":"","name":"nic","slot":"","softwareId":""}`. */
function entryIn(element: string): Pick<OwnedEntry, 'key' | 'isOfOlderKeys'> | undefined {
  const given: unknown = JSON.parse(element.slice(2));
  if (!isFieldSet(given)) return undefined;
  const [name, manufacturer, ...others] = firmwareKeys.map((key) => given[key]);
  if (typeof name !== 'string' || typeof manufacturer !== 'string') return undefined;
  const narrowed = others.map((value) => (typeof value === 'string' ? value : ''));
  return { key: JSON.stringify([name, manufacturer, ...narrowed]), isOfOlderKeys: others.includes(undefined) };
}
