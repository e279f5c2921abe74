import { ironcoreConditions, type ServerFirmwareGroup } from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import type { GroupDecision } from '../group/decide-group.ts';
import type { ServerReading } from '../server/read-server.ts';
import { textOfMoment } from '../times.ts';
import { createTraces } from './foretell-update.ts';
import {
  type AssumedObject,
  type FirmwarePlan,
  type GroupPlan,
  type PlanReason,
  type PlanState,
  type PlanTotals,
  planStates,
  type ServerPlan,
} from './plan.ts';
import { type PlanContext, planBareServer, planServer } from './plan-server.ts';
import { nameOf, type PlanFacts, settleFleet } from './settle-fleet.ts';

/** What is planned, and for whom. */
export interface PlanOrder {
  readonly facts: PlanFacts;
  /** Which of the servers to tell of; all unless given. The rest still counts for their groups. */
  readonly isChosen?: ((subject: PlanSubject) => boolean) | undefined;
  readonly assumed?: readonly AssumedObject[] | undefined;
  readonly reading: ServerReading;
}

/** A server that may be chosen. */
export interface PlanSubject {
  readonly server: string;
  readonly serverFirmware: string | undefined;
  /** Those of the ServerFirmware, as groups see them; of the Server where there is none. */
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** Tells what the controllers would do to a fleet now, by letting them decide. Pure. */
export function planFirmware(order: PlanOrder, now: Instant): FirmwarePlan {
  const { facts } = order;
  const context = contextOf(order, now);
  const chosen = subjectsOf(facts).filter(order.isChosen ?? (() => true));
  const servers = chosen.flatMap((subject) => planSubject(context, subject));
  const named = new Set(servers.flatMap(({ group, writes }) => [group, writes?.group]));
  const isShown = (group: ServerFirmwareGroup): boolean =>
    order.isChosen === undefined || named.has(nameOf(group)) || isAssumed(order, group);
  return {
    kind: 'FirmwarePlan',
    formatVersion: 1,
    madeAt: textOfMoment(now),
    assumed: order.assumed ?? [],
    groups: facts.groups
      .filter(isShown)
      .toSorted(byName)
      .flatMap((group) => planGroup(context, group)),
    servers,
    totals: addUp(servers),
  };
}

/** Lets the groups of a fleet act, for whoever plans its servers. */
export function contextOf({ facts, reading }: PlanOrder, now: Instant): PlanContext {
  const stored = new Map(facts.firmwares.map((each) => [nameOf(each), each]));
  return {
    stored: (name) => stored.get(name),
    settled: settleFleet(facts, reading, now),
    reading,
    tracesOf: createTraces(facts),
    useOf: (server) => facts.inUse?.get(server?.spec.systemUUID.toLowerCase() ?? ''),
    now,
  };
}

/** Every server that a plan can tell of, by name: those with a ServerFirmware, those without, and those that are missing. */
export function subjectsOf({ servers, firmwares }: Pick<PlanFacts, 'servers' | 'firmwares'>): readonly PlanSubject[] {
  const referred = new Set(firmwares.map(({ spec }) => spec.serverRef.name));
  const bare = servers.filter((server) => !referred.has(nameOf(server)));
  const subjects = [
    ...firmwares.map((each) => ({
      server: each.spec.serverRef.name,
      serverFirmware: nameOf(each),
      labels: each.metadata.labels,
    })),
    ...bare.map((each) => ({ server: nameOf(each), serverFirmware: undefined, labels: each.metadata.labels })),
  ];
  const keyOf = ({ server, serverFirmware = '' }: PlanSubject): string => `${server}\n${serverFirmware}`;
  return subjects.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** The plan of one of them. */
export function planSubject(context: PlanContext, subject: PlanSubject): ServerPlan[] {
  const { serverFirmware } = subject;
  if (serverFirmware !== undefined) return [planServer(context, serverFirmware)].filter((each) => each !== undefined);
  const { fleet } = context.settled;
  const server = fleet.server(subject.server);
  return server === undefined ? [] : [planBareServer(server, fleet.bmcOf(server))];
}

function isAssumed({ assumed = [] }: PlanOrder, group: ServerFirmwareGroup): boolean {
  return assumed.some(({ kind, name }) => kind === 'ServerFirmwareGroup' && name === nameOf(group));
}

function byName(a: ServerFirmwareGroup, b: ServerFirmwareGroup): number {
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

function planGroup({ settled }: PlanContext, group: ServerFirmwareGroup): GroupPlan[] {
  const decision = settled.decisions.get(nameOf(group));
  const { serversInGroup = 0, updatesApplied = 0, updatesNotApplied = 0, updatesFailed = 0 } = decision?.status ?? {};
  const { manufacturer, model } = group.spec;
  const writesTo = [...settled.writes.values()].filter((effect) => effect.group === nameOf(group)).length;
  const counts = { serversInGroup, updatesApplied, updatesNotApplied, updatesFailed, writesTo };
  return [{ name: nameOf(group), manufacturer, model, ...counts, reasons: groupReasons(decision) }];
}

const telling: readonly string[] = [
  ironcoreConditions.halted,
  ironcoreConditions.paused,
  ironcoreConditions.selectorConflict,
  ironcoreConditions.otherHardware,
];

function groupReasons(decision: GroupDecision | undefined): PlanReason[] {
  if (decision === undefined) return [{ code: 'Deleted', message: 'The group is being deleted.' }];
  return (decision.status?.conditions ?? []).flatMap(({ type, status, message, lastTransitionTime }) =>
    telling.includes(type) && status !== 'False' ? [{ code: type, message, since: lastTransitionTime }] : [],
  );
}

function addUp(servers: readonly ServerPlan[]): PlanTotals {
  const count = (isSo: (plan: ServerPlan) => boolean): number => servers.filter(isSo).length;
  const sum = (of: (plan: ServerPlan) => number): number => servers.reduce((total, plan) => total + of(plan), 0);
  const byReason = new Map<string, number>();
  for (const { code } of servers.flatMap(({ reasons }) => reasons)) byReason.set(code, (byReason.get(code) ?? 0) + 1);
  return {
    servers: servers.length,
    byState: Object.fromEntries(planStates.map((state) => [state, count((plan) => plan.state === state)])) as Record<
      PlanState,
      number
    >,
    writes: count(({ writes }) => writes !== undefined),
    scans: count(({ asks }) => asks.includes('scan')),
    updates: count(({ state }) => state === 'update'),
    installs: sum(({ installs }) => installs.length),
    hostReboots: sum(({ hostReboots }) => hostReboots),
    bmcRestarts: sum(({ bmcRestarts }) => bmcRestarts),
    byReason: Object.fromEntries([...byReason].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}
