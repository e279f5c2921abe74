import { ironcoreConditions, type Server, type ServerFirmwareStatus } from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import { toComponent } from '../../parts/index.ts';
import { conditionOf } from '../conditions.ts';
import type { OwnedFirmware } from '../fleet/objects.ts';
import { entryKey, readEntryKey } from '../fleet/ownership.ts';
import { membershipOf } from '../group/decide-member.ts';
import { desiredOf } from '../server/desired.ts';
import { differencesOf } from '../server/differences.ts';
import { readServerSeen, type ServerReading } from '../server/read-server.ts';
import { describeSituation, isAnswered, isFor, type ServerSituation } from '../server/server-facts.ts';
import { textOfMoment } from '../times.ts';
import { adviceFor } from './advise.ts';
import type { ServerExplanation, ToldEvent, ToldRequest, WantedFirmware } from './explanation.ts';
import { wantedBy } from './foretell-update.ts';
import type { PlanState, ServerPlan } from './plan.ts';
import { contextOf, type PlanSubject, planSubject } from './plan-firmware.ts';
import { groupOf } from './plan-server.ts';
import { sentencesOf } from './sentences.ts';
import { fleetOf, nameOf, type PlanFacts } from './settle-fleet.ts';

/** Who is to be explained, and from what. */
export interface ExplainOrder {
  readonly facts: PlanFacts;
  readonly subject: PlanSubject;
  readonly reading: ServerReading;
  readonly events: readonly ToldEvent[];
}

/** Tells why a server is as it is; undefined when it is not among the facts. Pure. */
export function explainServer(order: ExplainOrder, now: Instant): ServerExplanation | undefined {
  const { facts, subject, reading } = order;
  const [plan] = planSubject(contextOf({ facts, reading }, now), subject);
  if (plan === undefined) return undefined;
  const server = facts.servers.find((each) => nameOf(each) === subject.server);
  const firmware = facts.firmwares.find((each) => nameOf(each) === subject.serverFirmware);
  const bmc = facts.bmcs.find((each) => nameOf(each) === server?.spec.bmcRef?.name);
  const explained = {
    kind: 'ServerExplanation',
    formatVersion: 1,
    madeAt: textOfMoment(now),
    server: describeMachine(subject.server, server),
    serverFirmware: subject.serverFirmware,
    plan,
    since: sinceOf(plan, { firmware, server }),
    isObserved: isObserved(firmware),
    wanted: firmware === undefined ? [] : wantedOf(order, { firmware, server }),
    ...(firmware === undefined ? {} : historyOf(order, firmware, now)),
    conditions: [...(firmware?.status?.conditions ?? [])],
    events: order.events,
  } as const;
  const advice = adviceFor(explained);
  return { ...explained, sentences: sentencesOf(explained, bmc), advice };
}

/** An explanation before it is put into words. */
export type Explained = Omit<ServerExplanation, 'sentences' | 'advice'>;

interface Objects {
  readonly firmware: OwnedFirmware | undefined;
  readonly server: Server | undefined;
}

function describeMachine(name: string, server: Server | undefined): ServerExplanation['server'] {
  if (server === undefined) return { name, isThere: false };
  const { manufacturer, model, state, powerState } = server.status ?? {};
  const { systemUUID, bmcRef, bmc } = server.spec;
  const reached = { bmc: bmcRef?.name, bmcAddress: bmc?.address };
  return { name, isThere: true, systemUUID, ...reached, manufacturer, model, state, powerState };
}

/** Which of the conditions says since when a state holds. */
const tellers: Readonly<Record<PlanState, string | undefined>> = {
  update: ironcoreConditions.upToDate,
  scan: ironcoreConditions.scanned,
  'under-way': undefined,
  waits: undefined,
  blocked: ironcoreConditions.upToDate,
  inert: undefined,
  'no-target': ironcoreConditions.upToDate,
  'up-to-date': ironcoreConditions.upToDate,
};

function sinceOf({ state, reasons }: ServerPlan, { firmware, server }: Objects): string | undefined {
  const { status } = firmware ?? {};
  const [reason] = reasons;
  if (state === 'under-way') return status?.request?.time;
  if (state === 'waits') return status?.attempts?.lastFailureTime ?? status?.failedScans?.lastFailureTime;
  if (state === 'inert') {
    const all = [...(status?.conditions ?? []), ...(server?.status?.conditions ?? [])];
    return conditionOf(all, reason?.code ?? '')?.lastTransitionTime;
  }
  const stalled = conditionOf(status?.conditions, ironcoreConditions.stalled);
  if (state === 'blocked' && stalled?.status === 'True') return stalled.lastTransitionTime;
  const told = conditionOf(status?.conditions, tellers[state] ?? '');
  const isSo = state === 'up-to-date' ? told?.status === 'True' : told?.status !== 'True';
  return isSo ? told?.lastTransitionTime : undefined;
}

function isObserved(firmware: OwnedFirmware | undefined): boolean {
  const { metadata, status } = firmware ?? {};
  return (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
}

function wantedOf(
  { facts, reading }: ExplainOrder,
  { firmware, server }: { readonly firmware: OwnedFirmware; readonly server: Server | undefined },
): WantedFirmware[] {
  const manufacturer = server?.status?.manufacturer;
  const fleet = fleetOf(facts);
  const group = groupOf(membershipOf({ server, groups: fleet.groupsOf(firmware.metadata.labels) }));
  const isScanned = firmware.status?.lastScanTime !== undefined;
  const differences = new Map(
    differencesOf({
      firmware,
      serverManufacturer: manufacturer,
      discovered: fleet.discoveredFor(server),
      compare: reading.compare,
    }).map((each) => [entryKey(each), each]),
  );
  return desiredOf(firmware, manufacturer).map((wish) => {
    const { version } = wish;
    const difference = differences.get(entryKey(wish));
    return {
      ...readEntryKey(entryKey(wish)),
      component: toComponent(wish.name) ?? 'other',
      installed: difference === undefined ? version : difference.installed,
      wanted: version,
      relation: isScanned ? (difference?.relation ?? 'same') : 'unknown',
      wantedBy: wantedBy(wish, group),
    };
  });
}

/** The last request, and what failed before. */
function historyOf(
  { facts, reading }: ExplainOrder,
  firmware: OwnedFirmware,
  now: Instant,
): Pick<ServerExplanation, 'request' | 'lastReport' | 'attempts' | 'failedScans'> {
  const { status } = firmware;
  const seen = readServerSeen(fleetOf(facts), nameOf(firmware), reading);
  const situation = seen === undefined ? undefined : describeSituation(seen, now);
  const attempts = situation?.attempts ?? status?.attempts;
  return {
    request: requestOf(status, situation),
    lastReport: status?.report?.conditionID,
    attempts:
      attempts === undefined
        ? undefined
        : {
            failed: attempts.failed,
            most: reading.settings.maxAttempts,
            lastFailureTime: attempts.lastFailureTime,
            message: attempts.message,
          },
    failedScans: status?.failedScans,
  };
}

function requestOf(
  status: ServerFirmwareStatus | undefined,
  situation: ServerSituation | undefined,
): ToldRequest | undefined {
  const { request } = status ?? {};
  if (request === undefined) return undefined;
  const { kind, jobID, time } = request;
  const told = { kind, jobID, time };
  const isSuperseded = kind === 'Update' && situation !== undefined && !isFor(request, situation);
  if (isAnswered(status)) return { ...told, became: 'reported' };
  if (situation?.facts.request === 'open') return { ...told, became: 'under-way' };
  return { ...told, became: isSuperseded ? 'superseded' : 'lost' };
}
