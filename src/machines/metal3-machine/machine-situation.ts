import type { BareMetalHost, ProvisioningState } from '../../api/index.ts';
import { type Facts, isBeingDeleted, type Reason } from '../../kube/index.ts';
import type { HostChoice } from '../choice/choose-host.ts';
import { nameOf, namespaceOf } from '../references.ts';
import { closedGate } from './gates.ts';
import { deprovisionPatch, isDeployed } from './host-changes.ts';
import type { Metal3MachineSeen } from './machine-seen.ts';
import type { machineTable } from './machine-table.ts';

/** What follows from what is seen. */
export interface MachineSituation {
  readonly isLeaving: boolean;
  readonly gate: Reason | undefined;
  /** What came of choosing; only looked at while there is no host. */
  readonly choice: HostChoice | undefined;
  readonly facts: Facts<(typeof machineTable)['facts']>;
}

/** The id that the node of a machine gets. */
export function providerIdOf({ object }: Pick<Metal3MachineSeen, 'object'>, host: BareMetalHost): string {
  return `metal3://${namespaceOf(host)}/${nameOf(host)}/${nameOf(object)}`;
}

/** Works out where a machine is. */
export function situationOf(seen: Metal3MachineSeen): MachineSituation {
  const { object, host, chosen } = seen;
  const isLeaving = isBeingDeleted(object);
  const gate = closedGate(seen) ?? unfitNetwork(seen);
  const has = hostFact(seen);
  const isChoosing = !isLeaving && gate === undefined && has === 'none';
  const choice = isChoosing ? seen.choose() : undefined;
  const isTold = host === undefined ? false : isLeaving ? deprovisionPatch(seen, host) !== undefined : isDeployed(host);
  return {
    isLeaving,
    gate,
    choice,
    facts: {
      leaving: isLeaving,
      gates: gate === undefined ? 'open' : 'closed',
      host: has,
      candidate: choice?.kind === 'host' || chosen !== undefined,
      deployed: isTold,
      hostState: host === undefined ? 'free' : hostStateOf(host, isLeaving),
      node: nodeFact(seen),
    },
  };
}

/** A host that had a port for each network may have lost it before it is told what to run. */
function unfitNetwork({ object, host, chosen, network }: Metal3MachineSeen): Reason | undefined {
  const found = host ?? chosen;
  const isTold = host !== undefined && isDeployed(host);
  const { networkConfiguration = [] } = object.spec;
  if (found === undefined || isTold || networkConfiguration.length === 0) return undefined;
  const ports = network.configureNetwork(networkConfiguration, found);
  if (ports.kind === 'fits') return undefined;
  const message = `It cannot have its networkConfiguration: ${ports.message}.`;
  return { code: 'NetworkConfigurationUnfit', message };
}

/** A machine whose node has an id is that node: it never gets another host. */
function hostFact({ object, host, chosen }: Metal3MachineSeen): 'none' | 'chosen' | 'ours' | 'gone' {
  if (host !== undefined) return 'ours';
  if (object.spec.providerID !== undefined) return 'gone';
  return chosen === undefined ? 'none' : 'chosen';
}

function nodeFact({ object, host, nodes }: Metal3MachineSeen): 'unknown' | 'seen' | 'named' {
  if (host === undefined) return 'unknown';
  if (object.spec.providerID !== undefined) return 'named';
  return nodes.kind === 'found' ? 'seen' : 'unknown';
}

const released: ReadonlySet<ProvisioningState> = new Set([
  '',
  'unmanaged',
  'importing',
  'registering',
  'inspecting',
  'match profile',
  'ready',
  'available',
] as const);

/** A host that somebody else installed is given back once it is off. */
function hostStateOf(host: BareMetalHost, isLeaving: boolean): 'free' | 'busy' | 'provisioned' {
  const state = host.status?.provisioning.state ?? '';
  if (state === 'externally provisioned') {
    const isOff = host.status?.poweredOn !== true || host.spec?.online === true;
    return isLeaving && isOff ? 'free' : isLeaving ? 'busy' : 'provisioned';
  }
  if (state === 'provisioned') return 'provisioned';
  return released.has(state) ? 'free' : 'busy';
}
