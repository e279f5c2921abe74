export type { HostView } from './admission/claims.ts';
export { createHostAdmission, type HostAdmission } from './admission/host-rules.ts';
export { type ListedViewParts, listHosts } from './admission/listed-view.ts';
export {
  type DiscoveredHost,
  discoveryNote,
  readDiscoveryNote,
  writeDiscoveryNote,
} from './annotations/discovery-note.ts';
export { decideHost } from './decide/decide-host.ts';
export type { HostDecision, HostEffect, HostSeen } from './decide/seen.ts';
export { createHostNetwork, type HostNetwork, type HostNetworkOptions } from './network/host-network.ts';
export type { HostInformers, HostObjects } from './objects.ts';
export {
  type ExternalWork,
  type ExternalWorkKind,
  type Hold,
  type HostName,
  type HostTurn,
  type MachineClaims,
  nobodyElse,
  type OpenExternalWork,
} from './ports.ts';
export { defaultHostSettings, type HostSettings } from './settings.ts';
export type { HostController, LastRound } from './shell/host-controller.ts';
export {
  type FollowHostsOptions,
  followHosts,
  type HostControllers,
  type HostControllersOptions,
  startHostControllers,
} from './start.ts';
export { type HostState, hostTable } from './table/host-table.ts';
export { hostStatesData, hostStatesPage, liveUpdateStatesPage } from './table/states-page.ts';
