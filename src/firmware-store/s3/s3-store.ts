import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Clock, systemClock } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { parseDigest } from '../artifacts/digest.ts';
import { holderName, isHolderAlive } from '../artifacts/holder.ts';
import { StoreError } from '../errors.ts';
import { openFolderStore } from '../folder-store.ts';
import { imageDigest, originKey, rangeOf, referenceKey } from '../image-name.ts';
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
} from '../store.ts';
import { type Bucket, type BucketSettings, openBucket } from './bucket.ts';

/** What a store in a bucket is made of. */
export interface S3StoreOptions extends StoreLimits, StoreSources {
  readonly bucket: BucketSettings;
  /** A folder on this machine through which images go: they are checked before anybody can see them in the bucket. */
  readonly staging: { readonly folder: string; readonly maxBytes: number };
  /** Where images are served by an image server, or by the bucket itself; signed addresses are given unless it is set. */
  readonly publicUrl?: string | undefined;
  /** How long a signed address works; a day unless given. */
  readonly signedForSeconds?: number | undefined;
  /** Larger images go in parts of this size; 16 MiB unless given, 5 MiB at least. */
  readonly partBytes?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

/** Opens a store in a bucket that several processes may use at once. */
export async function openS3Store(options: S3StoreOptions): Promise<FirmwareStore> {
  const { staging, maxImageBytes = staging.maxBytes } = options;
  const folder = await openFolderStore({
    ...options,
    folder: staging.folder,
    maxBytes: staging.maxBytes,
    maxImageBytes: Math.min(maxImageBytes, options.maxBytes),
    publicUrl: 'http://staging.invalid',
  });
  await dropDeadUploads(folder);
  return new S3Store(options, openBucket(options.bucket), folder);
}

const uploadMark = 'upload ';

/** Uploads of processes that died hold their images here; nobody else would ever let go of them. */
async function dropDeadUploads(staging: FirmwareStore): Promise<void> {
  for (const { sha256 } of await staging.list()) {
    for (const reference of await staging.references(sha256)) {
      const isDead = reference.startsWith(uploadMark) && isHolderAlive(reference.slice(uploadMark.length)) === false;
      if (isDead) await staging.release(sha256, reference);
    }
  }
}

const week = 7 * 24 * 3_600_000;
const mib = 1024 * 1024;

class S3Store implements FirmwareStore {
  readonly #options: S3StoreOptions;
  readonly #bucket: Bucket;
  readonly #staging: FirmwareStore;
  readonly #clock: Clock;

  constructor(options: S3StoreOptions, bucket: Bucket, staging: FirmwareStore) {
    this.#options = options;
    this.#bucket = bucket;
    this.#staging = staging;
    this.#clock = options.clock ?? systemClock;
  }

  async put(body: AsyncIterable<Uint8Array>, expected: ExpectedImage): Promise<StoredImage> {
    return this.#upload(await this.#staging.put(body, expected));
  }

  async fetch(order: ImageOrder): Promise<StoredImage> {
    const origin = originKey(order, this.#options);
    // What is in the bucket went through here once: it need not be fetched again to know that.
    const hex = origin === undefined ? parseDigest(order.checksum ?? '').hex : await this.#fetchedBefore(origin);
    const there = hex === undefined ? undefined : await this.find(hex);
    const isMeant = order.sizeBytes === undefined || order.sizeBytes === there?.sizeBytes;
    if (there !== undefined && isMeant) return there;
    const image = await this.#upload(await this.#staging.fetch(order));
    if (origin !== undefined) await this.#bucket.put(`origins/${origin}/${image.sha256}`, Buffer.from(image.sha256));
    return image;
  }

  /** The SHA-256 of what the same order gave first. */
  async #fetchedBefore(origin: string): Promise<string | undefined> {
    const found = await this.#bucket.list(`origins/${origin}/`);
    return found.toSorted((a, b) => a.changedAtMs - b.changedAtMs)[0]?.name.split('/')[2];
  }

  async find(text: string): Promise<StoredImage | undefined> {
    const { hex } = imageDigest(text);
    const [found] = await this.#bucket.list(`images/${hex}/`);
    return found === undefined ? undefined : toImage(found);
  }

  async open(text: string, range?: Partial<ByteRange>): Promise<OpenedImage> {
    const image = await this.#require(text);
    const wanted = rangeOf(image, range);
    const body = image.sizeBytes === 0 ? Readable.from([]) : await this.#bucket.read(nameOf(image), wanted);
    return { ...image, body, range: wanted };
  }

  async urlOf(text: string): Promise<string> {
    const image = await this.#require(text);
    const { publicUrl, signedForSeconds = 86_400 } = this.#options;
    if (publicUrl === undefined) return this.#bucket.sign(nameOf(image), signedForSeconds);
    return `${publicUrl.replace(/\/+$/, '')}/v1/${nameOf(image)}`;
  }

  async hold(text: string, reference: string): Promise<void> {
    const { hex } = imageDigest(text);
    const name = `references/${hex}/${referenceKey(reference)}`;
    await this.#require(text);
    await this.#bucket.put(name, Buffer.from(reference));
    // A bucket has no locks: it may have been thrown away in between, and then the reference must not stay.
    if ((await this.find(text)) !== undefined) return;
    await this.#bucket.remove(name);
    throw new StoreError('unknownImage', { digest: hex });
  }

  async release(text: string, reference: string): Promise<void> {
    await this.#bucket.remove(`references/${imageDigest(text).hex}/${referenceKey(reference)}`);
  }

  async references(text: string): Promise<readonly string[]> {
    const found = await this.#bucket.list(`references/${imageDigest(text).hex}/`);
    const texts = await Promise.all(found.map(({ name }) => this.#bucket.readText(name)));
    return texts.filter((each) => each !== undefined).sort();
  }

  async list(): Promise<readonly StoredImage[]> {
    const images = (await this.#bucket.list('images/')).map(toImage);
    return images.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  }

  async delete(text: string): Promise<boolean> {
    const image = await this.find(text);
    if (image === undefined) return false;
    const references = await this.references(text);
    if (references.length > 0) {
      throw new StoreError('imageInUse', { digest: image.sha256, references: references.join(', ') });
    }
    await this.#remove(image);
    return true;
  }

  async collect(): Promise<Collected> {
    const { keepUnreferencedMs = week } = this.#options;
    const gone = { images: 0, parts: 0, bytes: 0 };
    for (const image of await this.#unreferenced()) {
      if (this.#clock.now() - image.usedAtMs < keepUnreferencedMs || !(await this.#evict(image))) continue;
      gone.images += 1;
      gone.bytes += image.sizeBytes;
    }
    await this.#dropOrigins();
    await dropDeadUploads(this.#staging);
    const { parts } = await this.#staging.collect();
    return { ...gone, parts };
  }

  /** Notes of where images came from that are gone. */
  async #dropOrigins(): Promise<void> {
    const origins = await this.#bucket.list('origins/');
    const kept = new Set(origins.length === 0 ? [] : (await this.list()).map(({ sha256 }) => sha256));
    for (const { name } of origins) if (!kept.has(name.split('/')[2] ?? '')) await this.#bucket.remove(name);
  }

  async close(): Promise<void> {
    await this.#staging.close();
  }

  async #require(text: string): Promise<StoredImage> {
    const image = await this.find(text);
    if (image === undefined) throw new StoreError('unknownImage', { digest: imageDigest(text).hex });
    return image;
  }

  async #upload(staged: StoredImage): Promise<StoredImage> {
    const { sha256, sizeBytes } = staged;
    // Nobody may take it from here while it is sent.
    const reference = uploadMark + holderName(randomUUID());
    await this.#staging.hold(sha256, reference);
    try {
      const there = await this.find(sha256);
      if (there?.sizeBytes === sizeBytes) return there;
      await this.#makeRoom(staged);
      await this.#send(staged);
      await this.#bucket.put(`sums/${sha256}`, Buffer.from(`${sha256} *${staged.fileName}\n`));
      const found = await this.#require(sha256);
      if (found.sizeBytes === sizeBytes) return found;
      await this.#remove(found);
      throw new StoreError('sizeMismatch', {
        source: 'the image in the bucket',
        found: found.sizeBytes,
        wanted: sizeBytes,
      });
    } finally {
      await this.#staging.release(sha256, reference);
    }
  }

  async #send(staged: StoredImage): Promise<void> {
    const { sha256, sizeBytes } = staged;
    const partBytes = Math.max(5 * mib, this.#options.partBytes ?? 16 * mib);
    const read = async (first: number): Promise<Buffer> => {
      const last = Math.min(first + partBytes, sizeBytes) - 1;
      return buffer((await this.#staging.open(sha256, { first, last })).body);
    };
    if (sizeBytes <= partBytes) return this.#bucket.put(nameOf(staged), await read(0));
    const parts = async function* () {
      for (let first = 0; first < sizeBytes; first += partBytes) yield await read(first);
    };
    return this.#bucket.putParts(nameOf(staged), parts());
  }

  async #makeRoom({ sha256, sizeBytes }: StoredImage): Promise<void> {
    const { maxBytes } = this.#options;
    const others = (await this.list()).filter((image) => image.sha256 !== sha256);
    let used = others.reduce((sum, image) => sum + image.sizeBytes, 0);
    if (used + sizeBytes <= maxBytes) return;
    const oldestFirst = (await this.#unreferenced()).toSorted((a, b) => a.usedAtMs - b.usedAtMs);
    for (const image of oldestFirst.filter((each) => each.sha256 !== sha256)) {
      if (used + sizeBytes <= maxBytes) return;
      if (await this.#evict(image)) used -= image.sizeBytes;
    }
    if (used + sizeBytes <= maxBytes) return;
    throw new StoreError('noRoom', { bytes: sizeBytes, source: 'the image', limit: maxBytes, used });
  }

  async #unreferenced(): Promise<readonly StoredImage[]> {
    const held = new Set((await this.#bucket.list('references/')).map(({ name }) => name.split('/')[1]));
    return (await this.list()).filter(({ sha256 }) => !held.has(sha256));
  }

  /** Looks for references once more, right before it is too late. */
  async #evict(image: StoredImage): Promise<boolean> {
    if ((await this.#bucket.list(`references/${image.sha256}/`)).length > 0) return false;
    await this.#remove(image);
    return true;
  }

  async #remove(image: StoredImage): Promise<void> {
    await this.#bucket.remove(nameOf(image));
    await this.#bucket.remove(`sums/${image.sha256}`);
  }
}

/** The hash, and the name that BMCs judge it by. */
function nameOf({ sha256, fileName }: StoredImage): string {
  return `images/${sha256}/${fileName}`;
}

function toImage({
  name,
  sizeBytes,
  changedAtMs,
}: {
  name: string;
  sizeBytes: number;
  changedAtMs: number;
}): StoredImage {
  const [, sha256 = '', fileName = ''] = name.split('/');
  return { sha256, fileName, sizeBytes, usedAtMs: changedAtMs };
}
