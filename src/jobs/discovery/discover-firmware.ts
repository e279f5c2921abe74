import { type CatalogReader, type CatalogSource, type FirmwareEntry, newestEntries } from '../../catalogs/index.ts';
import { partKey } from '../../flasher/index.ts';
import { sortVersions } from '../../versions/index.ts';

/** Whose firmware is looked for, and how much of it is kept. */
export interface DiscoveryOrder {
  readonly manufacturer: string;
  readonly model: string;
  /** Other names of the model that catalogues may have. */
  readonly otherModels?: readonly string[] | undefined;
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

/** One firmware of a model, its newest versions, oldest first. */
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
 * asked for, and where the images of the newest versions of each line are. Throws what reading a catalogue throws: half a
 * list is none.
 */
export async function discoverFirmware(
  tools: DiscoveryTools,
  order: DiscoveryOrder,
  signal?: AbortSignal,
): Promise<Discovery> {
  const found: FirmwareEntry[] = [];
  for (const source of tools.sources) found.push(...(await tools.reader.read(source, order, signal)).entries);
  // Each catalogue has the newest of its own; together they may have more of one line.
  const newest = new Set(tools.sources.length > 1 ? newestEntries(found, 'plain', order) : found);
  const entries = found.filter((entry) => newest.has(entry));
  const groups = Map.groupBy(entries, ({ component: name, manufacturer }) => partKey({ name, manufacturer }));
  return {
    firmwares: [...groups.values()]
      .flatMap((group) => listVersions(group, order))
      .sort((a, b) => compare(a.name, b.name) || compare(a.manufacturer, b.manufacturer)),
    images: distinct(entries.map((entry) => toImage(entry, order))),
  };
}

/**
 * Several lines of one maker's firmware (two kinds of NICs) go by one name. The list has the newest versions of all of
 * them and no more than asked for; what it has no room for can still be installed.
 */
function listVersions(group: readonly FirmwareEntry[], order: DiscoveryOrder): AvailableFirmware[] {
  const [first] = group;
  if (first === undefined) return [];
  const { component, manufacturer } = first;
  const sorted = sortVersions({ vendor: manufacturer, component }, group).map(({ version }) => version);
  const versions = [...new Set(sorted)].slice(0, order.versionsToStore).reverse();
  return [{ name: component, manufacturer, versions }];
}

function toImage(entry: FirmwareEntry, { model }: DiscoveryOrder): DiscoveredImage {
  const { component, manufacturer, version, fileName, url, sizeBytes, softwareIds } = entry;
  const [best] = entry.digests;
  const checksum = best === undefined ? '' : `${best.algorithm}:${best.hex}`;
  // It was found for this model, however the catalogue spells that.
  const models = [...new Set([...entry.models, model])];
  return { component, manufacturer, version, models, fileName, url, checksum, sizeBytes, softwareIds };
}

/** What several catalogues say of one image is all true of it. */
function distinct(images: readonly DiscoveredImage[]): DiscoveredImage[] {
  const keyOf = (one: DiscoveredImage): string =>
    JSON.stringify([one.component, one.manufacturer, one.version, one.fileName, one.checksum]);
  return [...Map.groupBy(images, keyOf).values()].flatMap((same) => {
    const all = (name: 'models' | 'softwareIds') => [...new Set(same.flatMap((one) => one[name]))];
    return same.slice(-1).map((one) => ({ ...one, models: all('models'), softwareIds: all('softwareIds') }));
  });
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
