import type { ByteRange } from '../store.ts';

/** What a `Range` header asks of a body: all of it, a part, or what it does not have. */
export type RangeAsked =
  | { readonly kind: 'all' }
  | { readonly kind: 'part'; readonly range: ByteRange }
  | { readonly kind: 'none' };

/**
 * Reads a `Range` header for a body of so many bytes. Several ranges at once, other units and what cannot be read are
 * answered with the whole body, as the standard allows.
 */
export function readRange(header: string | undefined, sizeBytes: number): RangeAsked {
  const [, from, to] = /^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return { kind: 'all' };
  if (from === '') return lastBytes(Number(to), sizeBytes);
  const [first, last] = [Number(from), to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1)];
  if (to !== '' && Number(to) < first) return { kind: 'all' };
  return first < sizeBytes ? { kind: 'part', range: { first, last } } : { kind: 'none' };
}

function lastBytes(count: number, sizeBytes: number): RangeAsked {
  if (count === 0 || sizeBytes === 0) return { kind: 'none' };
  return { kind: 'part', range: { first: Math.max(0, sizeBytes - count), last: sizeBytes - 1 } };
}
