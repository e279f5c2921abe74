import { Agent, buildConnector, type Dispatcher } from 'undici';
import { createEgress, type Egress } from '../egress/index.ts';
import type { SourceCredentials } from '../firmware-store/index.ts';
import { type Clock, systemClock } from '../kube/index.ts';
import { isSameVendor } from '../versions/index.ts';
import type { CatalogQuery, FirmwareEntry } from './entry.ts';
import { CatalogError } from './errors.ts';
import { type CatalogLimits, defaultCatalogLimits } from './limits.ts';
import { newestEntries } from './newest-entries.ts';
import { readFiles } from './read-files.ts';
import { type CatalogFormat, type CatalogSource, checkSource } from './source.ts';

/** What catalogues are read with. */
export interface CatalogReaderOptions {
  readonly clock?: Clock;
  /** Where catalogues that were fetched over HTTP are kept; they are fetched each time unless it is given. */
  readonly cacheFolder?: string | undefined;
  readonly limits?: Partial<CatalogLimits>;
  /** How long fetching and reading one catalogue may take; ten minutes unless given. */
  readonly deadlineMs?: number;
  /** How long a source may say nothing; a minute unless given. */
  readonly idleMs?: number;
  readonly maxRedirects?: number;
  readonly credentialsFor?: ((origin: string) => Promise<SourceCredentials | undefined>) | undefined;
  /** What may be connected to; all but guarded addresses unless given. */
  readonly egress?: Egress;
  /** Opens connections; one of its own unless given. */
  readonly dispatcher?: Dispatcher;
}

/** What a catalogue has for a model. */
export interface CatalogContents {
  /** By component and line, the newest version first, and not more versions of a line than were asked for. */
  readonly entries: readonly FirmwareEntry[];
  /** How many entries were looked at, and how many were held in memory for it: never more than the limit. */
  readonly seen: number;
  readonly held: number;
}

/** Reads catalogues. */
export interface CatalogReader {
  /** Reads what a catalogue has for a model: all of it, or a CatalogError and nothing. */
  read(source: CatalogSource, query: CatalogQuery, signal?: AbortSignal): Promise<CatalogContents>;
  close(): Promise<void>;
}

/** Makes a reader of catalogues. */
export function createCatalogReader(options: CatalogReaderOptions = {}): CatalogReader {
  const agent = options.dispatcher ?? openAgent(options.egress ?? createEgress());
  const closing = new AbortController();
  return {
    async read(source, query, signal) {
      const checked = checkSource(source);
      checkQuery(query);
      if (!isOfFormat(checked.format, query.manufacturer)) return { entries: [], seen: 0, held: 0 };
      const signals = [closing.signal, ...(signal === undefined ? [] : [signal])];
      return withDeadline(options, signals, async (limited) => {
        const found = await readFiles(checked, query, workOf(options, agent, limited));
        return { ...found, entries: newestEntries(found.entries, checked.format, query) };
      });
    },
    async close() {
      closing.abort();
      if (options.dispatcher === undefined) await agent.destroy();
    },
  };
}

function openAgent(egress: Egress): Agent {
  return new Agent({ connect: egress.guard(buildConnector({ lookup: egress.lookup })) });
}

/** Reads what one catalogue has for a model, and closes what was opened for it. */
export async function readCatalog(
  source: CatalogSource,
  query: CatalogQuery,
  options: CatalogReaderOptions & { readonly signal?: AbortSignal } = {},
): Promise<CatalogContents> {
  const reader = createCatalogReader(options);
  try {
    return await reader.read(source, query, options.signal);
  } finally {
    await reader.close();
  }
}

function workOf(options: CatalogReaderOptions, dispatcher: Dispatcher, signal: AbortSignal) {
  return {
    dispatcher,
    signal,
    clock: options.clock ?? systemClock,
    limits: { ...defaultCatalogLimits, ...options.limits },
    cacheFolder: options.cacheFolder,
    maxRedirects: options.maxRedirects ?? 5,
    idleMs: options.idleMs ?? 60_000,
    credentialsFor: options.credentialsFor,
  };
}

function checkQuery({ manufacturer, model, versionsToStore }: CatalogQuery): void {
  const problem = queryFault(manufacturer, 'manufacturer') ?? queryFault(model, 'model');
  if (problem !== undefined) throw new CatalogError('badQuery', { detail: problem });
  if (versionsToStore === undefined || (Number.isSafeInteger(versionsToStore) && versionsToStore >= 0)) return;
  throw new CatalogError('badQuery', { detail: `${versionsToStore} is no number of versions: give 0 or more` });
}

function queryFault(text: string, name: string): string | undefined {
  if (text.trim() === '') return `the ${name} is missing`;
  return text.length > 512 ? `the ${name} is longer than 512 characters` : undefined;
}

/** Vendors only publish for their own servers. */
function isOfFormat(format: CatalogFormat, manufacturer: string): boolean {
  return format === 'plain' || isSameVendor(format, manufacturer);
}

async function withDeadline<T>(
  { clock = systemClock, deadlineMs = 600_000 }: CatalogReaderOptions,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer = clock.after(deadlineMs, () => late.abort(new DOMException('it took too long', 'TimeoutError')));
  try {
    return await work(AbortSignal.any([late.signal, ...signals]));
  } finally {
    timer.cancel();
  }
}
