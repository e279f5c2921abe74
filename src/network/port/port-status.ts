import type { SwitchError, SwitchPortSettings, SwitchPortStatus } from '../../api/index.ts';
import { type ConditionDraft, type Instant, momentOf, textOfMoment, writeConditions } from '../../kube/index.ts';
import {
  formatVlans,
  type PortAspect,
  type PortSettings,
  portAspects,
  recordOfSettings,
} from '../../switches/index.ts';
import { faultOfSwitch, isAboutTheSwitch, type NetworkFault } from '../errors.ts';
import type { PortSeen } from './port-seen.ts';
import {
  failureOf,
  goalOf,
  isCleanRequested,
  managedOf,
  nextAttemptAt,
  type PortSituation,
  settlesAt,
} from './port-situation.ts';
import type { PortAction, PortPhase } from './port-table.ts';
import { linkOf } from './read-port.ts';

/** Where a decision about a port ended. */
export interface PortOutcome {
  readonly phase: PortPhase;
  readonly action: PortAction | undefined;
  readonly now: Instant;
}

/** Conditions of a SwitchPort that are this room's. */
export const portConditions = ['Ready', 'Allowed'];

/** What the status should say. */
export function describePortStatus(seen: PortSeen, situation: PortSituation, outcome: PortOutcome): SwitchPortStatus {
  const { port, claim } = seen;
  const { phase, now } = outcome;
  const error = describeError(seen, situation, outcome);
  const context = { before: port.status?.conditions, generation: port.metadata.generation, now };
  const isClean = phase === 'Idle' || phase === '';
  const socket = isClean ? seen.entry?.name : situation.socket;
  const { generation } = port.metadata;
  return defined({
    state: phase,
    observedGeneration: generation,
    ...(isClean ? cleanParts(seen, situation, outcome) : appliedParts(seen, situation, outcome)),
    ...observedParts(seen, situation, now),
    physicalPortName: socket ?? port.status?.physicalPortName,
    hostRef: claim === undefined ? undefined : { name: claim.host.name, namespace: claim.host.namespace },
    error,
    conditions: writeConditions(conditionDrafts(seen, situation, { ...outcome, error }), context, portConditions),
  });
}

/** Leaves out what is undefined: a status has no such thing. */
function defined<T extends object>(parts: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** Which switch a clean port was found clean on; a port that was left as it was, or that was never cleaned, has none. */
function cleanParts(
  seen: PortSeen,
  situation: PortSituation,
  { action }: PortOutcome,
): Pick<SwitchPortStatus, 'appliedTo'> {
  if (action === 'leave-behind') return {};
  const isKept = managedOf(seen, situation) === 'verified';
  const appliedTo = action === 'forget' ? seen.memory.unit : isKept ? seen.port.status?.appliedTo : undefined;
  return appliedTo === undefined ? {} : { appliedTo };
}

/** What is applied or being applied. */
function appliedParts(
  seen: PortSeen,
  situation: PortSituation,
  { phase, action }: PortOutcome,
): Pick<SwitchPortStatus, 'configurationRef' | 'configuration' | 'appliedTo'> {
  const { status } = seen.port;
  const { standing } = seen;
  const before = status?.appliedTo === undefined ? {} : { appliedTo: status.appliedTo };
  const reference = linkOf(seen.port);
  if (phase === 'Configuring' && status?.state === 'Active') {
    // The document: back to Configuring with a clean configurationRef. What was set stays noted.
    return status.configuration === undefined ? before : { configuration: status.configuration, ...before };
  }
  // What is about to be set, and what was found to be so, is on the switch that is there now.
  const isSure = action === 'note' || (phase === 'Active' && situation.seen !== undefined);
  const on = isSure && standing.kind === 'ready' ? { appliedTo: standing.unit } : before;
  if (action === 'note' || (phase === 'Active' && status?.state !== 'Active')) {
    const goal = goalOf(seen, situation, 'Configuring');
    return goal === undefined || reference === undefined
      ? {}
      : { configurationRef: reference, configuration: recordOfSettings(goal), ...on };
  }
  const { configurationRef, configuration } = status ?? {};
  return {
    ...(configurationRef === undefined ? {} : { configurationRef }),
    ...(configuration === undefined ? {} : { configuration }),
    ...on,
  };
}

/** What an aspect is called in a status. */
export const fieldOf = {
  disabled: 'disabled',
  untaggedVlan: 'untaggedVLAN',
  taggedVlans: 'vlans',
  acl: 'acl',
} as const satisfies Record<PortAspect, keyof SwitchPortSettings>;

/** What the device told, and what it did not. */
function observedParts(
  { port, memory, settings }: PortSeen,
  { seen, socket }: PortSituation,
  now: Instant,
): Pick<SwitchPortStatus, 'observed' | 'unobserved' | 'lastReadTime'> {
  const { status } = port;
  if (seen === undefined || memory.reading === undefined) {
    const isSameSocket = status?.physicalPortName === socket;
    if (!isSameSocket || status?.observed === undefined) return {};
    return {
      observed: status.observed,
      ...(status.unobserved === undefined ? {} : { unobserved: status.unobserved }),
      ...(status.lastReadTime === undefined ? {} : { lastReadTime: status.lastReadTime }),
    };
  }
  const unobserved = seen.unread.map((aspect) => fieldOf[aspect]);
  const record = Object.entries(recordOfSettings(seen)).filter(([field]) => !unobserved.some((each) => each === field));
  const observed: SwitchPortSettings = Object.fromEntries(record);
  const untold = unobserved.length === 0 ? {} : { unobserved };
  const isAnythingRead = seen.unread.length < portAspects.length;
  const before = momentOf(status?.lastReadTime);
  const isFresh = before !== undefined && now - before < settings.stampMs;
  const isUnchanged = JSON.stringify(observed) === JSON.stringify(status?.observed);
  const kept = isUnchanged && status?.observed !== undefined ? status.observed : observed;
  if (!isAnythingRead) return { observed: kept, ...untold };
  return {
    observed: kept,
    ...untold,
    lastReadTime: isFresh && isUnchanged ? (status?.lastReadTime ?? '') : textOfMoment(memory.reading.at),
  };
}

/** What is wrong with the port in a state, whatever it is about to do. */
export function faultOf(seen: PortSeen, situation: PortSituation, phase: PortPhase): NetworkFault | undefined {
  const { standing, owner, entry } = seen;
  if (phase === 'Deleting' || phase === '') return undefined;
  if (phase === 'Configuring' && situation.judgement?.kind === 'refused') return situation.judgement.fault;
  const isWorking = phase === 'Configuring' || phase === 'Cleaning';
  // Until a switch was asked once, there is nothing wrong yet.
  if (isWorking && standing.kind === 'waiting' && standing.fault.code !== 'SwitchNotReady') return standing.fault;
  const failure = failureOf(seen, situation, phase);
  const isReported = isWorking || (failure?.call === 'read' && !isAboutTheSwitch(failure.failure));
  if (failure !== undefined && isReported) return faultOfSwitch(failure.failure);
  const isGuarded = situation.socket !== undefined && situation.socket === situation.managementPort;
  if (phase === 'Idle' && isGuarded && isCleanRequested(seen)) {
    const message = `the switch is managed through ${situation.socket}: a change could cut it off, so it is not cleaned`;
    return { code: 'ManagementPort', message };
  }
  if (owner === undefined) return { code: 'SwitchNotFound', message: 'no Switch of its namespace lists this port' };
  if (entry === undefined)
    return { code: 'PortNotListed', message: `the Switch ${owner.metadata.name} does not list this port any more` };
  return undefined;
}

function describeError(seen: PortSeen, situation: PortSituation, { phase, now }: PortOutcome): SwitchError | undefined {
  const fault = faultOf(seen, situation, phase);
  if (fault === undefined) return undefined;
  const before = seen.port.status?.error;
  const failure = failureOf(seen, situation, phase);
  const isItsFault = failure !== undefined && faultOfSwitch(failure.failure).code === fault.code;
  const next = isItsFault ? nextAttemptAt(failure, seen) : undefined;
  return {
    reason: fault.code,
    message: fault.message,
    since: before?.reason === fault.code ? before.since : textOfMoment(now),
    ...(isItsFault ? { attempts: failure.attempts } : {}),
    ...(next === undefined ? {} : { nextAttempt: textOfMoment(next) }),
  };
}

function conditionDrafts(
  seen: PortSeen,
  situation: PortSituation,
  { phase, error, now }: PortOutcome & { readonly error: SwitchError | undefined },
): ConditionDraft[] {
  const { judgement } = situation;
  const waitsUntil = settlesAt(seen, situation, { phase, now });
  const drafts: ConditionDraft[] = [readyDraft(phase, situation, { error, waitsUntil })];
  if (judgement === undefined || linkOf(seen.port) === undefined) return drafts;
  return [
    ...drafts,
    judgement.kind === 'allowed'
      ? { type: 'Allowed', status: 'True', reason: 'WithinLimits', message: 'The limits allow the configuration.' }
      : { type: 'Allowed', status: 'False', reason: judgement.fault.code, message: judgement.fault.message },
  ];
}

const progress: Readonly<Record<PortPhase, string>> = {
  '': 'The port is new.',
  Idle: 'No configuration is wanted.',
  Configuring: 'The port is being configured.',
  Active: 'The port has its configuration',
  Cleaning: 'The configuration is being cleared.',
  Deleting: 'The port is being deleted.',
};

function readyDraft(
  phase: PortPhase,
  { noted }: PortSituation,
  { error, waitsUntil }: { readonly error: SwitchError | undefined; readonly waitsUntil: Instant | undefined },
): ConditionDraft {
  const type = 'Ready';
  if (error !== undefined) return { type, status: 'False', reason: error.reason, message: error.message };
  const reason = phase === '' ? 'New' : phase;
  const isGood = phase === 'Active' || phase === 'Idle';
  const said =
    phase === 'Active' && noted !== undefined ? `${progress.Active}: ${shortSettings(noted)}.` : progress[phase];
  const message =
    waitsUntil === undefined
      ? said
      : `The switch may still carry out a change that was given up; the port is read again at ${textOfMoment(waitsUntil)}.`;
  return { type, status: isGood ? 'True' : 'False', reason, message };
}

/** Settings in a few words: `untagged 10, tagged 20-29, 2 access rules`. */
export function shortSettings({ isDisabled, untaggedVlan, taggedVlans, acl }: PortSettings): string {
  const words = [
    ...(isDisabled ? ['down'] : []),
    untaggedVlan === undefined ? 'no untagged VLAN' : `untagged ${untaggedVlan}`,
    ...(taggedVlans.length === 0 ? [] : [`tagged ${formatVlans(taggedVlans)}`]),
    ...(acl.length === 0 ? [] : [`${acl.length} access ${acl.length === 1 ? 'rule' : 'rules'}`]),
  ];
  return words.join(', ');
}
