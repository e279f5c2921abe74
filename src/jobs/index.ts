export { createTaskClient, type TaskAddress, type TaskClient } from './api/task-client.ts';
export { isLoopback, startTaskServer, type Task, type TaskServer, type TaskServerOptions } from './api/task-server.ts';
export {
  type AvailableFirmware,
  type DiscoveredImage,
  type Discovery,
  type DiscoveryOrder,
  type DiscoveryTools,
  discoverFirmware,
} from './discovery/discover-firmware.ts';
export { imageReference, readImageReference } from './discovery/image-reference.ts';
export { type ImageKeeping, type KeptImages, keepImages } from './discovery/keep-images.ts';
export { isJobError, JobError, type JobErrorCode, jobErrors } from './errors.ts';
export {
  chooseImplementation,
  type DiscoveryJobTools,
  defineJobImplementation,
  type ImplementationScope,
  type JobImplementation,
  type JobSubject,
  type ServerJobTools,
} from './implementations.ts';
export { decodeJobFile, encodeJobFile, type JobBmc, type JobFile, readJobFile } from './job-file.ts';
export type { JobType } from './job-type.ts';
export { type DiscoveryWork, decodeJobWork, encodeJobWork, type JobWork } from './job-work.ts';
export { type ImplementationChoice, loadImplementations } from './load-implementations.ts';
export { isRunning, type ProcessMark, readProcessMark } from './process-mark.ts';
export { builtInImplementations } from './run/built-in.ts';
export { claimJob, type JobClaim, publishAddress, readAddress, readClaim } from './run/claim-job.ts';
export { openDiscoveryTools } from './run/discovery-tools.ts';
export { Harvest } from './run/harvest.ts';
export type { JobDescription, JobEnd, TaskState } from './run/job-port.ts';
export { type RunJobOptions, runJob } from './run/run-job.ts';
export { createJobClient, type JobClient } from './run/update-client.ts';
export { isStrategyError, StrategyError, type StrategyErrorCode, strategyErrors } from './strategies/errors.ts';
export { builtInStrategies, enabledStrategy, loadStrategy, type StrategyChoice } from './strategies/load-strategy.ts';

export { defineStrategy, type Strategy, type StrategyFactory, type StrategyTools } from './strategies/strategy.ts';
export { signalToolsOf } from './strategies/vendor-cli/tool-folders.ts';
export { createFakeUpdateService, type FakeUpdateService, type KeptJob } from './testing/fake-update-service.ts';
export { type NotedCommand, runNotedCommand } from './testing/run-noted-command.ts';
