export { isSameVersion, normaliseVersion } from '../../versions/index.ts';
export {
  type BmcIdentity,
  parseBmcIdentity,
  readBmcIdentity,
  type SystemIdentity,
  systemIdentityOf,
} from './bmc-identity.ts';
export { type FirmwareList, readFirmware } from './firmware.ts';
export { readInventory } from './inventory.ts';
export { toMac } from './mac.ts';
export { machineIdFrom, machineIdOf, usableUuid } from './machine-id.ts';
export { managerOf } from './manager.ts';
export { findOtherMachine, isSameUuid, type KnownMachine, type OtherMachine, usableSerial } from './other-machine.ts';
