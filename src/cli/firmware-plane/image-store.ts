import { join } from 'node:path';
import { type FirmwareStore, openFolderStore, openS3Store, startImageServer } from '../../firmware-store/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { usageError } from '../errors.ts';
import type { Closing } from '../install-service/closing.ts';
import { explainListenError } from '../plane/listen-error.ts';
import type { Settings } from '../settings.ts';
import type { StorePlace } from './parse-places.ts';
import { readObjectFile } from './read-object-file.ts';

/** What is said about the store of images. */
export type ImageStoreSettings = Settings<
  | 'imageStore'
  | 'imageStoreSize'
  | 'imageStoreListen'
  | 'imageStoreUrl'
  | 's3Endpoint'
  | 's3Region'
  | 's3KeyFile'
  | 'imageFolder'
  | 'dataDir'
>;

/** A store that is open, and where its images are had. */
export interface OpenImageStore {
  readonly store: FirmwareStore;
  readonly url: string;
}

/** Opens the store of images, and serves it where that is asked for; undefined where there is none. */
export async function openImageStore(
  settings: ImageStoreSettings,
  { logger, open }: { readonly logger: Logger; readonly open: Closing },
): Promise<OpenImageStore | undefined> {
  const { imageStore: place, imageStoreListen: listen } = settings;
  if (place === undefined) {
    if (listen === undefined && settings.imageStoreUrl === undefined) return undefined;
    throw usageError('--image-store-listen and --image-store-url go with --image-store');
  }
  // Its own address is known once it listens, which it does before it has anything to serve.
  let opened: FirmwareStore | undefined;
  const ready = (): FirmwareStore => {
    if (opened === undefined) throw new TypeError('the store is not open yet');
    return opened;
  };
  const url = settings.imageStoreUrl ?? (await serve(listen, { ready, logger, open }));
  if (settings.imageStoreUrl !== undefined) await serve(listen, { ready, logger, open });
  opened = await (place.kind === 's3' ? openBucketStore(settings, place, url) : openFolder(settings, place, url));
  const store = opened;
  open.add(() => store.close());
  if (url === undefined) throw new TypeError('a store was opened whose images nobody can get');
  return { store, url };
}

interface Serving {
  readonly ready: () => FirmwareStore;
  readonly logger: Logger;
  readonly open: Closing;
}

async function serve(
  listen: ImageStoreSettings['imageStoreListen'],
  { ready, logger, open }: Serving,
): Promise<string | undefined> {
  if (listen === undefined) return undefined;
  const store = {
    find: (digest: string) => ready().find(digest),
    open: (...how: Parameters<FirmwareStore['open']>) => ready().open(...how),
  };
  const server = await startImageServer({ ...listen, store, logger }).catch((error: unknown) => {
    throw explainListenError(error, { ...listen, option: '--image-store-listen' });
  });
  open.add(() => server.close());
  return server.url;
}

function sourcesOf({ imageFolder, imageStoreSize }: ImageStoreSettings) {
  return { maxBytes: imageStoreSize, ...(imageFolder === undefined ? {} : { fileFolders: [imageFolder] }) };
}

function openFolder(
  settings: ImageStoreSettings,
  { folder }: Extract<StorePlace, { kind: 'folder' }>,
  url: string | undefined,
): Promise<FirmwareStore> {
  if (url === undefined) {
    throw usageError(
      '--image-store with a folder goes with --image-store-listen or --image-store-url: where its images are had',
    );
  }
  return openFolderStore({ ...sourcesOf(settings), folder, publicUrl: url });
}

function openBucketStore(
  settings: ImageStoreSettings,
  { bucket, prefix }: Extract<StorePlace, { kind: 's3' }>,
  url: string | undefined,
): Promise<FirmwareStore> {
  const { s3Endpoint: endpoint, s3Region: region, s3KeyFile } = settings;
  if (endpoint === undefined || s3KeyFile === undefined) {
    throw usageError('--image-store s3://... goes with --s3-endpoint and --s3-key-file');
  }
  if (url === undefined) {
    throw usageError(
      '--image-store s3://... goes with --image-store-listen or --image-store-url: addresses that a bucket signs end after a day, and catalogue entries and updates that wait do not',
    );
  }
  const { accessKeyId, secretAccessKey } = readObjectFile(s3KeyFile, '--s3-key-file') ?? {};
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') {
    throw usageError(`--s3-key-file: ${s3KeyFile} lacks accessKeyId or secretAccessKey`);
  }
  const maxBytes = settings.imageStoreSize;
  return openS3Store({
    ...sourcesOf(settings),
    bucket: { endpoint, bucket, region, accessKeyId, secretAccessKey, ...(prefix === '' ? {} : { prefix }) },
    staging: { folder: join(settings.dataDir, 'image-staging'), maxBytes },
    publicUrl: url,
  });
}
