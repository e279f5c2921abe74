import type { SwitchPortConfigurationSpec, SwitchPortSettings } from '../../api/index.ts';
import { type Facts, growingWaitMs, hasFinalizer, type Instant } from '../../kube/index.ts';
import {
  areSameSettings,
  cleanSettings,
  type PortSettings,
  type PortState,
  planPort,
  recordOfSettings,
  retryOf,
  settingsOfSpec,
} from '../../switches/index.ts';
import { isAboutTheSwitch } from '../errors.ts';
import { fullReference, isSameReference, namespaceOf } from '../fabric/references.ts';
import { isSameUnit } from '../fabric/unit.ts';
import { forceAnnotation, linkedByAnnotation, networkFinalizer, retryAnnotation } from '../resources.ts';
import { judgePort, type PortJudgement } from './judge-port.ts';
import { type PortFailure, type PortSeen, settledAt } from './port-seen.ts';
import type { PortPhase, portTable } from './port-table.ts';
import { linkOf } from './read-port.ts';

/** What the table of ports is asked with. */
export type PortFacts = Facts<(typeof portTable)['facts']>;

/** What is to be said of a port, whatever state it is in. */
export interface PortSituation {
  readonly phase: PortPhase;
  /** Name of the port on the switch that is being worked on. */
  readonly socket: string | undefined;
  /** Undefined when nothing is linked. */
  readonly judgement: PortJudgement | undefined;
  /** What is noted down as being set on the device. */
  readonly noted: PortSettings | undefined;
  /** The device as last read. */
  readonly seen: PortState | undefined;
  readonly managementPort: string | undefined;
}

/** Works out what is to be said of a port. */
export function situationOf(seen: PortSeen): PortSituation {
  const { port, entry, memory, standing } = seen;
  const noted = settingsOfRecord(port.status?.configuration);
  const before = port.status?.physicalPortName;
  const socket = noted === undefined ? entry?.name : (before ?? entry?.name);
  const managementPort =
    seen.owner?.spec.managementPort ?? (standing.kind === 'ready' ? standing.managementPort : undefined);
  const reference = linkOf(port);
  return {
    phase: port.status?.state ?? '',
    socket,
    noted,
    managementPort,
    seen: memory.reading?.state.port === socket && isOnIt(seen, memory.unit) ? memory.reading?.state : undefined,
    judgement: reference === undefined ? undefined : judgePort({ ...seen, reference, managementPort }),
  };
}

/** True unless something is known to be about another switch than the one that is there now. */
export function isOnIt({ standing }: Pick<PortSeen, 'standing'>, unit: string | undefined): boolean {
  return standing.kind !== 'ready' || isSameUnit(unit, standing.unit);
}

/** Settings that a status records; what was noted there was valid once. */
export function settingsOfRecord(record: SwitchPortSettings | undefined): PortSettings | undefined {
  if (record === undefined) return undefined;
  const read = settingsOfSpec(record as SwitchPortConfigurationSpec);
  // A record that cannot be read any more still says that something was set.
  return read.kind === 'settings' ? read.settings : cleanSettings();
}

/** What the device should be set to in a state; undefined where nothing is wanted of it. */
export function goalOf(seen: PortSeen, situation: PortSituation, phase: PortPhase): PortSettings | undefined {
  const { judgement, noted } = situation;
  const isClean = phase === 'Cleaning' || (phase === 'Idle' && managedOf(seen, situation) !== 'no');
  if (isClean) return cleanSettings(seen.owner?.spec.parkingVLAN);
  if (phase === 'Active') return noted;
  return judgement?.kind === 'allowed' ? judgement.settings : undefined;
}

/** The facts in a state. */
export function factsOf(
  seen: PortSeen,
  situation: PortSituation,
  { phase, now }: { readonly phase: PortPhase; readonly now: Instant },
): PortFacts {
  const { port } = seen;
  const goal = goalOf(seen, situation, phase);
  return {
    leaving: isLeaving(seen),
    held: hasFinalizer(port, networkFinalizer),
    wanted: wantedOf(seen, situation),
    permission: situation.judgement?.kind ?? 'refused',
    noted: situation.noted === undefined ? 'nothing' : areSameSettings(situation.noted, goal) ? 'goal' : 'other',
    managed: managedOf(seen, situation),
    device: deviceOf(seen, situation, { goal, now }),
    way: isOpen(seen, situation, { phase, now }) ? 'open' : 'closed',
    due: dueAt(seen, situation) <= now,
    abandoned: isAbandoned(seen, situation),
  };
}

/** True while the port waits for its finalizer. */
export function isLeaving({ port }: PortSeen): boolean {
  return port.metadata.deletionTimestamp !== undefined;
}

/** What was set on one socket of the switch is cleaned before the object is moved to another. */
function isMoving({ entry }: PortSeen, { socket, noted }: PortSituation): boolean {
  return noted !== undefined && entry !== undefined && socket !== entry.name;
}

function wantedOf(seen: PortSeen, situation: PortSituation): PortFacts['wanted'] {
  const { port } = seen;
  const reference = linkOf(port);
  if (reference === undefined || isLeaving(seen) || isMoving(seen, situation)) return 'none';
  const { configurationRef } = port.status ?? {};
  if (configurationRef === undefined) return 'other';
  if (!isSameReference(fullReference(configurationRef, namespaceOf(port)), reference)) return 'other';
  const now = seen.configuration === undefined ? undefined : settingsOfSpec(seen.configuration.spec);
  // A configuration that is gone, or that was made anew and is wrong, changes nothing on a port that has it.
  if (now?.kind !== 'settings') return 'same';
  return areSameSettings(now.settings, situation.noted) ? 'same' : 'other';
}

/**
 * Whether a port without a configuration has to be clean: a host wants it so, or it was found clean before. A port that
 * nobody named is left as it is.
 */
export function managedOf({ port, entry }: PortSeen, { socket, managementPort }: PortSituation): PortFacts['managed'] {
  if (socket !== undefined && socket === managementPort) return 'no';
  const { appliedTo, physicalPortName } = port.status ?? {};
  if (appliedTo !== undefined && physicalPortName === entry?.name) return 'verified';
  return isCleanRequested({ port }) ? 'unverified' : 'no';
}

/** True for a port without a configuration that a host names. */
export function isCleanRequested({ port }: Pick<PortSeen, 'port'>): boolean {
  return linkOf(port) === undefined && port.metadata.annotations?.[linkedByAnnotation] !== undefined;
}

/** Until when a port that is as it should be is not said to be so; undefined when nothing is waited for. */
export function settlesAt(
  seen: PortSeen,
  situation: PortSituation,
  { phase, now }: { readonly phase: PortPhase; readonly now: Instant },
): Instant | undefined {
  return factsOf(seen, situation, { phase, now }).device === 'unsettled' ? dueAt(seen, situation) : undefined;
}

function deviceOf(
  seen: PortSeen,
  situation: PortSituation,
  { goal, now }: { readonly goal: PortSettings | undefined; readonly now: Instant },
): PortFacts['device'] {
  const { seen: state } = situation;
  const { work, unsettled } = seen.memory;
  // While a change is under way nobody knows what the device has.
  const isChanging = work !== undefined && work.kind !== 'read';
  if (state === undefined || isChanging) return 'unknown';
  const completed = complete(state, seen, situation);
  if (goal !== undefined && isAs(completed, goal)) {
    // What is claimed is claimed from a reading that still counts.
    if (dueAt(seen, situation) <= now) return 'unknown';
    return unsettled === undefined || areSameSettings(unsettled.wanted, goal) ? 'as-goal' : 'unsettled';
  }
  return isAs(completed, cleanSettings(seen.owner?.spec.parkingVLAN)) ? 'clean' : 'differs';
}

function isAs(state: PortState, goal: PortSettings): boolean {
  return state.unread.length === 0 && planPort(state, goal).differences.length === 0;
}

/** Aspects that a device does not tell are those that were last set; without that they are unlike anything. */
export function complete(state: PortState, seen: PortSeen, { noted }: PortSituation): PortState {
  const { state: phase, appliedTo } = seen.port.status ?? {};
  const resting =
    phase === 'Active' ? noted : phase === 'Idle' ? cleanSettings(seen.owner?.spec.parkingVLAN) : undefined;
  const known = seen.memory.applied ?? (isOnIt(seen, appliedTo) ? resting : undefined);
  if (state.unread.length === 0 || known === undefined) return state;
  const taken = {
    disabled: { isDisabled: known.isDisabled },
    untaggedVlan: { untaggedVlan: known.untaggedVlan },
    taggedVlans: { taggedVlans: known.taggedVlans },
    acl: { acl: known.acl },
  };
  return Object.assign({}, state, ...state.unread.map((aspect) => taken[aspect]), { unread: [] }) as PortState;
}

/** When the device is to be read next. */
export function dueAt({ memory, settings, standing }: PortSeen, { seen }: PortSituation): Instant {
  const { reading, unsettled } = memory;
  if (seen === undefined || reading === undefined || reading.isStale === true) return 0;
  const at = reading.at + settings.driftMs;
  return unsettled === undefined ? at : Math.min(at, settledAt(unsettled, standing, settings.settleMs));
}

/** Stands for what is to be reached: failures at something else do not count. */
export function goalKey(seen: PortSeen, situation: PortSituation, phase: PortPhase): string {
  const { port, standing } = seen;
  const goal = goalOf(seen, situation, phase);
  return JSON.stringify([
    phase === 'Cleaning',
    situation.socket,
    goal === undefined ? undefined : recordOfSettings(goal),
    standing.kind === 'ready' ? standing.access : undefined,
    port.metadata.annotations?.[retryAnnotation],
  ]);
}

/** The failure that still counts for what is to be reached. */
export function failureOf(seen: PortSeen, situation: PortSituation, phase: PortPhase): PortFailure | undefined {
  const { failure } = seen.memory;
  if (failure === undefined || failure.goal !== goalKey(seen, situation, phase)) return undefined;
  const { standing } = seen;
  const isOver = isAboutTheSwitch(failure.failure) && standing.kind === 'ready' && standing.since > failure.at;
  return isOver ? undefined : failure;
}

/** When a failed goal is tried again: at a moment, or not before something changes. */
export function nextAttemptAt(
  { at, call, attempts, failure }: PortFailure,
  { settings }: PortSeen,
): Instant | undefined {
  const { retryFromMs: fromMs, retryToMs: toMs, maxAttempts } = settings;
  // Reading harms nobody, and is how a port shows up that was not there.
  const isBounded = call !== 'read' && !isAboutTheSwitch(failure);
  const isSpent = isBounded && (attempts >= maxAttempts || retryOf[failure.kind] === 'terminal');
  return isSpent ? undefined : at + growingWaitMs(attempts, { fromMs, toMs });
}

function isOpen(
  seen: PortSeen,
  situation: PortSituation,
  { phase, now }: { readonly phase: PortPhase; readonly now: Instant },
): boolean {
  if (seen.standing.kind !== 'ready' || seen.memory.work !== undefined || situation.socket === undefined) return false;
  const failure = failureOf(seen, situation, phase);
  if (failure === undefined) return true;
  const at = nextAttemptAt(failure, seen);
  return at !== undefined && at <= now;
}

/** True when somebody said not to wait for a switch that cannot be reached. */
function isForced({ port, owner }: PortSeen): boolean {
  const says = (annotations: Readonly<Record<string, string>> | undefined): boolean =>
    annotations?.[forceAnnotation] === 'true';
  return says(port.metadata.annotations) || says(owner?.metadata.annotations);
}

/** A port is not cleaned when that would cut the switch off, nor when it cannot be and somebody insists. */
function isAbandoned(seen: PortSeen, situation: PortSituation): boolean {
  const { socket, managementPort } = situation;
  if (socket !== undefined && socket === managementPort) return true;
  if (!isLeaving(seen) || !isForced(seen)) return false;
  const { standing } = seen;
  // Until a switch was asked once, nobody knows whether it can be reached.
  const isUnreachable = standing.kind === 'waiting' && standing.fault.code !== 'SwitchNotReady';
  return isUnreachable || failureOf(seen, situation, 'Cleaning') !== undefined;
}
