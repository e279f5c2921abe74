import { metal3Group } from '../api/index.ts';
import type { ResourceRef } from '../kube/index.ts';

function metal3(resource: string, kind: string): ResourceRef {
  return { group: metal3Group, version: 'v1alpha1', resource, namespaced: true, kind };
}

/** Where the kinds of this room are served. */
export const resources = {
  hosts: metal3('baremetalhosts', 'BareMetalHost'),
  hardwareData: metal3('hardwaredata', 'HardwareData'),
  firmwareSettings: metal3('hostfirmwaresettings', 'HostFirmwareSettings'),
  firmwareSchemas: metal3('firmwareschemas', 'FirmwareSchema'),
  firmwareComponents: metal3('hostfirmwarecomponents', 'HostFirmwareComponents'),
  updatePolicies: metal3('hostupdatepolicies', 'HostUpdatePolicy'),
  bootImages: metal3('preprovisioningimages', 'PreprovisioningImage'),
  dataImages: metal3('dataimages', 'DataImage'),
  secrets: { group: '', version: 'v1', resource: 'secrets', namespaced: true, kind: 'Secret' },
} as const;

/** Annotations that people and other controllers put on a host. */
export const annotations = {
  paused: 'baremetalhost.metal3.io/paused',
  detached: 'baremetalhost.metal3.io/detached',
  status: 'baremetalhost.metal3.io/status',
  inspect: 'inspect.metal3.io',
  hardwareDetails: 'inspect.metal3.io/hardwaredetails',
  reboot: 'reboot.metal3.io',
  /** The Node behind the host is drained before a live update; the value may say for how long that is tried. */
  drain: 'hosts.rackwright.io/drain',
} as const;

/** The annotation in which we note what is about to be changed on a host while it is prepared. */
export const preparationNote = 'hosts.rackwright.io/preparation';

/** The annotation in which we note that the reboot of a host is being asked for, with the wish as its value. */
export const rebootNote = 'hosts.rackwright.io/reboot-asked';

/** The annotation in which we note which Node is drained for a host. */
export const drainedNode = 'hosts.rackwright.io/drained-node';

/** What holds objects back from going before we are done with them. */
export const finalizers = {
  host: 'baremetalhost.metal3.io',
  secret: 'baremetalhost.metal3.io/secret',
  hardwareData: 'baremetalhost.metal3.io/hardwareData',
  bootImage: 'baremetalhost.metal3.io/preprovisioningImage',
  dataImage: 'dataimage.metal3.io',
} as const;

/** The label by which Secrets of BMCs are found. */
export const secretLabel = { name: 'environment.metal3.io', value: 'baremetal' } as const;

/** Who owns the fields that this room writes. */
export const fieldManager = 'rackwright-hosts';
