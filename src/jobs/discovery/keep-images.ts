import type { Work } from '../../engine/index.ts';
import { type FirmwareStore, isStoreError, type StoreErrorCode } from '../../firmware-store/index.ts';
import type { Clock } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { DiscoveredImage } from './discover-firmware.ts';
import { imageReference } from './image-reference.ts';

/** What images are kept with. */
export interface ImageKeeping {
  readonly store: FirmwareStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told before each image which one it is, and what part of all is done, from 0 to 1. */
  tell(image: DiscoveredImage, done: number): Promise<void>;
}

/** Images, and where they are now. */
export interface KeptImages {
  readonly images: readonly DiscoveredImage[];
  /** How many are not in the store and stay where their vendors have them. */
  readonly imagesNotKept: number;
}

/**
 * Fetches images into the store. One that cannot be taken stays where its vendor has it, so that it stops none of the
 * others; the next discovery tries again. Throws when the work is over, and while the store itself cannot be used.
 */
export async function keepImages(
  work: Work,
  images: readonly DiscoveredImage[],
  keeping: ImageKeeping,
): Promise<KeptImages> {
  const found: DiscoveredImage[] = [];
  let imagesNotKept = 0;
  for (const [at, image] of images.entries()) {
    await keeping.tell(image, at / images.length);
    const kept = await keepOne(work, image, keeping);
    if (kept === undefined) imagesNotKept += 1;
    found.push(kept ?? image);
  }
  return { images: found, imagesNotKept };
}

/** Passing troubles that are of one image: all else is held, or its vendor failed as often as is tried. */
const ofOneImage: readonly StoreErrorCode[] = ['noRoom', 'sourceFailed'];

async function keepOne(
  work: Work,
  image: DiscoveredImage,
  { store, clock, logger }: ImageKeeping,
): Promise<DiscoveredImage | undefined> {
  const renew = createRenewal(work, clock);
  try {
    const { sha256, sizeBytes } = await store.fetch({
      url: image.url,
      checksum: image.checksum === '' ? undefined : image.checksum,
      sizeBytes: image.sizeBytes,
      fileName: image.fileName,
      signal: AbortSignal.any([work.signal, work.ending]),
      onProgress: renew,
    });
    await store.hold(sha256, imageReference(work.condition.id));
    return { ...image, url: await store.urlOf(sha256), checksum: `sha256:${sha256}`, sizeBytes };
  } catch (error) {
    await work.report();
    if (!isStoreError(error) || (error.retry === 'transient' && !isStoreError(error, ...ofOneImage))) throw error;
    logger.warn('an image is not kept; it stays at its vendor', { file: image.fileName, error });
    return undefined;
  }
}

/** A long download renews the lease as it gets on. */
function createRenewal(work: Work, clock: Clock): () => void {
  let last = clock.monotonic();
  return () => {
    if (clock.monotonic() - last < work.lease.leaseMs / 4) return;
    last = clock.monotonic();
    // What it throws is thrown again by the next report; until then the download may go on.
    work.report().catch(() => {});
  };
}
