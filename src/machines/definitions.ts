import { clusterGroup, infrastructureGroup } from '../api/index.ts';
import {
  type Clock,
  createInformer,
  type Informer,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type Random,
} from '../kube/index.ts';
import { type CoreVersion, resources } from './resources.ts';

interface Definition extends KubeObject {
  spec?: { versions?: readonly { name: string; served: boolean }[] };
}

const machinesDefinition = `machines.${clusterGroup}`;
const metal3MachinesDefinition = `metal3machines.${infrastructureGroup}`;

/** Who looks after which kinds, as their definitions tell; it may change while everything runs. */
export interface Ownership {
  /** True while the kinds of cluster.x-k8s.io are ours: the real Cluster API is not there. */
  readonly isCoreOurs: () => boolean;
  /** True while the kinds of Metal3Machines are ours: Metal3's own provider is not there. */
  readonly isInfrastructureOurs: () => boolean;
  readonly informers: readonly Informer<Definition>[];
}

/** Follows the two definitions that tell. */
export function followOwnership(options: {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
}): Ownership {
  const follow = (name: string): Informer<Definition> =>
    createInformer<Definition>({
      ...options,
      resource: resources.definitions,
      fieldSelector: `metadata.name=${name}`,
      // Schemas are large, and nobody here reads them.
      transform: ({ metadata }) => ({ metadata: { ...metadata, managedFields: [] } }),
    });
  const [core, infrastructure] = [follow(machinesDefinition), follow(metal3MachinesDefinition)];
  return {
    isCoreOurs: () => isOurs(core.get(machinesDefinition)),
    isInfrastructureOurs: () => isOurs(infrastructure.get(metal3MachinesDefinition)),
    informers: [core, infrastructure],
  };
}

/** Whoever installs over ours leaves our label and adds its own. */
function isOurs(definition: Definition | undefined): boolean {
  const labels = definition?.metadata?.labels ?? {};
  const provider = labels['cluster.x-k8s.io/provider'];
  return labels['app.kubernetes.io/part-of'] === 'rackwright' && provider !== 'cluster-api';
}

/** The newest version of cluster.x-k8s.io that is served and known here; undefined when none is. */
export async function servedCoreVersion(client: KubeClient, signal?: AbortSignal): Promise<CoreVersion | undefined> {
  try {
    const definitions = client.resource<Definition>(resources.definitions);
    const { spec } = await definitions.get({ name: machinesDefinition }, { signal });
    const served = (spec?.versions ?? []).filter((each) => each.served).map(({ name }) => name);
    return (['v1beta2', 'v1beta1'] as const).find((version) => served.includes(version));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
