import { join } from 'node:path';
import { StoreError } from '../errors.ts';
import type { CacheFolder } from './cache-folder.ts';
import { namesIn, remove, statOf } from './files.ts';
import { type LockContext, tryLock } from './key-lock.ts';
import { readNote } from './part-note.ts';
import { isInUse } from './uses.ts';

/** What is kept of one file, whole or in part. */
export interface Entry {
  readonly key: string;
  readonly kind: 'object' | 'part';
  /** What it takes, or will take when it is whole. */
  readonly bytes: number;
  readonly usedAtMs: number;
}

/** What has to fit where. */
export interface RoomOrder {
  readonly bytes: number;
  readonly maxBytes: number;
  /** The entry that the room is for; it does not count and is not thrown away. */
  readonly key: string;
  readonly source: string;
  /** Entries that stay whatever comes; none unless given. */
  readonly isKept?: KeepRule | undefined;
}

/** Says whether an entry must stay. */
export type KeepRule = (key: string) => Promise<boolean>;

/**
 * Throws away what was not used for longest until the new file fits. What is in use or being fetched stays, also for
 * other processes; when that leaves no room the order is refused with `noRoom`.
 */
export async function makeRoom(folder: CacheFolder, order: RoomOrder, context: LockContext): Promise<void> {
  await dropAside(folder, context.clock.now());
  const others = (await entriesOf(folder)).filter(({ key }) => key !== order.key);
  let used = others.reduce((sum, { bytes }) => sum + bytes, 0);
  const oldestFirst = others.toSorted((a, b) => a.usedAtMs - b.usedAtMs);
  for (const entry of oldestFirst) {
    if (used + order.bytes <= order.maxBytes) return;
    if (await evict(folder, entry.key, { ...context, isKept: order.isKept })) used -= entry.bytes;
  }
  if (used + order.bytes <= order.maxBytes) return;
  throw new StoreError('noRoom', { bytes: order.bytes, source: order.source, limit: order.maxBytes, used });
}

/** Putting a part aside takes a moment: what is older was left by a process that died in it. */
const longestAsideMs = 3_600_000;

async function dropAside(folder: CacheFolder, nowMs: number): Promise<void> {
  for (const name of await namesIn(folder.parts)) {
    if (!name.includes('.part~')) continue;
    const path = join(folder.parts, name);
    const seen = await statOf(path);
    if (seen !== undefined && nowMs - seen.mtimeMs > longestAsideMs) await remove(path);
  }
}

/** All bytes that a cache takes. */
export async function bytesUsed(folder: CacheFolder): Promise<number> {
  return (await entriesOf(folder)).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What is asked before an entry is thrown away. */
export interface EvictContext extends LockContext {
  readonly isKept?: KeepRule | undefined;
}

/** Throws an entry away unless it is in use or kept. Under its lock, so that nobody begins to use it at this moment. */
export async function evict(folder: CacheFolder, key: string, context: EvictContext): Promise<boolean> {
  const mustStay = async (): Promise<boolean> =>
    (await isInUse(folder, key, context.clock.now())) || (await context.isKept?.(key)) === true;
  if (await mustStay()) return false;
  const lock = await tryLock(folder.lock(key), context);
  if (lock === undefined) return false;
  try {
    if (await mustStay()) return false;
    for (const path of [folder.object(key), folder.part(key), folder.partNote(key), folder.stamp(key)]) {
      await remove(path);
    }
    await remove(folder.uses(key));
    return true;
  } finally {
    await lock.release();
  }
}

/** All that a cache has, whole and in part. */
export async function entriesOf(folder: CacheFolder): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const key of await namesIn(folder.objects)) {
    const seen = await statOf(folder.object(key));
    if (seen === undefined) continue;
    const stamp = await statOf(folder.stamp(key));
    entries.push({ key, kind: 'object', bytes: seen.size, usedAtMs: stamp?.mtimeMs ?? seen.mtimeMs });
  }
  for (const name of await namesIn(folder.parts)) {
    if (!name.endsWith('.part')) continue;
    const key = name.slice(0, -'.part'.length);
    const seen = await statOf(join(folder.parts, name));
    if (seen === undefined) continue;
    const note = await readNote(folder, key);
    entries.push({ key, kind: 'part', bytes: Math.max(seen.size, note?.sizeBytes ?? 0), usedAtMs: seen.mtimeMs });
  }
  return entries;
}
