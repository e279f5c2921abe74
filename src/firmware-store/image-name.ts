import { createHash } from 'node:crypto';
import { type Digest, parseDigest } from './artifacts/digest.ts';
import { parseSource, shownSource } from './artifacts/source.ts';
import { StoreError } from './errors.ts';
import type { ByteRange, ImageOrder, StoreLimits } from './store.ts';

/** The digest that an image is kept under. Throws `badDigest` for anything but SHA-256. */
export function imageDigest(text: string): Digest {
  const digest = parseDigest(text);
  if (digest.algorithm === 'sha256') return digest;
  throw new StoreError('badDigest', {
    digest: JSON.stringify(text.slice(0, 140)),
    detail: 'images are kept under their SHA-256',
  });
}

/** A name that is safe in paths and addresses, and still ends as it did. */
export function safeFileName(name: string | undefined): string {
  const last = (name ?? '').split(/[/\\]/).at(-1) ?? '';
  const plain = last.replaceAll(/[^\w.+-]/g, '_').replace(/^\.+/, '');
  return plain === '' ? 'image.bin' : plain.slice(-120);
}

/** The name of a file for a reference, whatever that has in it. Throws `badSource` for what is no name. */
export function referenceKey(reference: string): string {
  if (reference.trim() !== '' && reference.length <= 500 && !/\p{Cc}/u.test(reference)) {
    return createHash('sha256').update(reference).digest('hex').slice(0, 40);
  }
  const detail = 'a reference is a text of 1 to 500 characters';
  throw new StoreError('badSource', { source: 'reference', detail });
}

/**
 * What an order is remembered by that does not name the SHA-256 of its image; undefined for one that does. Throws
 * `digestMissing` for an order without any checksum, unless such are allowed.
 */
export function originKey(
  { url, checksum = '' }: Pick<ImageOrder, 'url' | 'checksum'>,
  { areUnverifiedAllowed }: Pick<StoreLimits, 'areUnverifiedAllowed'>,
): string | undefined {
  const digest = checksum.trim() === '' ? undefined : parseDigest(checksum);
  if (digest === undefined && areUnverifiedAllowed !== true) {
    throw new StoreError('digestMissing', { source: shownSource(parseSource(url)) });
  }
  if (digest?.algorithm === 'sha256') return undefined;
  return createHash('sha256')
    .update(JSON.stringify([url, digest?.hex ?? '']))
    .digest('hex');
}

/** The part of an image that is wanted; all of it unless told. Throws `badRange`. */
export function rangeOf(
  { sha256, sizeBytes }: { readonly sha256: string; readonly sizeBytes: number },
  wanted: Partial<ByteRange> = {},
): ByteRange {
  const { first = 0, last = sizeBytes - 1 } = wanted;
  const isWhole = wanted.first === undefined && wanted.last === undefined;
  const isThere = Number.isSafeInteger(first) && Number.isSafeInteger(last) && first >= 0 && first <= last;
  if (isWhole || (isThere && first < sizeBytes)) return { first, last: Math.min(last, sizeBytes - 1) };
  throw new StoreError('badRange', { digest: sha256, size: sizeBytes, range: `${first}-${last}` });
}
