import type { CatalogReader, CatalogSource, FirmwareEntry } from '../../catalogs/index.ts';
import { partKey } from '../../flasher/index.ts';
import { sortVersions } from '../../versions/index.ts';

/** Whose firmware is looked for, and how much of it is kept. */
export interface DiscoveryOrder {
  readonly manufacturer: string;
  readonly model: string;
  readonly versionsToStore: number;
}

/** What firmware is looked for in. */
export interface DiscoveryTools {
  readonly reader: Pick<CatalogReader, 'read'>;
  /** Asked one after another; those of other vendors have nothing. */
  readonly sources: readonly CatalogSource[];
}

/** An image that can bring a component to a version, for the catalogue. */
export interface DiscoveredImage {
  readonly component: string;
  /** Who makes the part, or the server for its own firmware. */
  readonly manufacturer: string;
  readonly version: string;
  readonly models: readonly string[];
  readonly fileName: string;
  readonly url: string;
  /** `sha256:...`; empty where the catalogue has none. */
  readonly checksum: string;
  readonly sizeBytes: number | undefined;
  readonly softwareIds: readonly string[];
}

/** One firmware of a model, its versions oldest first. */
export interface AvailableFirmware {
  readonly name: string;
  readonly manufacturer: string;
  readonly versions: readonly string[];
}

/** What can be had for a model. */
export interface Discovery {
  readonly firmwares: readonly AvailableFirmware[];
  readonly images: readonly DiscoveredImage[];
}

/**
 * Looks in all sources for what can be had for a model: for each component and maker the newest versions, not more than
 * asked for, and where their images are. Throws what reading a catalogue throws: half a list is none.
 */
export async function discoverFirmware(
  tools: DiscoveryTools,
  order: DiscoveryOrder,
  signal?: AbortSignal,
): Promise<Discovery> {
  const entries: FirmwareEntry[] = [];
  for (const source of tools.sources) {
    const found = await tools.reader.read(source, order, signal);
    entries.push(...found.entries);
  }
  const groups = Map.groupBy(entries, ({ component: name, manufacturer }) => partKey({ name, manufacturer }));
  const found = [...groups.values()].map((group) => keepNewest(group, order));
  return {
    firmwares: found
      .flatMap(({ available }) => available)
      .sort((a, b) => compare(a.name, b.name) || compare(a.manufacturer, b.manufacturer)),
    images: distinct(found.flatMap(({ images }) => images)),
  };
}

/** Several lines of one maker's firmware (two kinds of NICs) go by one name: the newest versions of all are kept. */
function keepNewest(group: readonly FirmwareEntry[], order: DiscoveryOrder) {
  const [first] = group;
  if (first === undefined) return { available: [], images: [] };
  const { component, manufacturer } = first;
  const sorted = sortVersions({ vendor: manufacturer, component }, group).map(({ version }) => version);
  const kept = new Set([...new Set(sorted)].slice(0, order.versionsToStore));
  const images = group.filter(({ version }) => kept.has(version)).map((entry) => toImage(entry, order));
  return { available: [{ name: component, manufacturer, versions: [...kept].reverse() }], images };
}

function toImage(entry: FirmwareEntry, { model }: DiscoveryOrder): DiscoveredImage {
  const { component, manufacturer, version, fileName, url, sizeBytes, softwareIds } = entry;
  const [best] = entry.digests;
  const checksum = best === undefined ? '' : `${best.algorithm}:${best.hex}`;
  // It was found for this model, however the catalogue spells that.
  const models = [...new Set([...entry.models, model])];
  return { component, manufacturer, version, models, fileName, url, checksum, sizeBytes, softwareIds };
}

function distinct(images: readonly DiscoveredImage[]): DiscoveredImage[] {
  const keyOf = (one: DiscoveredImage): string =>
    JSON.stringify([one.component, one.manufacturer, one.version, one.fileName, one.checksum]);
  return [...new Map(images.map((one) => [keyOf(one), one])).values()];
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
