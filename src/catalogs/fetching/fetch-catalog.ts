import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  answered,
  askHttp,
  discard,
  type HttpAnswer,
  type HttpSettings,
  isStoreError,
} from '../../firmware-store/index.ts';
import type { Clock } from '../../kube/index.ts';
import { CatalogError } from '../errors.ts';
import type { CatalogLimits } from '../limits.ts';
import type { Bytes } from '../reading/unpack.ts';
import type { CheckedSource } from '../source.ts';
import { type CatalogFile, readHandle } from './catalog-files.ts';

/** How catalogues are fetched. */
export interface FetchSettings extends HttpSettings {
  /** Where fetched catalogues are kept, so that one that did not change is not fetched again; none unless given. */
  readonly cacheFolder: string | undefined;
  readonly limits: CatalogLimits;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** What is kept beside a fetched catalogue. */
interface Kept {
  /** Name of the file with its bytes. */
  readonly body: string;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** Where it came from in the end, after redirects. */
  readonly place: string;
}

/** Fetches a catalogue over HTTP, or finds that the one that is kept is still the newest. */
export async function fetchCatalog(source: CheckedSource, settings: FetchSettings): Promise<CatalogFile> {
  const { cacheFolder } = settings;
  try {
    if (cacheFolder === undefined) return await stream(source, settings);
    await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
    const entry = { folder: cacheFolder, key: keyOf(source.location) };
    const file = await fetchInto(entry, source, settings);
    await sweep(entry, settings);
    return file;
  } catch (error) {
    throw failed(error, source, settings);
  }
}

/** Forgets what is kept of a catalogue, so that it is fetched anew. */
export async function forgetCatalog(source: CheckedSource, cacheFolder: string): Promise<void> {
  const entry = { folder: cacheFolder, key: keyOf(source.location) };
  const kept = await readKept(entry);
  await rm(notePath(entry), { force: true });
  if (kept !== undefined) await rm(join(entry.folder, kept.body), { force: true });
}

/** No catalogue takes as long to be fetched: what is older and not in the note is nobody's. */
const longestFetchMs = 3_600_000;

/** Throws away what killed processes left, and all but the last who fetched it at the same time. */
async function sweep(entry: CacheEntry, { clock }: FetchSettings): Promise<void> {
  const kept = await readKept(entry);
  for (const name of await readdir(entry.folder)) {
    if (!name.startsWith(`${entry.key}.`) || name === kept?.body || name === `${entry.key}.json`) continue;
    const path = join(entry.folder, name);
    const seen = await stat(path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    if (seen !== undefined && clock.now() - seen.mtimeMs > longestFetchMs) await rm(path, { force: true });
  }
}

interface CacheEntry {
  readonly folder: string;
  readonly key: string;
}

async function stream(source: CheckedSource, settings: FetchSettings): Promise<CatalogFile> {
  const got = await ask(source, settings, {});
  return { place: placeOf(got.url), open: async () => bodyOf(got, source, settings) };
}

async function fetchInto(entry: CacheEntry, source: CheckedSource, settings: FetchSettings): Promise<CatalogFile> {
  const kept = await readKept(entry);
  const handle = kept === undefined ? undefined : await openKept(entry, kept);
  try {
    const got = await ask(source, settings, handle === undefined ? {} : conditionsOf(kept));
    if (got.answer.statusCode === 304 && kept !== undefined && handle !== undefined) {
      await discard(got.answer);
      return { place: new URL(kept.place), open: async () => readHandle(handle, source) };
    }
    await handle?.close();
    return await keep(entry, got, { source, settings, before: kept });
  } catch (error) {
    await handle?.close();
    throw error;
  }
}

async function ask(
  source: CheckedSource,
  settings: FetchSettings,
  conditions: Readonly<Record<string, string>>,
): Promise<HttpAnswer> {
  // Packed files come as they are; a server that packs on its own would take away what tells them apart.
  const headers = { 'accept-encoding': 'identity', ...conditions };
  const got = await askHttp(source.location, { headers, signal: settings.signal }, settings);
  const { statusCode } = got.answer;
  if (statusCode === 200 || (statusCode === 304 && Object.keys(conditions).length > 0)) return got;
  await discard(got.answer);
  throw answered(got.url, statusCode);
}

function conditionsOf(kept: Kept | undefined): Readonly<Record<string, string>> {
  if (kept?.etag !== undefined) return { 'if-none-match': kept.etag };
  return kept?.lastModified === undefined ? {} : { 'if-modified-since': kept.lastModified };
}

interface Keeping {
  readonly source: CheckedSource;
  readonly settings: FetchSettings;
  readonly before: Kept | undefined;
}

/** The note names the file, and takes its place at once: whoever reads sees the old pair or the new one. */
async function keep(entry: CacheEntry, got: HttpAnswer, { source, settings, before }: Keeping): Promise<CatalogFile> {
  const body = `${entry.key}.${randomUUID()}.body`;
  const path = join(entry.folder, body);
  const { headers } = got.answer;
  try {
    await write(path, await bodyOf(got, source, settings));
    const kept: Kept = {
      body,
      etag: oneOf(headers.etag),
      lastModified: oneOf(headers['last-modified']),
      place: placeOf(got.url).href,
    };
    const handle = await open(path, 'r');
    const draft = `${path}.note`;
    await writeFile(draft, JSON.stringify(kept), { mode: 0o600 });
    await rename(draft, notePath(entry));
    if (before !== undefined) await rm(join(entry.folder, before.body), { force: true });
    return { place: new URL(kept.place), open: async () => readHandle(handle, source) };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function write(path: string, bytes: Bytes): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of bytes) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Not more than is allowed, and not less than was promised. */
async function* bodyOf(got: HttpAnswer, source: CheckedSource, settings: FetchSettings): AsyncGenerator<Uint8Array> {
  const { maxBytes } = settings.limits;
  const promised = Number(oneOf(got.answer.headers['content-length']) ?? Number.NaN);
  let count = 0;
  try {
    if (promised > maxBytes) throw tooLarge(source, maxBytes);
    for await (const chunk of got.answer.body) {
      count += (chunk as Uint8Array).length;
      if (count > maxBytes) throw tooLarge(source, maxBytes);
      yield chunk as Uint8Array;
    }
  } catch (error) {
    throw failed(error, source, settings);
  } finally {
    got.answer.body.on('error', () => {});
    got.answer.body.destroy();
  }
}

function tooLarge({ shown }: CheckedSource, maxBytes: number): CatalogError {
  return new CatalogError('tooLarge', { source: shown, limit: `${maxBytes} bytes` });
}

async function readKept(entry: CacheEntry): Promise<Kept | undefined> {
  try {
    const kept = JSON.parse(await readFile(notePath(entry), 'utf8')) as Partial<Kept> | null;
    const isWhole =
      typeof kept?.body === 'string' && kept.body.startsWith(`${entry.key}.`) && URL.canParse(kept.place ?? '');
    return isWhole ? (kept as Kept) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function openKept(entry: CacheEntry, { body }: Kept): Promise<FileHandle | undefined> {
  try {
    return await open(join(entry.folder, body), 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function notePath({ folder, key }: CacheEntry): string {
  return join(folder, `${key}.json`);
}

function keyOf(url: URL): string {
  return createHash('sha256').update(url.href).digest('hex');
}

/** Images are found from the address of the catalogue, which must not carry its credentials on. */
function placeOf(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

function oneOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function failed(error: unknown, { shown }: CheckedSource, { signal }: FetchSettings): unknown {
  if (error instanceof CatalogError) return error;
  if (signal.aborted) {
    const { reason } = signal;
    const detail =
      reason instanceof Error && reason.name === 'TimeoutError' ? 'it took too long' : 'it was not wanted any more';
    return new CatalogError('aborted', { source: shown, detail }, { cause: error });
  }
  if (isStoreError(error)) {
    const code = error.retry === 'transient' ? 'sourceFailed' : 'sourceRefused';
    return new CatalogError(code, { source: shown, detail: error.message }, { cause: error });
  }
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code !== 'string') return error;
  return new CatalogError('sourceFailed', { source: shown, detail: `it broke off (${code})` }, { cause: error });
}
