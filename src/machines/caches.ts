import { clusterApiVersion, convertCluster } from '../api/index.ts';
import {
  type Clock,
  createInformer,
  type Indexer,
  type Informer,
  type KubeClient,
  type KubeObject,
  type Random,
  type ResourceRef,
} from '../kube/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { indexers, type MachineInformers } from './objects.ts';
import { type CoreVersion, coreResources, resources } from './resources.ts';

/** What the caches are made with. */
export interface CacheOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly resyncMs: number;
  readonly coreVersion: CoreVersion;
  /** Only objects of this namespace; those of all unless given. */
  readonly namespace?: string | undefined;
}

/** Makes the caches; nothing is asked for before they are started. */
export function createMachineInformers(options: CacheOptions): MachineInformers {
  const { client, clock, random, logger, metrics, resyncMs, namespace } = options;
  const shared = {
    ...{ client, clock, random, resyncMs, namespace },
    ...(logger === undefined ? {} : { logger }),
    ...(metrics === undefined ? {} : { metrics }),
  };
  const core = coreResources(options.coreVersion);
  const ofCore = <T extends KubeObject>(resource: ResourceRef, found: Readonly<Record<string, Indexer<T>>>) => {
    const transform = options.coreVersion === 'v1beta1' ? { transform: toNewest<T> } : {};
    return createInformer<T>({ ...shared, ...transform, resource, indexers: found });
  };
  return {
    metal3Machines: createInformer({
      ...shared,
      resource: resources.metal3Machines,
      indexers: indexers.metal3Machines,
    }),
    metal3Clusters: createInformer({ ...shared, resource: resources.metal3Clusters }),
    templates: createInformer({ ...shared, resource: resources.templates }),
    hosts: createInformer({ ...shared, resource: resources.hosts, indexers: indexers.hosts }),
    nodes: createInformer({ ...shared, namespace: undefined, resource: resources.nodes, indexers: indexers.nodes }),
    clusters: ofCore(core.clusters, indexers.clusters),
    machines: ofCore(core.machines, indexers.machines),
    sets: ofCore(core.sets, indexers.sets),
    deployments: ofCore(core.deployments, indexers.deployments),
  };
}

/** The caches as a list. */
export function eachInformer(informers: MachineInformers): readonly Informer<KubeObject>[] {
  return Object.values(informers) as unknown as readonly Informer<KubeObject>[];
}

/** Whatever version is served, this room reads the newest. */
function toNewest<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return convertCluster({ ...object, metadata } as never, clusterApiVersion) as never;
}
