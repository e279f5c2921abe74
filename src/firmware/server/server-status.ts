import {
  ironcoreConditions,
  ironcoreReasons,
  operationAnnotation,
  type ServerFirmwareStatus,
} from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import { asSentence, type ConditionDraft, writeConditions } from '../conditions.ts';
import { textOfMoment } from '../times.ts';
import { desiredOf } from './desired.ts';
import { type Difference, describeDifference, isInstallable, obstacleOf, wishKey } from './differences.ts';
import { describeNewer, findNewerVersions } from './newer-versions.ts';
import { describeRequest, waitBefore } from './request-wait.ts';
import { isAnswered, isFor, type ServerSeen, type ServerSituation, unsentJobId } from './server-facts.ts';
import type { ServerPhase } from './server-table.ts';

const { scanned, upToDate, progressing, stalled, duplicateServer } = ironcoreConditions;

/** The conditions that the server controller writes. */
export const serverConditions: readonly string[] = [scanned, upToDate, progressing, stalled, duplicateServer];

/** Why nothing is asked for where no group holds it, the most serious first. */
const obstacles = [
  {
    code: 'ContradictoryEntries',
    message: 'entries of spec mean the same firmware and want different versions of it',
  },
  { code: 'NotApplicable', message: 'an entry of spec applies to no installed part' },
  { code: 'FirmwareNotFound', message: 'a version that is wanted is not available' },
] as const;

/** What keeps every difference from being asked for. */
export function holdingReason(
  hold: ServerSeen['hold'],
  differences: readonly Difference[],
): { readonly code: string; readonly message: string } {
  const isHeld = hold !== undefined && differences.some((each) => each.isFromGroup && isInstallable(each));
  if (isHeld) return hold;
  const codes = differences.map(obstacleOf);
  const { code, message } = obstacles.find((each) => codes.includes(each.code)) ?? obstacles[2];
  const words = differences
    .filter((each) => obstacleOf(each) === code)
    .slice(0, 5)
    .map(describeDifference);
  return { code, message: `${message}: ${words.join('; ')}` };
}

/** What was decided, as far as the status tells of it. */
export interface ServerOutcome {
  readonly phase: ServerPhase;
  readonly request: ServerFirmwareStatus['request'];
  readonly now: Instant;
}

/** The status that tells of a decision; what jobs reported stays as it is. */
export function describeServerStatus(
  seen: ServerSeen,
  situation: ServerSituation,
  outcome: ServerOutcome,
): ServerFirmwareStatus {
  const { firmware, server } = seen;
  const { metadata, status = {} } = firmware;
  // Of another machine it is told once onboarding has forgotten this one.
  const systemUUID = status.systemUUID ?? server?.spec.systemUUID.toLowerCase();
  const { request: _, attempts: __, openUpdate: ___, failedScans: ____, resolved: _____, ...kept } = status;
  const resolved = resolvedOf(seen);
  const openUpdate = openUpdateOf(status, situation, outcome);
  const context = { before: status.conditions, generation: metadata.generation, now: outcome.now };
  const { attempts, failedScans } = situation;
  return {
    ...kept,
    ...(systemUUID === undefined ? {} : { systemUUID }),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(resolved === undefined ? {} : { resolved }),
    ...(outcome.request === undefined ? {} : { request: outcome.request }),
    ...(openUpdate === undefined ? {} : { openUpdate }),
    ...(failedScans === undefined ? {} : { failedScans }),
    conditions: writeConditions(draftsOf(seen, situation, outcome), context, serverConditions),
  };
}

/** What the update service answered to entries that are still there. */
function resolvedOf({ firmware, server }: ServerSeen): ServerFirmwareStatus['resolved'] {
  const { resolved } = firmware.status ?? {};
  if (resolved === undefined) return undefined;
  const keys = new Set(desiredOf(firmware, server?.status?.manufacturer).map(wishKey));
  const entries = resolved.entries.filter((entry) => keys.has(wishKey(entry)));
  return entries.length === 0 ? undefined : { ...resolved, entries };
}

/** An update that has not reported is known also when another request takes its place: what becomes of it counts. */
function openUpdateOf(
  status: ServerFirmwareStatus,
  wanted: ServerSituation,
  { request }: ServerOutcome,
): ServerFirmwareStatus['openUpdate'] {
  const before = status.request;
  const isOpen = before?.kind === 'Update' && before.jobID !== unsentJobId && !isAnswered(status);
  const update = isOpen && request?.jobID !== before.jobID ? before : status.openUpdate;
  return update !== undefined && isFor(update, wanted) && update.jobID !== request?.jobID ? update : undefined;
}

function draftsOf(seen: ServerSeen, situation: ServerSituation, outcome: ServerOutcome): ConditionDraft[] {
  const drafts = [
    scanDraft(seen, situation),
    upToDateDraft(seen, situation, outcome),
    progressDraft(seen, situation, outcome),
    stalledDraft(situation, outcome),
  ];
  if (situation.inertness?.code !== duplicateServer) return drafts;
  const { code: reason, message } = situation.inertness;
  return [...drafts, { type: duplicateServer, status: 'True', reason, message }];
}

function scanDraft(
  { firmware }: ServerSeen,
  { facts, scannedAt, scanDueAt, coolUntil, failedScans }: ServerSituation,
): ConditionDraft {
  const { outdated } = firmware.status ?? {};
  const before = outdated === undefined ? '' : `, before the update ${outdated.jobID} that ended at ${outdated.since}`;
  const last = scannedAt === undefined ? 'never read' : `last read at ${textOfMoment(scannedAt)}${before}`;
  if (facts.scan === 'fresh' && scanDueAt !== undefined) {
    const message = `The installed versions were ${last} and are read again at ${textOfMoment(scanDueAt)}.`;
    return { type: scanned, status: 'True', reason: 'WithinThreshold', message };
  }
  const { failed = 0, message: cause = '' } = failedScans ?? {};
  if (facts.scan === 'cooling' && coolUntil !== undefined) {
    const message = `The installed versions were ${last}; ${failed} scans failed in a row: ${asSentence(cause)} Tried again at ${textOfMoment(coolUntil)}.`;
    return { type: scanned, status: 'False', reason: 'ScanFailed', message };
  }
  if (outdated !== undefined) {
    const message = `The installed versions were ${last}; they are read again.`;
    return { type: scanned, status: 'False', reason: 'OutOfDate', message };
  }
  return {
    type: scanned,
    status: 'False',
    reason: scannedAt === undefined ? 'NeverScanned' : 'ThresholdPassed',
    message: `The installed versions were ${last}; the scan threshold has passed.`,
  };
}

function upToDateDraft(
  seen: ServerSeen,
  { differences, inertness, attempts, facts, isDeclared }: ServerSituation,
  { phase, request }: ServerOutcome,
): ConditionDraft {
  const { firmware, hold } = seen;
  if (!isDeclared) {
    const message = `No firmware version is declared for this server. ${describeNewer(findNewerVersions(seen))}`;
    return { type: upToDate, status: 'Unknown', reason: ironcoreReasons.noTarget, message };
  }
  if (firmware.status?.lastScanTime === undefined) {
    const message = 'What is installed is not known before the first scan.';
    return { type: upToDate, status: 'Unknown', reason: inertness?.code ?? 'NotScanned', message };
  }
  if (differences.length === 0) {
    return { type: upToDate, status: 'True', reason: 'AsWanted', message: 'Everything wanted is installed.' };
  }
  const message = describeDifferences(differences);
  return { type: upToDate, status: 'False', reason: reason(), message };

  function reason(): string {
    if (inertness !== undefined) return inertness.code;
    if (hasGivenUp({ facts }, phase)) return ironcoreReasons.attemptsExhausted;
    if (phase === 'Updating') return waitBefore(firmware, request)?.reason ?? 'Updating';
    if (facts.difference === 'held') return holdingReason(hold, differences).code;
    return attempts === undefined ? 'Differs' : 'UpdateFailed';
  }
}

const mostDifferences = 10;

/** All that differs in words: first what cannot be installed. */
function describeDifferences(differences: readonly Difference[]): string {
  const isObstacle = (each: Difference): number => (obstacleOf(each) === undefined ? 0 : 1);
  const sorted = differences.toSorted((one, other) => isObstacle(other) - isObstacle(one));
  const more = sorted.length > mostDifferences ? `; and ${sorted.length - mostDifferences} more` : '';
  return `${sorted.slice(0, mostDifferences).map(describeDifference).join('; ')}${more}.`;
}

function progressDraft(
  { firmware, hold }: ServerSeen,
  { inertness, facts, attempts, coolUntil, scanDueAt, catalogueDueAt, differences }: ServerSituation,
  { phase, request }: ServerOutcome,
): ConditionDraft {
  const idle = (reason: string, message: string): ConditionDraft => ({
    type: progressing,
    status: 'False',
    reason,
    message,
  });
  const again = scanDueAt === undefined ? '' : ` Looks again at ${textOfMoment(scanDueAt)}.`;
  const catalogue =
    catalogueDueAt === undefined
      ? ''
      : ` The catalogue is asked again at ${textOfMoment(catalogueDueAt)}, or when discovery has run.`;
  const later = coolUntil === undefined ? again : ` Tried again at ${textOfMoment(coolUntil)}.`;
  switch (phase) {
    case 'Scanning':
    case 'Updating': {
      const waiting = waitBefore(firmware, request);
      if (waiting !== undefined) return idle(waiting.reason, waiting.message);
      return { type: progressing, status: 'True', ...describeRequest(request) };
    }
    case 'Inert':
      return idle(inertness?.code ?? 'Inert', `Nothing is done: ${inertness?.message ?? 'the server is left alone'}.`);
    case 'NoTarget':
      return idle(ironcoreReasons.noTarget, `No firmware version is declared for this server.${again}`);
    case 'Stalled':
      return idle(ironcoreReasons.attemptsExhausted, `Waits for somebody.${again}`);
    case 'Held': {
      const { code, message } = holdingReason(hold, differences);
      return idle(code, `Waits: ${asSentence(message)}${catalogue}${again}`);
    }
    case 'Idle': {
      if (facts.scan === 'cooling') return idle('ScanFailed', `Waits after a failed scan.${later}`);
      if (facts.difference === 'cooling') {
        return idle(
          'UpdateFailed',
          `Attempt ${attempts?.failed ?? 0} failed: ${asSentence(attempts?.message ?? '')}${later}`,
        );
      }
      return idle('Idle', `There is nothing to do for generation ${firmware.metadata.generation ?? 0}.${again}`);
    }
  }
}

/** A scan meanwhile changes nothing about it: the condition would come and go with each. */
function hasGivenUp({ facts }: Pick<ServerSituation, 'facts'>, phase: ServerPhase): boolean {
  return phase === 'Stalled' || (phase === 'Scanning' && facts.difference === 'exhausted');
}

function stalledDraft(situation: ServerSituation, { phase }: ServerOutcome): ConditionDraft {
  const { attempts, hash } = situation;
  if (!hasGivenUp(situation, phase)) {
    return { type: stalled, status: 'False', reason: 'NotStalled', message: '' };
  }
  const message = `${attempts?.failed ?? 0} attempts at the list ${hash.slice(0, 8)} failed, the last one: ${asSentence(attempts?.message ?? 'no reason given')} Change what is wanted, or annotate the object with ${operationAnnotation}: retry.`;
  return { type: stalled, status: 'True', reason: ironcoreReasons.attemptsExhausted, message };
}
