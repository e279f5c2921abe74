import {
  type BareMetalHost,
  type Cluster,
  clusterAnnotations,
  clusterGroup,
  clusterLabels,
  type Machine,
  type MachineDeployment,
  type MachineSet,
  type Metal3Cluster,
  type Metal3Machine,
  type Metal3MachineTemplate,
  type ObjectMeta,
} from '../api/index.ts';
import { type Indexer, type Informer, isBeingDeleted, type KubeObject, type ObjectTable } from '../kube/index.ts';
import { besideKey, consumerKey, namespaceOf, ownerOf } from './references.ts';

/** A core/v1 Node as far as this room looks into it. */
export interface Node extends KubeObject {
  metadata: ObjectMeta;
  spec?: { providerID?: string; unschedulable?: boolean };
  status?: { conditions?: readonly { type: string; status: string }[] };
}

/** The objects that this room looks at. */
export interface MachineObjects {
  readonly metal3Machines: Metal3Machine;
  readonly metal3Clusters: Metal3Cluster;
  readonly templates: Metal3MachineTemplate;
  readonly hosts: BareMetalHost;
  readonly clusters: Cluster;
  readonly machines: Machine;
  readonly sets: MachineSet;
  readonly deployments: MachineDeployment;
  readonly nodes: Node;
}

/** The caches of this room. */
export type MachineInformers = { readonly [K in keyof MachineObjects]: Informer<MachineObjects[K] & KubeObject> };

/** The same as anything that can be asked by name and index. */
export type MachineTables = { readonly [K in keyof MachineObjects]: ObjectTable<MachineObjects[K] & KubeObject> };

/** The kind of Machines, as owner. */
export const machineKind = { group: clusterGroup, kind: 'Machine' } as const;

/** The kind of Clusters, as owner. */
export const clusterKind = { group: clusterGroup, kind: 'Cluster' } as const;

/** The kind of MachineSets, as owner. */
export const setKind = { group: clusterGroup, kind: 'MachineSet' } as const;

/** The kind of MachineDeployments, as owner. */
export const deploymentKind = { group: clusterGroup, kind: 'MachineDeployment' } as const;

type Indexers<K extends keyof MachineObjects> = Readonly<Record<string, Indexer<MachineObjects[K] & KubeObject>>>;

/** How the objects of this room are found. */
export const indexers: { readonly [K in keyof MachineObjects]: Indexers<K> } = {
  metal3Machines: {
    machine: (object) => listed(ownerOf(object, machineKind)?.name, object),
    cluster: (object) => listed(object.metadata.labels?.[clusterLabels.clusterName], object),
    template: (object) => listed(object.metadata.annotations?.[clusterAnnotations.clonedFromName], object),
    /** The host that it has chosen; where that is, only its name says. */
    host: (object) => listed(chosenHostOf(object), object),
    /** By namespace: those that look for a host. */
    waiting: (object) => (chosenHostOf(object) === undefined && !isBeingDeleted(object) ? [namespaceOf(object)] : []),
  },
  metal3Clusters: {},
  templates: {},
  hosts: {
    consumer: (object) => [consumerKey(object) ?? ''].filter((key) => key !== ''),
    namespace: (object) => [namespaceOf(object)],
    uid: (object) => [object.metadata.uid ?? ''],
  },
  clusters: {
    infrastructure: (object) => listed(object.spec?.infrastructureRef?.name, object),
  },
  machines: {
    cluster: (object) => listed(object.spec.clusterName, object),
    set: (object) => listed(ownerOf(object, setKind)?.name, object),
    deployment: (object) => listed(object.metadata.labels?.[clusterLabels.deploymentName], object),
    infrastructure: (object) => listed(object.spec.infrastructureRef.name, object),
    providerId: ({ spec }) => (spec.providerID === undefined ? [] : [spec.providerID]),
  },
  sets: {
    cluster: (object) => listed(object.spec.clusterName, object),
    deployment: (object) => listed(ownerOf(object, deploymentKind)?.name, object),
    template: (object) => listed(object.spec.template.spec.infrastructureRef.name, object),
    namespace: (object) => [namespaceOf(object)],
  },
  deployments: {
    cluster: (object) => listed(object.spec.clusterName, object),
    template: (object) => listed(object.spec.template.spec.infrastructureRef.name, object),
    namespace: (object) => [namespaceOf(object)],
  },
  nodes: {
    uuid: ({ metadata }) => [metadata.labels?.[clusterLabels.nodeUuid] ?? ''].filter((uuid) => uuid !== ''),
    providerId: ({ spec }) => (spec?.providerID === undefined ? [] : [spec.providerID]),
    hostname: ({ metadata }) => [metadata.labels?.[hostnameLabel] ?? ''].filter((name) => name !== ''),
  },
};

/** The label by which nodes tell their hostname. */
export const hostnameLabel = 'kubernetes.io/hostname';

/** The name of the host that a machine has chosen, as its annotation says; the namespace in it is not looked at. */
export function chosenHostOf({ metadata }: Metal3Machine): string | undefined {
  const value = metadata.annotations?.[clusterAnnotations.bareMetalHost];
  const name = value?.slice(value.lastIndexOf('/') + 1);
  return name === '' ? undefined : name;
}

function listed(name: string | undefined, beside: KubeObject): readonly string[] {
  return name === undefined || name === '' ? [] : [besideKey(beside, name)];
}
