export { type AdminServer, startAdminServer } from './admin/admin-server.ts';
export { findImage, listFirmware, type OfferedFirmware } from './admin/firmware-routes.ts';
export {
  type DataCentre,
  type DataCentreOptions,
  type RunningBmc,
  startDataCentre,
} from './data-centre.ts';
export { type FleetManifest, fleetManifests, switchPortName } from './export/manifests.ts';
export {
  type FaultKind,
  type FaultOpportunity,
  type FaultRule,
  faultKinds,
  type ResetMoment,
  resetMoments,
} from './faults/fault.ts';
export { checkFaults, parseFaults } from './faults/parse-faults.ts';
export {
  FleetError,
  type FleetOrder,
  type FleetPlan,
  type PlannedCable,
  type PlannedServer,
  type PlannedSwitch,
  planFleet,
} from './fleet/index.ts';
export type { AgentTarget } from './hosts/agent-link.ts';
export type { Host } from './hosts/host.ts';
export { simulatedImages } from './hosts/write-image.ts';
export { buildImage, type FirmwareImage, type ImageOrder } from './images/build-image.ts';
export type { ComponentType } from './images/component-type.ts';
export { ListenError } from './listen/index.ts';
export type { EventLog, LoggedEvent } from './machine/event-log.ts';
export type { FirmwareSlot } from './machine/firmware.ts';
export type { Hardware } from './machine/hardware.ts';
export type { MachineTimings } from './machine/limits.ts';
export type { Machine, Neighbour } from './machine/machine.ts';
export { type AvailableFirmware, availableFirmware, maxFleetSize, personalityOf } from './personalities/index.ts';
export { type Personality, type PersonalityName, personalityNames } from './personalities/personality.ts';
export {
  differenceOf,
  type FleetIdentity,
  fleetIdentity,
  type KeepStateOptions,
  keepState,
  readSnapshot,
  type Snapshot,
  SnapshotError,
  type StateKeeper,
  takeSnapshot,
} from './snapshot/index.ts';
export type { AclRule } from './switches/access-list.ts';
export { createFabric, type Fabric, type PortName, type SimSwitch } from './switches/fabric.ts';
export type { PortSettings } from './switches/switch-port.ts';
export { createScaledClock, type ScaledClockOptions } from './time/scaled-clock.ts';
export type { SimClock } from './time/sim-clock.ts';
export { createSteppedClock, type SteppedClock, type SteppedClockOptions } from './time/stepped-clock.ts';
