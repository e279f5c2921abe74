import { startDiscoveryControllers } from '../../discovery/index.ts';
import { systemClock } from '../../kube/index.ts';
import type { DiscoverySource } from '../../provisioners/index.ts';
import type { Check } from '../install-service/readiness.ts';
import { type ControllerSetParts, electionOf, followCaches } from '../plane/controller-set.ts';

/** What the discovery controllers of a process run on. */
export interface DiscoveryPlaneParts extends ControllerSetParts {
  /** Who knows of machines that nobody has registered. */
  readonly sources: readonly DiscoverySource[];
  /** What is said where there are none, with what to start this process with. */
  readonly noSource: string;
  /** True when other processes may run them too. */
  readonly isShared: boolean;
}

/** Starts the controllers that make hosts of machines, where a BareMetalHostDiscovery asks for it, and that sort hosts. */
export function startDiscovery(parts: DiscoveryPlaneParts): Check {
  const { client, logger, metrics, open, sources, noSource, namespace } = parts;
  const controllers = startDiscoveryControllers({
    ...{ client, logger, metrics, sources, namespace },
    clock: systemClock,
    random: Math.random,
    settings: { noSource, ...(namespace === undefined ? {} : { claimNamespace: namespace }) },
    election: parts.isShared ? electionOf('discovery', parts) : undefined,
  });
  open.add(() => controllers.stop());
  return followCaches('discovery', controllers, { logger, open, onFull: () => {} }).check;
}
