import { type Clock, createInformer, type KubeClient, type Random } from '../kube/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { claimIndexers, classificationIndexers, type DiscoveryInformers, hostIndexers, slimHost } from './objects.ts';
import { claimLabel, resources } from './resources.ts';

/** What the caches are made with. */
export interface CacheOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly claimNamespace: string;
  /** Only objects of this namespace; those of all unless given. */
  readonly namespace?: string | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

/** Makes the caches; nothing is asked for before they are started. */
export function createDiscoveryInformers(options: CacheOptions): DiscoveryInformers {
  const { client, clock, random, logger, metrics, namespace } = options;
  const shared = {
    ...{ client, clock, random, namespace },
    ...(logger === undefined ? {} : { logger }),
    ...(metrics === undefined ? {} : { metrics }),
  };
  return {
    discoveries: createInformer({ ...shared, resource: resources.discoveries }),
    classifications: createInformer({
      ...shared,
      resource: resources.classifications,
      indexers: classificationIndexers,
    }),
    hosts: createInformer({ ...shared, resource: resources.hosts, indexers: hostIndexers, transform: slimHost }),
    claims: createInformer({
      ...shared,
      resource: resources.claims,
      namespace: options.claimNamespace,
      labelSelector: `${claimLabel.name}=${claimLabel.value}`,
      indexers: claimIndexers,
    }),
  };
}
