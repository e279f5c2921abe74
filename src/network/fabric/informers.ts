import {
  type Clock,
  createInformer,
  type Informer,
  type KubeClient,
  type KubeObject,
  type Random,
} from '../../kube/index.ts';
import type { Logger, Metrics } from '../../telemetry/index.ts';
import { providerResources, resources } from '../resources.ts';
import {
  hostIndexers,
  type NetworkObjects,
  type ProviderSwitch,
  pluggedHostOf,
  portIndexers,
  switchIndexers,
} from './tables.ts';

/** The caches of this room. */
export type NetworkInformers = { readonly [K in keyof NetworkObjects]: Informer<NetworkObjects[K]> } & {
  readonly providers: { readonly [K in keyof typeof providerResources]: Informer<ProviderSwitch & KubeObject> };
};

/** What the caches are made with. */
export interface NetworkInformerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly resyncMs: number;
  /** Only objects of this namespace; those of all unless given. */
  readonly namespace?: string | undefined;
  /** Only hosts of this namespace, where switches are read somewhere else too; as `namespace` says unless given. */
  readonly hostNamespace?: string | undefined;
}

/** Makes the caches; nothing is asked for before they are started. */
export function createNetworkInformers(options: NetworkInformerOptions): NetworkInformers {
  const { client, clock, random, logger, metrics, resyncMs, namespace, hostNamespace = namespace } = options;
  const shared = {
    ...{ client, clock, random, resyncMs, namespace },
    ...(logger === undefined ? {} : { logger }),
    ...(metrics === undefined ? {} : { metrics }),
  };
  const provider = (kind: keyof typeof providerResources) =>
    createInformer<ProviderSwitch & KubeObject>({ ...shared, resource: providerResources[kind] });
  return {
    switches: createInformer<NetworkObjects['switches']>({
      ...shared,
      resource: resources.switches,
      indexers: switchIndexers,
    }),
    ports: createInformer<NetworkObjects['ports']>({ ...shared, resource: resources.ports, indexers: portIndexers }),
    configurations: createInformer<NetworkObjects['configurations']>({
      ...shared,
      resource: resources.configurations,
    }),
    limits: createInformer<NetworkObjects['limits']>({ ...shared, resource: resources.limits }),
    hosts: createInformer<NetworkObjects['hosts']>({
      ...shared,
      namespace: hostNamespace,
      resource: resources.hosts,
      indexers: hostIndexers,
      transform: pluggedHostOf,
    }),
    providers: {
      AnsibleSwitch: provider('AnsibleSwitch'),
      OVSSwitch: provider('OVSSwitch'),
      FixtureSwitch: provider('FixtureSwitch'),
    },
  };
}

/** All of them, to be started and stopped. */
export function eachInformer({ providers, ...informers }: NetworkInformers): Informer<KubeObject>[] {
  return [...Object.values(informers), ...Object.values(providers)] as unknown as Informer<KubeObject>[];
}
