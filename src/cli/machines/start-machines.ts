import { systemClock } from '../../kube/index.ts';
import { createSwitchPortNetwork, servedCoreVersion, startMachineControllers } from '../../machines/index.ts';
import type { NetworkTables } from '../../network/index.ts';
import type { Check } from '../install-service/readiness.ts';
import { type ControllerSetParts, electionOf, followCaches } from '../plane/controller-set.ts';

/** What the machine controllers of a process run on. */
export interface MachineParts extends ControllerSetParts {
  /** The caches of the network controllers, for machines that ask for networks. */
  readonly network: NetworkTables;
  /** True when other processes may run them too. */
  readonly isShared: boolean;
}

/**
 * Starts the controllers of Metal3Machines and of sets that follow their hosts; says whether they work. Beside the real
 * Cluster API, of whatever version, its own controllers look after Clusters, Machines and MachineSets.
 */
export async function startMachines(parts: MachineParts): Promise<readonly Check[]> {
  const { client, logger, metrics, open, namespace } = parts;
  const coreVersion = await servedCoreVersion(client);
  if (coreVersion === undefined) {
    logger.error('machines are not looked after: cluster.x-k8s.io is served in no version that is known here', {});
    return [];
  }
  const controllers = startMachineControllers({
    ...{ client, logger, metrics, coreVersion, namespace },
    clock: systemClock,
    random: Math.random,
    network: createSwitchPortNetwork(parts.network),
    election: parts.isShared ? electionOf('machines', parts) : undefined,
  });
  open.add(() => controllers.stop());
  return [followCaches('machine', controllers, { logger, open, onFull: () => {} }).check];
}
