export { matchHardware } from './classification/match-hardware.ts';
export { type DiscoveryDecision, type DiscoverySeen, decideDiscovery } from './decide-discovery.ts';
export { type Naming, nameHost } from './naming/name-host.ts';
export type { DiscoveryInformers } from './objects.ts';
export { type DiscoverySettings, defaultDiscoverySettings } from './settings.ts';
export { type DiscoveryControllers, type DiscoveryControllersOptions, startDiscoveryControllers } from './start.ts';
