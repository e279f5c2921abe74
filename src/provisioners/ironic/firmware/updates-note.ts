import type { FirmwareUpdate } from '../../provisioner.ts';
import { type JsonObject, objectOf, objectsOf, textOf } from '../client/index.ts';
import type { IronicNode } from '../node/index.ts';
import type { Workplace } from '../workplace.ts';
import { readVersions } from './read-firmware.ts';

/** What Ironic keeps for us of the updates that it was last asked for, noted just before it was. */
export interface UpdatesNote {
  /** When the node came into the state that it was in then: once that is another, the request has arrived. */
  readonly since: string;
  /** All that were wanted, in the order of their steps. */
  readonly updates: readonly FirmwareUpdate[];
  /** Those of them that were made before, and so were not asked for again. */
  readonly made: readonly FirmwareUpdate[];
  /** The versions that components had then. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Reads such a note. */
export function readUpdatesNote(raw: JsonObject): UpdatesNote {
  const versions = Object.entries(objectOf(raw.versions)).map(([name, version]) => [name, textOf(version) ?? '']);
  return {
    since: textOf(raw.since) ?? '',
    updates: updatesIn(raw.updates),
    made: updatesIn(raw.made),
    versions: Object.fromEntries(versions),
  };
}

function updatesIn(raw: unknown): readonly FirmwareUpdate[] {
  return objectsOf(raw).map(({ component, url }) => ({ component: textOf(component) ?? '', url: textOf(url) ?? '' }));
}

/** The state of a node and when it came into it. */
export function sinceOf(node: IronicNode): string {
  return `${node.provisionState} since ${textOf(node.raw.provision_updated_at) ?? 'ever'}`;
}

/** What is to be noted, and the updates that are left to be asked for. */
export interface UpdatesPlan {
  readonly note: UpdatesNote;
  readonly left: readonly FirmwareUpdate[];
}

/**
 * Plans the updates of a node. Of what failed, `before` is the note: components that were written then are not written
 * again at every further try.
 */
export async function planUpdates(
  place: Workplace,
  node: IronicNode,
  { updates = [], before }: { readonly updates?: readonly FirmwareUpdate[] | undefined; readonly before?: UpdatesNote },
): Promise<UpdatesPlan> {
  const wanted = updates.map(({ component, url }) => ({ component, url }));
  const versions = wanted.length === 0 ? {} : await readVersions(place, node);
  const known = before === undefined ? [] : madeOf(before, node, versions);
  const made = wanted.filter((update) => isAmong(known, update));
  const left = wanted.filter((update) => !isAmong(known, update));
  const noted = Object.entries(versions).filter(([name]) => wanted.some(({ component }) => component === name));
  return { note: { since: sinceOf(node), updates: wanted, made, versions: Object.fromEntries(noted) }, left };
}

/**
 * Those of the updates of an attempt that failed which were made all the same. Each is a step of its own, a step begins
 * when the last one was done, and Ironic's reason names the image of the one that failed. Where it names none, the
 * versions tell: Ironic reads them again whenever a step begins.
 */
export function madeOf(
  { since, updates, made, versions: then }: UpdatesNote,
  node: IronicNode,
  versions: UpdatesNote['versions'],
): readonly FirmwareUpdate[] {
  // It was never asked for: the failure is that of the attempt before, which is accounted for.
  if (since === sinceOf(node)) return made;
  const asked = updates.filter((update) => !isAmong(made, update));
  const failed = asked.findIndex(({ url }) => url !== '' && (node.lastError ?? '').includes(url));
  if (failed >= 0) return [...made, ...asked.slice(0, failed)];
  const isOther = ({ component }: FirmwareUpdate) =>
    then[component] !== undefined && versions[component] !== undefined && then[component] !== versions[component];
  return [...made, ...asked.filter(isOther)];
}

/** True where a component gets that image in one of them. */
export function isAmong(all: readonly FirmwareUpdate[], { component, url }: FirmwareUpdate): boolean {
  return all.some((each) => each.component === component && each.url === url);
}
