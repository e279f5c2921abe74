import { type Collector, createCollector } from './collector.ts';
import type { CatalogQuery, FirmwareEntry } from './entry.ts';
import { CatalogError, isCatalogError } from './errors.ts';
import { type CatalogFile, listFiles } from './fetching/catalog-files.ts';
import { type FetchSettings, fetchCatalog, forgetCatalog } from './fetching/fetch-catalog.ts';
import { readDell } from './formats/dell.ts';
import type { FormatReader } from './formats/format.ts';
import { readHpe } from './formats/hpe.ts';
import { readLenovoIndex } from './formats/lenovo-index.ts';
import { readLenovoXml } from './formats/lenovo-xml.ts';
import { createPlainReader } from './formats/plain.ts';
import { decode } from './reading/decode.ts';
import { type Bytes, unpack } from './reading/unpack.ts';
import type { CheckedSource } from './source.ts';

/** Reads all files of a catalogue and gives what they have for a model, in no order. */
export async function readFiles(
  source: CheckedSource,
  query: CatalogQuery,
  settings: FetchSettings,
): Promise<{ readonly entries: readonly FirmwareEntry[]; readonly seen: number; readonly held: number }> {
  const collector = createCollector([query.model, ...(query.otherModels ?? [])]);
  const isFile = source.location.protocol === 'file:';
  const files = isFile ? await listFiles(source, settings.limits) : [await fetchCatalog(source, settings)];
  for (const file of files) await readFile(file, { source, query, settings, collector });
  const { entries, seen } = collector;
  return { entries, seen, held: entries.length };
}

interface Work {
  readonly source: CheckedSource;
  readonly query: CatalogQuery;
  readonly settings: FetchSettings;
  readonly collector: Collector;
}

async function readFile(file: CatalogFile, work: Work): Promise<void> {
  const { source, query, settings, collector } = work;
  const { place } = file;
  const shown = place.protocol === 'file:' ? place.href : source.shown;
  const context = { shown, format: source.format, limits: settings.limits };
  const read = readerOf(source.format, place, query);
  const bytes = abortable(await file.open(), { shown, signal: settings.signal });
  try {
    await read(decode(unpack(bytes, context), context), {
      ...context,
      place,
      baseUrl: source.baseUrl,
      trustedHosts: source.trustedHosts,
      add: (draft) => collector.add(draft, context),
      skip: () => collector.skip(context),
    });
  } catch (error) {
    // What is kept may be at fault: the next one who asks gets it from its source.
    const { cacheFolder } = settings;
    const isKept = place.protocol !== 'file:' && cacheFolder !== undefined;
    if (isKept && isCatalogError(error)) await forgetCatalog(source, cacheFolder);
    throw error;
  } finally {
    await bytes.return(undefined);
  }
}

function readerOf(format: CheckedSource['format'], place: URL, query: CatalogQuery): FormatReader {
  const name = place.pathname.replace(/\.gz$/i, '').toLowerCase();
  if (format === 'dell') return readDell;
  if (format === 'hpe') return readHpe;
  if (format === 'lenovo') return name.endsWith('.xml') ? readLenovoXml : readLenovoIndex;
  return createPlainReader(query.manufacturer, { isYaml: /\.ya?ml$/.test(name) });
}

async function* abortable(
  bytes: Bytes,
  { shown, signal }: { readonly shown: string; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    if (signal.aborted)
      throw new CatalogError('aborted', { source: shown, detail: 'it took too long or was not wanted' });
    yield chunk;
  }
}
