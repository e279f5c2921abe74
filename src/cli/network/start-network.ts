import { systemClock } from '../../kube/index.ts';
import {
  createStatusHostKeys,
  type NetworkAdmission,
  type NetworkInformers,
  startNetworkControllers,
} from '../../network/index.ts';
import { type AnsibleInstallation, createSwitchProviders, type FixtureRack } from '../../switches/index.ts';
import type { Check } from '../install-service/readiness.ts';
import { type ControllerSetParts, electionOf, followCaches } from '../plane/controller-set.ts';

/** What the network controllers of a process run on. */
export interface NetworkParts extends ControllerSetParts {
  /** Rules that look into the caches of the controllers once these are full. */
  readonly admission: NetworkAdmission;
  /** Where Ansible is. */
  readonly ansible: AnsibleInstallation;
  /** True when other processes may run them too. */
  readonly isShared: boolean;
  /** The switches of the simulated rack; undefined where there is none. */
  readonly fixtures: FixtureRack | undefined;
}

/** Network controllers that run. */
export interface NetworkPlane {
  /** Says whether they work. */
  readonly check: Check;
  /** What they know, for whoever needs it too. */
  readonly informers: NetworkInformers;
  /** Resolves when the caches are full: from then on ports and their like are let in. */
  readonly ready: Promise<void>;
}

/** Starts the controllers of switches and their ports. */
export function startNetwork(parts: NetworkParts): NetworkPlane {
  const { client, admission, logger, metrics, open, fixtures } = parts;
  const providers = createSwitchProviders({
    clock: systemClock,
    random: Math.random,
    fixtures,
    ansible: parts.ansible,
    hostKeys: createStatusHostKeys(client),
  });
  open.add(() => providers.close());
  const controllers = startNetworkControllers({
    ...{ client, providers, logger, metrics, namespace: parts.namespace },
    clock: systemClock,
    random: Math.random,
    election: parts.isShared ? electionOf('network', parts) : undefined,
  });
  open.add(() => controllers.stop());
  const onFull = () => admission.attach({ tables: controllers.informers, client });
  const { check, ready } = followCaches('network', controllers, { logger, open, onFull });
  return { check, ready, informers: controllers.informers };
}
