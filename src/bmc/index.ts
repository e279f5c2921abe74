export { type BmcAddress, type BootWay, parseBmcAddress } from './address.ts';
export type {
  Bmc,
  BmcNotes,
  ComponentType,
  FirmwareSlot,
  Inventory,
  JsonBody,
  NetworkPort,
  ServiceRoot,
  VendorName,
} from './bmc.ts';
export { type ConnectOptions, connectBmc } from './connect.ts';
export { BmcError, type BmcErrorCode, bmcErrors, isBmcError, type RetryClass } from './errors.ts';
export {
  type EventHint,
  type FollowCounts,
  type FollowOptions,
  followEvents,
  type ParsedEvents,
  parseEvents,
  type Subscription,
  type SubscriptionOrder,
  subscribe,
  unsubscribe,
} from './events/index.ts';
export { endSession, type SessionToEnd } from './gate/end-session.ts';
export type {
  BmcEndpoint,
  CredentialSource,
  Gate,
  GateLane,
  GateReply,
  GateRequest,
  GateState,
  Gates,
  LeaseCheck,
  LeasePurpose,
  StreamBody,
  TlsTrust,
} from './gate/gate.ts';
export { createGates, type GatesOptions } from './gate/gates.ts';
export { type PatchOptions, patchWithEtag } from './gate/patch-with-etag.ts';
export { defaultGateSettings, type GateSettings } from './gate/settings.ts';
export {
  type FirmwareList,
  isSameVersion,
  machineIdFrom,
  machineIdOf,
  normaliseVersion,
  readFirmware,
  readInventory,
  toMac,
  usableUuid,
} from './inventory/index.ts';
export type { JsonObject, JsonValue } from './json.ts';
export {
  type ManagerReset,
  type ManagerResetWish,
  type PostOutcome,
  type PostWait,
  type Power,
  type PowerChange,
  type PowerState,
  type PowerWish,
  readPower,
  resetManager,
  setPower,
  waitForPost,
  waitForReturn,
} from './power/index.ts';
export { type Collection, type Gap, listSystems, type Member, readCollection, systemOf } from './redfish/index.ts';
export {
  type Bios,
  type BiosAttribute,
  type BiosMismatch,
  type BiosOutcome,
  type BiosPlan,
  type BiosProblem,
  type BiosRegistry,
  type BiosValue,
  type BmcClock,
  type Boot,
  type BootChange,
  type BootOption,
  type BootOverride,
  type BootOverrideEnabled,
  ejectMedia,
  type Indicator,
  insertMedium,
  listVirtualDrives,
  type MediumChange,
  type MediumOrder,
  planBiosChange,
  readBios,
  readBiosOutcome,
  readBmcClock,
  readBoot,
  readBootOptions,
  readIndicator,
  readSecureBoot,
  resetBiosToDefaults,
  type SecureBoot,
  type StagedBios,
  setBmcClock,
  setBootOrder,
  setBootOverride,
  setIndicator,
  setSecureBoot,
  stageBios,
  type VirtualDrive,
} from './settings/index.ts';
export type { ImageFile, InstallOrder, StartedUpdate, UpdateProgress } from './update/update.ts';
