import type { Work } from '../../engine/index.ts';
import { type FirmwareStore, isStoreError } from '../../firmware-store/index.ts';
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

/** Fetches images into the store; one that cannot be taken for good stays where its vendor has it. */
export async function keepImages(
  work: Work,
  images: readonly DiscoveredImage[],
  keeping: ImageKeeping,
): Promise<DiscoveredImage[]> {
  const kept: DiscoveredImage[] = [];
  for (const [at, image] of images.entries()) {
    await keeping.tell(image, at / images.length);
    kept.push(await keepOne(work, image, keeping));
  }
  return kept;
}

async function keepOne(
  work: Work,
  image: DiscoveredImage,
  { store, clock, logger }: ImageKeeping,
): Promise<DiscoveredImage> {
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
    if (!isStoreError(error) || error.retry === 'transient') throw error;
    logger.warn('an image is not kept; it stays at its vendor', { file: image.fileName, error });
    return image;
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
