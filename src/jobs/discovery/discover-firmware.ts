import type { CatalogReader, CatalogSource, FirmwareEntry } from '../../catalogs/index.ts';
import { getPartClass, isPartOfServer, partKey } from '../../parts/index.ts';
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
  /** False for versions older than those that are listed: they can be installed as well. */
  readonly isListed?: boolean | undefined;
  readonly softwareIds: readonly string[];
}

/** One product and the newest versions of its firmware, oldest first. */
export interface AvailableFirmware {
  readonly name: string;
  readonly manufacturer: string;
  /** What the catalogue calls the product; absent for the server's own BIOS and BMC. */
  readonly model?: string | undefined;
  readonly softwareIds?: readonly string[] | undefined;
  readonly versions: readonly string[];
}

/** What can be had for a model. */
export interface Discovery {
  readonly firmwares: readonly AvailableFirmware[];
  readonly images: readonly DiscoveredImage[];
}

/** More images than a report of a discovery may have are left out, those of the oldest versions of each product first. */
const mostImages = 5000;

/**
 * Looks in all sources for the firmware of a model: for each product the newest versions, not more than asked for, and
 * where the images of all versions are. Throws what reading a catalogue throws: half a list is none.
 */
export async function discoverFirmware(
  tools: DiscoveryTools,
  order: DiscoveryOrder,
  signal?: AbortSignal,
): Promise<Discovery> {
  // How many versions are listed is no limit of what can be installed.
  const { versionsToStore, ...all } = order;
  const entries: FirmwareEntry[] = [];
  for (const source of tools.sources) {
    const { entries: found } = await tools.reader.read(source, all, signal);
    for (const entry of found) entries.push(withClass(entry));
  }
  const products = [...Map.groupBy(entries, productKey).values()].flatMap((group) => listVersions(group, order));
  const ranks = new Map(products.flatMap((product) => product.ranked));
  const rankOf = (entry: FirmwareEntry): number => ranks.get(entry) ?? Number.POSITIVE_INFINITY;
  const newestFirst = entries.length <= mostImages ? entries : entries.toSorted((a, b) => rankOf(a) - rankOf(b));
  const images = distinct(
    newestFirst.map((entry) => toImage(entry, { order, isListed: rankOf(entry) < versionsToStore })),
  );
  return {
    firmwares: products
      .map(({ firmware }) => firmware)
      .sort(
        (a, b) =>
          compare(a.name, b.name) || compare(a.manufacturer, b.manufacturer) || compare(a.model ?? '', b.model ?? ''),
      ),
    images: images.slice(0, mostImages),
  };
}

/** Catalogues have no classes of their own for some parts; the names tell. */
function withClass(entry: FirmwareEntry): FirmwareEntry {
  if (entry.component !== 'other') return entry;
  return { ...entry, component: getPartClass({ component: 'other', name: entry.name }) };
}

/** What the catalogue calls a product; every server has one BIOS and one BMC, which go without. */
function productName({ component, name }: FirmwareEntry): string | undefined {
  if (isPartOfServer(component) && component !== 'cpld') return undefined;
  return name.trim() === '' || name === component ? undefined : name;
}

function productKey({ component: name, manufacturer, line }: FirmwareEntry): string {
  return JSON.stringify([partKey({ name, manufacturer }), line]);
}

/** The newest versions of one product, no more than asked for, and how many newer versions there are than each entry's. */
function listVersions(group: readonly FirmwareEntry[], order: DiscoveryOrder) {
  const [first] = group;
  if (first === undefined) return [];
  const { component, manufacturer } = first;
  const sorted = sortVersions({ vendor: manufacturer, component }, group);
  const newestFirst = [...new Set(sorted.map(({ version }) => version))];
  const ranks = new Map(newestFirst.map((version, rank) => [version, rank]));
  const versions = newestFirst.slice(0, order.versionsToStore).reverse();
  const softwareIds = [...new Set(group.flatMap((entry) => entry.softwareIds))];
  const model = productName(sorted[0] ?? first);
  const firmware: AvailableFirmware = {
    name: component,
    manufacturer,
    ...(model === undefined ? {} : { model }),
    ...(softwareIds.length === 0 ? {} : { softwareIds }),
    versions,
  };
  const ranked = group.map((entry) => [entry, ranks.get(entry.version) ?? ranks.size] as const);
  return [{ firmware, ranked }];
}

function toImage(
  entry: FirmwareEntry,
  { order, isListed }: { readonly order: DiscoveryOrder; readonly isListed: boolean },
): DiscoveredImage {
  const { component, manufacturer, version, fileName, url, sizeBytes, softwareIds } = entry;
  const [best] = entry.digests;
  const checksum = best === undefined ? '' : `${best.algorithm}:${best.hex}`;
  // It was found for this model, whatever the catalogue calls that; parts without an id of their own go by the product.
  const product = productName(entry);
  const { model, otherModels = [] } = order;
  const models = [...new Set([...entry.models, model, ...otherModels, ...(product === undefined ? [] : [product])])];
  return { component, manufacturer, version, models, fileName, url, checksum, sizeBytes, softwareIds, isListed };
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
