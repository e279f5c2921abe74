import {
  clusterFinalizers,
  infrastructureApiVersion,
  type Metal3Cluster,
  type Metal3ClusterStatus,
} from '../../api/index.ts';
import {
  addFinalizer,
  type Controller,
  type ControllerOptions,
  defineController,
  type KubeClient,
  type KubeObject,
  ok,
  patchStatus,
  removeFinalizer,
  type Watch,
} from '../../kube/index.ts';
import { clusterKind, type MachineTables } from '../objects.ts';
import { besideKey, ownerOf } from '../references.ts';
import { machinesFieldManager, resources } from '../resources.ts';
import { decideMetal3Cluster, type Metal3ClusterEffect, type Metal3ClusterSeen } from './decide-cluster.ts';

/** What the controller of Metal3Clusters works with. */
export interface Metal3ClusterControllerParts {
  readonly client: KubeClient;
  readonly tables: MachineTables;
  readonly watches: readonly Watch[];
  /** False: somebody else looks after these objects. */
  readonly isOurs: () => boolean;
}

/** Says when the infrastructure of a cluster is there, and holds it until its machines are gone. */
export function createMetal3ClusterController(
  { client, tables, watches, isOurs }: Metal3ClusterControllerParts,
  options: ControllerOptions,
): Controller<Metal3ClusterEffect, Metal3ClusterStatus> {
  const clusters = client.resource<Metal3Cluster & KubeObject>(resources.metal3Clusters);
  const retry = { clock: options.clock, random: options.random, fieldManager: machinesFieldManager };
  return defineController<Metal3ClusterSeen, Metal3ClusterEffect, Metal3ClusterStatus>(
    {
      name: 'metal3-cluster',
      watches,
      read: (key) => (isOurs() ? readMetal3ClusterSeen(tables, key) : undefined),
      decide: decideMetal3Cluster,
      statusOf: ({ object }) => object.status,
      writeStatus: ({ object }, status, { signal }) =>
        patchStatus(clusters, object, status, { fieldManager: machinesFieldManager, signal }),
      subjectOf: ({ object }) => ({ ...object, apiVersion: infrastructureApiVersion, kind: 'Metal3Cluster' }),
      effects: {
        'add-finalizer': async (_, { seen, signal }) =>
          ok(await addFinalizer(clusters, seen.object, clusterFinalizers.metal3Cluster, { ...retry, signal })),
        'remove-finalizer': async (_, { seen, signal }) =>
          ok(await removeFinalizer(clusters, seen.object, clusterFinalizers.metal3Cluster, { ...retry, signal })),
      },
    },
    options,
  );
}

function readMetal3ClusterSeen(tables: MachineTables, key: string): Metal3ClusterSeen | undefined {
  const object = tables.metal3Clusters.get(key);
  if (object === undefined) return undefined;
  const owner = ownerOf(object, clusterKind);
  const clusterKey = owner === undefined ? undefined : besideKey(object, owner.name);
  return {
    object,
    cluster: clusterKey === undefined ? undefined : tables.clusters.get(clusterKey),
    machines: clusterKey === undefined ? 0 : tables.metal3Machines.byIndex('cluster', clusterKey).length,
  };
}
