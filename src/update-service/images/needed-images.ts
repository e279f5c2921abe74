import { type Condition, type Engine, isFinal } from '../../engine/index.ts';
import type { AvailableFirmware } from '../../jobs/index.ts';
import { partKey } from '../../parts/index.ts';
import type { FirmwareRecord, Serverservice } from '../../serverservice/index.ts';
import type { FirmwareVersion } from '../desk/check-request.ts';
import { kindOf, readDiscoverParameters } from '../kinds.ts';
import { createWantedCheck } from './wanted-firmware.ts';

/** Versions that can be had for a model. */
export interface AvailableVersions {
  /** Name of the DiscoveredFirmware. */
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly versionsToStore: number;
  /** Versions oldest first. */
  readonly available: readonly AvailableFirmware[];
}

/** What objects say about firmware. Throws where they cannot be listed: what is not known is not nothing. */
export interface FirmwareObjects {
  /** What DiscoveredFirmware objects list. */
  available(): Promise<readonly AvailableVersions[]>;
  /** What ServerFirmware and ServerFirmwareGroup objects want, each only once. */
  wanted(): Promise<readonly FirmwareVersion[]>;
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

/** What somebody may still install. */
export interface InstallableFirmware {
  readonly available: readonly AvailableVersions[];
  readonly wanted: readonly FirmwareVersion[];
}

/** Those of the images that sets have, that bring a model to a version that can be had for it, or that somebody wants. */
export async function readCatalogued(
  { service }: Pick<NeededImagesParts, 'service'>,
  images: ReadonlySet<string>,
  { available, wanted }: InstallableFirmware,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const take = ({ checksums }: FirmwareRecord): void => {
    if (checksums.sha256 !== undefined) found.add(checksums.sha256);
  };
  for await (const { firmware } of pagesOf((request) => service.firmwareSets.list({}, request))) firmware.forEach(take);
  const [isAvailable, isWanted] = [createAvailableCheck(available), createWantedCheck(wanted)];
  for await (const record of pagesOf((request) => service.firmware.list({}, request))) {
    if (!images.has(record.checksums.sha256 ?? '')) continue;
    if (isAvailable(record) || isWanted(record)) take(record);
  }
  return found;
}

function createAvailableCheck(objects: readonly AvailableVersions[]): (record: FirmwareRecord) => boolean {
  const byModel = Map.groupBy(objects, ({ model }) => model.trim().toLowerCase());
  const partsOf = new Map([...byModel].map(([model, those]) => [model, versionsByPart(those)]));
  return ({ models, component, vendor, version }) => {
    const key = partKey({ name: component, manufacturer: vendor });
    return models.some((model) => partsOf.get(model.toLowerCase())?.get(key)?.has(version) === true);
  };
}

function versionsByPart(objects: readonly AvailableVersions[]): ReadonlyMap<string, ReadonlySet<string>> {
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
export function availableBy({ kind, state, parameters, status }: Condition): AvailableVersions | undefined {
  if (kind !== kindOf.discovery || state !== 'succeeded' || !Array.isArray(status.available)) return undefined;
  const available = status.available as unknown as readonly AvailableFirmware[];
  return { ...readDiscoverParameters(parameters), available };
}
