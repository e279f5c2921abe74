import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, truncate } from 'node:fs/promises';
import { backoffDelay, type Clock, type Random, sleep } from '../../kube/index.ts';
import { isStoreError, StoreError } from '../errors.ts';
import type { CacheFolder } from './cache-folder.ts';
import type { Digest } from './digest.ts';
import { remove, statOf, writeAll } from './files.ts';
import { RangeRefused } from './http-source.ts';
import type { KeyLock } from './key-lock.ts';
import { readNote, writeNote } from './part-note.ts';
import { type Opened, openSource, type SourceSettings, shownSource } from './source.ts';

/** What is fetched into which part. */
export interface DownloadOrder {
  readonly url: URL;
  readonly key: string;
  /** Undefined: whatever comes is taken, and its SHA-256 told. */
  readonly digest: Digest | undefined;
  readonly sizeBytes: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((fetched: Fetched) => void) | undefined;
}

/** How much there is of a file. */
export interface Fetched {
  readonly bytes: number;
  /** Undefined when the source does not say. */
  readonly ofBytes: number | undefined;
}

/** What was fetched. */
export interface Downloaded {
  readonly digest: Digest;
  /** The file that was hashed: under the name of the part another process may have put another one. */
  readonly ino: bigint;
}

/** What a download needs of its cache. */
export interface DownloadContext {
  readonly folder: CacheFolder;
  readonly lock: KeyLock;
  readonly sources: SourceSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly maxFileBytes: number;
  readonly maxTries: number;
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
  /** Sees to it that so many bytes fit. */
  reserve(bytes: number): Promise<void>;
  /** Told of every piece that came. */
  onBytes(count: number): void;
}

/** How much more is reserved at a time where the source does not say how much there will be. */
const reserveBytes = 16 * 1024 * 1024;
const beatBytes = 4 * 1024 * 1024;

/**
 * Fetches a file into its part, going on where an earlier try, or an earlier process, stopped. What is there in the end
 * has the wanted size and hash. Returns the hash, and which file it is.
 */
export async function download(order: DownloadOrder, context: DownloadContext): Promise<Downloaded> {
  if (context.lock.before === 'silent') await dropPart(order, context);
  for (let tries = 1; ; tries += 1) {
    const seen = await statOf(context.folder.part(order.key));
    const hadBytes = (seen?.size ?? 0) > 0;
    try {
      return await attempt(order, context);
    } catch (error) {
      if (order.signal?.aborted === true) throw new StoreError('aborted', { what: 'a download' });
      const mustRestart = error instanceof RangeRefused || (hadBytes && isStoreError(error, 'digestMismatch'));
      if (mustRestart) await dropPart(order, context);
      if (!mustRestart && !isStoreError(error, 'sourceFailed')) throw error;
      if (tries >= context.maxTries) throw toFailure(error, order);
      await sleep(context.clock, backoffDelay(context.backoff, tries, context.random), order.signal);
    }
  }
}

async function attempt(order: DownloadOrder, context: DownloadContext): Promise<Downloaded> {
  const { folder } = context;
  const part = folder.part(order.key);
  const source = createHash('sha256').update(order.url.href).digest('hex');
  const note = await readNote(folder, order.key);
  const isSame = note?.source === source;
  const offset = isSame ? ((await statOf(part))?.size ?? 0) : 0;
  const opened = await openSource(
    order.url,
    { offset, validator: isSame ? note.validator : undefined, signal: order.signal },
    context.sources,
  );
  try {
    checkSize(order, context, opened.sizeBytes);
    await context.reserve(opened.sizeBytes ?? order.sizeBytes ?? nextReserve(opened.offset, context));
    const sizeBytes = opened.sizeBytes ?? order.sizeBytes;
    await writeNote(folder, order.key, { source, validator: opened.validator, sizeBytes });
    return await take(opened, order, context);
  } finally {
    // A body that is thrown away unread says so with an error that nobody needs.
    opened.body.on('error', () => {});
    opened.body.destroy();
  }
}

function nextReserve(bytes: number, { maxFileBytes }: DownloadContext): number {
  return Math.min(maxFileBytes, bytes + reserveBytes);
}

function checkSize(order: DownloadOrder, context: DownloadContext, sizeBytes: number | undefined): void {
  const source = shownSource(order.url);
  const size = sizeBytes ?? order.sizeBytes ?? 0;
  if (size > context.maxFileBytes) throw new StoreError('tooLarge', { source, limit: context.maxFileBytes });
  if (sizeBytes !== undefined && order.sizeBytes !== undefined && sizeBytes !== order.sizeBytes) {
    throw new StoreError('sizeMismatch', { source, found: sizeBytes, wanted: order.sizeBytes });
  }
}

async function take(opened: Opened, order: DownloadOrder, context: DownloadContext): Promise<Downloaded> {
  const part = context.folder.part(order.key);
  const algorithm = order.digest?.algorithm ?? 'sha256';
  const hash = createHash(algorithm);
  const handle = await open(part, 'a', 0o600);
  const { ino } = await handle.stat({ bigint: true });
  try {
    if ((await handle.stat()).size !== opened.offset) await truncate(part, opened.offset);
    await hashStart(hash, part, opened.offset);
    const bytes = await writeBody({ opened, order, context, handle, hash });
    await handle.sync();
    checkEnd(opened, order, bytes);
  } finally {
    await handle.close();
  }
  const found = { algorithm, hex: hash.digest('hex') };
  if (order.digest === undefined || order.digest.hex === found.hex) return { digest: found, ino };
  await dropPart(order, context);
  throw new StoreError('digestMismatch', {
    source: shownSource(order.url),
    algorithm,
    found: found.hex,
    wanted: order.digest.hex,
  });
}

async function hashStart(hash: Hash, part: string, bytes: number): Promise<void> {
  if (bytes === 0) return;
  for await (const chunk of createReadStream(part, { end: bytes - 1 })) hash.update(chunk as Buffer);
}

interface Writing {
  readonly opened: Opened;
  readonly order: DownloadOrder;
  readonly context: DownloadContext;
  readonly handle: FileHandle;
  readonly hash: Hash;
}

async function writeBody({ opened, order, context, handle, hash }: Writing): Promise<number> {
  const ofBytes = opened.sizeBytes ?? order.sizeBytes;
  let bytes = opened.offset;
  let reserved = ofBytes ?? nextReserve(opened.offset, context);
  let beatAt = bytes;
  for await (const chunk of piecesOf(opened, order)) {
    bytes += chunk.length;
    if (bytes > context.maxFileBytes) {
      throw new StoreError('tooLarge', { source: shownSource(order.url), limit: context.maxFileBytes });
    }
    if (bytes > reserved) {
      reserved = nextReserve(bytes, context);
      await context.reserve(reserved);
    }
    if (bytes - beatAt >= beatBytes) {
      beatAt = bytes;
      await context.lock.beat();
    }
    // A full disk passes; what is there of the file stays for the next try.
    await writeAll(handle, chunk, shownSource(order.url));
    hash.update(chunk);
    context.onBytes(chunk.length);
    order.onProgress?.({ bytes, ofBytes });
  }
  return bytes;
}

async function* piecesOf(opened: Opened, order: DownloadOrder): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of opened.body) yield chunk as Buffer;
  } catch (error) {
    const code = (error as { code?: unknown } | undefined)?.code;
    const detail = `it broke off (${typeof code === 'string' ? code : 'no reason given'})`;
    throw new StoreError('sourceFailed', { source: shownSource(order.url), detail }, { cause: error });
  }
}

function checkEnd(opened: Opened, order: DownloadOrder, bytes: number): void {
  const source = shownSource(order.url);
  if (opened.sizeBytes !== undefined && bytes < opened.sizeBytes) {
    throw new StoreError('sourceFailed', { source, detail: `it ended after ${bytes} of ${opened.sizeBytes} bytes` });
  }
  if (order.sizeBytes !== undefined && bytes !== order.sizeBytes) {
    throw new StoreError('sizeMismatch', { source, found: bytes, wanted: order.sizeBytes });
  }
}

async function dropPart({ key }: DownloadOrder, { folder }: DownloadContext): Promise<void> {
  await remove(folder.part(key));
  await remove(folder.partNote(key));
}

function toFailure(error: unknown, order: DownloadOrder): unknown {
  if (!(error instanceof RangeRefused)) return error;
  const detail = 'the server does not go on where a part ends';
  return new StoreError('sourceFailed', { source: shownSource(order.url), detail }, { cause: error });
}
