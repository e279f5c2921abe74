import type { ControllerOptions, KubeClient } from '../../kube/index.ts';
import type { WorkloadNodes } from '../nodes/workload-nodes.ts';
import type { MachineInformers } from '../objects.ts';
import type { MachineSettings } from '../settings.ts';
import { createBuiltinClusterController } from './cluster-controller.ts';
import { createBuiltinMachineController } from './machine-controller.ts';
import { createBuiltinSetController } from './set-controller.ts';
import { createBuiltinWatches } from './watches.ts';

/** What the small controllers of Clusters, Machines and MachineSets work with. */
export interface BuiltinParts {
  readonly client: KubeClient;
  readonly informers: MachineInformers;
  readonly nodes: WorkloadNodes;
  readonly settings: MachineSettings;
  /** False: the real Cluster API is there, and nothing here touches anything. */
  readonly isOurs: () => boolean;
}

/** Makes them: as much of Cluster API as it takes to bring the machines of sets up and down. */
export function createBuiltinControllers(parts: BuiltinParts, options: ControllerOptions) {
  const watches = createBuiltinWatches(parts.informers);
  return [
    createBuiltinClusterController({ ...parts, watches: watches.clusters }, options),
    createBuiltinMachineController({ ...parts, watches: watches.machines }, options),
    createBuiltinSetController({ ...parts, watches: watches.sets }, options),
  ];
}
