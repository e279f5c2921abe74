import { type Condition, type Engine, isFinal } from '../../engine/index.ts';
import { partKey } from '../../flasher/index.ts';
import type { AvailableFirmware } from '../../jobs/index.ts';
import type { FirmwareRecord, Serverservice } from '../../serverservice/index.ts';
import { kindOf, readDiscoverParameters } from '../kinds.ts';

/** Versions of a model that somebody may ask for. */
export interface WantedVersions {
  /** Name of the DiscoveredFirmware. */
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly versionsToStore: number;
  /** Versions oldest first. */
  readonly available: readonly AvailableFirmware[];
}

/** What needed images are worked out from. */
export interface NeededImagesParts {
  readonly engine: Pick<Engine, 'list'>;
  readonly service: Pick<Serverservice, 'firmware' | 'firmwareSets'>;
}

/** What work that is not over needs. */
export interface OpenWork {
  /** Discoveries that may be holding images of which nobody was told yet. */
  readonly discoveries: ReadonlySet<string>;
  /** SHA-256 of images that are to be installed. */
  readonly images: ReadonlySet<string>;
}

const pageSize = 500;

/** Reads what work that is not over needs. */
export async function readOpenWork({ engine }: Pick<NeededImagesParts, 'engine'>): Promise<OpenWork> {
  const [discoveries, images] = [new Set<string>(), new Set<string>()];
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const { conditions, next } = await engine.list({ limit: pageSize, ...(after === undefined ? {} : { after }) });
    for (const { id, kind, parameters } of conditions.filter(({ state }) => !isFinal(state))) {
      if (kind === kindOf.discovery) discoveries.add(id);
      // Wherever parameters name an image, they name it by what it hashes to.
      for (const [sha256] of JSON.stringify(parameters).matchAll(/\b[0-9a-f]{64}\b/gi))
        images.add(sha256.toLowerCase());
    }
    after = next;
  }
  return { discoveries, images };
}

/** SHA-256 of images that sets install, or that bring a model to a version that it is known for. */
export async function readCatalogued(
  { service }: Pick<NeededImagesParts, 'service'>,
  wanted: readonly WantedVersions[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const take = ({ checksums }: FirmwareRecord): void => {
    if (checksums.sha256 !== undefined) found.add(checksums.sha256);
  };
  for await (const { firmware } of pagesOf((request) => service.firmwareSets.list({}, request))) firmware.forEach(take);
  for (const [model, objects] of Map.groupBy(wanted, (one) => one.model)) {
    const parts = versionsByPart(objects);
    for await (const record of pagesOf((request) => service.firmware.list({ model }, request))) {
      const key = partKey({ name: record.component, manufacturer: record.vendor });
      if (parts.get(key)?.has(record.version) === true) take(record);
    }
  }
  return found;
}

function versionsByPart(objects: readonly WantedVersions[]): ReadonlyMap<string, ReadonlySet<string>> {
  const parts = new Map<string, Set<string>>();
  for (const { available, versionsToStore } of objects) {
    for (const each of available) {
      const versions = parts.get(partKey(each)) ?? new Set();
      for (const version of each.versions.slice(-versionsToStore)) versions.add(version);
      parts.set(partKey(each), versions);
    }
  }
  return parts;
}

interface PageOf<T> {
  readonly records: readonly T[];
  readonly total: number;
}

async function* pagesOf<T>(
  list: (request: { limit: number; page: number; orderBy: string; isDescending: boolean }) => Promise<PageOf<T>>,
): AsyncGenerator<T> {
  for (let page = 1; ; page++) {
    const request = { limit: pageSize, page, orderBy: 'created_at', isDescending: false };
    const { records, total } = await list(request);
    yield* records;
    if (records.length === 0 || page * pageSize >= total) return;
  }
}

/** What a discovery found, as soon as it ended: objects are told of it a moment later. */
export function wantedBy({ kind, state, parameters, status }: Condition): WantedVersions | undefined {
  if (kind !== kindOf.discovery || state !== 'succeeded' || !Array.isArray(status.available)) return undefined;
  const available = status.available as unknown as readonly AvailableFirmware[];
  return { ...readDiscoverParameters(parameters), available };
}
