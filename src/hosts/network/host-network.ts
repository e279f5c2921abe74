import { isDeepStrictEqual } from 'node:util';
import type { BareMetalHost } from '../../api/index.ts';
import { type Change, formatKey, type KubeClient, keyOf, type Watch, watchInformer } from '../../kube/index.ts';
import {
  type HostPortsSeen,
  type LinkPort,
  linkedByAnnotation,
  linkPort,
  lookAtHostPorts,
  type NetworkInformers,
  portKeysOf,
  standingOfPort,
} from '../../network/index.ts';
import { createNewest } from '../shell/newest.ts';

/** The way of hosts to their switch ports. */
export interface HostNetwork {
  /** How the ports of a host are; undefined where it has none, `unknown` before anybody could look. */
  look(host: BareMetalHost): HostPortsSeen | 'unknown' | undefined;
  /** Links a configuration to a port, or takes the link away. */
  link(link: LinkPort, signal: AbortSignal): Promise<void>;
  /** Wakes the hosts that a change of ports, switches or other hosts concerns. */
  readonly watches: readonly Watch[];
  /** Stops following the caches. */
  close(): void;
}

/** What the way to ports is made of. */
export interface HostNetworkOptions {
  readonly client: KubeClient;
  /** The caches of the network controllers; whoever made them starts and stops them. */
  readonly informers: Pick<NetworkInformers, 'ports' | 'hosts' | 'switches'>;
}

/** Makes the way of hosts to ports, over caches that are there anyway: a host without ports costs nothing. */
export function createHostNetwork({ client, informers }: HostNetworkOptions): HostNetwork {
  const { ports, hosts, switches } = informers;
  const newest = createNewest(ports);
  // What was just linked counts, even before the cache has heard of it.
  const ahead = { get: newest.get, list: () => ports.list(), byIndex: ports.byIndex };
  return {
    look(host) {
      if (portKeysOf(host).length === 0 && ports.byIndex('linkedBy', formatKey(keyOf(host))).length === 0)
        return undefined;
      const isFull = ports.hasSynced() && hosts.hasSynced() && switches.hasSynced();
      return isFull ? lookAtHostPorts({ ports: ahead, hosts, switches }, host) : 'unknown';
    },
    async link(link, signal) {
      const port = await linkPort(client, link, signal);
      if (port === undefined) newest.forget(formatKey(link.port));
      else newest.wrote(port);
    },
    watches: createNetworkWatches(informers),
    close: newest.close,
  };
}

function createNetworkWatches({ ports, hosts, switches }: HostNetworkOptions['informers']): Watch[] {
  const hostsAt = (port: string): string[] => hosts.byIndex('port', port).map((host) => formatKey(keyOf(host)));
  return [
    watchInformer(ports, (key, change) => {
      if (isSame(change, standingOfPort)) return [];
      const linkedBy = change.current?.metadata.annotations?.[linkedByAnnotation];
      return [...new Set([...hostsAt(key), ...(linkedBy === undefined ? [] : [linkedBy])])];
    }),
    watchInformer(switches, (_, change) => {
      const { previous, current } = change;
      if (isSame(change, ({ spec }) => spec)) return [];
      const names = [previous, current].flatMap((each) => Object.keys(each?.spec.ports ?? {}));
      const namespace = (current ?? previous)?.metadata.namespace ?? '';
      return [...new Set(names)].flatMap((name) => hostsAt(formatKey({ namespace, name })));
    }),
    // The host itself, too: its port may have changed before it was known here whose it is.
    watchInformer(hosts, (key, change) => {
      if (isSame(change, ({ spec }) => spec.ports)) return [];
      const plugged = [change.previous, change.current].flatMap((host) =>
        host === undefined ? [] : portKeysOf(host as BareMetalHost),
      );
      return plugged.length === 0 ? [] : [...new Set([key, ...plugged.flatMap(hostsAt)])];
    }),
  ];
}

/** True when nothing of what counts has changed. */
function isSame<T>({ previous, current }: Change<T>, partsOf: (object: T) => unknown): boolean {
  if (previous === undefined || current === undefined) return false;
  return previous === current || isDeepStrictEqual(partsOf(previous), partsOf(current));
}
