import type { BareMetalHost, Raid } from '../../api/index.ts';
import { type Instant, isSameJson } from '../../kube/index.ts';
import type { FirmwareUpdate, Preparation } from '../../provisioners/index.ts';
import { annotationsOf } from '../annotations/read-annotations.ts';
import { preparationNote } from '../resources.ts';
import { textOfMoment } from '../status/host-status.ts';
import type { HostEffect, HostSeen } from './seen.ts';

/**
 * What is about to be changed on a host while it is prepared. It is stored on the host before its provisioner is told,
 * so that whoever comes after us knows what may be under way, and what is to be made again when it failed.
 */
export interface PreparationNote {
  readonly raid?: Raid | undefined;
  /** Of the HostFirmwareSettings whose settings are to be made. */
  readonly settingsGeneration?: number | undefined;
  readonly updates: readonly FirmwareUpdate[];
  /** When it was noted; only where there are updates. */
  readonly at?: string | undefined;
  /** True where something else may be under way: then what is seen to be so may not be this. */
  readonly isDoubted?: true;
}

/** The note on a host; undefined where there is none, or none that can be read. */
export function noteOn(host: BareMetalHost): PreparationNote | undefined {
  const text = annotationsOf(host)[preparationNote];
  if (text === undefined) return undefined;
  try {
    const note = JSON.parse(text) as PreparationNote | null;
    return Array.isArray(note?.updates) ? (note as PreparationNote) : undefined;
  } catch {
    return undefined;
  }
}

/** What an order changes; undefined when that is nothing which takes time. */
export function changesOf(seen: HostSeen, order: Preparation): PreparationNote | undefined {
  const { raid, settings, updates = [] } = order;
  if (raid === undefined && settings === undefined && updates.length === 0) return undefined;
  const settingsGeneration = settings === undefined ? undefined : seen.firmwareSettings?.metadata.generation;
  return {
    ...(raid === undefined ? {} : { raid }),
    ...(settingsGeneration === undefined ? {} : { settingsGeneration }),
    updates,
  };
}

/** What has to be noted before the provisioner is told of these changes; undefined when it is noted already. */
export function noteFirst({ host }: HostSeen, changes: PreparationNote, now: Instant): HostEffect | undefined {
  const note = noteOn(host);
  if (note !== undefined && isCovered(changes, note)) return undefined;
  const before = note?.updates ?? [];
  const others = before.filter((update) => !changes.updates.some((each) => isSameJson(each, update)));
  const isDoubted = note === undefined ? {} : ({ isDoubted: true } as const);
  const updates = [...others, ...changes.updates];
  return write({ ...changes, updates, ...(updates.length === 0 ? {} : { at: textOfMoment(now) }), ...isDoubted });
}

/** Those of the updates that are still wanted which a round before this one noted: nobody heard whether they began. */
export function unheardOf({ hostBefore }: HostSeen, updates: readonly FirmwareUpdate[]): readonly FirmwareUpdate[] {
  const noted = noteOn(hostBefore)?.updates ?? [];
  return updates.filter((update) => noted.some((each) => isSameJson(each, update)));
}

/** Whether a component was written after its update was noted. */
export function isWritten({ hostBefore, firmwareComponents }: HostSeen, { component }: FirmwareUpdate): boolean {
  const seen = firmwareComponents?.status?.components?.find((each) => each.component === component);
  return Date.parse(seen?.updatedAt ?? '') > Date.parse(noteOn(hostBefore)?.at ?? '');
}

/** Whether what is seen to be under way is what was noted, in a round before this one. */
export function isUnderWay({ host, hostBefore }: HostSeen, changes: PreparationNote): boolean {
  const [note, before] = [noteOn(host), noteOn(hostBefore)];
  const isNoted = note !== undefined && before !== undefined && isCovered(changes, before);
  return isNoted && note.isDoubted !== true;
}

/** What is noted where something was under way before it was asked for; undefined when that is known. */
export function doubt({ host }: HostSeen): HostEffect | undefined {
  const note = noteOn(host);
  return note === undefined || note.isDoubted === true ? undefined : write({ ...note, isDoubted: true });
}

/** Forgets the note; undefined when there is none. */
export function forgetNote({ host }: HostSeen): HostEffect | undefined {
  if (!(preparationNote in annotationsOf(host))) return undefined;
  return { kind: 'change-host', key: 'forget-note', change: { removeAnnotations: [preparationNote] } };
}

function write(note: PreparationNote): HostEffect {
  const setAnnotations = { [preparationNote]: JSON.stringify(note) };
  return { kind: 'change-host', key: 'note-preparation', change: { setAnnotations } };
}

function isCovered(changes: PreparationNote, note: PreparationNote): boolean {
  const isRaidNoted = changes.raid === undefined || isSameJson(changes.raid, note.raid);
  const areSettingsNoted =
    changes.settingsGeneration === undefined || changes.settingsGeneration === note.settingsGeneration;
  const areUpdatesNoted = changes.updates.every((update) => note.updates.some((each) => isSameJson(each, update)));
  return isRaidNoted && areSettingsNoted && areUpdatesNoted;
}
