import {
  type BMC,
  type DiscoveredFirmware,
  ironcoreConditions,
  ironcoreReasons,
  operationAnnotation,
  retryOperation,
  retryPropagatedOperation,
  type Server,
  type ServerFirmwareStatus,
} from '../../api/index.ts';
import type { Facts, Instant } from '../../kube/index.ts';
import { believableFailures } from '../believable-failures.ts';
import { isTrue } from '../conditions.ts';
import { type Inertness, inertnessOf, isExcluded } from '../fleet/fleet.ts';
import type { OwnedFirmware } from '../fleet/objects.ts';
import type { CompareVersions } from '../ports.ts';
import type { FirmwareSettings } from '../settings.ts';
import { growingWaitMs, momentOf, pauseMs, textOfMoment } from '../times.ts';
import { desiredHash, desiredOf } from './desired.ts';
import { type Difference, describeDifference, differencesOf, isInstallable } from './differences.ts';
import type { ServerPhase, serverTable } from './server-table.ts';

/** What the server controller looks at. */
export interface ServerSeen {
  readonly firmware: OwnedFirmware;
  /** Undefined when there is no such Server. */
  readonly server: Server | undefined;
  /** The BMC it is behind, where that is an object. */
  readonly bmc: BMC | undefined;
  /** The versions that discovery found for its manufacturer and model. */
  readonly discovered: DiscoveredFirmware | undefined;
  /** An older ServerFirmware that refers to the same server. */
  readonly duplicateOf: string | undefined;
  /** Why entries of the group are not to be installed now: it is paused, or has halted. */
  readonly hold: Inertness | undefined;
  readonly compare: CompareVersions;
  readonly settings: FirmwareSettings;
}

type Attempts = NonNullable<ServerFirmwareStatus['attempts']>;
type FailedScans = ServerFirmwareStatus['failedScans'];

/** All that a decision about a server leans on, worked out once. */
export interface ServerSituation {
  readonly facts: Facts<typeof serverTable.facts>;
  /** Where the machine was left by the last look. */
  readonly phase: ServerPhase;
  readonly inertness: Inertness | undefined;
  readonly differences: readonly Difference[];
  /** True when at least one version is declared for the server. */
  readonly isDeclared: boolean;
  /** Differences that may be asked for now. */
  readonly askable: readonly Difference[];
  readonly hash: string;
  /** Names what of the list is asked for while the rest is held back; undefined when all of it is. */
  readonly part: string | undefined;
  readonly isRetryAsked: boolean;
  /** Failed attempts at this very list. */
  readonly attempts: Attempts | undefined;
  /** Scans that failed in a row. */
  readonly failedScans: FailedScans;
  /** When the next attempt at a failed update or scan may be made. */
  readonly coolUntil: Instant | undefined;
  readonly scannedAt: Instant | undefined;
  readonly scanDueAt: Instant | undefined;
  /** When versions that were not available are asked for again; undefined where there are none. */
  readonly catalogueDueAt: Instant | undefined;
}

/** The job id of a request that is about to be sent: whoever accepts it says the real one. */
export const unsentJobId = 'unsent';

/** The list of an update that was asked for before the Server became another machine: it is wanted no more. */
export const otherMachineList = 'of another machine';

/** Never scan without a pause, whatever the threshold says. */
const thresholds = { leastMs: 1000, defaultMs: 30 * 60_000 };

/** Works out what a decision leans on. Pure. */
export function describeSituation(told: ServerSeen, now: Instant): ServerSituation {
  const seen = believeSeen(told, now);
  const { firmware, server, settings, hold } = seen;
  const manufacturer = server?.status?.manufacturer;
  const { discovered, compare } = seen;
  const differences = differencesOf({ firmware, serverManufacturer: manufacturer, discovered, compare });
  const isRetryAsked = hasRetry(firmware);
  const askAgainAt = isRetryAsked ? 0 : catalogueDueAt(seen, now);
  const isAskable = (difference: Difference): boolean =>
    isInstallable(difference) && (difference.unavailable === undefined || askAgainAt <= now);
  const askable = differences.filter((each) => isAskable(each) && (hold === undefined || !each.isFromGroup));
  const wishes = desiredOf(firmware, manufacturer);
  const hash = desiredHash(wishes);
  const isHeldBack = (each: Difference): boolean => each.isFromGroup && isInstallable(each);
  const isPart = hold !== undefined && askable.length > 0 && differences.some(isHeldBack);
  const part = isPart ? desiredHash(wishes.filter(({ isFromGroup }) => !isFromGroup)) : undefined;
  const attempts = isRetryAsked ? undefined : countAttempts(firmware, { hash, part, askable, now });
  const inertness = findInertness(seen);
  const scan = scanFacts(firmware, { settings, now, isRetryAsked });
  const coolUntil = attempts === undefined ? undefined : coolingEnd(attempts, settings);
  const isExhausted = attempts !== undefined && attempts.failed >= settings.maxAttempts;
  const facts = {
    target: inertness === undefined ? 'ready' : 'inert',
    request: isOpen(firmware, { hash, part, settings, now }) ? 'open' : 'over',
    scan: scan.fact,
    difference: differenceFact({
      isDeclared: wishes.length > 0,
      differences,
      askable,
      isExhausted,
      isCooling: coolUntil !== undefined && coolUntil > now,
    }),
  } as const;
  return {
    facts,
    phase: phaseOf(firmware.status),
    inertness,
    isDeclared: wishes.length > 0,
    differences,
    askable,
    hash,
    part,
    isRetryAsked,
    attempts,
    failedScans: scan.failedScans,
    coolUntil: scan.fact === 'cooling' ? scan.coolUntil : coolUntil,
    scannedAt: scan.scannedAt,
    scanDueAt: scan.dueAt,
    catalogueDueAt: differences.some(({ unavailable }) => unavailable !== undefined) ? askAgainAt : undefined,
  };
}

/** When versions that the catalogue did not have are asked for again: after a while, and when discovery has run. */
function catalogueDueAt({ firmware, discovered, settings }: ServerSeen, now: Instant): Instant {
  const answeredAt = momentOf(firmware.status?.resolved?.time);
  const discoveredAt = momentOf(discovered?.status?.lastDiscoveryTime);
  if (answeredAt === undefined || answeredAt > now) return 0;
  if (discoveredAt !== undefined && discoveredAt > answeredAt && discoveredAt <= now) return 0;
  return answeredAt + settings.catalogueWaitMs;
}

/** What is seen, with times that can be waited from. */
export function believeSeen(seen: ServerSeen, now: Instant): ServerSeen {
  const { firmware, settings } = seen;
  const { status } = firmware;
  const attempts = believableFailures(status?.attempts, { settings, now });
  const failedScans = believableFailures(status?.failedScans, { settings, now });
  if (attempts === status?.attempts && failedScans === status?.failedScans) return seen;
  const counts = {
    ...(attempts === undefined ? {} : { attempts }),
    ...(failedScans === undefined ? {} : { failedScans }),
  };
  return { ...seen, firmware: { ...firmware, status: { ...status, ...counts } } };
}

function hasRetry({ metadata }: OwnedFirmware): boolean {
  const operation = metadata.annotations?.[operationAnnotation];
  return operation === retryOperation || operation === retryPropagatedOperation;
}

/** Why nothing is done about a ServerFirmware; undefined for one that is worked on. */
export function findInertness({
  firmware,
  server,
  bmc,
  duplicateOf,
}: Pick<ServerSeen, 'firmware' | 'server' | 'bmc' | 'duplicateOf'>): Inertness | undefined {
  const { name } = firmware.spec.serverRef;
  if (firmware.metadata.deletionTimestamp !== undefined) {
    return { code: 'Deleted', message: 'the object is being deleted' };
  }
  if (duplicateOf !== undefined) {
    return {
      code: ironcoreConditions.duplicateServer,
      message: `ServerFirmware ${duplicateOf} is about Server ${name} too and was there first; delete one of them`,
    };
  }
  if (server === undefined) {
    return { code: 'ServerNotFound', message: `there is no Server ${name}; nothing happens until there is` };
  }
  if (isExcluded(firmware.metadata.labels)) return { code: 'Excluded', message: 'its labels opt it out' };
  return inertnessOf(server, bmc);
}

/** Where the last look left it: what was written then tells. */
function phaseOf(status: ServerFirmwareStatus | undefined): ServerPhase {
  if (status?.request !== undefined) return status.request.kind === 'Update' ? 'Updating' : 'Scanning';
  return isTrue(status?.conditions, ironcoreConditions.stalled) ? 'Stalled' : 'Idle';
}

/** Which list is wanted now, and what of it. */
type WantedList = Pick<ServerSituation, 'hash' | 'part'>;

interface OpenContext extends WantedList {
  readonly settings: FirmwareSettings;
  readonly now: Instant;
}

/** How often a request whose job lacks a worker is made again, which finds the same job and whether it still lacks one. */
export const askWorkerAgainMs = 60_000;

/** True when the open request was last known to wait for a worker. */
export function isWaitingForWorker(status: ServerFirmwareStatus | undefined): boolean {
  const progress = status?.conditions?.find(({ type }) => type === ironcoreConditions.progressing);
  return progress?.reason === ironcoreReasons.noWorker;
}

/** A request is open until its job reports, it is about something else than what is wanted now, or it got lost. */
function isOpen({ status }: OwnedFirmware, { settings, now, ...wanted }: OpenContext): boolean {
  const request = status?.request;
  if (request === undefined || isAnswered(status)) return false;
  if (request.kind === 'Update' && !isFor(request, wanted)) return false;
  const sentAt = momentOf(request.time);
  const keptMs = isWaitingForWorker(status) ? askWorkerAgainMs : settings.resendAfterMs;
  return sentAt !== undefined && now - sentAt < keptMs && sentAt <= now + settings.resendAfterMs;
}

/** True when an update is for exactly what is asked for now. */
export function isFor(
  update: Pick<NonNullable<ServerFirmwareStatus['request']>, 'desiredHash' | 'partHash'>,
  { hash, part }: WantedList,
): boolean {
  return update.desiredHash === hash && update.partHash === part;
}

/** True when the job of the last request has reported, whatever was reported of other jobs since. */
export function isAnswered(status: ServerFirmwareStatus | undefined): boolean {
  if (status?.request === undefined) return false;
  return status.request.report !== undefined || status.report?.conditionID === status.request.jobID;
}

/**
 * Failed attempts at the list that is wanted now. An update that ended well and changed nothing has failed too: otherwise it
 * would be asked for for ever.
 */
function countAttempts(
  { status }: OwnedFirmware,
  { askable, now, ...wanted }: WantedList & { readonly askable: readonly Difference[]; readonly now: Instant },
): Attempts | undefined {
  const { hash } = wanted;
  const known = status?.attempts?.desiredHash === hash ? status.attempts : undefined;
  const request = status?.request;
  const isInVain = isAnswered(status) && request?.kind === 'Update' && isFor(request, wanted) && askable.length > 0;
  if (!isInVain) return known;
  return {
    desiredHash: hash,
    failed: (known?.failed ?? 0) + 1,
    lastFailureTime: textOfMoment(now),
    message: `the update ended well, and yet ${askable.map(describeDifference).join('; ')}`.slice(0, 1000),
  };
}

function coolingEnd(attempts: Attempts, { retryFromMs, retryToMs }: FirmwareSettings): Instant | undefined {
  const at = momentOf(attempts.lastFailureTime);
  if (at === undefined || attempts.failed === 0) return undefined;
  return at + growingWaitMs(attempts.failed, { fromMs: retryFromMs, toMs: retryToMs });
}

interface ScanFacts {
  readonly fact: 'fresh' | 'due' | 'cooling';
  readonly scannedAt: Instant | undefined;
  readonly dueAt: Instant | undefined;
  readonly coolUntil: Instant | undefined;
  readonly failedScans: FailedScans;
}

/**
 * Scans that failed in a row. One that was answered and told nothing newer has failed too: otherwise it would be asked for
 * again at once, and for ever.
 */
function countScans({ status }: OwnedFirmware, scannedAt: Instant | undefined, now: Instant): FailedScans {
  const { request, failedScans } = status ?? {};
  const sentAt = momentOf(request?.time);
  const isInVain =
    request?.kind === 'Scan' && isAnswered(status) && (scannedAt === undefined || scannedAt < (sentAt ?? now));
  if (!isInVain) return failedScans;
  return {
    failed: (failedScans?.failed ?? 0) + 1,
    lastFailureTime: textOfMoment(now),
    message: 'the scan ended, and told nothing newer than what is known.',
  };
}

function scanFacts(
  firmware: OwnedFirmware,
  context: { readonly settings: FirmwareSettings; readonly now: Instant; readonly isRetryAsked: boolean },
): ScanFacts {
  const { settings, now, isRetryAsked } = context;
  const { spec, status } = firmware;
  const thresholdMs = pauseMs(spec.scanThreshold, thresholds);
  const scannedAt = momentOf(status?.lastScanTime);
  // A scan that lies further in the future than the threshold is no scan: some clock was wrong.
  const isBelievable = scannedAt !== undefined && scannedAt <= now + thresholdMs;
  const dueAt = isBelievable ? scannedAt + thresholdMs : undefined;
  // What is known from before an update is read again before anything is decided by it.
  if (dueAt !== undefined && dueAt > now && status?.outdated === undefined) {
    const failedScans = isRetryAsked ? undefined : status?.failedScans;
    return { fact: 'fresh', scannedAt, dueAt, coolUntil: undefined, failedScans };
  }
  const failures = isRetryAsked ? undefined : countScans(firmware, scannedAt, now);
  const failedAt = momentOf(failures?.lastFailureTime);
  const limits = { fromMs: settings.retryFromMs, toMs: settings.retryToMs };
  const coolUntil = failedAt === undefined ? undefined : failedAt + growingWaitMs(failures?.failed ?? 0, limits);
  const isCooling = coolUntil !== undefined && coolUntil > now;
  return {
    fact: isCooling ? 'cooling' : 'due',
    scannedAt,
    dueAt,
    coolUntil: isCooling ? coolUntil : undefined,
    failedScans: failures,
  };
}

function differenceFact(known: {
  readonly isDeclared: boolean;
  readonly differences: readonly Difference[];
  readonly askable: readonly Difference[];
  readonly isExhausted: boolean;
  readonly isCooling: boolean;
}): ServerSituation['facts']['difference'] {
  if (!known.isDeclared) return 'undeclared';
  if (known.differences.length === 0) return 'none';
  if (known.isExhausted) return 'exhausted';
  if (known.askable.length === 0) return 'held';
  return known.isCooling ? 'cooling' : 'wanted';
}
