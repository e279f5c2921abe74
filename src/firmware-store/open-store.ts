import type { Clock } from '../kube/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { openFolderStore } from './folder-store.ts';
import type { BucketSettings } from './s3/bucket.ts';
import { openS3Store } from './s3/s3-store.ts';
import type { FirmwareStore, StoreLimits, StoreSources } from './store.ts';

/** Where a store is, and where its images are had: the same for all processes that put images there. */
export type StorePlace = (
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 's3'; readonly bucket: BucketSettings }
) & { readonly publicUrl: string; readonly maxBytes: number };

/** What one process opens a store with. */
export interface StoreOpening extends StoreSources, Pick<StoreLimits, 'areUnverifiedAllowed'> {
  /** Through which images go on this machine, if the store is elsewhere. */
  readonly staging: { readonly folder: string; readonly maxBytes: number };
  /** Somebody else made the store: a folder that is none is refused. */
  readonly isThere?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
}

/** Opens the store at a place. */
export async function openStoreAt(
  place: StorePlace,
  { staging, isThere, ...more }: StoreOpening,
): Promise<FirmwareStore> {
  const { publicUrl, maxBytes } = place;
  if (place.kind === 'folder') {
    return await openFolderStore({ ...more, folder: place.folder, publicUrl, maxBytes, isThere });
  }
  return await openS3Store({ ...more, bucket: place.bucket, publicUrl, maxBytes, staging });
}
