import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { StoreError } from '../errors.ts';
import type { Digest, DigestAlgorithm } from './digest.ts';

/** True for the error that says there is no such file. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}

/** The size of a file and when it changed; undefined when it is not there. */
export async function statOf(path: string): Promise<{ size: number; mtimeMs: number; change: string } | undefined> {
  try {
    const { size, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true });
    return {
      size: Number(size),
      mtimeMs: Number(mtimeNs / 1_000_000n),
      change: `${ino}/${size}/${mtimeNs}/${ctimeNs}`,
    };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Sets the time of an empty file, and makes it where it is not there. */
export async function touch(path: string, nowMs: number): Promise<void> {
  const handle = await open(path, 'a', 0o600);
  await handle.close();
  await utimes(path, nowMs / 1000, nowMs / 1000);
}

/** The names in a folder; none when there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Removes a file or folder; it is no error when it is gone already. */
export async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

/**
 * Writes all of a piece. A disk that gets full takes what still fits, says how much that was, and fails only the next time:
 * what is not asked for is lost without a word. Throws `diskFull`, which passes when somebody makes room.
 */
export async function writeAll(handle: FileHandle, piece: Uint8Array, source: string): Promise<void> {
  await orDiskFull(source, async () => {
    for (let at = 0; at < piece.length; ) at += (await handle.write(piece, at)).bytesWritten;
  });
}

/** Does something that writes, and says so where the disk has no room for it. Throws `diskFull`. */
export async function orDiskFull<T>(source: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '' } = Object(error) as NodeJS.ErrnoException;
    if (!['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) throw error;
    throw new StoreError('diskFull', { source, code }, { cause: error });
  }
}

/** What a file hashes to. */
export async function hashFile(path: string, algorithm: DigestAlgorithm): Promise<Digest> {
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 })) hash.update(chunk as Buffer);
  return { algorithm, hex: hash.digest('hex') };
}
