import { createHash, timingSafeEqual } from 'node:crypto';

/** What is kept of a token. Tokens are random, so that a plain digest gives nothing away. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether a token is the one with that digest; takes as long whichever part of it is wrong. */
export function isTokenOf(token: string, digest: string): boolean {
  const wanted = Buffer.from(digest, 'hex');
  const seen = createHash('sha256').update(token).digest();
  return wanted.length === seen.length && timingSafeEqual(wanted, seen);
}

/** The token of an `Authorization` header; undefined where there is none of the right form. */
export function bearerIn(authorization: string | undefined): string | undefined {
  return /^Bearer ([\w~+/.=-]{1,512})$/i.exec(authorization ?? '')?.[1];
}
