import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { StoreError } from '../errors.ts';
import { isMissing } from './files.ts';
import { fetchHttp, type HttpSettings } from './http-source.ts';

/** From where on a file is wanted. */
export interface Wanted {
  readonly offset: number;
  /** What says that it is still the same file; without one it is fetched from its beginning. */
  readonly validator: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A file that is being read. */
export interface Opened {
  /** Where the body begins: as wanted, or 0 when the source cannot go on or has another file now. */
  readonly offset: number;
  readonly validator: string | undefined;
  /** Of the whole file; undefined when the source does not say. */
  readonly sizeBytes: number | undefined;
  readonly body: Readable;
}

/** How sources may be used. */
export interface SourceSettings extends HttpSettings {
  /** Folders below which `file:` addresses may point; none unless given. */
  readonly fileFolders: readonly string[];
}

/** An address without what must not be shown: user, password, query. */
export function shownSource(url: URL): string {
  return url.protocol === 'file:' ? url.href : `${url.protocol}//${url.host}${url.pathname}`;
}

/** Reads an address. Throws `badSource`. */
export function parseSource(text: string): URL {
  // The text is not shown: a password may be in it.
  if (!URL.canParse(text)) throw new StoreError('badSource', { source: 'given', detail: 'it is not a URL' });
  const url = new URL(text);
  if (!isReadable(url)) {
    const detail = 'a % in its user or password is not followed by two hexadecimal digits';
    throw new StoreError('badSource', { source: shownSource(url), detail });
  }
  if (['http:', 'https:', 'file:'].includes(url.protocol)) return url;
  const detail = `${url.protocol.slice(0, -1)} is not supported; use https, http or file`;
  throw new StoreError('badSource', { source: shownSource(url), detail });
}

function isReadable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}

/** Opens a source at an offset. */
export async function openSource(url: URL, wanted: Wanted, settings: SourceSettings): Promise<Opened> {
  return url.protocol === 'file:' ? openFile(url, wanted, settings) : fetchHttp(url, wanted, settings);
}

/** Links are followed before the place is judged, so that none leads out of the allowed folders. */
async function openFile(url: URL, wanted: Wanted, settings: SourceSettings): Promise<Opened> {
  const path = await realPathOf(url);
  if (!(await isBelow(path, settings.fileFolders))) {
    const detail = 'it is not below a folder that files may be taken from (--image-folder)';
    throw new StoreError('badSource', { source: shownSource(url), detail });
  }
  const seen = await stat(path);
  if (!seen.isFile()) throw new StoreError('badSource', { source: shownSource(url), detail: 'it is not a file' });
  const { size, mtimeMs, ino } = seen;
  const validator = `${ino}/${size}/${mtimeMs}`;
  const offset = wanted.validator === validator && wanted.offset <= size ? wanted.offset : 0;
  return { offset, validator, sizeBytes: size, body: createReadStream(path, { start: offset }) };
}

async function realPathOf(url: URL): Promise<string> {
  try {
    return await realpath(fileURLToPath(url));
  } catch (error) {
    const detail = isMissing(error) ? 'there is no such file' : 'it cannot be opened';
    throw new StoreError('badSource', { source: shownSource(url), detail }, { cause: error });
  }
}

async function isBelow(path: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const real = await realpath(folder).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (real !== undefined && path.startsWith(real.endsWith(sep) ? real : `${real}${sep}`)) return true;
  }
  return false;
}
