import type { Condition, Engine } from '../../engine/index.ts';
import type { FirmwareStore } from '../../firmware-store/index.ts';
import { imageReference, readImageReference } from '../../jobs/index.ts';
import {
  type NeededImagesParts,
  type OpenWork,
  readCatalogued,
  readOpenWork,
  type WantedVersions,
  wantedBy,
} from './needed-images.ts';

/** What images are released with. */
export interface ReleaseParts extends NeededImagesParts {
  readonly engine: Pick<Engine, 'list' | 'get'>;
  readonly store: Pick<FirmwareStore, 'list' | 'references' | 'release'>;
  /** The DiscoveredFirmware objects that are there; undefined where nobody knows of objects. */
  readonly discovered: () => Promise<readonly WantedVersions[] | undefined>;
}

interface HeldImage {
  readonly sha256: string;
  /** Ids of the discoveries that hold it. */
  readonly holders: readonly string[];
}

/**
 * Lets go of images that discoveries put into the store and that nobody needs any more: no DiscoveredFirmware lists their
 * version, no set has them, no work that is not over installs them. Says how many references went. What others hold is
 * theirs. Images are looked at first and what is needed last, so that whoever begins meanwhile loses nothing.
 */
export async function releaseImages(parts: ReleaseParts): Promise<number> {
  const held = await listHeld(parts.store);
  if (held.length === 0) return 0;
  const open = await readOpenWork(parts);
  const finished = await readFinished(parts, held, open);
  const wanted = wantedVersions((await parts.discovered()) ?? undefined, finished);
  const catalogued = await readCatalogued(parts, wanted);
  const createdAt = new Map(finished.map(({ id, createdAt: at }) => [id, at]));
  let released = 0;
  for (const { sha256, holders } of held) {
    const isNeeded = catalogued.has(sha256) || open.images.has(sha256);
    const over = holders
      .filter((id) => !open.discoveries.has(id))
      .sort((a, b) => (createdAt.get(b) ?? 0) - (createdAt.get(a) ?? 0));
    // One reference is enough to keep it, and the newest will be there for longest.
    const isKeptByOthers = over.length < holders.length;
    for (const id of isNeeded && !isKeptByOthers ? over.slice(1) : over) {
      await parts.store.release(sha256, imageReference(id));
      released += 1;
    }
  }
  return released;
}

async function listHeld(store: ReleaseParts['store']): Promise<readonly HeldImage[]> {
  const held: HeldImage[] = [];
  for (const { sha256 } of await store.list()) {
    const holders = (await store.references(sha256)).flatMap((text) => readImageReference(text) ?? []);
    if (holders.length > 0) held.push({ sha256, holders });
  }
  return held;
}

async function readFinished(
  { engine }: Pick<ReleaseParts, 'engine'>,
  held: readonly HeldImage[],
  open: OpenWork,
): Promise<readonly Condition[]> {
  const ids = new Set(held.flatMap(({ holders }) => holders).filter((id) => !open.discoveries.has(id)));
  const found = await Promise.all([...ids].map((id) => engine.get(id)));
  return found.filter((condition) => condition !== undefined);
}

/** What objects list, and what the last discovery for each found, which objects may not list yet. */
function wantedVersions(
  objects: readonly WantedVersions[] | undefined,
  finished: readonly Condition[],
): readonly WantedVersions[] {
  const byName = new Map(objects?.map((one) => [one.name, one]));
  const newest = new Map<string, WantedVersions>();
  for (const condition of finished.toSorted((a, b) => a.createdAt - b.createdAt)) {
    const wanted = wantedBy(condition);
    if (wanted !== undefined) newest.set(wanted.name, wanted);
  }
  const found = [...newest.values()].flatMap((one): WantedVersions[] => {
    if (objects === undefined) return [one];
    const object = byName.get(one.name);
    return object === undefined ? [] : [{ ...one, versionsToStore: object.versionsToStore }];
  });
  return [...(objects ?? []), ...found];
}
