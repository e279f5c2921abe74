import { isDeepStrictEqual } from 'node:util';
import { type BareMetalHost, clusterAnnotations, clusterLabels } from '../api/index.ts';
import { type Change, type Clock, type KubeObject, type Timer, type Watch, watchInformer } from '../kube/index.ts';
import { clusterKind, indexers, type MachineInformers } from './objects.ts';
import { besideKey, consumerKey, namespaceOf, objectKey, ownerOf } from './references.ts';

/** What wakes each controller of the kinds of this room. */
export interface MachineWatches {
  readonly metal3Machines: readonly Watch[];
  readonly metal3Clusters: readonly Watch[];
  readonly templates: readonly Watch[];
}

/** How wakes are gathered. */
export interface Gathering {
  readonly clock: Clock;
  readonly gatherMs: number;
}

/** Works out whom a change concerns. */
export function createMachineWatches(informers: MachineInformers, gathering: Gathering): MachineWatches {
  const { metal3Machines, metal3Clusters, templates, hosts, clusters, machines, nodes } = informers;
  const keysOf = (index: string, value: string): string[] => metal3Machines.byIndex(index, value).map(objectKey);
  return {
    metal3Machines: [
      watchInformer(metal3Machines),
      watchInformer(machines, (key, change) =>
        isSame(change, ({ metadata, spec }) => [metadata.labels, metadata.ownerReferences, spec])
          ? []
          : keysOf('machine', key),
      ),
      watchInformer(clusters, (key, change) =>
        isSame(change, ({ spec, status }) => [spec, status?.initialization, status?.deprecated?.v1beta1?.conditions])
          ? []
          : keysOf('cluster', key),
      ),
      watchInformer(metal3Clusters, (key, change) =>
        isSame(change, ({ spec }) => spec)
          ? []
          : clusters.byIndex('infrastructure', key).flatMap((each) => keysOf('cluster', objectKey(each))),
      ),
      watchInformer(hosts, (key, change) => [...both(change, indexers.hosts.consumer), ...keysOf('host', key)]),
      gatherWakes(
        watchInformer(hosts, (_, change) => (isNewsToSeekers(change) ? [namespaceOf(change.current ?? {})] : [])),
        { ...gathering, keysOf: (namespace) => keysOf('waiting', namespace) },
      ),
      watchInformer(nodes, (_, change) =>
        isSame(change, ({ metadata, spec }) => [metadata.labels, spec?.providerID])
          ? []
          : both(change, indexers.nodes.uuid).flatMap((uid) =>
              hosts.byIndex('uid', uid).flatMap((host) => consumerKey(host) ?? []),
            ),
      ),
    ],
    metal3Clusters: [
      watchInformer(metal3Clusters),
      watchInformer(clusters, (_, { previous, current }) => {
        const name = (current ?? previous)?.spec?.infrastructureRef?.name;
        return name === undefined ? [] : [besideKey(current ?? previous ?? {}, name)];
      }),
      watchInformer(metal3Machines, (_, change) =>
        change.previous !== undefined && change.current !== undefined
          ? []
          : both(change, indexers.metal3Machines.cluster).flatMap((key) => infrastructureOf(informers, key)),
      ),
    ],
    templates: [
      watchInformer(templates),
      watchInformer(metal3Machines, (_, change) =>
        isSame(change, ({ metadata, spec }) => [metadata.annotations, spec.automatedCleaningMode])
          ? []
          : both(change, indexers.metal3Machines.template),
      ),
    ],
  };
}

/** Of a Cluster that is gone too, the Metal3Cluster is found by its owner. */
function infrastructureOf({ clusters, metal3Clusters }: MachineInformers, clusterKey: string): string[] {
  const cluster = clusters.get(clusterKey);
  const name = cluster?.spec?.infrastructureRef?.name;
  if (cluster !== undefined && name !== undefined) return [besideKey(cluster, name)];
  return metal3Clusters
    .list()
    .filter((each) => besideKey(each, ownerOf(each, clusterKind)?.name ?? '') === clusterKey)
    .map(objectKey);
}

/** Whether a host may be what somebody waits for, and has not been so before. */
export function isNewsToSeekers(change: Change<BareMetalHost>): boolean {
  const { current } = change;
  if (current === undefined || (current.spec?.consumerRef !== undefined && !isKept(current))) return false;
  return !isSame(change, ({ metadata, spec, status }) => [
    metadata.labels,
    metadata.annotations,
    metadata.deletionTimestamp,
    spec?.consumerRef,
    spec?.image,
    spec?.customDeploy,
    spec?.ports,
    status?.provisioning.state,
    status?.operationalStatus,
    status?.errorMessage,
  ]);
}

function isKept({ metadata }: BareMetalHost): boolean {
  return metadata.labels?.[clusterLabels.nodeReuse] !== undefined;
}

/** True when nothing of what counts has changed; a look that was asked for without a change always counts. */
export function isSame<T>({ previous, current }: Change<T>, partsOf: (object: T) => unknown): boolean {
  if (previous === undefined || current === undefined || previous === current) return false;
  return isDeepStrictEqual(partsOf(previous), partsOf(current));
}

/** What an index says of an object before and after. */
export function both<T extends KubeObject>(
  { previous, current }: Change<T>,
  index: ((object: T) => readonly string[]) | undefined,
): string[] {
  const found = [previous, current].flatMap((object) => (object === undefined ? [] : (index?.(object) ?? [])));
  return [...new Set(found)];
}

/** Wakes those that a subject concerns once for all changes of a while. */
export function gatherWakes(
  watch: Watch,
  { clock, gatherMs, keysOf }: Gathering & { readonly keysOf: (subject: string) => readonly string[] },
): Watch {
  return {
    subscribe(wake) {
      const timers = new Map<string, Timer>();
      const leave = watch.subscribe((subject) => {
        if (timers.has(subject)) return;
        const fire = (): void => {
          timers.delete(subject);
          for (const key of keysOf(subject)) wake(key);
        };
        timers.set(subject, clock.after(gatherMs, fire));
      });
      return () => {
        leave();
        for (const timer of timers.values()) timer.cancel();
        timers.clear();
      };
    },
  };
}

/** Whether a MachineSet or MachineDeployment is to follow the hosts that it can claim. */
export function followsHosts({ metadata }: KubeObject): boolean {
  return metadata?.annotations?.[clusterAnnotations.autoscaleToHosts] !== undefined;
}
