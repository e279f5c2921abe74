import type { BareMetalHost, Switch, SwitchPort } from '../../api/index.ts';
import { formatKey, type Instant, textOfMoment } from '../../kube/index.ts';
import { type PortDifference, type PortSettings, type PortState, planPort, portAspects } from '../../switches/index.ts';
import {
  type FullReference,
  isSameReference,
  nameOf,
  namespaceOf,
  objectKey,
  referenceKey,
} from '../fabric/references.ts';
import type { NetworkTables } from '../fabric/tables.ts';
import { placeIn, placeOf } from '../fabric/unit.ts';
import { networkPhaseOf } from '../host/host-phase.ts';
import { type HostNetworkPlan, type LinkPort, planHostNetwork } from '../host/plan-host-network.ts';
import { decidePort } from '../port/decide-port.ts';
import type { PortMemory, PortSeen, SwitchStanding } from '../port/port-seen.ts';
import { complete, factsOf, goalOf, settingsOfRecord, situationOf } from '../port/port-situation.ts';
import { faultOf, fieldOf } from '../port/port-status.ts';
import type { PortPhase } from '../port/port-table.ts';
import { linkOf, ownerOf, seenOf } from '../port/read-port.ts';
import { linkedByAnnotation } from '../resources.ts';
import type { NetworkSettings } from '../settings.ts';

/** What would be done to one port. */
export interface PortPlanned {
  /** Namespace and name of the SwitchPort. */
  readonly port: string;
  readonly switch: string | undefined;
  /** Name of the port on the switch. */
  readonly socket: string | undefined;
  readonly host: string | undefined;
  readonly state: string;
  /**
   * - `change`: the device would be changed.
   * - `clean`: the device would be cleaned.
   * - `blocked`: something keeps it from what is wanted.
   * - `unread`: nobody has read the device yet, so that nobody knows.
   * - `settled`: it is as it should be.
   */
  readonly outcome: 'change' | 'clean' | 'blocked' | 'unread' | 'settled';
  /** What is linked to it now, and what its host would link; undefined for none. */
  readonly linked: string | undefined;
  readonly wouldLink: string | undefined;
  readonly differences: readonly PortDifference[];
  /** The present settings are cleared before the new ones are set. */
  readonly isClearedFirst: boolean;
  readonly lastRead: string | undefined;
  readonly reason: { readonly code: string; readonly message: string } | undefined;
}

/** What a host waits for. */
export interface HostPlanned {
  readonly host: string;
  readonly phase: string;
  readonly verdict: HostNetworkPlan['verdict'];
  readonly message: string;
}

/** What would be done to the network. */
export interface NetworkPlan {
  readonly madeAt: string;
  readonly hosts: readonly HostPlanned[];
  readonly ports: readonly PortPlanned[];
}

/** What a plan is made from. */
export interface NetworkPlanInput {
  readonly tables: NetworkTables;
  readonly hosts: readonly BareMetalHost[];
  /** Keys of ports that are planned by what their status says, since not all of what counts may be seen. */
  readonly hidden?: ReadonlySet<string> | undefined;
  readonly settings: NetworkSettings;
  /** Names of hosts or ports, with or without a namespace; all unless given. */
  readonly only?: readonly string[] | undefined;
}

/** Plans by the same decisions that the controllers make; nothing is done. Pure. */
export function planNetwork(input: NetworkPlanInput, now: Instant): NetworkPlan {
  const hosts = input.hosts.flatMap((host) => planOne(input, host));
  const links = new Map(hosts.flatMap(({ plan }) => plan.effects.map((effect) => [formatKey(effect.port), effect])));
  const isChosen = chooser(input, hosts);
  return {
    madeAt: textOfMoment(now),
    hosts: hosts
      .filter(({ key }) => isChosen.host(key))
      .map(({ key, phase, plan }) => ({ host: key, phase, verdict: plan.verdict, message: plan.message })),
    ports: input.tables.ports
      .list()
      .filter((port) => isChosen.port(objectKey(port)))
      .map((port) => planPortOf(input, { port, links }, now))
      .toSorted((a, b) => (a.port < b.port ? -1 : 1)),
  };
}

interface PlannedHost {
  readonly key: string;
  readonly phase: string;
  readonly plan: HostNetworkPlan;
}

function planOne({ tables }: NetworkPlanInput, host: BareMetalHost): PlannedHost[] {
  const { status } = host;
  const isServicing = status?.operationalStatus === 'servicing';
  const phase = networkPhaseOf(status?.provisioning?.state ?? '', { isServicing });
  if (phase === undefined || (host.spec?.ports ?? []).length === 0) return [];
  return [{ key: objectKey(host), phase, plan: planHostNetwork({ host, phase, tables }) }];
}

function chooser(
  { only }: NetworkPlanInput,
  hosts: readonly PlannedHost[],
): { readonly host: (key: string) => boolean; readonly port: (key: string) => boolean } {
  if (only === undefined || only.length === 0) return { host: () => true, port: () => true };
  const isNamed = (key: string): boolean =>
    only.some((word) => word === key || word === key.slice(key.indexOf('/') + 1));
  const ports = hosts
    .filter(({ key }) => isNamed(key))
    .flatMap(({ plan }) => plan.ports.map(({ port }) => formatKey(port)));
  const host = (key: string): boolean =>
    isNamed(key) ||
    hosts.some((each) => each.key === key && each.plan.ports.some(({ port }) => isNamed(formatKey(port))));
  return { host, port: (key) => isNamed(key) || ports.includes(key) };
}

interface PortToPlan {
  readonly port: SwitchPort;
  readonly links: ReadonlyMap<string, LinkPort>;
}

function planPortOf(input: NetworkPlanInput, { port, links }: PortToPlan, now: Instant): PortPlanned {
  const key = objectKey(port);
  const linked = linkOf(port);
  const link = links.get(key);
  const next = link === undefined ? linked : link.configuration;
  if (input.hidden?.has(key) === true) return planByStatus(port, { linked, next });
  const annotations = {
    ...port.metadata.annotations,
    ...(link?.by === undefined ? {} : { [linkedByAnnotation]: link.by }),
  };
  const metadata = { ...port.metadata, annotations };
  const seen = seenAs(input, { ...port, metadata, spec: next === undefined ? {} : { configuration: next } }, now);
  const phase = destination(seen, now);
  const situation = situationOf(seen);
  const goal = phase === 'Idle' || phase === '' || phase === 'Deleting' ? undefined : goalOf(seen, situation, phase);
  const { seen: device } = situation;
  const known = device === undefined ? undefined : complete(device, seen, situation);
  // What nobody knows is set, whatever it is.
  const told = known === undefined ? undefined : { ...known, unread: [] };
  const differences = goal === undefined || told === undefined ? [] : planPort(told, goal).differences;
  const fault = faultOf(seen, situation, phase);
  const facts = factsOf(seen, situation, { phase, now });
  return {
    port: key,
    switch: seen.owner === undefined ? undefined : nameOf(seen.owner),
    socket: situation.socket,
    host: seen.claim === undefined ? undefined : formatKey(seen.claim.host),
    state: port.status?.state ?? '',
    outcome: outcomeOf({
      phase,
      isBlocked: fault !== undefined,
      isRead: device !== undefined,
      isSame: differences.length === 0 && (goal === undefined || known?.unread.length === 0),
    }),
    linked: linked === undefined ? undefined : formatKey(linked),
    wouldLink: next === undefined ? undefined : formatKey(next),
    differences,
    isClearedFirst: phase === 'Configuring' && facts.noted === 'other' && facts.device === 'differs',
    lastRead: port.status?.lastReadTime,
    reason: fault,
  };
}

/** What a port says of itself is all that those know who may not see its Switch. */
function planByStatus(
  port: SwitchPort,
  { linked, next }: { readonly linked: FullReference | undefined; readonly next: FullReference | undefined },
): PortPlanned {
  const { state = '', error, hostRef, physicalPortName, lastReadTime } = port.status ?? {};
  const isResting = isSameReference(linked, next) && (state === 'Active' || state === 'Idle');
  const work = next === undefined ? 'clean' : 'change';
  return {
    ...{ port: objectKey(port), switch: undefined, socket: physicalPortName, state, lastRead: lastReadTime },
    host: hostRef === undefined ? undefined : formatKey(hostRef),
    outcome: error !== undefined ? 'blocked' : isResting ? 'settled' : work,
    linked: linked === undefined ? undefined : formatKey(linked),
    wouldLink: next === undefined ? undefined : formatKey(next),
    differences: [],
    isClearedFirst: false,
    reason: error === undefined ? undefined : { code: error.reason, message: error.message },
  };
}

function outcomeOf(facts: {
  readonly phase: PortPhase;
  readonly isBlocked: boolean;
  readonly isRead: boolean;
  readonly isSame: boolean;
}): PortPlanned['outcome'] {
  if (facts.isBlocked) return 'blocked';
  if (facts.phase === 'Idle' || facts.phase === '' || facts.phase === 'Deleting') return 'settled';
  if (!facts.isRead) return 'unread';
  if (facts.isSame) return 'settled';
  return facts.phase === 'Cleaning' ? 'clean' : 'change';
}

/** The state in which the next thing would be done to the device, by the decisions of the controller. */
function destination(seen: PortSeen, now: Instant): PortPhase {
  let current = seen;
  for (let steps = 0; steps < 4; steps++) {
    const { status, effects } = decidePort(current, now);
    const before = current.port.status?.state ?? '';
    if (status === undefined) return before;
    const isRest = status.state === before || effects.some(({ kind }) => kind === 'apply' || kind === 'clear');
    if (isRest) return status.state ?? '';
    current = { ...current, port: { ...current.port, status } };
  }
  return current.port.status?.state ?? '';
}

/** A port as the controller would see it, with what its status says about the device. */
function seenAs({ tables, settings }: NetworkPlanInput, port: SwitchPort, now: Instant): PortSeen {
  const unit = unitFromStatus(tables, port);
  const standingOf = (owner: Switch | undefined) => standingFromStatus(owner, unit);
  return seenOf({ tables, settings, standingOf, memoryOf: () => memoryFromStatus(port, { at: now, unit }) }, port);
}

/** The switch of a port as its provider says where it is; a plan does not ask it for host keys. */
function unitFromStatus(tables: NetworkTables, port: SwitchPort): string {
  const owner = ownerOf(tables, port);
  const { kind } = owner?.spec.provider ?? {};
  const provider =
    owner === undefined || kind === undefined
      ? undefined
      : tables.providers[kind].get(referenceKey(owner.spec.provider, namespaceOf(owner)));
  const { appliedTo } = port.status ?? {};
  if (provider === undefined) return appliedTo ?? '';
  const place = placeOf(provider);
  return appliedTo !== undefined && placeIn(appliedTo) === place ? appliedTo : place;
}

/** What a Switch says about itself. */
function standingFromStatus(owner: Switch | undefined, unit: string): SwitchStanding {
  if (owner === undefined) {
    return {
      kind: 'waiting',
      fault: { code: 'SwitchNotFound', message: 'no Switch of its namespace lists this port' },
    };
  }
  const { error } = owner.status ?? {};
  const isGood = owner.status?.conditions?.some(({ type, status }) => type === 'Reachable' && status === 'True');
  if (isGood === true) return { kind: 'ready', access: '', unit, since: 0 };
  return {
    kind: 'waiting',
    fault: { code: 'SwitchUnreachable', message: error?.message ?? `the Switch ${nameOf(owner)} has not answered yet` },
  };
}

/** What was last read stands for the device, however long ago that was: a plan reads nothing. */
function memoryFromStatus(port: SwitchPort, { at, unit }: { readonly at: Instant; readonly unit: string }): PortMemory {
  const { observed, unobserved = [], physicalPortName } = port.status ?? {};
  const settings: PortSettings | undefined = settingsOfRecord(observed);
  if (settings === undefined || physicalPortName === undefined) return {};
  const unread = portAspects.filter((aspect) => unobserved.includes(fieldOf[aspect]));
  const state: PortState = { ...settings, port: physicalPortName, unread, strays: [] };
  return { reading: { at, state }, unit };
}
