import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isCatalogError } from '../errors.ts';
import { type ReadContext, refusal } from './context.ts';

/** Bytes as they come from a file or the network. */
export type Bytes = AsyncIterable<Uint8Array>;

/** Gives the bytes of a catalogue, unpacked where they are packed with gzip, and not more than is allowed of either. */
export async function* unpack(bytes: Bytes, context: ReadContext): AsyncGenerator<Uint8Array> {
  const { maxBytes, maxUnpackedBytes } = context.limits;
  const bounded = bound(bytes, context, { most: maxBytes, what: 'bytes' });
  const [start, all] = await peek(bounded, 2);
  if (start[0] !== 0x1f || start[1] !== 0x8b) {
    yield* all;
    return;
  }
  yield* bound(gunzip(all, context), context, { most: maxUnpackedBytes, what: 'bytes unpacked' });
}

async function* bound(
  bytes: Bytes,
  context: ReadContext,
  limit: { readonly most: number; readonly what: string },
): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of bytes) {
    count += chunk.length;
    if (count > limit.most) throw refusal(context, 'tooLarge', { limit: `${limit.most} ${limit.what}` });
    yield chunk;
  }
}

async function* gunzip(bytes: Bytes, context: ReadContext): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false });
  const unzip = createGunzip();
  source.on('error', (error) => unzip.destroy(error));
  source.pipe(unzip);
  try {
    for await (const chunk of unzip) yield chunk as Uint8Array;
  } catch (error) {
    if (isCatalogError(error) || !String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
    const isShort = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
    if (isShort) throw refusal(context, 'truncated', { detail: 'its packed data is not complete' }, error);
    throw refusal(context, 'malformed', { detail: 'its packed data is damaged' }, error);
  } finally {
    source.destroy();
    unzip.destroy();
  }
}

/** Reads at least so many bytes ahead; the second value gives all bytes, those included. */
export async function peek(bytes: Bytes, count: number): Promise<readonly [Uint8Array, AsyncGenerator<Uint8Array>]> {
  const iterator = bytes[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let length = 0;
  while (length < count) {
    const next = await iterator.next();
    if (next.done === true) break;
    read.push(next.value);
    length += next.value.length;
  }
  const start = Buffer.concat(read);
  return [start.subarray(0, count), from(start, iterator)];
}

async function* from(start: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (start.length > 0) yield start;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
