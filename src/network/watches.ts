import { isDeepStrictEqual } from 'node:util';
import { type SwitchPort, userLimitName } from '../api/index.ts';
import { type Change, type Clock, type Timer, type Watch, watchInformer } from '../kube/index.ts';
import type { NetworkInformers } from './fabric/informers.ts';
import { namespaceOf, objectKey, referenceKey } from './fabric/references.ts';
import { hostIndexers, type PluggedHost, portIndexers, providerKey } from './fabric/tables.ts';

/** What wakes each controller. */
export interface NetworkWatches {
  readonly ports: readonly Watch[];
  readonly switches: readonly Watch[];
  readonly configurations: readonly Watch[];
  readonly limits: readonly Watch[];
}

/** How wakes are gathered. */
export interface Gathering {
  readonly clock: Clock;
  readonly gatherMs: number;
}

/** Works out whom a change concerns. */
export function createNetworkWatches(informers: NetworkInformers, gathering: Gathering): NetworkWatches {
  const { switches, ports, configurations, limits, hosts, providers } = informers;
  const portsOfSwitch = (key: string): string[] => ports.byIndex('owner', key).map(objectKey);
  return {
    ports: [
      watchInformer(ports),
      watchInformer(switches, (key, change) =>
        isSame(change, ({ metadata, spec }) => [spec, metadata.annotations, metadata.deletionTimestamp])
          ? []
          : portsOfSwitch(key),
      ),
      watchInformer(configurations, (key, change) =>
        isSame(change, ({ spec }) => spec) ? [] : ports.byIndex('configuration', key).map(objectKey),
      ),
      watchInformer(limits, (_, change) =>
        isSame(change, ({ spec }) => spec) ? [] : portsOfTenant(informers, change),
      ),
      watchInformer(hosts, (_, change) => both(change, hostIndexers.port)),
    ],
    switches: [
      watchInformer(switches),
      ...Object.entries(providers).map(([kind, informer]) =>
        watchInformer(informer, (key) => switches.byIndex('provider', `${kind}/${key}`).map(objectKey)),
      ),
      watchInformer(ports, (_, change) =>
        isSame(change, ({ metadata }) => [metadata.deletionTimestamp, metadata.ownerReferences])
          ? []
          : [...both(change, portIndexers.owner), ...listersOf(informers, change)],
      ),
      // A provider is free for another Switch when the one that had it is gone.
      watchInformer(switches, (_, { previous, current }) =>
        previous === undefined || current !== undefined
          ? []
          : switches.byIndex('provider', providerKey(previous)).map(objectKey),
      ),
    ],
    configurations: [
      watchInformer(configurations),
      // Thousands of ports may have one configuration, and who has it is looked up in all of them.
      gatherWakes(
        watchInformer(ports, (_, change) => moved(change, portIndexers.configuration)),
        gathering,
      ),
      gatherWakes(
        watchInformer(hosts, (_, change) => moved(change, hostIndexers.configuration)),
        gathering,
      ),
    ],
    limits: [
      watchInformer(limits),
      gatherWakes(
        watchInformer(ports, (_, change) =>
          isSame(change, ({ status }) => [status?.hostRef, status?.configuration, status?.configurationRef])
            ? []
            : both(change, portIndexers.tenant).map((tenant) => `${tenant}/${userLimitName}`),
        ),
        gathering,
      ),
    ],
  };
}

/** True when nothing of what counts has changed; a look that was asked for without a change always counts. */
function isSame<T>({ previous, current }: Change<T>, partsOf: (object: T) => unknown): boolean {
  if (previous === undefined || current === undefined || previous === current) return false;
  return isDeepStrictEqual(partsOf(previous), partsOf(current));
}

/** What an index says of an object before and after. */
function both<T>({ previous, current }: Change<T>, index: ((object: T) => readonly string[]) | undefined): string[] {
  const found = [previous, current].flatMap((object) => (object === undefined ? [] : (index?.(object) ?? [])));
  return [...new Set(found)];
}

/** What an index says of an object before or after, but not both times. */
function moved<T>({ previous, current }: Change<T>, index: ((object: T) => readonly string[]) | undefined): string[] {
  const [before, after] = [previous, current].map((object) => (object === undefined ? [] : (index?.(object) ?? [])));
  if (before === undefined || after === undefined) return [];
  return [...before.filter((each) => !after.includes(each)), ...after.filter((each) => !before.includes(each))];
}

function listersOf({ switches }: NetworkInformers, { previous, current }: Change<SwitchPort>): string[] {
  const port = current ?? previous;
  return port === undefined ? [] : switches.byIndex('port', objectKey(port)).map(objectKey);
}

/** Ports that the hosts of a namespace are plugged into. */
function portsOfTenant({ hosts }: NetworkInformers, { previous, current }: Change<PluggedHost | object>): string[] {
  const namespace = namespaceOf((current ?? previous ?? {}) as PluggedHost);
  return hosts
    .list()
    .filter((host) => namespaceOf(host) === namespace)
    .flatMap((host) => (host.spec.ports ?? []).map(({ port }) => referenceKey(port, namespace)));
}

/** Wakes a key once for all changes of a while. */
function gatherWakes(watch: Watch, { clock, gatherMs }: Gathering): Watch {
  return {
    subscribe(wake) {
      const timers = new Map<string, Timer>();
      const leave = watch.subscribe((key) => {
        if (timers.has(key)) return;
        const fire = (): void => {
          timers.delete(key);
          wake(key);
        };
        timers.set(key, clock.after(gatherMs, fire));
      });
      return () => {
        leave();
        for (const timer of timers.values()) timer.cancel();
        timers.clear();
      };
    },
  };
}
