export {
  type Artifact,
  type ArtifactCache,
  type ArtifactCacheOptions,
  type ArtifactOrder,
  createArtifactCache,
} from './artifacts/artifact-cache.ts';
export { type Digest, type DigestAlgorithm, parseDigest } from './artifacts/digest.ts';
export { FirmwareInstallSchema, toFirmware } from './conditions/install-schema.ts';
export { type FlasherKindsOptions, flasherKinds } from './conditions/kinds.ts';
export { BiosSchema, InventorySchema, PowerSchema } from './conditions/other-schemas.ts';
export type { HandlerContext, InventoryReport, InventorySink } from './conditions/ports.ts';
export { createFlasher, type Flasher, type FlasherOptions, flasherHandlers } from './create-flasher.ts';
export { FlasherError, type FlasherErrorCode, flasherErrors, isFlasherError } from './errors.ts';
export { installTable } from './install/install-table.ts';
export type { FirmwareCatalogue, ImageAddress, ServerAccess, ServerDirectory } from './install/ports.ts';
export { defaultInstallSettings, type InstallSettings } from './install/settings.ts';
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
