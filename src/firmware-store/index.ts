export {
  type Artifact,
  type ArtifactCache,
  type ArtifactCacheOptions,
  type ArtifactOrder,
  createArtifactCache,
} from './artifacts/artifact-cache.ts';
export { type Digest, type DigestAlgorithm, parseDigest } from './artifacts/digest.ts';
export { type HashedSource, type HashOptions, hashSource } from './artifacts/hash-source.ts';
export {
  answered,
  askHttp,
  discard,
  type HttpAnswer,
  type HttpQuestion,
  type HttpSettings,
  type SourceCredentials,
} from './artifacts/http-source.ts';
export { parseSource, shownSource } from './artifacts/source.ts';
export { type FileServer, startFileServer } from './artifacts/testing/file-server.ts';
export { isStoreError, StoreError, type StoreErrorCode, storeErrors } from './errors.ts';
export { type FolderStoreOptions, openFolderStore } from './folder-store.ts';
export { openStoreAt, type StoreOpening, type StorePlace } from './open-store.ts';
export type { BucketSettings } from './s3/bucket.ts';
export { openS3Store, type S3StoreOptions } from './s3/s3-store.ts';
export { imageHandler } from './serve/image-handler.ts';
export { type ImageServer, type ImageServerOptions, startImageServer } from './serve/image-server.ts';
export type {
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
