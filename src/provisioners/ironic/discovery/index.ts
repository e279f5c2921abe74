export { createIronicDiscovery } from './ironic-discovery.ts';
