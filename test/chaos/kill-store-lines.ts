import { createHash } from 'node:crypto';
import type { Key } from '../../src/apiserver/store/store.ts';

/** What the writing process tells the one that kills it, one line each, written before it goes on. */
export type Line =
  | { readonly what: 'opening' }
  /** A write was answered. */
  | {
      readonly what: 'answered';
      readonly key: Key;
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly revision: number;
      readonly hash: string;
    }
  /** A watcher was told of a change. */
  | { readonly what: 'watched'; readonly revision: number; readonly hash: string }
  /** A reader was given the state at a revision. */
  | { readonly what: 'read'; readonly revision: number };

/** The buckets that are written to; the second is encrypted. */
export const killBuckets = ['example.com/widgets', '/secrets'] as const;

/** A short fingerprint of a stored version. */
export function hashOf(json: string): string {
  return createHash('sha256').update(json).digest('base64url').slice(0, 16);
}

/** The content of an object: a body and its fingerprint, so that a half written one gives itself away. */
export function sealedBody(body: string): { body: string; hash: string } {
  return { body, hash: hashOf(body) };
}
