import { type Cluster, type ClusterStatus, clusterApiVersion, clusterFinalizers } from '../../api/index.ts';
import {
  type AnyKubeObject,
  addFinalizer,
  type Controller,
  type ControllerOptions,
  defineController,
  isBeingDeleted,
  type KubeObject,
  keyOf,
  ok,
  patchStatus,
  removeFinalizer,
  type Watch,
} from '../../kube/index.ts';
import type { MachineTables } from '../objects.ts';
import { besideKey, nameOf, namespaceOf } from '../references.ts';
import { coreResources, machinesFieldManager, resources } from '../resources.ts';
import type { BuiltinParts } from './builtin-controllers.ts';
import {
  type BuiltinClusterEffect,
  type BuiltinClusterSeen,
  type ClusterPart,
  decideBuiltinCluster,
} from './decide-cluster.ts';
import { adoptPatch, ownerReference } from './owner-patch.ts';
import { unlessGone } from './unless-gone.ts';

const core = coreResources('v1beta2');
const partResources = { ...core, metal3Clusters: resources.metal3Clusters };

/** Brings Clusters as far as their infrastructure, and takes all that belongs to them away before they go. */
export function createBuiltinClusterController(
  { client, informers, isOurs, watches }: BuiltinParts & { readonly watches: readonly Watch[] },
  options: ControllerOptions,
): Controller<BuiltinClusterEffect, ClusterStatus> {
  const clusters = client.resource<Cluster & KubeObject>(core.clusters);
  const infrastructures = client.resource<KubeObject>(resources.metal3Clusters);
  const write = { fieldManager: machinesFieldManager };
  const retry = { clock: options.clock, random: options.random, ...write };
  return defineController<BuiltinClusterSeen, BuiltinClusterEffect, ClusterStatus>(
    {
      name: 'cluster',
      watches,
      read: (key) => (isOurs() ? readCluster(informers, key) : undefined),
      decide: decideBuiltinCluster,
      statusOf: ({ object }) => object.status,
      writeStatus: ({ object }, status, { signal }) => patchStatus(clusters, object, status, { ...write, signal }),
      subjectOf: ({ object }) => ({ ...object, apiVersion: clusterApiVersion, kind: 'Cluster' }),
      effects: {
        'add-finalizer': async (_, { seen, signal }) =>
          ok(await addFinalizer(clusters, seen.object, clusterFinalizers.cluster, { ...retry, signal })),
        'remove-finalizer': async (_, { seen, signal }) =>
          ok(await removeFinalizer(clusters, seen.object, clusterFinalizers.cluster, { ...retry, signal })),
        adopt: async ({ object }, { seen, signal }) => {
          const body = adoptPatch(object, ownerReference(seen.object, 'Cluster'), nameOf(seen.object));
          return ok(await infrastructures.patch(keyOf(object), { type: 'merge', body }, { ...write, signal }));
        },
        'set-endpoint': async ({ host, port }, { seen, signal }) => {
          const body = { spec: { controlPlaneEndpoint: { host, port } } };
          return ok(await clusters.patch(keyOf(seen.object), { type: 'merge', body }, { ...write, signal }));
        },
        'delete-part': async ({ part }, { seen, signal }) => {
          const key = { namespace: namespaceOf(seen.object), name: part.name };
          const parts = client.resource<AnyKubeObject>(partResources[part.resource]);
          return unlessGone(() => parts.delete(key, { signal, propagationPolicy: 'Background' }));
        },
      },
    },
    options,
  );
}

function readCluster(tables: MachineTables, key: string): BuiltinClusterSeen | undefined {
  const object = tables.clusters.get(key);
  if (object === undefined) return undefined;
  const { infrastructureRef } = object.spec ?? {};
  const isMetal3 = infrastructureRef?.kind === 'Metal3Cluster';
  const partsOf = (resource: 'deployments' | 'sets' | 'machines'): ClusterPart[] =>
    tables[resource]
      .byIndex('cluster', key)
      .map((each) => ({ resource, name: nameOf(each), isGoing: isBeingDeleted(each) }));
  return {
    object,
    infrastructure: isMetal3 ? tables.metal3Clusters.get(besideKey(object, infrastructureRef.name)) : undefined,
    parts: [...partsOf('deployments'), ...partsOf('sets'), ...partsOf('machines')],
  };
}
