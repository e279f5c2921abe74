import { metal3Group } from '../api/index.ts';
import type { ResourceRef } from '../kube/index.ts';

function metal3(resource: string, kind: string): ResourceRef {
  return { group: metal3Group, version: 'v1alpha1', resource, namespaced: true, kind };
}

/** Where the kinds of this room are served, and those that it works with. */
export const resources = {
  discoveries: metal3('baremetalhostdiscoveries', 'BareMetalHostDiscovery'),
  classifications: metal3('hardwareclassifications', 'HardwareClassification'),
  hosts: metal3('baremetalhosts', 'BareMetalHost'),
  claims: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespaced: true, kind: 'Lease' },
} as const;

/** The label by which claims are told from other Leases. */
export const claimLabel = { name: 'discovery.rackwright.io/claim', value: 'mac' } as const;

/** Who owns the fields that this room writes. */
export const fieldManager = 'rackwright-discovery';
