import type { DiscoveredFirmware, ServerFirmwareGroup } from '../../api/index.ts';
import {
  type Clock,
  createInformer,
  type Informer,
  type KubeClient,
  type KubeObject,
  type Random,
} from '../../kube/index.ts';
import type { Logger, Metrics } from '../../telemetry/index.ts';
import { resources } from '../resources.ts';
import {
  bmcIndexers,
  discoveredIndexers,
  type FleetObjects,
  firmwareIndexers,
  type Owned,
  serverIndexers,
  withSharedOwnership,
} from './objects.ts';
import { createOwnershipSharing } from './ownership.ts';

/** The caches of this room. */
export type FleetInformers = { readonly [K in keyof FleetObjects]: Informer<FleetObjects[K] & KubeObject> };

/** What the caches are made with. */
export interface FleetInformerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly resyncMs: number;
}

/** Makes the caches; nothing is asked for before they are started. */
export function createFleetInformers(options: FleetInformerOptions): FleetInformers {
  const { client, clock, random, logger, metrics, resyncMs } = options;
  const shared = {
    client,
    clock,
    random,
    ...(logger === undefined ? {} : { logger }),
    ...(metrics === undefined ? {} : { metrics }),
  };
  const share = createOwnershipSharing();
  const owned = <T extends KubeObject>(object: T): T => withSharedOwnership(object, share) satisfies Owned<T>;
  return {
    bmcs: createInformer({ ...shared, resource: resources.bmcs, indexers: bmcIndexers, resyncMs }),
    bmcSecrets: createInformer({ ...shared, resource: resources.bmcSecrets }),
    servers: createInformer({
      ...shared,
      resource: resources.servers,
      indexers: serverIndexers,
      transform: owned,
      resyncMs,
    }),
    firmwares: createInformer({
      ...shared,
      resource: resources.firmwares,
      indexers: firmwareIndexers,
      transform: owned,
      resyncMs,
    }),
    groups: createInformer<ServerFirmwareGroup & KubeObject>({ ...shared, resource: resources.groups, resyncMs }),
    discovered: createInformer<DiscoveredFirmware & KubeObject>({
      ...shared,
      resource: resources.discovered,
      indexers: discoveredIndexers,
      resyncMs,
    }),
  };
}
