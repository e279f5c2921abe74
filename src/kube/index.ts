export { type BackoffOptions, backoffDelay } from './backoff.ts';
export {
  type AuthorityOptions,
  type CertificateSummary,
  createCertificateAuthority,
  type IssueOptions,
  isIssuedBy,
  issueClientCertificate,
  issueServerCertificate,
  readCertificate,
} from './certificates.ts';
export {
  type ClientOptions,
  type ConnectionSpec,
  createClient,
  createClientOver,
  type KubeClient,
} from './client/client.ts';
export type { Connection, DirectConnectionOptions, Impersonation } from './client/connection.ts';
export type { ApiRequest, CallOptions } from './client/request.ts';
export type {
  ApplyOptions,
  DeleteOptions,
  JsonPatchOperation,
  ListOptions,
  ListPage,
  ListResult,
  Patch,
  ResourceClient,
  Scale,
  Selection,
  SubresourceClient,
  WatchOptions,
  WriteOptions,
} from './client/resource-client.ts';
export type { Transport, TransportAnswer, TransportRequest } from './client/transport.ts';
export type { WatchEvent } from './client/watch-stream.ts';
export { type Clock, type Random, sleep, systemClock, type Timer } from './clock.ts';
export {
  isAborted,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  KubeError,
  type KubeErrorReason,
  type KubeStatus,
  kubeError,
  kubeErrors,
  type RetryClass,
  retryClassOf,
} from './errors.ts';
export { createFakeClock, type FakeClock } from './fake-clock.ts';
export { createInformer, type Informer, type InformerOptions } from './informer/informer.ts';
export type { Change, ChangeHandler, Indexer } from './informer/object-cache.ts';
export {
  type AnyKubeObject,
  apiVersionOf,
  compareResourceVersions,
  formatKey,
  type KubeObject,
  keyOf,
  type ManagedFieldsEntry,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  parseApiVersion,
  parseKey,
  qualifiedResource,
  type ResourceRef,
} from './object.ts';
export { bundleCertificates, type CertifiedKey, splitCertificates } from './pem.ts';
