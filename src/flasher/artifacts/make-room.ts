import { join } from 'node:path';
import { FlasherError } from '../errors.ts';
import type { CacheFolder } from './cache-folder.ts';
import { namesIn, remove, statOf } from './files.ts';
import { type LockContext, tryLock } from './key-lock.ts';
import { readNote } from './part-note.ts';
import { isInUse } from './uses.ts';

/** What is kept of one file, whole or in part. */
interface Entry {
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
}

/**
 * Throws away what was not used for longest until the new file fits. What is in use or being fetched stays, also for
 * other processes; when that leaves no room the order is refused with `noRoom`.
 */
export async function makeRoom(folder: CacheFolder, order: RoomOrder, context: LockContext): Promise<void> {
  const others = (await entriesOf(folder)).filter(({ key }) => key !== order.key);
  let used = others.reduce((sum, { bytes }) => sum + bytes, 0);
  const oldestFirst = others.toSorted((a, b) => a.usedAtMs - b.usedAtMs);
  for (const entry of oldestFirst) {
    if (used + order.bytes <= order.maxBytes) return;
    if (await evict(folder, entry, context)) used -= entry.bytes;
  }
  if (used + order.bytes <= order.maxBytes) return;
  throw new FlasherError('noRoom', { bytes: order.bytes, source: order.source, limit: order.maxBytes, used });
}

/** All bytes that a cache takes. */
export async function bytesUsed(folder: CacheFolder): Promise<number> {
  return (await entriesOf(folder)).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Under the lock of the entry, so that nobody begins to use it at this moment. */
async function evict(folder: CacheFolder, entry: Entry, context: LockContext): Promise<boolean> {
  if (await isInUse(folder, entry.key, context.clock.now())) return false;
  const lock = await tryLock(folder.lock(entry.key), context);
  if (lock === undefined) return false;
  try {
    if (await isInUse(folder, entry.key, context.clock.now())) return false;
    const { key } = entry;
    for (const path of [folder.object(key), folder.part(key), folder.partNote(key), folder.stamp(key)]) {
      await remove(path);
    }
    await remove(folder.uses(key));
    return true;
  } finally {
    await lock.release();
  }
}

async function entriesOf(folder: CacheFolder): Promise<readonly Entry[]> {
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
