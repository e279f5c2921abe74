import { hostname } from 'node:os';
import {
  createLeaderElection,
  createLeaseStore,
  type KubeClient,
  type LeaderElection,
  leaseNameOf,
  systemClock,
  uniqueIdentity,
} from '../../kube/index.ts';
import type { Logger, Metrics } from '../../telemetry/index.ts';
import type { Closing } from '../install-service/closing.ts';
import type { Check } from '../install-service/readiness.ts';
import { systemNamespace } from './system-namespace.ts';

/** What sets of controllers have in common. */
export interface ControllerSetParts {
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly open: Closing;
  /** Only objects of this namespace are looked after; of all unless given. */
  readonly namespace?: string | undefined;
}

/** Only one process at a time decides; the others stand by with full caches. */
export function electionOf(
  set: string,
  { client, logger, metrics, namespace }: Pick<ControllerSetParts, 'client' | 'logger' | 'metrics' | 'namespace'>,
): LeaderElection {
  const at = { namespace: namespace ?? systemNamespace, name: leaseNameOf(set, namespace) };
  return createLeaderElection({
    store: createLeaseStore(client, at),
    identity: uniqueIdentity(hostname()),
    clock: systemClock,
    random: Math.random,
    logger,
    metrics,
  });
}

/** Calls back once the caches of a set are full, and says until then that they are not. */
export function followCaches(
  set: string,
  controllers: { whenSynced(signal: AbortSignal): Promise<void> },
  { logger, open, onFull }: Pick<ControllerSetParts, 'logger' | 'open'> & { readonly onFull: () => void },
): { readonly check: Check; readonly ready: Promise<void> } {
  let missing: string | undefined = `the caches of the ${set} controllers are being filled`;
  const ending = new AbortController();
  open.add(() => ending.abort());
  const ready = controllers.whenSynced(ending.signal).then(
    () => {
      onFull();
      missing = undefined;
    },
    (error: unknown) => {
      if (!ending.signal.aborted) logger.error(`the ${set} controllers could not start`, { error });
    },
  );
  return { ready, check: { of: `the ${set} controllers`, look: () => missing } };
}
