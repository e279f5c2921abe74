export { type AbsenceOptions, createAbsentProvisioners } from './absent/index.ts';
export {
  type AgentLimits,
  type Agents,
  type AgentsOptions,
  type AgentTimes,
  type BootTokens,
  bootTokensIn,
  defaultAgentLimits,
  defaultAgentTimes,
  fixedBootTokens,
  openAgents,
} from './agent/index.ts';
export {
  type BmcAddressReading,
  type BmcScheme,
  bmcSchemes,
  type DriverInfo,
  type DriverInterfaces,
  driverInfoOf,
  type HostBmcAddress,
  readBmcAddress,
} from './bmc-address/index.ts';
export { chooseProvisioners } from './choose-provisioners.ts';
export { claimOwnerOf } from './claim-owner.ts';
export type { DiscoverySource, KnownMachine, MachineDetails, RefusedMachine } from './discovery-source.ts';
export { createIronicProvisioners, type IronicOptions } from './ironic/index.ts';
export type * from './provisioner.ts';
export {
  createEngineDesk,
  createRedfishProvisioners,
  type FirmwareDesk,
  type HostRecords,
  type ImageCatalogue,
  type ImageLinks,
  type ImageServer,
  type LinkAnswer,
  type LinkedImage,
  openHostRecords,
  type RedfishOptions,
  type WantedImage,
} from './redfish/index.ts';
