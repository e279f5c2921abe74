import { type BareMetalHostDiscovery, type BareMetalHostDiscoveryStatus, defaultMaxUnusedHosts } from '../api/index.ts';
import { type ConditionDraft, type Instant, isSameJson, textOfMoment, writeConditions } from '../kube/index.ts';
import { type Refusal, shortened } from './poll/sort-machines.ts';
import type { Report } from './report.ts';

/** The conditions that are ours. */
const owned = ['Ready', 'NameConflict', 'Throttled'];

/** How many refusals a status lists. */
const mostSkipped = 20;

/** What a status tells of. */
export interface StatusFacts {
  readonly object: BareMetalHostDiscovery;
  readonly report: Report | undefined;
  /** Hosts that were created and are in no status yet. */
  readonly uncounted: number;
}

/** The status; one that says nothing new keeps its time, so that polls that find nothing write nothing. Pure. */
export function discoveryStatus(facts: StatusFacts, now: Instant): BareMetalHostDiscoveryStatus {
  const { object, report, uncounted } = facts;
  const before = object.status ?? {};
  const time = textOfMoment(now);
  const discovered = (before.discoveredHosts ?? 0) + uncounted;
  const next: BareMetalHostDiscoveryStatus = {
    ...before,
    ...(object.metadata.generation === undefined ? {} : { observedGeneration: object.metadata.generation }),
    ...(report === undefined ? {} : countsOf(report, before)),
    discoveredHosts: discovered,
    ...(uncounted === 0 ? {} : { lastDiscoveryTime: time }),
    conditions: writeConditions(
      conditionsOf(object, report),
      { before: before.conditions, generation: object.metadata.generation, now },
      owned,
    ),
  };
  if (report === undefined || isSameJson(next, before)) return next;
  return { ...next, lastPollTime: time };
}

/** While a source is away nothing new is known of its machines. */
function countsOf(report: Report, before: BareMetalHostDiscoveryStatus): BareMetalHostDiscoveryStatus {
  const isBlind = report.problem !== undefined && report.problem.reason !== 'CreateFailed';
  if (isBlind && before.knownHosts !== undefined) return {};
  return {
    knownHosts: report.known,
    unusedHosts: report.unused,
    skippedHosts: report.refused.length,
    waitingHosts: report.waiting,
    ignoredHosts: report.ignored,
    skipped: report.refused.slice(0, mostSkipped).map(skippedOf),
  };
}

function skippedOf({ id, bootMac, reason, message }: Refusal) {
  return {
    provisionerID: shortened(id),
    ...(bootMac === undefined ? {} : { bootMACAddress: bootMac }),
    reason,
    message: message.slice(0, 300),
  };
}

function conditionsOf({ spec }: BareMetalHostDiscovery, report: Report | undefined): ConditionDraft[] {
  if (spec.paused === true) return [draft('Ready', false, 'Paused', 'No hosts are created while it is paused.')];
  if (report === undefined) return [draft('Ready', false, 'Waiting', 'The provisioner has not been asked yet.')];
  const { problem } = report;
  const conflicts = report.refused.filter(({ reason }) => reason.startsWith('Name'));
  return [
    problem === undefined
      ? draft('Ready', true, 'Polled', 'The provisioner answers.')
      : draft('Ready', false, problem.reason, problem.message),
    conflicts.length === 0
      ? draft('NameConflict', false, 'NoConflict', 'Every machine could be named.')
      : draft('NameConflict', true, conflicts[0]?.reason ?? '', conflictText(conflicts)),
    throttledOf(spec, report),
  ];
}

function throttledOf({ maxUnusedHosts }: BareMetalHostDiscovery['spec'], report: Report): ConditionDraft {
  if (report.throttled === 0) {
    return draft('Throttled', false, 'WithinLimit', 'No machine waits because of a limit.');
  }
  if (report.throttledBy === 'rate') {
    const message = 'More machines came than the rate limit lets in at once: the rest wait.';
    return draft('Throttled', true, 'RateLimited', message);
  }
  const most = maxUnusedHosts ?? defaultMaxUnusedHosts;
  const message = `${report.unused} discovered hosts of this namespace are used by nobody, and spec.maxUnusedHosts is ${most}: more machines wait until hosts are used or deleted.`;
  return draft('Throttled', true, 'TooManyUnused', message);
}

function conflictText(conflicts: readonly Refusal[]): string {
  const [first] = conflicts;
  const start = `The machine ${shortened(first?.id ?? '')} became no host: ${first?.message.slice(0, 300)}`;
  return conflicts.length === 1 ? start : `${start} The same holds for ${conflicts.length - 1} more.`;
}

function draft(type: string, isSo: boolean, reason: string, message: string): ConditionDraft {
  return { type, status: isSo ? 'True' : 'False', reason, message };
}
