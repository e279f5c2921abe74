export {
  type Artifact,
  type ArtifactCache,
  type ArtifactCacheOptions,
  type ArtifactOrder,
  createArtifactCache,
} from './artifacts/artifact-cache.ts';
export { type Digest, type DigestAlgorithm, parseDigest } from './artifacts/digest.ts';
export { FlasherError, type FlasherErrorCode, flasherErrors, isFlasherError } from './errors.ts';
export { type Firmware, type FirmwareComponent, firmwareComponents, toComponent } from './plan/firmware.ts';
export type { PlannedServer, SkipCode } from './plan/match-slots.ts';
export {
  type InstallPlan,
  type PlanInput,
  type PlannedAction,
  type PlannedSlot,
  type PlanProblem,
  planInstall,
  type SkippedFirmware,
} from './plan/plan-install.ts';
