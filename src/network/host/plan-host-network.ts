import type { BareMetalHost, HostPort, Nic, SwitchPort } from '../../api/index.ts';
import { type ConditionDraft, formatKey, type KubeObject } from '../../kube/index.ts';
import { claimOf, machineOf } from '../fabric/claims.ts';
import { linkText, readLinkRecord } from '../fabric/link-records.ts';
import {
  type FullReference,
  fullReference,
  isSameReference,
  nameOf,
  namespaceOf,
  objectKey,
  referenceKey,
} from '../fabric/references.ts';
import type { NetworkTables } from '../fabric/tables.ts';
import { linkOf } from '../port/read-port.ts';
import { describeCabling } from './cabling.ts';
import { type HostNetworkPhase, wantedLink } from './host-phase.ts';

/** What the ports of a host are planned from. */
export interface HostNetworkSeen {
  readonly host: BareMetalHost;
  readonly phase: HostNetworkPhase;
  readonly tables: Pick<NetworkTables, 'ports' | 'hosts' | 'switches'>;
  /** Interfaces that inspection found; those in the status of the host unless given. */
  readonly nics?: readonly Nic[] | undefined;
}

/** Links a configuration to a port, or takes the link away. */
export interface LinkPort {
  readonly kind: 'link-port';
  readonly key: string;
  readonly port: FullReference;
  /** Undefined: the port is to be cleaned. */
  readonly configuration: FullReference | undefined;
  /** The key of the host that says what the port has to be; undefined: it has nothing to say any more. */
  readonly by: string | undefined;
}

/** How one port of a host is. */
export interface HostPortPlan {
  readonly mac: string;
  readonly port: FullReference;
  /** What it should have; undefined when it should be clean. */
  readonly wanted: FullReference | undefined;
  /** What is linked to it now. */
  readonly linked: FullReference | undefined;
  readonly state: 'ready' | 'waiting' | 'error';
  /** A word in CamelCase that says why. */
  readonly code: string;
  readonly message: string;
}

/** What a host does about its ports, and whether it can go on. */
export interface HostNetworkPlan {
  /** `ready`: go on. `waiting`: not yet. `error`: not before somebody does something. */
  readonly verdict: 'ready' | 'waiting' | 'error';
  readonly ports: readonly HostPortPlan[];
  readonly effects: readonly LinkPort[];
  /** The host's `spec.ports` with what users linked to its ports since, which is written there so that it lasts. */
  readonly adopted: readonly HostPort[] | undefined;
  /** The port that is waited for, or that is in error. */
  readonly hinge: HostPortPlan | undefined;
  readonly message: string;
  /** NetworkConfigured, and NetworkCabling where inspection found interfaces; none for a host without ports. */
  readonly conditions: readonly ConditionDraft[];
}

/** Says which ports shall have which configuration, how to get there, and whether the host has to wait. Pure. */
export function planHostNetwork(seen: HostNetworkSeen): HostNetworkPlan {
  const { host } = seen;
  const entries = host.spec?.ports ?? [];
  const ports = entries.map((entry) => planPort(seen, entry));
  const adopted = entries.map((entry, at) => adoptLink(seen, entry, ports[at]));
  const isAdopting = adopted.some((entry, at) => entry !== entries[at]);
  const moved = ports.filter((_, at) => adopted[at] === entries[at]);
  const effects = [...moved.flatMap((plan) => linkEffects(seen, plan)), ...unplugEffects(seen)];
  const hinge = ports.find(({ state }) => state === 'error') ?? ports.find(({ state }) => state === 'waiting');
  const verdict = hinge?.state ?? 'ready';
  const message = hinge === undefined ? 'All switch ports are as they should be.' : describe(hinge);
  if (entries.length === 0)
    return {
      ...{ verdict, ports, effects, hinge },
      adopted: undefined,
      message: 'The host has no switch ports.',
      conditions: [],
    };
  const cabling = describeCabling(seen);
  return {
    ...{ verdict, ports, effects, hinge, message, adopted: isAdopting ? adopted : undefined },
    conditions: [
      {
        type: 'NetworkConfigured',
        status: verdict === 'ready' ? 'True' : 'False',
        reason: hinge?.code ?? 'PortsReady',
        message,
      },
      ...(cabling === undefined ? [] : [cabling]),
    ],
  };
}

function describe({ mac, port, message, state }: HostPortPlan): string {
  return `${state === 'error' ? 'Port' : 'Waiting for port'} ${formatKey(port)} of ${mac}: ${message}.`;
}

function planPort(seen: HostNetworkSeen, entry: HostPort): HostPortPlan {
  const { host, phase, tables } = seen;
  const home = namespaceOf(host as KubeObject);
  const reference = fullReference(entry.port, home);
  const link = wantedLink(entry, phase);
  const wanted = link === undefined ? undefined : fullReference(link, home);
  const port = tables.ports.get(referenceKey(entry.port, home));
  const base = { mac: entry.mac, port: reference, wanted, linked: port === undefined ? undefined : linkOf(port) };
  const obstacle = obstacleOf(seen, entry, wanted);
  if (obstacle !== undefined) return { ...base, ...obstacle };
  if (port === undefined) {
    if (phase === 'released')
      return { ...base, state: 'ready', code: 'PortGone', message: 'there is no such SwitchPort' };
    return { ...base, state: 'waiting', code: 'PortNotFound', message: 'there is no such SwitchPort yet' };
  }
  return { ...base, ...standingOf(port, wanted, phase) };
}

type Standing = Pick<HostPortPlan, 'state' | 'code' | 'message'>;

/** What keeps a port from being this host's at all. */
function obstacleOf(
  { host, phase, tables }: HostNetworkSeen,
  entry: HostPort,
  wanted: FullReference | undefined,
): Standing | undefined {
  const home = namespaceOf(host as KubeObject);
  const claim = claimOf(tables.hosts, referenceKey(entry.port, home));
  const isOurs =
    claim === undefined || isSameReference(claim.host, { name: nameOf(host as KubeObject), namespace: home });
  if (!isOurs) {
    const message = `the host ${formatKey(claim.host)} is plugged into it already`;
    return { state: phase === 'released' ? 'ready' : 'error', code: 'PortInUse', message };
  }
  const isProvisioning = wanted !== undefined && wantedLink(entry, 'provisioning') === wantedLink(entry, phase);
  if (wanted !== undefined && wanted.namespace !== home && !isProvisioning) {
    const message = `its configuration ${formatKey(wanted)} is of another namespace`;
    return { state: 'error', code: 'ConfigurationNotAllowed', message };
  }
  return undefined;
}

function standingOf(port: SwitchPort, wanted: FullReference | undefined, phase: HostNetworkPhase): Standing {
  const { status, metadata } = port;
  const isLinked = isSameReference(linkOf(port), wanted);
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  if (isLinked && isSeen && status?.error !== undefined) {
    const { reason: code, message } = status.error;
    // A host that goes away must not be held by a switch that cannot be reached: the port cleans itself later.
    return phase === 'released' ? { state: 'ready', code, message } : { state: 'error', code, message };
  }
  if (isLinked && isSeen && isArrived(port, { wanted, phase })) {
    return {
      state: 'ready',
      code: 'PortReady',
      message: wanted === undefined ? 'it is clean' : 'it has its configuration',
    };
  }
  const message = wanted === undefined ? 'it is being cleaned' : `it is being set to ${formatKey(wanted)}`;
  return { state: 'waiting', code: wanted === undefined ? 'PortCleaning' : 'PortConfiguring', message };
}

interface Destination {
  readonly wanted: FullReference | undefined;
  readonly phase: HostNetworkPhase;
}

function isArrived(port: SwitchPort, { wanted, phase }: Destination): boolean {
  const { state, configurationRef } = port.status ?? {};
  // A port that nobody ever set is left as it is by a host that goes.
  if (wanted === undefined) return state === 'Idle' && (phase === 'released' || isFoundClean(port));
  if (state !== 'Active' || configurationRef === undefined) return false;
  return isSameReference(fullReference(configurationRef, namespaceOf(port)), wanted);
}

/** True for an idle port that was found clean; other idle ports have whatever was set on the switch by hand. */
function isFoundClean({ status }: SwitchPort): boolean {
  return status?.appliedTo !== undefined;
}

function linkEffects(
  { host, tables, phase }: HostNetworkSeen,
  { port, wanted, linked, code }: HostPortPlan,
): LinkPort[] {
  const present = tables.ports.get(formatKey(port));
  const isOurs = code !== 'PortInUse' && code !== 'ConfigurationNotAllowed';
  if (present === undefined || !isOurs) return [];
  const self = objectKey(host as KubeObject);
  const by = phase === 'released' ? undefined : self;
  const record = readLinkRecord(present);
  // What the host wants is recorded even where it is so already: another link is a user's from then on.
  const isRecorded =
    by === undefined ? record?.by !== self : record?.by === self && record.configuration === linkText(wanted);
  if (isSameReference(linked, wanted) && isRecorded) return [];
  const key = `link-port/${formatKey(port)}/${wanted === undefined ? '' : formatKey(wanted)}`;
  return [{ kind: 'link-port', key, port, configuration: wanted, by }];
}

/**
 * An entry with what a user linked to its port while the host is deployed; the entry itself where nobody did. What a machine
 * wrote is its own, a host that was edited too has its way, and everything else is refused by admission.
 */
function adoptLink(
  { host, phase, tables }: HostNetworkSeen,
  entry: HostPort,
  plan: HostPortPlan | undefined,
): HostPort {
  const present = plan === undefined ? undefined : tables.ports.get(formatKey(plan.port));
  if (plan === undefined || present === undefined || plan.code === 'PortInUse') return entry;
  const { configuration, ...rest } = entry;
  const isDeployed = phase === 'deployed' || (phase === 'servicing' && entry.provisioningConfiguration === undefined);
  const record = readLinkRecord(present);
  const home = namespaceOf(host as KubeObject);
  const said = configuration === undefined ? undefined : fullReference(configuration, home);
  const isEdited = record?.by !== objectKey(host as KubeObject) || record.configuration !== linkText(said);
  const isUsers = !isEdited && record.configuration !== linkText(plan.linked);
  const isTheirs = plan.linked === undefined || plan.linked.namespace === home;
  if (
    !isDeployed ||
    !isUsers ||
    !isTheirs ||
    machineOf({ metadata: host.metadata, spec: host.spec ?? {} }, entry) !== undefined
  )
    return entry;
  return plan.linked === undefined ? rest : { ...rest, configuration: plan.linked };
}

/** What the host linked to ports that it does not name any more is taken back, unless they are another host's by now. */
function unplugEffects({ host, tables }: HostNetworkSeen): LinkPort[] {
  const by = objectKey(host as KubeObject);
  const named = portKeysOf(host);
  return tables.ports.byIndex('linkedBy', by).flatMap((each) => {
    const key = objectKey(each);
    if (named.includes(key) || claimOf(tables.hosts, key) !== undefined) return [];
    const port = { name: nameOf(each), namespace: namespaceOf(each) };
    return [{ kind: 'link-port', key: `link-port/${key}/`, port, configuration: undefined, by: undefined }];
  });
}

/** The keys of the ports that a host is plugged into. */
export function portKeysOf(host: Pick<BareMetalHost, 'metadata' | 'spec'>): string[] {
  const home = namespaceOf(host as KubeObject);
  return [...new Set((host.spec?.ports ?? []).map(({ port }) => referenceKey(port, home)))];
}
