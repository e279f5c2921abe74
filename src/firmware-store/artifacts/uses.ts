import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kube/index.ts';
import type { CacheFolder } from './cache-folder.ts';
import { namesIn, remove, statOf, touch } from './files.ts';
import { holderName, isHolderAlive } from './holder.ts';

/** Nobody uses one image for longer without a sign of life, so that a mark left behind does not hold it for ever. */
const longestUseMs = 24 * 3_600_000;

/** Marks an entry as in use; the returned function takes the mark away. */
export async function markUse(
  folder: CacheFolder,
  key: string,
  context: { readonly clock: Clock; readonly newId: () => string },
): Promise<() => Promise<void>> {
  const uses = folder.uses(key);
  await mkdir(uses, { recursive: true, mode: 0o700 });
  const mark = join(uses, holderName(context.newId()));
  await touch(mark, context.clock.now());
  await touch(folder.stamp(key), context.clock.now());
  return async () => {
    await touch(folder.stamp(key), context.clock.now());
    await remove(mark);
  };
}

/** Whether anybody uses an entry. Marks of processes that are gone are taken away. */
export async function isInUse(folder: CacheFolder, key: string, nowMs: number): Promise<boolean> {
  let isUsed = false;
  for (const name of await namesIn(folder.uses(key))) {
    const mark = join(folder.uses(key), name);
    const seen = await statOf(mark);
    if (seen === undefined) continue;
    if (isHolderAlive(name) === false || nowMs - seen.mtimeMs > longestUseMs) await remove(mark);
    else isUsed = true;
  }
  return isUsed;
}
