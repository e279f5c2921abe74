export { formatAcl, formatAclEntry, formatPorts, parsePorts } from './acl.ts';
export {
  type AnsibleInstallation,
  type AnsibleRunner,
  type AnsibleSwitchOptions,
  ansibleSystems,
  createAnsibleRunner,
  createMemoryHostKeys,
  type HostKeyBook,
  type KeyOwner,
  openAnsibleSwitch,
} from './ansible/index.ts';
export {
  createFixtureRack,
  createFixtureSwitch,
  createMemoryPorts,
  type FaultScript,
  type FixtureCall,
  type FixtureFault,
  type FixtureName,
  type FixturePorts,
  type FixtureRack,
  type FixtureRackOptions,
  type FixtureSwitch as FixtureSwitchDevice,
  type FixtureSwitchOptions,
  type ScriptedFault,
} from './fixture/index.ts';
export { formatNetwork, type Network, parseNetwork } from './network-address.ts';
export { type OvsSwitchOptions, openOvsSwitch } from './ovs/index.ts';
export {
  areSameSettings,
  describePlan,
  type PortDifference,
  type PortPlan,
  planPort,
  showAspect,
} from './port-plan.ts';
export {
  type AclEntry,
  cleanSettings,
  type PortAspect,
  type PortSettings,
  type PortSpan,
  type PortState,
  portAspects,
} from './port-settings.ts';
export { describeProviderLimits, type ProviderLimits } from './provider-limits.ts';
export { recordOfSettings, type SettingsOfSpec, settingsOfSpec } from './settings-of-spec.ts';
export type {
  CallOptions,
  LldpNeighbour,
  PortChange,
  PortClearing,
  PortListing,
  SwitchAbilities,
  SwitchDevice,
  SwitchEvent,
  SwitchFacts,
  SwitchWatch,
} from './switch-device.ts';
export type { SshCredentials, SwitchAccess, SwitchProviders, TlsCredentials } from './switch-providers.ts';
export {
  done,
  failedForAll,
  type PortResults,
  resultFor,
  retryOf,
  type SwitchFailure,
  type SwitchResult,
} from './switch-result.ts';
export { createSwitchProviders, type SwitchProvidersOptions } from './switches.ts';
export {
  allVlans,
  areSameVlans,
  countVlans,
  formatVlans,
  hasVlan,
  idsOf,
  isVlanId,
  noVlans,
  parseVlans,
  type VlanSet,
  type VlanSpan,
  vlanIds,
  vlanSetOf,
  withoutVlans,
} from './vlan-set.ts';
