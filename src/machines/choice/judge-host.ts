import {
  type BareMetalHost,
  clusterAnnotations,
  clusterLabels,
  type NetworkConfiguration,
  quarantineLabel,
} from '../../api/index.ts';
import { isBeingDeleted, isTrue } from '../../kube/index.ts';
import type { MachineNetwork } from '../ports.ts';
import { hostAnnotations } from '../resources.ts';
import { type HostSelector, matchesLabels } from './match-labels.ts';

/** What a machine asks of a host. */
export interface HostWish {
  readonly selector: HostSelector | undefined;
  readonly networkConfiguration: NetworkConfiguration;
  readonly network: Pick<MachineNetwork, 'filter'>;
  /** The hosts that are kept for reuse by this name are its own; undefined when it reuses none. */
  readonly reuse: string | undefined;
}

/** Why a host is not taken, in the words of a table; the order is that in which they are looked at. */
export const hostObjections = {
  Selector: 'not selected',
  Deleting: 'being deleted',
  InUse: 'in use',
  Quarantined: 'in quarantine',
  KeptForReuse: 'kept for other machines',
  Error: 'in error',
  Paused: 'paused',
  Unhealthy: 'marked unhealthy',
  Detached: 'detached',
  Duplicate: 'a duplicate of another host',
  Network: 'without the right switch ports',
  Busy: 'being serviced or delayed',
  NotAvailable: 'not available yet',
} as const;

/** A row of that table. */
export type HostObjection = keyof typeof hostObjections;

/** Why a host is not taken for what a machine asks; undefined when it can be. Pure. */
export function judgeHost(host: BareMetalHost, wish: HostWish): HostObjection | undefined {
  const rules: readonly [HostObjection, boolean][] = [
    ['Selector', !matchesLabels(wish.selector, host.metadata.labels)],
    ['Deleting', isBeingDeleted(host)],
    ['InUse', isInUse(host)],
    ['Quarantined', host.metadata.labels?.[quarantineLabel] !== undefined],
    ['KeptForReuse', reuseOf(host) !== undefined && reuseOf(host) !== wish.reuse],
    ['Error', (host.status?.errorMessage ?? '') !== '' || host.status?.operationalStatus === 'error'],
    ['Paused', isAnnotated(host, hostAnnotations.paused)],
    ['Unhealthy', isUnhealthy(host)],
    ['Detached', isAnnotated(host, hostAnnotations.detached) || host.status?.operationalStatus === 'detached'],
    ['Duplicate', isTrue(host.status?.conditions, 'DuplicateMachine')],
  ];
  const found = rules.find(([, isSo]) => isSo)?.[0];
  if (found !== undefined) return found;
  if (wish.network.filter(wish.networkConfiguration, host) !== undefined) return 'Network';
  const { operationalStatus } = host.status ?? {};
  if (operationalStatus === 'servicing' || operationalStatus === 'delayed') return 'Busy';
  const state = host.status?.provisioning.state;
  return state === 'available' || state === 'ready' ? undefined : 'NotAvailable';
}

/** What a host is kept for, since a machine that may be replaced has given it back. */
export function reuseOf(host: BareMetalHost): string | undefined {
  return host.metadata.labels?.[clusterLabels.nodeReuse];
}

/** A host that somebody put an image on by hand is in use too. One kept for reuse carries its Cluster as consumer. */
function isInUse({ spec, metadata }: BareMetalHost): boolean {
  if (spec?.image !== undefined || spec?.customDeploy !== undefined) return true;
  if (spec?.externallyProvisioned === true) return true;
  if (spec?.consumerRef === undefined) return false;
  return metadata.labels?.[clusterLabels.nodeReuse] === undefined || spec.consumerRef.kind !== 'Cluster';
}

function isUnhealthy(host: BareMetalHost): boolean {
  return isAnnotated(host, clusterAnnotations.unhealthy) || isAnnotated(host, clusterAnnotations.unhealthyDeprecated);
}

function isAnnotated({ metadata }: BareMetalHost, name: string): boolean {
  return metadata.annotations?.[name] !== undefined;
}
