import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../kube/index.ts';
import { type Logger, silentLogger } from '../telemetry/index.ts';
import { type Artifact, type ArtifactFolder, openArtifactFolder } from './artifacts/artifact-cache.ts';
import { keyOf } from './artifacts/cache-folder.ts';
import type { Digest } from './artifacts/digest.ts';
import { hashFile, isMissing, namesIn, orDiskFull, remove, statOf } from './artifacts/files.ts';
import { takeLock } from './artifacts/key-lock.ts';
import { entriesOf, evict } from './artifacts/make-room.ts';
import { StoreError } from './errors.ts';
import { imageDigest, originKey, rangeOf, referenceKey, safeFileName } from './image-name.ts';
import type {
  ByteRange,
  Collected,
  ExpectedImage,
  FirmwareStore,
  ImageOrder,
  OpenedImage,
  StoredImage,
  StoreLimits,
  StoreSources,
} from './store.ts';
import { takeIn } from './take-in.ts';

/** What a store in a folder is made of. */
export interface FolderStoreOptions extends StoreLimits, StoreSources {
  readonly folder: string;
  /** Where the folder is served: images are at `<publicUrl>/v1/images/<sha256>/<name>`. */
  readonly publicUrl: string;
  /** Somebody else made the store: a folder that is none is refused, as one that was not mounted would be. */
  readonly isThere?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

/** Opens a store in a folder that several processes may use at once. */
export async function openFolderStore(options: FolderStoreOptions): Promise<FirmwareStore> {
  const references = join(options.folder, 'references');
  const sums = join(options.folder, 'sums');
  const origins = join(options.folder, 'origins');
  if (options.isThere === true && (await statOf(sums)) === undefined) {
    throw new StoreError('noStore', { folder: options.folder });
  }
  for (const each of [references, sums, origins]) await mkdir(each, { recursive: true, mode: 0o700 });
  const { clock = systemClock, logger = silentLogger } = options;
  const folder = await openArtifactFolder({
    ...sourcesOf(options),
    folder: options.folder,
    maxBytes: options.maxBytes,
    maxFileBytes: Math.min(options.maxBytes, options.maxImageBytes ?? options.maxBytes),
    areUnverifiedAllowed: options.areUnverifiedAllowed ?? false,
    clock,
    logger,
    isKept: (key) => hasReferences(references, key),
  });
  return new FolderStore(options, { folder, references, sums, origins, clock });
}

function sourcesOf({ fileFolders, caPem, credentialsFor, egress, maxTries, backoff }: StoreSources) {
  return {
    ...(fileFolders === undefined ? {} : { fileFolders }),
    ...(caPem === undefined ? {} : { caPem }),
    ...(credentialsFor === undefined ? {} : { credentialsFor }),
    ...(egress === undefined ? {} : { egress }),
    ...(maxTries === undefined ? {} : { maxTries }),
    ...(backoff === undefined ? {} : { backoff }),
  };
}

interface Parts {
  readonly folder: ArtifactFolder;
  /** One folder for each image, with one file for each reference. */
  readonly references: string;
  /** One file for each image, as `sha256sum` writes it. */
  readonly sums: string;
  /** One file for each order that named no SHA-256, with that of the image that it gave. */
  readonly origins: string;
  readonly clock: Clock;
}

const week = 7 * 24 * 3_600_000;
/** What is left of a download is of use for so long. */
const keepPartsMs = 24 * 3_600_000;

class FolderStore implements FirmwareStore {
  readonly #options: FolderStoreOptions;
  readonly #parts: Parts;

  constructor(options: FolderStoreOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
  }

  async put(body: AsyncIterable<Uint8Array>, expected: ExpectedImage): Promise<StoredImage> {
    const { maxBytes, maxImageBytes = maxBytes, areUnverifiedAllowed = false } = this.#options;
    const most = Math.min(maxBytes, maxImageBytes);
    const order = { ...expected, maxBytes: most, isUnverifiedAllowed: areUnverifiedAllowed };
    const artifact = await takeIn(this.#parts.folder, body, order);
    return this.#keep(artifact, artifact.digest, safeFileName(expected.fileName));
  }

  async fetch(order: ImageOrder): Promise<StoredImage> {
    const origin = originKey(order, this.#options);
    if (origin === undefined) return this.#fetch(order);
    const there = await this.#fetchedBefore(origin, order);
    if (there !== undefined) return there;
    const image = await this.#fetch(order);
    await writeWhole(join(this.#parts.origins, origin), image.sha256);
    return image;
  }

  /** What the same order gave before, while it is there and whole: what was taken first counts. */
  async #fetchedBefore(origin: string, { sizeBytes }: ImageOrder): Promise<StoredImage | undefined> {
    const hex = await readIfThere(join(this.#parts.origins, origin));
    if (hex === undefined) return undefined;
    const artifact = await this.#parts.folder.find(imageDigest(hex));
    if (artifact === undefined) return undefined;
    await artifact.release();
    const image = await this.find(hex);
    return sizeBytes === undefined || image?.sizeBytes === sizeBytes ? image : undefined;
  }

  async #fetch(order: ImageOrder): Promise<StoredImage> {
    const { folder } = this.#parts;
    const artifact = await folder.open(order);
    const fileName = safeFileName(order.fileName ?? URL.parse(order.url)?.pathname);
    if (artifact.digest.algorithm === 'sha256') return this.#keep(artifact, artifact.digest, fileName);
    // It was asked for by another hash: it gets its own name, and the other entry goes.
    try {
      const digest = await hashFile(artifact.path, 'sha256');
      const checksum = `sha256:${digest.hex}`;
      return await this.put(createReadStream(artifact.path), { checksum, sizeBytes: artifact.sizeBytes, fileName });
    } finally {
      await artifact.release();
      await evict(folder.folder, keyOf(artifact.digest), folder.lockContext);
    }
  }

  async find(digest: string): Promise<StoredImage | undefined> {
    return this.#stat(keyOf(imageDigest(digest)));
  }

  async open(text: string, range?: Partial<ByteRange>): Promise<OpenedImage> {
    const digest = imageDigest(text);
    const before = await this.#require(digest);
    const artifact = await this.#parts.folder.find(digest);
    if (artifact === undefined) throw new StoreError('damaged', { digest: digest.hex });
    try {
      const wanted = rangeOf(before, range);
      // Opened before it is let go of: a file that is thrown away meanwhile can be read to its end.
      const handle = await open(artifact.path, 'r');
      const ends = before.sizeBytes === 0 ? {} : { start: wanted.first, end: wanted.last };
      const body = createReadStream('', { fd: handle, ...ends });
      return { ...before, body, range: wanted };
    } finally {
      await artifact.release();
    }
  }

  async urlOf(text: string): Promise<string> {
    const { sha256, fileName } = await this.#require(imageDigest(text));
    const base = this.#options.publicUrl.replace(/\/+$/, '');
    return `${base}/v1/images/${sha256}/${encodeURIComponent(fileName)}`;
  }

  async hold(text: string, reference: string): Promise<void> {
    const digest = imageDigest(text);
    const { folder, references } = this.#parts;
    const place = join(references, keyOf(digest), referenceKey(reference));
    // Under the lock under which images are thrown away: it is held in time, or it is gone and that is said.
    const lock = await takeLock(folder.folder.lock(keyOf(digest)), folder.lockContext);
    try {
      await this.#require(digest);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      await writeWhole(place, reference);
    } finally {
      await lock.release();
    }
  }

  async release(text: string, reference: string): Promise<void> {
    await remove(join(this.#parts.references, keyOf(imageDigest(text)), referenceKey(reference)));
  }

  async references(text: string): Promise<readonly string[]> {
    const folder = join(this.#parts.references, keyOf(imageDigest(text)));
    const names = (await namesIn(folder)).filter(isWhole);
    const texts = await Promise.all(names.map((name) => readIfThere(join(folder, name))));
    return texts.filter((each) => each !== undefined).sort();
  }

  async list(): Promise<readonly StoredImage[]> {
    const keys = (await namesIn(this.#parts.folder.folder.objects)).filter((key) => key.startsWith('sha256-'));
    const images = await Promise.all(keys.sort().map((key) => this.#stat(key)));
    return images.filter((image) => image !== undefined);
  }

  async delete(text: string): Promise<boolean> {
    const digest = imageDigest(text);
    const key = keyOf(digest);
    if ((await this.#stat(key)) === undefined) return false;
    const { folder } = this.#parts;
    if (await evict(folder.folder, key, { ...folder.lockContext, isKept: this.#isKept })) {
      await remove(join(this.#parts.sums, key));
      return true;
    }
    const references = (await this.references(text)).join(', ');
    throw new StoreError('imageInUse', { digest: digest.hex, references: references || 'a download' });
  }

  async collect(): Promise<Collected> {
    const { folder, clock } = this.#parts;
    const { keepUnreferencedMs = week } = this.#options;
    const gone = { images: 0, parts: 0, bytes: 0 };
    for (const entry of await entriesOf(folder.folder)) {
      const isPart = entry.kind === 'part';
      // Parts of what was put belong to nobody once their process is gone, whose lock then is free.
      const keepMs = isPart ? (entry.key.startsWith('put-') ? 0 : keepPartsMs) : keepUnreferencedMs;
      if (clock.now() - entry.usedAtMs < keepMs) continue;
      if (!(await evict(folder.folder, entry.key, { ...folder.lockContext, isKept: this.#isKept }))) continue;
      if (!isPart) await remove(join(this.#parts.sums, entry.key));
      gone[isPart ? 'parts' : 'images'] += 1;
      gone.bytes += entry.bytes;
    }
    await this.#dropLeftovers();
    return gone;
  }

  async close(): Promise<void> {
    await this.#parts.folder.close();
  }

  /** What is noted of images that were thrown away. */
  async #dropLeftovers(): Promise<void> {
    const { sums, origins, folder } = this.#parts;
    for (const name of await namesIn(origins)) {
      const hex = await readIfThere(join(origins, name));
      const isThere = hex !== undefined && /^[0-9a-f]{64}$/.test(hex) && (await this.find(hex)) !== undefined;
      if (!isThere) await remove(join(origins, name));
    }
    for (const key of await namesIn(sums)) {
      if ((await statOf(folder.folder.object(key.replace(/~.*$/, '')))) === undefined) await remove(join(sums, key));
    }
  }

  #isKept = (key: string): Promise<boolean> => hasReferences(this.#parts.references, key);

  async #keep(artifact: Artifact, digest: Digest, fileName: string): Promise<StoredImage> {
    const key = keyOf(digest);
    try {
      const sum = join(this.#parts.sums, key);
      if ((await statOf(sum)) === undefined) await writeWhole(sum, `${digest.hex} *${fileName}\n`);
      return { ...(await this.#require(digest)) };
    } finally {
      await artifact.release();
    }
  }

  async #require(digest: Digest): Promise<StoredImage> {
    const image = await this.#stat(keyOf(digest));
    if (image === undefined) throw new StoreError('unknownImage', { digest: digest.hex });
    return image;
  }

  async #stat(key: string): Promise<StoredImage | undefined> {
    const { folder } = this.#parts.folder;
    const seen = await statOf(folder.object(key));
    if (seen === undefined) return undefined;
    const stamp = await statOf(folder.stamp(key));
    const sum = await readIfThere(join(this.#parts.sums, key));
    const fileName = /^[0-9a-f]{64} \*(.+)$/m.exec(sum ?? '')?.[1] ?? 'image.bin';
    const usedAtMs = stamp?.mtimeMs ?? seen.mtimeMs;
    return { sha256: key.slice('sha256-'.length), sizeBytes: seen.size, fileName, usedAtMs };
  }
}

async function hasReferences(references: string, key: string): Promise<boolean> {
  return (await namesIn(join(references, key))).some(isWhole);
}

/** Files whose writer died have a name that says so. */
function isWhole(name: string): boolean {
  return !name.endsWith('~');
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * A file that is there is whole, also when its writer dies. Each draft has a name of its own: several at once write the same
 * in one process, and processes in containers have the same number.
 */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}~${randomUUID()}~`;
  try {
    await orDiskFull('a note of the store', () => writeFile(draft, text, { mode: 0o600 }));
    await rename(draft, path);
  } catch (error) {
    await remove(draft);
    throw error;
  }
}
