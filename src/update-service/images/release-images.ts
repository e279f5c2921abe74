import type { Condition, Engine } from '../../engine/index.ts';
import type { FirmwareStore } from '../../firmware-store/index.ts';
import { imageReference, readImageReference } from '../../jobs/index.ts';
import {
  type AvailableVersions,
  availableBy,
  type FirmwareObjects,
  type NeededImagesParts,
  type OpenWork,
  readCatalogued,
  readOpenWork,
} from './needed-images.ts';

/** What images are released with. */
export interface ReleaseParts extends NeededImagesParts {
  readonly engine: Pick<Engine, 'list' | 'get'>;
  readonly store: Pick<FirmwareStore, 'list' | 'references' | 'hold' | 'release'>;
  /** Undefined where nobody knows of objects: then only discoveries tell. */
  readonly objects: FirmwareObjects | undefined;
}

interface Image {
  readonly sha256: string;
  /** Under which anybody holds it. */
  readonly references: readonly string[];
}

/** Under which an image is held that is needed and that nobody else holds. */
const neededReference = 'update-service/needed';

/**
 * Lets go of images that discoveries put into the store and that nobody needs any more: no last discovery fetched them, no
 * DiscoveredFirmware lists their version, no ServerFirmware and no group wants it, no set has them, no work that is not over
 * installs them. Says how many references went. What others hold is theirs. Images are looked at first and what is needed
 * last, so that whoever begins meanwhile loses nothing; one that somebody needs again before it was thrown away is held
 * again.
 */
export async function releaseImages(parts: ReleaseParts): Promise<number> {
  const images = await listImages(parts.store);
  if (images.length === 0) return 0;
  const open = await readOpenWork(parts);
  const finished = await readFinished(parts, images, open);
  const available = await parts.objects?.available();
  const last = lastDiscoveries(available, finished);
  const catalogued = await readCatalogued(parts, new Set(images.map(({ sha256 }) => sha256)), {
    available: [...(available ?? []), ...last.map((one) => one.found)],
    wanted: (await parts.objects?.wanted()) ?? [],
  });
  const known = {
    open,
    lasting: new Set(last.filter((one) => one.isWhole).map((one) => imageReference(one.id))),
    createdAt: new Map(finished.map(({ id, createdAt: at }) => [imageReference(id), at])),
  };
  let released = 0;
  for (const { sha256, references } of images) {
    const isNeeded = catalogued.has(sha256) || open.images.has(sha256);
    if (isNeeded && references.length === 0) await parts.store.hold(sha256, neededReference);
    for (const reference of idleReferences(references, { ...known, isNeeded })) {
      await parts.store.release(sha256, reference);
      released += 1;
    }
  }
  return released;
}

interface Holding {
  readonly open: OpenWork;
  /** References of discoveries that keep all that they fetched. */
  readonly lasting: ReadonlySet<string>;
  /** When the discoveries behind references began. */
  readonly createdAt: ReadonlyMap<string, number>;
  /** Somebody else needs the image. */
  readonly isNeeded: boolean;
}

/** Those references of ours that an image can do without. */
function idleReferences(references: readonly string[], holding: Holding): readonly string[] {
  const { open, lasting, createdAt, isNeeded } = holding;
  const ours = references.filter(isOurs);
  const over = ours
    .filter((reference) => !open.discoveries.has(readImageReference(reference) ?? '') && !lasting.has(reference))
    .sort((a, b) => (createdAt.get(b) ?? 0) - (createdAt.get(a) ?? 0));
  // One reference is enough to keep it, and the newest will be there for longest.
  const isKeptByOthers = over.length < ours.length;
  return isNeeded && !isKeptByOthers ? over.slice(1) : over;
}

function isOurs(reference: string): boolean {
  return reference === neededReference || readImageReference(reference) !== undefined;
}

/** All images but those that only others hold. */
async function listImages(store: ReleaseParts['store']): Promise<readonly Image[]> {
  const images: Image[] = [];
  for (const { sha256 } of await store.list()) {
    const references = await store.references(sha256);
    if (references.length === 0 || references.some(isOurs)) images.push({ sha256, references });
  }
  return images;
}

async function readFinished(
  { engine }: Pick<ReleaseParts, 'engine'>,
  images: readonly Image[],
  open: OpenWork,
): Promise<readonly Condition[]> {
  const holders = images.flatMap(({ references }) => references).flatMap((text) => readImageReference(text) ?? []);
  const ids = new Set(holders.filter((id) => !open.discoveries.has(id)));
  const found = await Promise.all([...ids].map((id) => engine.get(id)));
  return found.filter((condition) => condition !== undefined);
}

/** The last discovery of a DiscoveredFirmware that ended well. */
interface LastDiscovery {
  readonly id: string;
  /** What it found, which objects may not list yet. */
  readonly found: AvailableVersions;
  /** All that it fetched is still asked for, also of lines that no list has room for. */
  readonly isWhole: boolean;
}

/** Those of objects that are there; of all where nobody knows of objects. */
function lastDiscoveries(
  objects: readonly AvailableVersions[] | undefined,
  finished: readonly Condition[],
): readonly LastDiscovery[] {
  const last = new Map<string, LastDiscovery>();
  for (const condition of finished.toSorted((a, b) => a.createdAt - b.createdAt)) {
    const found = availableBy(condition);
    if (found !== undefined) last.set(found.name, { id: condition.id, found, isWhole: true });
  }
  if (objects === undefined) return [...last.values()];
  return objects.flatMap(({ name, versionsToStore }): LastDiscovery[] => {
    const one = last.get(name);
    if (one === undefined) return [];
    // Which of its images are of older versions only the next discovery can tell.
    const isWhole = versionsToStore >= one.found.versionsToStore;
    return [{ ...one, found: { ...one.found, versionsToStore }, isWhole }];
  });
}
