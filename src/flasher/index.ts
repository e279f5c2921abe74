export {
  type Artifact,
  type ArtifactCache,
  type ArtifactCacheOptions,
  type ArtifactOrder,
  createArtifactCache,
  type Digest,
  type DigestAlgorithm,
  parseDigest,
} from '../firmware-store/index.ts';
export { ServerControlSchema, VirtualMediaSchema } from './conditions/control-schemas.ts';
export { FirmwareInstallSchema, toFirmware } from './conditions/install-schema.ts';
export { type FlasherKindsOptions, flasherKinds } from './conditions/kinds.ts';
export { BiosSchema, InventorySchema, PowerSchema } from './conditions/other-schemas.ts';
export { outsideKindNames, outsideKinds } from './conditions/outside-kinds.ts';
export type { HandlerContext, InventoryReport, InventorySink } from './conditions/ports.ts';
export { createStepStatus, type StepStatus } from './conditions/step-status.ts';
export {
  createFlasher,
  createHandlerContext,
  type Flasher,
  type FlasherOptions,
  flasherHandlers,
  type HandlerContextOptions,
} from './create-flasher.ts';
export { FlasherError, type FlasherErrorCode, flasherErrors, isFlasherError } from './errors.ts';
export { createFlasherMetrics, type FlasherMetrics } from './flasher-metrics.ts';
export { type HeldBmc, type HoldContext, holdBmc } from './held-bmc.ts';
export {
  type InstallOutcome,
  InstallOutcomeSchema,
  readAtMember,
  readInstallOutcome,
} from './install/install-outcome.ts';
export { installTable } from './install/install-table.ts';
export type { FirmwareCatalogue, ImageAddress, ServerAccess, ServerDirectory } from './install/ports.ts';
export { defaultInstallSettings, type InstallSettings, type PollTimes } from './install/settings.ts';
export type { Firmware } from './plan/firmware.ts';
export { type ForecastStep, forecastInstall } from './plan/forecast-install.ts';
export { idsOf, isForSlot, isNamingPart, matchSlots, type PlannedServer, type SkipCode } from './plan/match-slots.ts';
export {
  areContradictory,
  byInstallOrder,
  type InstallPlan,
  type OrderedImage,
  type PlanInput,
  type PlannedAction,
  type PlannedSlot,
  type PlanProblem,
  planInstall,
  type SkippedFirmware,
} from './plan/plan-install.ts';
