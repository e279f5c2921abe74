import { ironcoreGroup, ironcoreVersion } from '../api/index.ts';
import type { ResourceRef } from '../kube/index.ts';

function clusterScoped(resource: string, kind: string): ResourceRef {
  return { group: ironcoreGroup, version: ironcoreVersion, resource, namespaced: false, kind };
}

/** Where the kinds of this room are served. */
export const resources = {
  bmcs: clusterScoped('bmcs', 'BMC'),
  bmcSecrets: clusterScoped('bmcsecrets', 'BMCSecret'),
  servers: clusterScoped('servers', 'Server'),
  firmwares: clusterScoped('serverfirmwares', 'ServerFirmware'),
  groups: clusterScoped('serverfirmwaregroups', 'ServerFirmwareGroup'),
  discovered: clusterScoped('discoveredfirmwares', 'DiscoveredFirmware'),
} as const;

/** Keeps a ServerFirmware that asked for an update until that is taken back or cannot be any more. */
export const updateFinalizer = 'rackwright.io/firmware-update';

/** Who owns the fields that this room writes. Two names never change: what was written under them would stay for ever. */
export const fieldManagers = {
  /** Entries of groups in `ServerFirmware.spec.firmwares`. */
  group: 'rackwright-server-group',
  /** `ServerFirmware.spec.bios` while it follows the server. */
  bios: 'rackwright-server-bios',
  /** Objects, labels and owners that onboarding makes. */
  onboarding: 'rackwright-onboarding',
  /** Everything in a status. */
  status: 'rackwright-firmware',
} as const;
