export { createNetworkAdmission, type NetworkAdmission, type NetworkAdmissionView } from './admission/network-rules.ts';
export { createStatusHostKeys } from './devices/status-host-keys.ts';
export { type NetworkErrorCode, type NetworkFault, networkErrors } from './errors.ts';
export { claimOf, machineOf, type PortClaim } from './fabric/claims.ts';
export { createNetworkInformers, type NetworkInformers } from './fabric/informers.ts';
export { readMachinePorts, writeLinkRecord, writeMachinePorts } from './fabric/link-records.ts';
export { type LoadedNetwork, loadNetwork } from './fabric/load-tables.ts';
export type { FullReference } from './fabric/references.ts';
export {
  type NetworkObjects,
  type NetworkTables,
  type PluggedHost,
  pluggedHostOf,
  portIndexers,
} from './fabric/tables.ts';
export { describeCabling } from './host/cabling.ts';
export { type HostNetworkPhase, hostNetworkPhases, networkPhaseOf } from './host/host-phase.ts';
export { linkPort } from './host/link-port.ts';
export { type HostPortsSeen, lookAtHostPorts, standingOfPort } from './host/look-at-ports.ts';
export {
  type HostNetworkPlan,
  type HostNetworkSeen,
  type HostPortPlan,
  type LinkPort,
  planHostNetwork,
  portKeysOf,
} from './host/plan-host-network.ts';
export { decideLimit, type LimitDecision, type LimitSeen } from './limit/decide-limit.ts';
export { judgePorts } from './machine/judge-ports.ts';
export {
  configureNetwork,
  deconfigureNetwork,
  filter,
  type MachineNetwork,
  type MachinePorts,
  reconfigureNetwork,
} from './machine/machine-network.ts';
export { type CanTake, isSmartNic, matchNics, type NetworkNeed } from './machine/match-nics.ts';
export {
  type HostPlanned,
  type NetworkPlan,
  type NetworkPlanInput,
  type PortPlanned,
  planNetwork,
} from './plan/plan-network.ts';
export { decidePort, type PortDecision, type PortEffect } from './port/decide-port.ts';
export { judgePort, type PortJudgement, type PortRequest } from './port/judge-port.ts';
export type { PortMemory, PortSeen, SwitchStanding } from './port/port-seen.ts';
export { portTable } from './port/port-table.ts';
export {
  forceAnnotation,
  linkedByAnnotation,
  machinePortsAnnotation,
  networkFinalizer,
  retryAnnotation,
} from './resources.ts';
export { defaultNetworkSettings, type NetworkSettings } from './settings.ts';
export {
  type FollowNetworkOptions,
  followNetwork,
  type NetworkControllers,
  type NetworkControllersOptions,
  startNetworkControllers,
} from './start.ts';
export { decideSwitch, type SwitchDecision, type SwitchEffect } from './switch/decide-switch.ts';
export type { SwitchSeen } from './switch/switch-seen.ts';
export { switchTable } from './switch/switch-table.ts';
