import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from './digest.ts';

/** Where a cache keeps what. All of it is on one file system, so that renames are atomic. */
export interface CacheFolder {
  /** A whole, checked file. */
  object(key: string): string;
  /** What has been fetched of a file. */
  part(key: string): string;
  /** Where that came from, so that it can be gone on with. */
  partNote(key: string): string;
  lock(key: string): string;
  /** When it was used last: the time of this empty file. The object itself is not touched, so that a change shows. */
  stamp(key: string): string;
  /** One file for each use that goes on. */
  uses(key: string): string;
  readonly objects: string;
  readonly parts: string;
}

/** Opens the folder of a cache and makes what is missing. */
export async function openCacheFolder(folder: string): Promise<CacheFolder> {
  const at = (...names: readonly string[]): string => join(folder, ...names);
  for (const name of ['objects', 'parts', 'locks', 'stamps', 'uses']) {
    await mkdir(at(name), { recursive: true, mode: 0o700 });
  }
  return {
    objects: at('objects'),
    parts: at('parts'),
    object: (key) => at('objects', key),
    part: (key) => at('parts', `${key}.part`),
    partNote: (key) => at('parts', `${key}.json`),
    lock: (key) => at('locks', key),
    stamp: (key) => at('stamps', key),
    uses: (key) => at('uses', key),
  };
}

/** The name of a file in the cache: what it hashes to. */
export function keyOf({ algorithm, hex }: Digest): string {
  return `${algorithm}-${hex}`;
}
