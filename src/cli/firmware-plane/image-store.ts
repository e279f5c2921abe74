import { join } from 'node:path';
import { type CatalogSource, catalogLogins } from '../../catalogs/index.ts';
import { type FirmwareStore, openStoreAt, startImageServer } from '../../firmware-store/index.ts';
import type { JobFile } from '../../jobs/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { usageError } from '../errors.ts';
import type { Closing } from '../install-service/closing.ts';
import { type EgressSettings, egressOf } from '../install-service/egress.ts';
import { explainListenError } from '../plane/listen-error.ts';
import type { Settings } from '../settings.ts';
import type { NamedPlace } from './parse-places.ts';
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
  | 'allowUnverifiedFirmware'
  | 'dataDir'
> &
  EgressSettings;

/** A store that is open, and where others open it. */
export interface OpenImageStore {
  readonly store: FirmwareStore;
  readonly place: JobStore;
}

type JobStore = NonNullable<JobFile['store']>;

/** Opens the store of images, and serves it where that is asked for; undefined where there is none. */
export async function openImageStore(
  settings: ImageStoreSettings,
  {
    catalogs,
    logger,
    open,
  }: { readonly catalogs: readonly CatalogSource[]; readonly logger: Logger; readonly open: Closing },
): Promise<OpenImageStore | undefined> {
  const { imageStore: named, imageStoreListen: listen } = settings;
  if (named === undefined) {
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
  const place = placeOf(settings, named, url);
  const { dataDir, imageStoreSize: maxBytes, imageFolder, allowUnverifiedFirmware: areUnverifiedAllowed } = settings;
  const store = await openStoreAt(place, {
    staging: { folder: join(dataDir, 'image-staging'), maxBytes },
    areUnverifiedAllowed,
    credentialsFor: catalogLogins(catalogs),
    egress: egressOf(settings),
    logger,
    ...(imageFolder === undefined ? {} : { fileFolders: [imageFolder] }),
  });
  opened = store;
  open.add(() => store.close());
  return { store, place };
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

/** The place that all who put images there are told of. */
function placeOf(settings: ImageStoreSettings, named: NamedPlace, publicUrl: string | undefined): JobStore {
  const { imageStoreSize: maxBytes, s3Endpoint: endpoint, s3KeyFile } = settings;
  if (named.kind === 'folder') {
    if (publicUrl !== undefined) return { kind: 'folder', folder: named.folder, publicUrl, maxBytes };
    throw usageError(
      '--image-store with a folder goes with --image-store-listen or --image-store-url: where its images are had',
    );
  }
  if (endpoint === undefined || s3KeyFile === undefined) {
    throw usageError('--image-store s3://... goes with --s3-endpoint and --s3-key-file');
  }
  if (publicUrl === undefined) {
    throw usageError(
      '--image-store s3://... goes with --image-store-listen or --image-store-url: addresses that a bucket signs end after a day, and catalogue entries and updates that wait do not',
    );
  }
  const { bucket, prefix } = named;
  const about = { endpoint, bucket, region: settings.s3Region, ...(prefix === '' ? {} : { prefix }) };
  return { kind: 's3', bucket: { ...about, ...readKey(s3KeyFile) }, publicUrl, maxBytes };
}

function readKey(file: string): { readonly accessKeyId: string; readonly secretAccessKey: string } {
  const { accessKeyId, secretAccessKey } = readObjectFile(file, '--s3-key-file') ?? {};
  if (typeof accessKeyId === 'string' && typeof secretAccessKey === 'string') return { accessKeyId, secretAccessKey };
  throw usageError(`--s3-key-file: ${file} lacks accessKeyId or secretAccessKey`);
}
