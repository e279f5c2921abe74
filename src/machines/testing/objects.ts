import {
  type BareMetalHost,
  type BareMetalHostSpec,
  type BareMetalHostStatus,
  type Cluster,
  clusterAnnotations,
  clusterApiVersion,
  clusterFinalizers,
  infrastructureApiVersion,
  type Machine,
  type Metal3Cluster,
  type Metal3Machine,
  type Metal3MachineSpec,
  metal3ApiVersion,
} from '../../api/index.ts';
import { createTable, type KubeObject, type OwnerReference } from '../../kube/index.ts';
import type { MachineReader } from '../metal3-machine/read-machine.ts';
import type { NodeSearch } from '../nodes/workload-nodes.ts';
import { indexers, type MachineObjects, type MachineTables } from '../objects.ts';
import { noMachineNetwork } from '../ports.ts';
import { defaultMachineSettings } from '../settings.ts';
import { fleet, hostStatus, image } from './rig.ts';

/** For tests: a host as it is in a cache. */
export function aHost(
  name: string,
  more: {
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly spec?: Partial<BareMetalHostSpec>;
    readonly status?: Partial<BareMetalHostStatus>;
    readonly state?: BareMetalHostStatus['provisioning']['state'];
    readonly isGoing?: boolean;
  } = {},
): BareMetalHost & KubeObject {
  const { labels = {}, annotations = {}, state = 'available' } = more;
  return {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: {
      ...{ namespace: fleet, name, uid: `uid-${name}`, resourceVersion: '1', labels, annotations },
      ...(more.isGoing === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { online: false, ...more.spec },
    status: { ...hostStatus(state), ...more.status },
  };
}

/** For tests: the consumer of a host. */
export function consumer(name: string) {
  return { kind: 'Metal3Machine', name, namespace: fleet, apiVersion: infrastructureApiVersion };
}

/** For tests: a Metal3Machine as it is in a cache, owned by a Machine of the same name. */
export function aMetal3Machine(
  name: string,
  more: {
    readonly spec?: Partial<Metal3MachineSpec>;
    readonly host?: string;
    readonly annotations?: Record<string, string>;
    readonly isGoing?: boolean;
    readonly isAlone?: boolean;
    readonly status?: Metal3Machine['status'];
  } = {},
): Metal3Machine & KubeObject {
  const owner: OwnerReference = { apiVersion: clusterApiVersion, kind: 'Machine', name, uid: `uid-m-${name}` };
  const chosen = more.host === undefined ? {} : { [clusterAnnotations.bareMetalHost]: `${fleet}/${more.host}` };
  return {
    apiVersion: infrastructureApiVersion,
    kind: 'Metal3Machine',
    metadata: {
      ...{ namespace: fleet, name, uid: `uid-${name}`, resourceVersion: '1', generation: 1 },
      annotations: { ...chosen, ...more.annotations },
      finalizers: more.host === undefined ? [] : [clusterFinalizers.metal3Machine],
      ownerReferences: more.isAlone === true ? [] : [owner],
      ...(more.isGoing === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { image, ...more.spec },
    ...(more.status === undefined ? {} : { status: more.status }),
  };
}

/** For tests: a Machine as it is in a cache. */
export function aMachine(
  name: string,
  more: {
    readonly spec?: Partial<Machine['spec']>;
    readonly labels?: Record<string, string>;
    readonly owner?: OwnerReference;
  } = {},
): Machine & KubeObject {
  return {
    apiVersion: clusterApiVersion,
    kind: 'Machine',
    metadata: {
      ...{ namespace: fleet, name, uid: `uid-m-${name}`, labels: more.labels ?? {} },
      ownerReferences: more.owner === undefined ? [] : [more.owner],
    },
    spec: {
      clusterName: 'prod',
      bootstrap: { dataSecretName: 'boot' },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Metal3Machine', name },
      ...more.spec,
    },
  };
}

/** For tests: the Cluster `prod`, ready unless told otherwise. */
export function aCluster(more: { readonly isPaused?: boolean; readonly isReady?: boolean } = {}): Cluster & KubeObject {
  return {
    apiVersion: clusterApiVersion,
    kind: 'Cluster',
    metadata: { namespace: fleet, name: 'prod', uid: 'uid-prod' },
    spec: {
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Metal3Cluster', name: 'prod' },
      ...(more.isPaused === true ? { paused: true } : {}),
    },
    status: { initialization: { infrastructureProvisioned: more.isReady ?? true } },
  };
}

/** For tests: its Metal3Cluster. */
export function aMetal3Cluster(spec: Partial<Metal3Cluster['spec']> = {}): Metal3Cluster & KubeObject {
  return {
    apiVersion: infrastructureApiVersion,
    kind: 'Metal3Cluster',
    metadata: { namespace: fleet, name: 'prod', uid: 'uid-m3c' },
    spec: { controlPlaneEndpoint: { host: '192.0.2.10' }, ...spec },
  };
}

/** For tests: caches that hold what is given. */
export function tablesOf(
  objects: {
    readonly [K in keyof MachineObjects]?: readonly (MachineObjects[K] & KubeObject)[];
  },
): MachineTables {
  const tables = Object.entries(indexers).map(([name, found]) => {
    const held = objects[name as keyof MachineObjects] ?? [];
    return [name, createTable(held as never[], found as never)];
  });
  return Object.fromEntries(tables) as MachineTables;
}

/** For tests: what machines are read with, where everything that comes first is there. */
export function readerOf(
  objects: Parameters<typeof tablesOf>[0],
  more: { readonly node?: NodeSearch; readonly network?: MachineReader['network'] } = {},
): MachineReader {
  const given = { clusters: [aCluster()], metal3Clusters: [aMetal3Cluster()], ...objects };
  return {
    tables: tablesOf(given),
    nodes: { find: async () => more.node ?? { kind: 'none' } },
    network: more.network ?? noMachineNetwork,
    settings: defaultMachineSettings,
  };
}
