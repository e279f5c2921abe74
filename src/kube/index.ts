export { type AccessQuestion, createMayDo, isSuperuser, type MayDo, unreadable } from './admission/access-review.ts';
export {
  type AdmissionMatch,
  type AdmissionRequest,
  type AdmissionRule,
  defineAdmissionRule,
  isConcerned,
} from './admission/admission-rule.ts';
export {
  type AdmissionServer,
  type AdmissionServerOptions,
  admissionPath,
  conversionPath,
  startAdmissionServer,
} from './admission/admission-server.ts';
export { type AuthorityState, defaultRotationPolicy, type RotationPolicy } from './admission/authority-state.ts';
export {
  type AuthorityStore,
  createMemoryAuthorityStore,
  createSecretAuthorityStore,
} from './admission/authority-store.ts';
export { answerConversion, type Conversion, type ConversionReview } from './admission/conversion.ts';
export { type InProcessAdmission, type InProcessHook, inProcessAdmission } from './admission/in-process.ts';
export {
  type AdmissionResponse,
  type AdmissionReview,
  askRule,
  decodeAdmissionReview,
  encodeAdmissionReview,
  MalformedReview,
} from './admission/review.ts';
export {
  createRotatingCertificates,
  type RotatingCertificates,
  type RotatingCertificatesOptions,
} from './admission/rotating-certificates.ts';
export { allowed, type Denial, denied, diffJson, patched, type Verdict } from './admission/verdict.ts';
export {
  buildConversionStanza,
  buildWebhookConfigurations,
  createWebhookPublisher,
  removeWebhookConfigurations,
  type WebhookPublication,
  type WebhookTarget,
} from './admission/webhook-configuration.ts';
export { ageText, durationText } from './age.ts';
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
export { applyObject } from './client/apply-object.ts';
export {
  type ClientOptions,
  type ConnectionSpec,
  createClient,
  createClientOver,
  type KubeClient,
} from './client/client.ts';
export { type ClusterAddress, clusterAddressOf } from './client/cluster-address.ts';
export type { Connection, DirectConnectionOptions, Impersonation } from './client/connection.ts';
export { createResourceMapper, type ResourceMapper, type ServedResource } from './client/discovery.ts';
export { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from './client/finalizers.ts';
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
export { type RetryOnConflictOptions, retryOnConflict } from './client/retry-on-conflict.ts';
export type { Transport, TransportAnswer, TransportRequest } from './client/transport.ts';
export type { WatchEvent } from './client/watch-stream.ts';
export { type Clock, type Random, sleep, systemClock, type Timer } from './clock.ts';
export { checkTable } from './controller/check-table.ts';
export {
  type Condition,
  type ConditionContext,
  type ConditionDraft,
  conditionOf,
  isTrue,
  namesForPeople,
  writeConditions,
} from './controller/conditions.ts';
export {
  type Controller,
  type ControllerDefinition,
  type ControllerOptions,
  defineController,
  type EffectContext,
  type EffectPort,
  type LastDecision,
  type Watch,
  watchInformer,
} from './controller/controller.ts';
export type { Decision, Effect, Instant, Reason, Wake } from './controller/decision.ts';
export { patchStatus, statusChange } from './controller/patch-status.ts';
export { type Failure, failed, ok, type Result, toFailure } from './controller/result.ts';
export { type ControllerSet, type RunnableController, runControllers } from './controller/run-controllers.ts';
export { isSameJson } from './controller/same-json.ts';
export {
  createStateCounts,
  createStateMetrics,
  type StateCounts,
  type StateMetrics,
} from './controller/state-metrics.ts';
export {
  defineStateTable,
  drawStateTable,
  type FactDomain,
  type Facts,
  type Position,
  rowsFrom,
  type StateRow,
  type StateTable,
  type Step,
  takeStep,
} from './controller/state-table.ts';
export { applyStatus, replaceStatus, type WithStatus } from './controller/write-status.ts';
export { definitionsRef, installDefinitions, untilServed } from './definitions.ts';
export { type DiskReserve, isOutOfRoom, reserveBeside } from './disk-reserve.ts';
export {
  isAborted,
  isAlreadyExists,
  isConflict,
  isDeniedByAdmission,
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
export {
  createEventRecorder,
  type EventDraft,
  type EventRecorder,
  type EventRecorderOptions,
  type EventSubject,
} from './event-recorder.ts';
export { createFakeClock, type FakeClock } from './fake-clock.ts';
export { createInformer, type Informer, type InformerOptions } from './informer/informer.ts';
export type { Change, ChangeHandler, Indexer } from './informer/object-cache.ts';
export { createTable, type ObjectTable } from './informer/object-table.ts';
export { createLeaderElection, type LeaderElection, type LeaderElectionOptions } from './leader-election.ts';
export { createLeaseStore, type Lease, type LeaseStore, leaseNameOf, uniqueIdentity } from './lease.ts';
export { type CountLimits, limitConnections, usualConnections } from './limit-connections.ts';
export { MainThreadSteps } from './main-thread-steps.ts';
export { makeDirectory } from './make-directory.ts';
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
export { createWorkQueue, type WorkOutcome, type WorkQueue, type WorkQueueOptions } from './queue/work-queue.ts';
export {
  type ErrorEntry,
  type ErrorMore,
  type HttpErrorEntry,
  HttpTableError,
  isErrorOf,
  TableError,
} from './table-error.ts';
export { meetUser, type TestRule } from './testing/meet-user.ts';
export { type SmallDisk, smallDisk } from './testing/small-disk.ts';
export { durationMs, growingWaitMs, momentOf, textOfMoment } from './times.ts';
export { closeUnaskedConnections, isUnasked } from './unasked-connection.ts';
