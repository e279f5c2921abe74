import { type Watch, watchInformer } from '../../kube/index.ts';
import { indexers, type MachineInformers } from '../objects.ts';
import { objectKey } from '../references.ts';
import { both, isSame } from '../watches.ts';

/** What wakes the small controllers. */
export interface BuiltinWatches {
  readonly clusters: readonly Watch[];
  readonly machines: readonly Watch[];
  readonly sets: readonly Watch[];
}

/** Works out whom a change concerns. */
export function createBuiltinWatches(informers: MachineInformers): BuiltinWatches {
  const { clusters, machines, sets, deployments, metal3Machines, metal3Clusters, templates, nodes } = informers;
  const machinesOf = (index: string, value: string): string[] => machines.byIndex(index, value).map(objectKey);
  return {
    clusters: [
      watchInformer(clusters),
      watchInformer(metal3Clusters, (key) => clusters.byIndex('infrastructure', key).map(objectKey)),
      // Only whether they are there counts.
      ...[machines, sets, deployments].map((informer) =>
        watchInformer(informer as typeof sets, (_, change) =>
          change.previous !== undefined && change.current !== undefined ? [] : both(change, indexers.sets.cluster),
        ),
      ),
    ],
    machines: [
      watchInformer(machines),
      watchInformer(metal3Machines, (key) => machinesOf('infrastructure', key)),
      watchInformer(clusters, (key, change) =>
        isSame(change, ({ metadata, spec }) => [metadata.deletionTimestamp, spec?.paused])
          ? []
          : machinesOf('cluster', key),
      ),
      watchInformer(nodes, (_, change) =>
        isSame(change, ({ spec, status }) => [spec?.providerID, readinessOf(status)])
          ? []
          : both(change, indexers.nodes.providerId).flatMap((id) => machinesOf('providerId', id)),
      ),
    ],
    sets: [
      watchInformer(sets),
      watchInformer(machines, (_, change) => both(change, indexers.machines.set)),
      watchInformer(metal3Machines, (_, change) =>
        change.previous !== undefined && change.current !== undefined
          ? []
          : both(change, indexers.metal3Machines.machine).flatMap((key) => {
              const machine = machines.get(key);
              return machine === undefined ? [] : (indexers.machines.set?.(machine) ?? []);
            }),
      ),
      watchInformer(templates, (key) => sets.byIndex('template', key).map(objectKey)),
      watchInformer(clusters, (key, change) =>
        isSame(change, ({ metadata, spec }) => [metadata.deletionTimestamp, spec?.paused])
          ? []
          : sets.byIndex('cluster', key).map(objectKey),
      ),
    ],
  };
}

function readinessOf(status: { conditions?: readonly { type: string; status: string }[] } | undefined) {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}
