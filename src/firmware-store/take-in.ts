import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Artifact, ArtifactFolder } from './artifacts/artifact-cache.ts';
import { type Digest, parseDigest } from './artifacts/digest.ts';
import { orDiskFull, remove, writeAll } from './artifacts/files.ts';
import { takeLock } from './artifacts/key-lock.ts';
import { writeNote } from './artifacts/part-note.ts';
import { StoreError } from './errors.ts';
import type { ExpectedImage } from './store.ts';

/** What is expected of an image, looked at. */
interface Expected {
  readonly digest: Digest | undefined;
  readonly sizeBytes: number | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

const reserveBytes = 16 * 1024 * 1024;
const beatBytes = 4 * 1024 * 1024;

/**
 * Writes an image into a folder beside what is there, looks whether it is as expected, and only then gives it its name.
 * Whatever goes wrong before leaves nothing behind; what a crash leaves is taken away by `collect`.
 */
export async function takeIn(
  folder: ArtifactFolder,
  body: AsyncIterable<Uint8Array>,
  given: ExpectedImage & { readonly maxBytes: number; readonly isUnverifiedAllowed: boolean },
): Promise<Artifact> {
  return await orDiskFull(source, () => takeAll(folder, body, look(given)));
}

async function takeAll(folder: ArtifactFolder, body: AsyncIterable<Uint8Array>, expected: Expected): Promise<Artifact> {
  const key = `put-${randomUUID()}`;
  const part = folder.folder.part(key);
  const lock = await takeLock(folder.folder.lock(key), folder.lockContext);
  try {
    const hashes = hashesFor(expected.digest);
    // Others who need room count what is still to come.
    await writeNote(folder.folder, key, { source: key, validator: undefined, sizeBytes: expected.sizeBytes });
    const handle = await open(part, 'wx', 0o600);
    try {
      const bytes = await write({ folder, handle, hashes, key, beat: () => lock.beat() }, body, expected);
      await handle.sync();
      checkSize(bytes, expected);
    } finally {
      await handle.close();
    }
    const found = new Map([...hashes].map(([algorithm, hash]) => [algorithm, hash.digest('hex')]));
    checkDigest(found, expected.digest);
    return await folder.adopt(key, { algorithm: 'sha256', hex: found.get('sha256') ?? '' });
  } finally {
    await remove(part);
    await remove(folder.folder.partNote(key));
    await lock.release();
  }
}

const source = 'what is put into the store';

function look(given: ExpectedImage & { readonly maxBytes: number; readonly isUnverifiedAllowed: boolean }): Expected {
  const checksum = given.checksum?.trim() ?? '';
  if (checksum === '' && !given.isUnverifiedAllowed) throw new StoreError('digestMissing', { source });
  const { sizeBytes, maxBytes, signal } = given;
  if ((sizeBytes ?? 0) > maxBytes) throw new StoreError('tooLarge', { source, limit: maxBytes });
  return { digest: checksum === '' ? undefined : parseDigest(checksum), sizeBytes, maxBytes, signal };
}

function hashesFor(digest: Digest | undefined): ReadonlyMap<string, Hash> {
  const names = new Set(['sha256', digest?.algorithm ?? 'sha256']);
  return new Map([...names].map((name) => [name, createHash(name)]));
}

interface Writing {
  readonly folder: ArtifactFolder;
  readonly handle: FileHandle;
  readonly hashes: ReadonlyMap<string, Hash>;
  readonly key: string;
  beat(): Promise<void>;
}

async function write(writing: Writing, body: AsyncIterable<Uint8Array>, expected: Expected): Promise<number> {
  const { folder, handle, hashes, key } = writing;
  const { maxBytes, sizeBytes, signal } = expected;
  let [bytes, reserved, beatAt] = [0, 0, 0];
  for await (const chunk of body) {
    if (signal?.aborted === true) throw new StoreError('aborted', { what: 'putting an image into the store' });
    bytes += chunk.length;
    if (bytes > maxBytes) throw new StoreError('tooLarge', { source, limit: maxBytes });
    if (sizeBytes !== undefined && bytes > sizeBytes) {
      throw new StoreError('sizeMismatch', { source, found: `more than ${sizeBytes}`, wanted: sizeBytes });
    }
    if (bytes > reserved) {
      reserved = Math.min(maxBytes, sizeBytes ?? bytes + reserveBytes);
      await folder.reserve(key, reserved);
    }
    if (bytes - beatAt >= beatBytes) {
      beatAt = bytes;
      await writing.beat();
    }
    await writeAll(handle, chunk, source);
    for (const hash of hashes.values()) hash.update(chunk);
  }
  return bytes;
}

function checkSize(found: number, { sizeBytes }: Expected): void {
  if (found === 0) throw new StoreError('sizeMismatch', { source, found, wanted: sizeBytes ?? 'at least 1' });
  if (sizeBytes === undefined || found === sizeBytes) return;
  throw new StoreError('sizeMismatch', { source, found, wanted: sizeBytes });
}

function checkDigest(found: ReadonlyMap<string, string>, wanted: Digest | undefined): void {
  if (wanted === undefined || found.get(wanted.algorithm) === wanted.hex) return;
  const { algorithm, hex } = wanted;
  throw new StoreError('digestMismatch', { source, algorithm, found: found.get(algorithm) ?? '', wanted: hex });
}
