import {
  type BMC,
  type Condition,
  ironcoreConditions,
  ironcoreReasons,
  type Server,
  type ServerFirmwareGroup,
} from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import { partName } from '../../parts/index.ts';
import { conditionOf } from '../conditions.ts';
import { firmwareErrors } from '../errors.ts';
import { type Inertness, inertnessOf } from '../fleet/fleet.ts';
import type { OwnedFirmware } from '../fleet/objects.ts';
import { entryKey, readEntryKey } from '../fleet/ownership.ts';
import { decideMember, describeMembership, type Membership, membershipOf } from '../group/decide-member.ts';
import { mergeServerReport } from '../reports/merge-report.ts';
import { decideServer, type ServerDecision } from '../server/decide-server.ts';
import { biosName } from '../server/desired.ts';
import { type Difference, differencesOf, isInstallable, obstacleOf } from '../server/differences.ts';
import { describeNewer, findNewerVersions } from '../server/newer-versions.ts';
import { readServerSeen, type ServerReading } from '../server/read-server.ts';
import { waitBefore } from '../server/request-wait.ts';
import { describeSituation, type ServerSeen, type ServerSituation, unsentJobId } from '../server/server-facts.ts';
import { textOfMoment } from '../times.ts';
import { asIfWritten } from './as-if-written.ts';
import { warnOfEqualParts } from './equal-parts.ts';
import { foretell, type HardwareTraces, isForItsParts, plannedFirmware, wantedBy } from './foretell-update.ts';
import type { PlannedWrite, PlanReason, PlanState, ServerPlan, WaitingFirmware } from './plan.ts';
import type { SettledFleet } from './settle-fleet.ts';

/** What servers are planned with. */
export interface PlanContext {
  /** The objects as they are. */
  readonly stored: (firmware: string) => OwnedFirmware | undefined;
  readonly settled: SettledFleet;
  readonly reading: ServerReading;
  readonly tracesOf: (server: Server | undefined) => HardwareTraces;
  /** What keeps an update of the server waiting once it is asked for. */
  readonly useOf: (server: Server | undefined) => string | undefined;
  readonly now: Instant;
}

/** All that is known of one server once it was decided about. */
interface Look {
  readonly seen: ServerSeen;
  readonly membership: Membership;
  /** What the controller decides now. */
  readonly decision: ServerDecision;
  /** What it would decide when the scan that it asks for saw what the last one saw. */
  readonly outlook: ServerDecision;
  readonly situation: ServerSituation;
}

/** Plans one server that has a ServerFirmware; undefined when it has none of that name. Pure. */
export function planServer(context: PlanContext, name: string): ServerPlan | undefined {
  const { settled, now } = context;
  const seen = readServerSeen(settled.fleet, name, context.reading);
  if (seen === undefined) return undefined;
  const look = lookAt(context, seen);
  const { firmware, server } = seen;
  const refusal = refusalOf(context, look);
  const state = stateOf(look, refusal);
  const group = groupOf(look.membership);
  const isUpdating = state === 'update';
  const traces = context.tracesOf(server);
  const installs = isUpdating ? foretell(look.situation.askable, { group, traces }) : { steps: [], notes: [] };
  const { steps } = installs;
  const warnings = look.situation.differences
    .filter(isInstallable)
    .flatMap((each) => warnOfEqualParts(each, traces.vendor));
  const use = isUpdating ? context.useOf(server) : undefined;
  return {
    server: firmware.spec.serverRef.name,
    serverFirmware: name,
    manufacturer: server?.status?.manufacturer,
    model: server?.status?.model,
    group: group?.metadata.name,
    state,
    asks: asksOf(look.decision),
    isScanFirst: look.decision !== look.outlook,
    lastScanTime: firmware.status?.lastScanTime,
    writes: writeOf(context, name),
    installs: steps,
    waiting: waitingOf(look, { isUpdating, refusal, group }),
    hostReboots: steps.filter((step) => step.restarts === 'host').length,
    bmcRestarts: steps.filter((step) => step.restarts === 'bmc').length,
    isHostOff: isUpdating && use === undefined && server?.status?.powerState === 'Off',
    reasons: reasonsOf(look, { state, refusal }),
    notes: [
      ...(use === undefined ? [] : [{ code: ironcoreReasons.hostInUse, message: use }]),
      ...installs.notes,
      // Also while an update runs or after it failed: it may be the reason.
      ...warnings,
    ],
    lookedAtNext: 'after' in look.decision.wake ? textOfMoment(now + look.decision.wake.after) : undefined,
  };
}

/** Plans a Server that has no ServerFirmware: nothing is done to it. */
export function planBareServer(server: Server, bmc: BMC | undefined): ServerPlan {
  const missing: Inertness = {
    code: 'NoServerFirmware',
    message: 'it has no ServerFirmware yet; onboarding makes one',
  };
  const { code, message } = inertnessOf(server, bmc) ?? missing;
  return {
    server: server.metadata.name ?? '',
    manufacturer: server.status?.manufacturer,
    model: server.status?.model,
    state: 'inert',
    asks: [],
    isScanFirst: false,
    installs: [],
    waiting: [],
    hostReboots: 0,
    bmcRestarts: 0,
    isHostOff: false,
    reasons: [{ code, message: `Nothing is done: ${message}.` }],
    notes: [],
  };
}

function lookAt({ settled, now }: PlanContext, seen: ServerSeen): Look {
  const { firmware, server } = seen;
  const decision = decideServer(seen, now);
  const isScanning = decision.effects.some(({ kind }) => kind === 'scan');
  const scanned = isScanning ? asIfScanned(seen, decision, now) : undefined;
  const groups = settled.fleet.groupsOf(firmware.metadata.labels);
  return {
    seen,
    membership: membershipOf({ server, groups }),
    decision,
    outlook: scanned === undefined ? decision : decideServer(scanned, now),
    situation: describeSituation(scanned ?? seen, now),
  };
}

/** The scan that is asked for sees what the last one saw; undefined where there was none. */
function asIfScanned(seen: ServerSeen, decision: ServerDecision, now: Instant): ServerSeen | undefined {
  const { firmware } = seen;
  const { lastScanTime, bios, firmwares = [] } = firmware.status ?? {};
  if (lastScanTime === undefined || decision.status === undefined) return undefined;
  // Statuses of older versions list the BIOS in its own place alone.
  const isListed = bios === undefined || firmwares.some(({ name }) => partName(name) === biosName);
  const installed = isListed ? firmwares : [...firmwares, { name: biosName, manufacturer: '', ...bios }];
  const status = mergeServerReport(
    { status: decision.status },
    {
      server: firmware.spec.serverRef.name,
      kind: 'Scan',
      conditionId: unsentJobId,
      // Of no store that reported before, so that nothing there is newer.
      store: unsentJobId,
      sequence: 0,
      at: now,
      installed,
    },
  );
  return status === undefined ? undefined : { ...seen, firmware: { ...firmware, status } };
}

function asksOf({ effects }: ServerDecision): ServerPlan['asks'] {
  return effects.flatMap(({ kind }) => (kind === 'scan' || kind === 'update' || kind === 'withdraw' ? [kind] : []));
}

/** The group whose entries are meant for the server, whether or not it may write now. */
export function groupOf(membership: Membership): ServerFirmwareGroup | undefined {
  return membership.kind === 'member' || membership.kind === 'frozen' ? membership.group : undefined;
}

/** That the last request for this very list was not taken. It is asked for again, and nothing says that it will be taken. */
function refusalOf({ stored, settled }: PlanContext, { seen, decision, situation }: Look): PlanReason | undefined {
  const name = seen.firmware.metadata.name ?? '';
  const told = conditionOf(stored(name)?.status?.conditions, ironcoreConditions.progressing);
  const isAsking = asksOf(decision).length > 0;
  if (told === undefined || !isAsking || settled.writes.has(name) || situation.isRetryAsked) return undefined;
  if (told.status !== 'False' || !Object.hasOwn(firmwareErrors, told.reason)) return undefined;
  if (told.observedGeneration !== seen.firmware.metadata.generation) return undefined;
  return { code: told.reason, message: told.message, since: told.lastTransitionTime };
}

function stateOf({ decision, outlook, membership, situation }: Look, refusal: PlanReason | undefined): PlanState {
  const { facts } = situation;
  if (facts.target === 'inert') return 'inert';
  if (facts.request === 'open') return 'under-way';
  if (refusal !== undefined) return 'blocked';
  const [asked, later] = [asksOf(decision), asksOf(outlook)];
  if (later.includes('update')) return 'update';
  if (facts.scan === 'cooling') return 'waits';
  const isKnown = !later.includes('scan');
  if (isKnown && (facts.difference === 'exhausted' || facts.difference === 'held')) return 'blocked';
  if (isKnown && facts.difference === 'cooling') return 'waits';
  if (asked.includes('scan')) return 'scan';
  if (isKept(membership)) return 'blocked';
  return situation.isDeclared ? 'up-to-date' : 'no-target';
}

/** A group selects the server and does not write to it. */
function isKept({ kind }: Membership): boolean {
  return kind !== 'none' && kind !== 'member';
}

function waitingOf(
  { seen, membership, situation }: Look,
  known: {
    readonly isUpdating: boolean;
    readonly refusal: PlanReason | undefined;
    readonly group: ServerFirmwareGroup | undefined;
  },
): WaitingFirmware[] {
  if (seen.firmware.status?.lastScanTime === undefined) return [];
  const { askable, differences } = situation;
  const kept = differences.filter((each) => !askable.includes(each));
  const frozen = membership.kind === 'frozen' ? heldBy(seen, membership.group) : [];
  const keys = new Set(frozen.map(entryKey));
  const held = [...kept.filter((each) => !keys.has(entryKey(each))), ...frozen];
  const holdCode = membership.kind === 'frozen' ? membership.reason.code : (seen.hold?.code ?? 'Held');
  const askedCode = known.refusal?.code ?? waitCode(seen, situation);
  const others = known.isUpdating ? [] : askable.filter(isForItsParts);
  const unlisted = askable.filter((each) => !isForItsParts(each));
  const toWaiting = (difference: Difference, reason: string): WaitingFirmware => ({
    ...plannedFirmware(difference, wantedBy(difference, known.group)),
    reason: askable.includes(difference) ? reason : (obstacleOf(difference) ?? reason),
  });
  return [
    ...others.map((each) => toWaiting(each, askedCode)),
    ...unlisted.map((each) => toWaiting(each, known.isUpdating ? ironcoreReasons.notApplicable : askedCode)),
    ...held.map((each) => toWaiting(each, holdCode)),
  ];
}

/** What would differ if the group went on: entries of it that are there, and those that it would write. */
function heldBy(
  { firmware, server, discovered, compare }: ServerSeen,
  group: ServerFirmwareGroup,
): readonly Difference[] {
  const goingOn = { ...group, spec: { ...group.spec, paused: false }, status: {} };
  const [effect] = decideMember({ firmware, server, groups: [goingOn] }).effects;
  const written = effect === undefined ? firmware : asIfWritten(firmware, effect);
  const serverManufacturer = server?.status?.manufacturer;
  const differences = differencesOf({ firmware: written, serverManufacturer, discovered, compare });
  return differences.filter(({ isFromGroup }) => isFromGroup);
}

function waitCode({ firmware }: ServerSeen, { facts, inertness }: ServerSituation): string {
  if (inertness !== undefined) return inertness.code;
  if (facts.request === 'open') return waitBefore(firmware, firmware.status?.request)?.reason ?? 'Updating';
  if (facts.difference === 'exhausted') return 'AttemptsExhausted';
  if (facts.scan === 'cooling') return 'ScanFailed';
  return facts.difference === 'cooling' ? 'UpdateFailed' : 'NotScanned';
}

function reasonsOf(
  { seen, decision, outlook, membership, situation }: Look,
  { state, refusal }: { readonly state: PlanState; readonly refusal: PlanReason | undefined },
): PlanReason[] {
  const { conditions } = outlook.status ?? {};
  const reasons: PlanReason[] = refusal === undefined ? [] : [refusal];
  const progress = conditionOf(conditions, ironcoreConditions.progressing);
  if (state === 'no-target') reasons.push(noTargetReason(seen));
  const isTold = state === 'inert' || state === 'under-way' || state === 'waits' || state === 'blocked';
  if (isTold && refusal === undefined && progress !== undefined && !isAtRest(progress)) {
    reasons.push(progressReason(look(progress.reason)));
  }
  if (seen.firmware.status?.lastScanTime === undefined && asksOf(decision).includes('scan')) {
    reasons.push({ code: 'NeverScanned', message: 'What is installed is not known before the first scan.' });
  }
  if (isKept(membership)) {
    const { code, message } = describeMembership(membership);
    reasons.push({ code, message: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` });
  }
  return reasons.filter(({ code }, at) => reasons.findIndex((each) => each.code === code) === at);

  function look(code: string): { code: string; message: string; since: string | undefined } {
    const stalled = conditionOf(conditions, ironcoreConditions.stalled);
    const isStalled = stalled?.status === 'True' && state === 'blocked';
    const told = isStalled ? stalled : progress;
    return { code, message: told?.message ?? '', since: told?.lastTransitionTime };
  }

  function progressReason({
    code,
    message,
    since,
  }: {
    code: string;
    message: string;
    since: string | undefined;
  }): PlanReason {
    const until =
      state === 'waits' && situation.coolUntil !== undefined ? textOfMoment(situation.coolUntil) : undefined;
    return { code, message, since, until };
  }
}

/** Nothing is under way and nothing waits. */
function isAtRest({ reason }: Condition): boolean {
  return reason === 'Idle' || reason === ironcoreReasons.noTarget;
}

function noTargetReason(seen: ServerSeen): PlanReason {
  const message = `No firmware version is declared for this server. ${describeNewer(findNewerVersions(seen))}`;
  return { code: ironcoreReasons.noTarget, message };
}

function writeOf({ stored, settled }: PlanContext, name: string): PlannedWrite | undefined {
  const effect = settled.writes.get(name);
  const [before, after] = [stored(name)?.spec.firmwares ?? [], settled.fleet.firmware(name)?.spec.firmwares ?? []];
  if (effect === undefined) return undefined;
  const versionsOf = (list: typeof before) => new Map(list.map((entry) => [entryKey(entry), entry.version]));
  const [was, is] = [versionsOf(before), versionsOf(after)];
  const shown = (list: typeof before) =>
    list.map((entry) => ({ ...readEntryKey(entryKey(entry)), version: entry.version }));
  return {
    group: effect.group,
    set: shown(after.filter((entry) => was.get(entryKey(entry)) !== entry.version)),
    takenBack: shown(before.filter((entry) => !is.has(entryKey(entry)))),
  };
}
