import { type Clock, createInformer, type KubeClient, type Random } from '../kube/index.ts';
import type { Logger, Metrics } from '../telemetry/index.ts';
import { type HostInformers, hostIndexers, settingsIndexers } from './objects.ts';
import { resources, secretLabel } from './resources.ts';

/** What the caches are made with. */
export interface CacheOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly resyncMs: number;
  /** Only objects of this namespace; those of all unless given. */
  readonly namespace?: string | undefined;
}

/** Makes the caches; nothing is asked for before they are started. Of Secrets only those that we have claimed are kept. */
export function createHostInformers(options: CacheOptions): HostInformers {
  const { client, clock, random, logger, metrics, resyncMs, namespace } = options;
  const shared = {
    client,
    namespace,
    clock,
    random,
    ...(logger === undefined ? {} : { logger }),
    ...(metrics === undefined ? {} : { metrics }),
  };
  const labelSelector = `${secretLabel.name}=${secretLabel.value}`;
  return {
    hosts: createInformer({ ...shared, resource: resources.hosts, indexers: hostIndexers, resyncMs }),
    hardwareData: createInformer({ ...shared, resource: resources.hardwareData }),
    firmwareSettings: createInformer({
      ...shared,
      resource: resources.firmwareSettings,
      indexers: settingsIndexers,
      resyncMs,
    }),
    firmwareSchemas: createInformer({ ...shared, resource: resources.firmwareSchemas, resyncMs }),
    firmwareComponents: createInformer({ ...shared, resource: resources.firmwareComponents, resyncMs }),
    updatePolicies: createInformer({ ...shared, resource: resources.updatePolicies }),
    bootImages: createInformer({ ...shared, resource: resources.bootImages, resyncMs }),
    dataImages: createInformer({ ...shared, resource: resources.dataImages, resyncMs }),
    secrets: createInformer({ ...shared, resource: resources.secrets, labelSelector }),
  };
}
