export { type BmcAddress, type BootWay, parseBmcAddress } from './address.ts';
export type {
  Bmc,
  ComponentType,
  FirmwareSlot,
  Inventory,
  JsonBody,
  NetworkPort,
  ServiceRoot,
  VendorName,
} from './bmc.ts';
export { BmcError, type BmcErrorCode, bmcErrors, isBmcError, type RetryClass } from './errors.ts';
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
export type { JsonObject, JsonValue } from './json.ts';
export type { ImageFile, InstallOrder, StartedUpdate, UpdateProgress } from './update/update.ts';
