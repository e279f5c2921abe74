import {
  ironcoreConditions,
  ironcoreReasons,
  operationAnnotation,
  type ServerFirmwareStatus,
} from '../../api/index.ts';
import type { Instant } from '../../kube/index.ts';
import { asSentence, type ConditionDraft, writeConditions } from '../conditions.ts';
import { textOfMoment } from '../times.ts';
import { describeDifference } from './desired.ts';
import { isAnswered, isFor, type ServerSeen, type ServerSituation, unsentJobId } from './server-facts.ts';
import type { ServerPhase } from './server-table.ts';

const { scanned, upToDate, progressing, stalled, duplicateServer } = ironcoreConditions;

/** The conditions that the server controller writes. */
export const serverConditions: readonly string[] = [scanned, upToDate, progressing, stalled, duplicateServer];

/** Why nothing is asked for where no group holds it. */
const contradiction = {
  code: 'ContradictoryEntries',
  message: 'entries of spec mean the same firmware and want different versions of it',
};

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
  const { request: _, attempts: __, openUpdate: ___, failedScans: ____, ...kept } = status;
  const openUpdate = openUpdateOf(status, situation, outcome);
  const context = { before: status.conditions, generation: metadata.generation, now: outcome.now };
  const { attempts, failedScans } = situation;
  return {
    ...kept,
    ...(systemUUID === undefined ? {} : { systemUUID }),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(outcome.request === undefined ? {} : { request: outcome.request }),
    ...(openUpdate === undefined ? {} : { openUpdate }),
    ...(failedScans === undefined ? {} : { failedScans }),
    conditions: writeConditions(draftsOf(seen, situation, outcome), context, serverConditions),
  };
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
    scanDraft(situation),
    upToDateDraft(seen, situation, outcome),
    progressDraft(seen, situation, outcome),
    stalledDraft(situation, outcome),
  ];
  if (situation.inertness?.code !== duplicateServer) return drafts;
  const { code: reason, message } = situation.inertness;
  return [...drafts, { type: duplicateServer, status: 'True', reason, message }];
}

function scanDraft({ facts, scannedAt, scanDueAt, coolUntil, failedScans }: ServerSituation): ConditionDraft {
  const last = scannedAt === undefined ? 'never read' : `last read at ${textOfMoment(scannedAt)}`;
  if (facts.scan === 'fresh' && scanDueAt !== undefined) {
    const message = `The installed versions were ${last} and are read again at ${textOfMoment(scanDueAt)}.`;
    return { type: scanned, status: 'True', reason: 'WithinThreshold', message };
  }
  const { failed = 0, message: cause = '' } = failedScans ?? {};
  if (facts.scan === 'cooling' && coolUntil !== undefined) {
    const message = `The installed versions were ${last}; ${failed} scans failed in a row: ${asSentence(cause)} Tried again at ${textOfMoment(coolUntil)}.`;
    return { type: scanned, status: 'False', reason: 'ScanFailed', message };
  }
  return {
    type: scanned,
    status: 'False',
    reason: scannedAt === undefined ? 'NeverScanned' : 'ThresholdPassed',
    message: `The installed versions were ${last}; the scan threshold has passed.`,
  };
}

function upToDateDraft(
  { firmware, hold }: ServerSeen,
  { differences, inertness, attempts, facts }: ServerSituation,
  { phase, request }: ServerOutcome,
): ConditionDraft {
  if (firmware.status?.lastScanTime === undefined) {
    const message = 'What is installed is not known before the first scan.';
    return { type: upToDate, status: 'Unknown', reason: inertness?.code ?? 'NotScanned', message };
  }
  if (differences.length === 0) {
    return { type: upToDate, status: 'True', reason: 'AsWanted', message: 'Everything wanted is installed.' };
  }
  const message = `${differences.slice(0, 10).map(describeDifference).join('; ')}.`;
  return { type: upToDate, status: 'False', reason: reason(), message };

  function reason(): string {
    if (inertness !== undefined) return inertness.code;
    if (hasGivenUp({ facts }, phase)) return ironcoreReasons.attemptsExhausted;
    if (phase === 'Updating') return waitBefore(firmware, request)?.reason ?? 'Updating';
    if (facts.difference === 'held') return hold?.code ?? contradiction.code;
    return attempts === undefined ? 'Differs' : 'UpdateFailed';
  }
}

/** What the open request was last known to wait for: its result tells that it does so no more. */
export function waitBefore({ status }: ServerSeen['firmware'], request: ServerOutcome['request']) {
  if (request === undefined || request.jobID !== status?.request?.jobID) return undefined;
  const before = status.conditions?.find(({ type }) => type === progressing);
  const { hostInUse, claimedTwice } = ironcoreReasons;
  return before?.reason === hostInUse || before?.reason === claimedTwice ? before : undefined;
}

function progressDraft(
  { firmware, hold }: ServerSeen,
  { inertness, facts, attempts, coolUntil, scanDueAt }: ServerSituation,
  { phase, request }: ServerOutcome,
): ConditionDraft {
  const idle = (reason: string, message: string): ConditionDraft => ({
    type: progressing,
    status: 'False',
    reason,
    message,
  });
  const again = scanDueAt === undefined ? '' : ` Looks again at ${textOfMoment(scanDueAt)}.`;
  const later = coolUntil === undefined ? again : ` Tried again at ${textOfMoment(coolUntil)}.`;
  switch (phase) {
    case 'Scanning':
    case 'Updating': {
      const waiting = waitBefore(firmware, request);
      if (waiting !== undefined) return idle(waiting.reason, waiting.message);
      const what = phase === 'Scanning' ? 'scan' : 'update';
      const reason = phase === 'Scanning' ? 'ScanRequested' : 'UpdateRequested';
      const message = `The ${what} was asked for at ${request?.time ?? 'some time'}; its result wakes this.`;
      return { type: progressing, status: 'True', reason, message };
    }
    case 'Inert':
      return idle(inertness?.code ?? 'Inert', `Nothing is done: ${inertness?.message ?? 'the server is left alone'}.`);
    case 'Stalled':
      return idle(ironcoreReasons.attemptsExhausted, `Waits for somebody.${again}`);
    case 'Held':
      return idle(hold?.code ?? contradiction.code, `Waits: ${hold?.message ?? contradiction.message}.${again}`);
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
