export { createInProcessClient, type InProcessClientOptions } from './clients/in-process-client.ts';
export type { RequestOutcome, UpdateClient, WithdrawOutcome } from './clients/request-outcome.ts';
export { createRpcClient, createUpdateServiceClient, type RpcClientOptions } from './clients/rpc-client.ts';
export type { FirmwareVersion } from './desk/check-request.ts';
export { freezeImages } from './desk/freeze-images.ts';
export type { DiscoverOrder, RequestDesk, ScanOrder, TakenRequest, UpdateOrder } from './desk/request-desk.ts';
export { isUpdateError, UpdateError, type UpdateErrorCode, updateErrors } from './errors.ts';
export { type KeepStoreSmallOptions, keepStoreSmall } from './images/keep-store-small.ts';
export type { AvailableVersions, FirmwareObjects } from './images/needed-images.ts';
export { type ReleaseParts, releaseImages } from './images/release-images.ts';
export { createJobTokens, type JobProof, type JobTokens } from './jobs/job-tokens.ts';
export { firmwareDiscover, type JobLimits, jobKinds, kindOf, modelTarget, withJobLimits } from './kinds.ts';
export { createEmbeddedLauncher, type EmbeddedLauncherOptions } from './launchers/embedded-launcher.ts';
export {
  createKubernetesLauncher,
  type KubernetesLauncherOptions,
} from './launchers/kubernetes/kubernetes-launcher.ts';
export { isLaunchError, LaunchError, type LaunchErrorCode, launchErrors } from './launchers/launch-errors.ts';
export type { JobSight, JobType, LaunchedJob, Launcher, LaunchOrder } from './launchers/launcher.ts';
export { createProcessLauncher, type ProcessLauncherOptions } from './launchers/process/process-launcher.ts';
export { createInventoryReader, type InventoryReader, toInstalledParts } from './mirror/installed.ts';
export type {
  KubeMirror,
  MirroredDiscoveryReport,
  MirroredServerReport,
  MirroredWait,
} from './mirror/result-mirror.ts';
export { type RunMirrorOptions, type RunningMirror, runMirror } from './mirror/run-mirror.ts';
export { createInventoryNames, type DiscoveredFirmwareSpec, type FleetNames } from './names/fleet-names.ts';
export { createKubeFirmware, createKubeNames, type KubeNamesOptions } from './names/kube-names.ts';
export type { Refusal, RefusalCode } from './refusal.ts';
export { createRpcHandler, type RpcHandlerOptions, serveRpc } from './rpc/serve-rpc.ts';
export { startJobRunner } from './runner/job-runner.ts';
export type { JobRunner, JobRunnerOptions } from './runner/runner-options.ts';
export {
  type RunnerChoice,
  startUpdateService,
  type UpdateService,
  type UpdateServiceOptions,
} from './start-update-service.ts';
export { openUpdateStore, updateMigrations, updateSchema } from './store/update-store.ts';
export { openUpdateDesks, type UpdateDesks, type UpdateDesksOptions } from './update-desks.ts';
