import { isDeepStrictEqual } from 'node:util';
import type {
  DiscoveredFirmware,
  DiscoveredFirmwareStatus,
  PartFirmware,
  ServerFirmware,
  ServerFirmwareStatus,
} from '../../api/index.ts';
import { isSameUuid } from '../../bmc/index.ts';
import type { Instant } from '../../kube/index.ts';
import { partKey, partName } from '../../parts/index.ts';
import { sortVersions } from '../../versions/index.ts';
import type { JobWait } from '../ports.ts';
import type { AvailableProduct } from '../server/available-products.ts';
import { biosName } from '../server/desired.ts';
import { waitBefore, withWait } from '../server/request-wait.ts';
import { momentOf, textOfMoment } from '../times.ts';
import { fitAvailable, fitInstalled, mostFirmwares, mostParts } from './fit-object.ts';

/** What the job of an open request waits for. */
export interface WaitReport {
  /** Name of the Server object. */
  readonly server: string;
  /** Id of the condition that is the job. */
  readonly conditionId: string;
  /** Undefined once the job goes on. */
  readonly wait: JobWait | undefined;
}

/** Why work ended badly. */
export interface ReportedFailure {
  /** One word: `Cancelled` is no attempt that failed. */
  readonly reason: string;
  readonly message: string;
}

/** What an update or scan job found or failed at. */
export interface ServerReport {
  /** Name of the Server object. */
  readonly server: string;
  /** UUID of the machine that was worked on, which the Server may be no more; nothing is compared unless given. */
  readonly machine?: string | undefined;
  readonly kind: 'Scan' | 'Update';
  /** Id of the condition the job worked for. */
  readonly conditionId: string;
  /** Id of the store that numbered it: numbers of two stores say nothing of each other. */
  readonly store: string;
  /** Grows with every report of one store about this server, whoever makes it. */
  readonly sequence: number;
  /** When the versions were read, or the work failed. */
  readonly at: Instant;
  /** What is installed; undefined when it could not be read, which leaves what is known. */
  readonly installed?: readonly PartFirmware[] | undefined;
  /** Undefined when it ended well. */
  readonly failure?: ReportedFailure | undefined;
  /** True for work that may have changed what is installed and was followed by no reading yet. */
  readonly isOutdated?: boolean | undefined;
}

/** What a discovery job found or failed at. */
export interface DiscoveryReport {
  /** Name of the DiscoveredFirmware object. */
  readonly name: string;
  readonly conditionId: string;
  readonly store: string;
  readonly sequence: number;
  readonly at: Instant;
  /** Versions oldest first; longer lists than the object stores lose their oldest. */
  readonly available?: readonly AvailableProduct[] | undefined;
  readonly failure?: ReportedFailure | undefined;
}

const cancelled = 'Cancelled';
const longestMessage = 1000;

/** Where a report has its place among all of them. */
export type ReportPlace = Pick<ServerReport, 'store' | 'sequence'>;

/**
 * True when the status has this report or a newer one already. Only one store works on a fleet at a time, so what another
 * one numbered, or nobody knows who, is of the time before.
 */
export function isStale(
  status: Pick<ServerFirmwareStatus, 'report'> | undefined,
  { store, sequence }: ReportPlace,
): boolean {
  return status?.report !== undefined && status.report.store === store && status.report.sequence >= sequence;
}

function markOf({
  conditionId,
  store,
  sequence,
}: ReportPlace & { readonly conditionId: string }): NonNullable<ServerFirmwareStatus['report']> {
  return { conditionID: conditionId, store, sequence };
}

/**
 * The status with a report in it; undefined when the report is older than what is there. One that is older but answers the
 * open request is not lost: what it says of the request is written, what it says of the server is not. Pure.
 */
export function mergeServerReport(
  { status = {} }: Pick<ServerFirmware, 'status'>,
  told: ServerReport,
): ServerFirmwareStatus | undefined {
  const report = isOfOther(status, told) ? withoutNews(told) : told;
  const isLate = isStale(status, report);
  const answered = answerRequest(recallUpdate(status, report), report);
  if (isLate && answered === status) return undefined;
  const merged = isLate ? answered : withInstalled(answered, report);
  return report.failure === undefined ? merged : withFailure(merged, report, { ...report.failure, isLate });
}

/** True when the board was swapped since: what was seen or failed on the old one says nothing of the new one. */
function isOfOther({ systemUUID }: ServerFirmwareStatus, { machine }: ServerReport): boolean {
  if (systemUUID === undefined || machine === undefined) return false;
  return systemUUID !== machine.toLowerCase() && !isSameUuid(systemUUID, machine);
}

/** Only that the job is over is left of it, so that whoever waits for it asks anew. */
function withoutNews({ installed: _, isOutdated: __, ...report }: ServerReport): ServerReport {
  const message = 'it was about the machine that the Server was before.';
  return { ...report, failure: { reason: cancelled, message } };
}

/** An update that took longer than its request was kept is answered as if it were still the open one: it counts too. */
function recallUpdate(status: ServerFirmwareStatus, { conditionId }: ServerReport): ServerFirmwareStatus {
  const { openUpdate, ...rest } = status;
  return openUpdate?.jobID === conditionId ? { ...rest, request: openUpdate } : status;
}

/** Marks the request that a report answers, so that no later report about the server hides that it was answered. */
function answerRequest(status: ServerFirmwareStatus, { conditionId, sequence }: ServerReport): ServerFirmwareStatus {
  const { request } = status;
  if (request === undefined || request.jobID !== conditionId || request.report !== undefined) return status;
  return { ...status, request: { ...request, report: sequence } };
}

function withInstalled(status: ServerFirmwareStatus, report: ServerReport): ServerFirmwareStatus {
  if (report.installed === undefined) return { ...status, report: markOf(report), ...outdatedBy(report) };
  // The list is complete: what it lacks was not there.
  const { failedScans: _, bios: __, outdated: ___, ...kept } = status;
  return {
    ...kept,
    report: markOf(report),
    ...machineOf(status, report),
    ...installedFields(report.installed, report.at),
  };
}

/** What is known from before stays, and is shown as that. */
function outdatedBy({ isOutdated, at, conditionId }: ServerReport): Pick<ServerFirmwareStatus, 'outdated'> {
  return isOutdated === true ? { outdated: { since: textOfMoment(at), jobID: conditionId } } : {};
}

/** Whose versions these are, where nobody has said so: they are forgotten when the Server turns out to be another. */
function machineOf(
  { systemUUID }: ServerFirmwareStatus,
  { machine }: ServerReport,
): Pick<ServerFirmwareStatus, 'systemUUID'> {
  return systemUUID === undefined && machine !== undefined ? { systemUUID: machine.toLowerCase() } : {};
}

function installedFields(
  installed: readonly PartFirmware[],
  at: Instant,
): Pick<ServerFirmwareStatus, 'lastScanTime' | 'bios' | 'firmwares'> {
  const firmwares = fitInstalled(installed);
  const bios = firmwares.find(isBios);
  return {
    lastScanTime: textOfMoment(at),
    firmwares: firmwares.slice(0, mostParts),
    ...(bios === undefined ? {} : { bios: { version: bios.version } }),
  };
}

function isBios(entry: { readonly name: string } | undefined): boolean {
  return entry !== undefined && partName(entry.name) === biosName;
}

/** A request that failed is over; one that ended well stays until the controller has judged what came of it. */
function withFailure(
  status: ServerFirmwareStatus,
  report: ServerReport,
  failure: ReportedFailure & { readonly isLate: boolean },
): ServerFirmwareStatus {
  const { request, ...rest } = status;
  const isOurs = request?.jobID === report.conditionId;
  const kept: ServerFirmwareStatus = isOurs || request === undefined ? rest : status;
  // It says nothing of how things stand; that the request is over its mark says.
  if (failure.isLate && (report.kind === 'Scan' || failure.reason === cancelled)) return status;
  if (failure.reason === cancelled) return kept;
  if (report.kind === 'Scan') {
    return { ...kept, failedScans: oneMore(status.failedScans, report.at, failure.message) };
  }
  const desiredHash = isOurs ? request?.desiredHash : undefined;
  // An update that another door asked for says nothing of our list.
  if (desiredHash === undefined) return kept;
  const before = status.attempts?.desiredHash === desiredHash ? status.attempts : undefined;
  return { ...kept, attempts: { desiredHash, ...oneMore(before, report.at, failure.message) } };
}

/** The status with what the job of the open request waits for; undefined where that changes nothing. Pure. */
export function mergeWait(
  { status = {} }: Pick<ServerFirmware, 'status'>,
  { conditionId, wait }: Pick<WaitReport, 'conditionId' | 'wait'>,
  now: Instant,
): ServerFirmwareStatus | undefined {
  const { request } = status;
  if (request?.jobID !== conditionId || request.report !== undefined) return undefined;
  if (wait === undefined && waitBefore({ status }, request) === undefined) return undefined;
  const merged = withWait(status, wait, now);
  return isDeepStrictEqual(merged, status) ? undefined : merged;
}

/** The same for what discovery found. Pure. */
export function mergeDiscoveryReport(
  { spec, status = {} }: Pick<DiscoveredFirmware, 'spec' | 'status'>,
  report: DiscoveryReport,
): DiscoveredFirmwareStatus | undefined {
  const { request, failedRuns, ...rest } = status;
  const isOurs = request?.jobID === report.conditionId;
  // What it found is older than what is there; that the request is over is news.
  if (isStale(status, report)) return isOurs ? withoutRequest(status, report) : undefined;
  const kept: DiscoveredFirmwareStatus = {
    ...rest,
    ...(isOurs || request === undefined ? {} : { request }),
    report: markOf(report),
  };
  const { failure, available } = report;
  if (failure !== undefined) {
    if (failure.reason === cancelled) return { ...kept, ...(failedRuns === undefined ? {} : { failedRuns }) };
    return { ...kept, failedRuns: oneMore(failedRuns, report.at, failure.message) };
  }
  // The list is complete: what it lacks was not discovered.
  const { bios: _, ...others } = kept;
  return { ...others, lastDiscoveryTime: textOfMoment(report.at), ...availableFields(available ?? [], spec) };
}

/** A request that is over and left nothing newer behind has failed: otherwise it would be made again at once. */
function withoutRequest(
  { request, ...rest }: DiscoveredFirmwareStatus,
  { at }: DiscoveryReport,
): DiscoveredFirmwareStatus {
  const [foundAt = 0, sentAt = 0] = [momentOf(rest.lastDiscoveryTime), momentOf(request?.time)];
  if (foundAt >= sentAt) return rest;
  return { ...rest, failedRuns: oneMore(rest.failedRuns, at, 'it told nothing newer than what is known.') };
}

function oneMore(
  before: { readonly failed: number } | undefined,
  at: Instant,
  message: string,
): NonNullable<DiscoveredFirmwareStatus['failedRuns']> {
  const run = { lastFailureTime: textOfMoment(at), message: message.slice(0, longestMessage) };
  return { failed: (before?.failed ?? 0) + 1, ...run };
}

function availableFields(
  available: NonNullable<DiscoveryReport['available']>,
  { versionsToStore = 3 }: DiscoveredFirmware['spec'],
): Pick<DiscoveredFirmwareStatus, 'bios' | 'firmwares'> {
  const parts = [...Map.groupBy(fitAvailable(available), productKey).values()];
  const newest = (group: typeof available): string[] => {
    const versions = [...new Set(group.flatMap((each) => each.versions))];
    if (group.length === 1) return versions.slice(-versionsToStore);
    // Told under several spellings: put in order anew.
    const of = { vendor: group[0]?.manufacturer ?? '', component: partName(group[0]?.name ?? '') };
    const sorted = sortVersions(
      of,
      versions.map((version) => ({ version })),
    );
    return sorted
      .slice(0, versionsToStore)
      .map(({ version }) => version)
      .reverse();
  };
  const bios = parts.find((group) => isBios(group[0]));
  return {
    firmwares: parts
      .flatMap((group) => {
        const [first] = group;
        if (first === undefined || isBios(first)) return [];
        const list = newest(group);
        const { name, manufacturer, model, softwareIds = [] } = first;
        const named = model === undefined ? {} : { model };
        const ids = softwareIds.length === 0 ? {} : { softwareIds: softwareIds.slice(0, mostSoftwareIds) };
        return [{ name, manufacturer, ...named, ...ids, version: list, versions: list }];
      })
      .slice(0, mostFirmwares),
    ...(bios === undefined ? {} : { bios: { versions: newest(bios) } }),
  };
}

/** As many as a status may have. */
const mostSoftwareIds = 100;

function productKey({ model = '', softwareIds = [], ...spelling }: AvailableProduct): string {
  if (isBios(spelling)) return partKey(spelling);
  return JSON.stringify([partKey(spelling), model.trim().toLowerCase(), softwareIds.toSorted()]);
}
