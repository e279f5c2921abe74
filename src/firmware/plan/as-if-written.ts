import { groupAnnotation, operationAnnotation, retryPropagatedOperation } from '../../api/index.ts';
import type { OwnedFirmware } from '../fleet/objects.ts';
import { entryKey } from '../fleet/ownership.ts';
import { type ApplyEntries, entriesToApply } from '../group/decide-member.ts';

/**
 * A ServerFirmware as it would be after a group's entries were applied to it: what the API server does to the list, to the
 * annotation and to who owns them. Pure.
 */
export function asIfWritten(firmware: OwnedFirmware, effect: ApplyEntries): OwnedFirmware {
  const { ownership, metadata, spec } = firmware;
  const applied = entriesToApply(effect, ownership);
  const versions = new Map(applied.map((entry) => [entryKey(entry), entry.version]));
  const before = spec.firmwares ?? [];
  const isDropped = (key: string): boolean =>
    (ownership.groupEntries.has(key) || ownership.editedEntries.has(key)) &&
    !versions.has(key) &&
    !ownership.otherItems.has(key);
  const kept = before
    .filter((entry) => !isDropped(entryKey(entry)))
    .map((entry) => ({ ...entry, version: versions.get(entryKey(entry)) ?? entry.version }));
  const present = new Set(before.map(entryKey));
  const added = applied.flatMap(({ version, ...key }) =>
    version === undefined || present.has(entryKey(key))
      ? []
      : [{ model: '', softwareId: '', slot: '', ...key, version }],
  );
  const firmwares = [...kept, ...added];
  const isMarked = effect.group !== undefined && !ownership.isGroupAnnotationTaken;
  const isChanged = JSON.stringify(firmwares) !== JSON.stringify(before);
  return {
    ...firmware,
    metadata: {
      ...metadata,
      ...(isChanged && metadata.generation !== undefined ? { generation: metadata.generation + 1 } : {}),
      annotations: markedWith(metadata.annotations, { group: effect.group, isTaken: ownership.isGroupAnnotationTaken }),
    },
    spec: { ...spec, firmwares },
    ownership: {
      ...ownership,
      groupEntries: keysWhere(versions, (version) => version !== undefined),
      editedEntries: keysWhere(versions, (version) => version === undefined),
      isGroupManaged: isMarked || applied.length > 0,
    },
  };
}

function keysWhere(
  versions: ReadonlyMap<string, string | undefined>,
  isSo: (version: string | undefined) => boolean,
): ReadonlySet<string> {
  return new Set([...versions].filter(([, version]) => isSo(version)).map(([key]) => key));
}

function markedWith(
  annotations: Readonly<Record<string, string>> | undefined,
  { group, isTaken }: { readonly group: string | undefined; readonly isTaken: boolean },
): Record<string, string> {
  if (isTaken) return { ...annotations };
  const { [groupAnnotation]: _, ...others } = annotations ?? {};
  return group === undefined ? others : { ...others, [groupAnnotation]: group };
}

/** A ServerFirmware that its group told to try again. */
export function asIfTold(firmware: OwnedFirmware): OwnedFirmware {
  const { metadata } = firmware;
  const annotations = { ...metadata.annotations, [operationAnnotation]: retryPropagatedOperation };
  return { ...firmware, metadata: { ...metadata, annotations } };
}
