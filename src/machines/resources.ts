import { clusterGroup, infrastructureGroup, metal3Group } from '../api/index.ts';
import { definitionsRef, type ResourceRef } from '../kube/index.ts';

function infrastructure(resource: string, kind: string): ResourceRef {
  return { group: infrastructureGroup, version: 'v1beta2', resource, namespaced: true, kind };
}

/** Where the kinds of this room are served, and those that it works with. */
export const resources = {
  metal3Machines: infrastructure('metal3machines', 'Metal3Machine'),
  metal3Clusters: infrastructure('metal3clusters', 'Metal3Cluster'),
  templates: infrastructure('metal3machinetemplates', 'Metal3MachineTemplate'),
  hosts: {
    group: metal3Group,
    version: 'v1alpha1',
    resource: 'baremetalhosts',
    namespaced: true,
    kind: 'BareMetalHost',
  },
  nodes: { group: '', version: 'v1', resource: 'nodes', namespaced: false, kind: 'Node' },
  secrets: { group: '', version: 'v1', resource: 'secrets', namespaced: true, kind: 'Secret' },
  definitions: definitionsRef,
} as const satisfies Record<string, ResourceRef>;

/** A version of cluster.x-k8s.io; the older one is spoken only where an older Cluster API serves nothing else. */
export type CoreVersion = 'v1beta1' | 'v1beta2';

/** Where the kinds of Cluster API itself are served. */
export function coreResources(version: CoreVersion) {
  const core = (resource: string, kind: string): ResourceRef => {
    return { group: clusterGroup, version, resource, namespaced: true, kind };
  };
  return {
    clusters: core('clusters', 'Cluster'),
    machines: core('machines', 'Machine'),
    sets: core('machinesets', 'MachineSet'),
    deployments: core('machinedeployments', 'MachineDeployment'),
  };
}

/** Annotations of BareMetalHosts that this room reads or writes. */
export const hostAnnotations = {
  paused: 'baremetalhost.metal3.io/paused',
  detached: 'baremetalhost.metal3.io/detached',
  status: 'baremetalhost.metal3.io/status',
} as const;

/** The value of `paused` that says it was this room, for the pause of a Cluster: only that one is taken away again. */
export const ownPause = 'metal3.io/capm3';

/** Who owns the fields that this room writes. */
export const machinesFieldManager = 'rackwright-machines';
