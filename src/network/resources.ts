import { metal3Group, type ProviderSwitchKind } from '../api/index.ts';
import type { ResourceRef } from '../kube/index.ts';

function metal3(resource: string, kind: string): ResourceRef {
  return { group: metal3Group, version: 'v1alpha1', resource, namespaced: true, kind };
}

/** Where the kinds of this room are served. */
export const resources = {
  switches: metal3('switches', 'Switch'),
  ports: metal3('switchports', 'SwitchPort'),
  configurations: metal3('switchportconfigurations', 'SwitchPortConfiguration'),
  limits: metal3('switchresourcelimits', 'SwitchResourceLimit'),
  hosts: metal3('baremetalhosts', 'BareMetalHost'),
  secrets: { group: '', version: 'v1', resource: 'secrets', namespaced: true, kind: 'Secret' },
} as const satisfies Record<string, ResourceRef>;

/** Where the kinds are served that know how to talk to a switch. */
export const providerResources: Readonly<Record<ProviderSwitchKind, ResourceRef>> = {
  AnsibleSwitch: metal3('ansibleswitches', 'AnsibleSwitch'),
  OVSSwitch: metal3('ovsswitches', 'OVSSwitch'),
  FixtureSwitch: metal3('fixtureswitches', 'FixtureSwitch'),
};

/** Who owns the fields that this room writes. */
export const networkFieldManager = 'rackwright-network';

/** Holds switches, their providers, ports and configurations until what was set on a device is taken back. */
export const networkFinalizer = 'rackwright.io/network';

/**
 * On a Switch or a SwitchPort that is being deleted: do not wait for a switch that cannot be reached. What stays set on
 * it is told in an event.
 */
export const forceAnnotation = 'network.rackwright.io/force-deletion';

/**
 * On a SwitchPort: the host that linked its configuration, or that wants it clean, as NAMESPACE/NAME. A host that is
 * unplugged there takes it back.
 */
export const linkedByAnnotation = 'network.rackwright.io/linked-by';

/**
 * On a SwitchPort: what that host linked, as NAMESPACE/NAME; empty when it wants the port clean. A port with another link was
 * linked by a user since.
 */
export const linkedConfigurationAnnotation = 'network.rackwright.io/linked-configuration';

/**
 * On a BareMetalHost: the interfaces whose `configuration` its machine wrote, each as MAC=NAMESPACE/NAME. With the machine
 * goes what it wrote, however it was edited, and nobody else changes it before.
 */
export const machinePortsAnnotation = 'network.rackwright.io/machine-ports';

/** On a SwitchPort: any new value of it gives a port that has used up its attempts another set of them. */
export const retryAnnotation = 'network.rackwright.io/retry';
