import type { SwitchPortStatus } from '../../api/index.ts';
import {
  type Decision,
  type EventDraft,
  type Instant,
  isSameJson,
  type Reason,
  takeStep,
  type Wake,
} from '../../kube/index.ts';
import { cleanSettings, describePlan, type PortSettings, planPort } from '../../switches/index.ts';
import { objectKey } from '../fabric/references.ts';
import { placeIn } from '../fabric/unit.ts';
import type { PortSeen } from './port-seen.ts';
import {
  dueAt,
  factsOf,
  failureOf,
  goalKey,
  goalOf,
  isOnIt,
  nextAttemptAt,
  type PortSituation,
  settlesAt,
  situationOf,
} from './port-situation.ts';
import { describePortStatus, faultOf, type PortOutcome, shortSettings } from './port-status.ts';
import { type PortAction, type PortPhase, portTable } from './port-table.ts';

/** What goes to the device for a port. */
interface DeviceEffect {
  readonly key: string;
  /** Name of the port on the switch. */
  readonly socket: string;
  /** What a failure is counted under. */
  readonly goal: string;
}

/** What the port controller does. */
export type PortEffect =
  | { readonly kind: 'add-finalizer'; readonly key: string }
  | { readonly kind: 'remove-finalizer'; readonly key: string }
  /** What failed on the way is over. */
  | { readonly kind: 'resolve'; readonly key: string }
  | ({ readonly kind: 'read' } & DeviceEffect)
  | ({ readonly kind: 'apply'; readonly wanted: PortSettings } & DeviceEffect)
  | ({ readonly kind: 'clear'; readonly parkingVlan: number | undefined } & DeviceEffect);

/** What is decided about a port. */
export type PortDecision = Decision<PortEffect, SwitchPortStatus>;

/** Decides what to do about a port. Pure. */
export function decidePort(seen: PortSeen, now: Instant): PortDecision {
  const situation = situationOf(seen);
  const { phase, action } = settle(seen, situation, now);
  const outcome: PortOutcome = { phase, action, now };
  const isOnlyFinalizer = action === 'add-finalizer' || action === 'remove-finalizer';
  const status = describePortStatus(seen, situation, outcome);
  return {
    effects: effectsOf(seen, situation, outcome),
    // A finalizer changes the object, so that a status of the version seen could not be written.
    status: isOnlyFinalizer ? undefined : status,
    wake: wakeOf(seen, situation, outcome),
    why: whyOf(seen, situation, { phase, status }),
    events: isOnlyFinalizer ? [] : eventsOf(seen, situation, { ...outcome, status }),
    state: phase,
  };
}

/** Steps through the table until it rests or asks for something. */
function settle(
  seen: PortSeen,
  situation: PortSituation,
  now: Instant,
): { readonly phase: PortPhase; readonly action: PortAction | undefined } {
  let phase = situation.phase;
  for (let steps = 0; steps < portTable.states.length; steps++) {
    const facts = factsOf(seen, situation, { phase, now });
    const { position, actions } = takeStep(portTable, { state: phase, since: now }, facts, now);
    const [action] = actions;
    if (action !== undefined) return { phase: position.state, action };
    if (position.state === phase) break;
    phase = position.state;
    // Every way into and out of Active, and into Deleting, is told in the status before anything else is done.
    if (phase === 'Active' || situation.phase === 'Active' || phase === 'Deleting') break;
  }
  return { phase, action: undefined };
}

function effectsOf(seen: PortSeen, situation: PortSituation, { phase, action }: PortOutcome): PortEffect[] {
  const key = objectKey(seen.port);
  const { socket } = situation;
  if (action === 'add-finalizer' || action === 'remove-finalizer') return [{ kind: action, key: `${action}/${key}` }];
  const isArrived = phase !== situation.phase && (phase === 'Active' || phase === 'Idle');
  if (isArrived && seen.memory.failure !== undefined) return [{ kind: 'resolve', key: `resolve/${key}` }];
  if (socket === undefined) return [];
  const device = { socket, key: `${action}/${key}`, goal: goalKey(seen, situation, phase) };
  const parkingVlan = seen.owner?.spec.parkingVLAN;
  if (action === 'read') return [{ kind: 'read', ...device }];
  if (action === 'clear') return [{ kind: 'clear', ...device, parkingVlan }];
  const wanted = goalOf(seen, situation, phase);
  return action === 'apply' && wanted !== undefined ? [{ kind: 'apply', ...device, wanted }] : [];
}

function wakeOf(seen: PortSeen, situation: PortSituation, { phase, action, now }: PortOutcome): Wake {
  if (phase === 'Deleting' && action !== undefined) return { never: 'it is being deleted' };
  // Whatever was begun wakes the port when it ends, and a status that changes does too.
  if (action !== undefined || seen.memory.work !== undefined || phase !== situation.phase) return { on: 'change' };
  if (seen.standing.kind !== 'ready') return { on: 'change' };
  const failure = failureOf(seen, situation, phase);
  const retryAt = failure === undefined ? undefined : nextAttemptAt(failure, seen);
  if (failure !== undefined) return retryAt === undefined ? { on: 'change' } : { after: Math.max(0, retryAt - now) };
  const isResting = phase === 'Idle' || phase === 'Active' || settlesAt(seen, situation, { phase, now }) !== undefined;
  return isResting && situation.socket !== undefined
    ? { after: Math.max(0, dueAt(seen, situation) - now) }
    : { on: 'change' };
}

function whyOf(
  seen: PortSeen,
  situation: PortSituation,
  { phase, status }: { readonly phase: PortPhase; readonly status: SwitchPortStatus },
): Reason[] {
  const fault = faultOf(seen, situation, phase);
  if (fault !== undefined) return [fault];
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return ready === undefined ? [] : [{ code: ready.reason, message: ready.message }];
}

/** What people are told. */
function eventsOf(
  seen: PortSeen,
  situation: PortSituation,
  { phase, action, status }: PortOutcome & { readonly status: SwitchPortStatus },
): EventDraft[] {
  const events: EventDraft[] = [];
  const { seen: device, noted, socket } = situation;
  const goal = goalOf(seen, situation, 'Configuring');
  if (action === 'tell-drift' && device !== undefined && phase === 'Cleaning') {
    const clean = cleanSettings(seen.owner?.spec.parkingVLAN);
    const changes = describePlan(planPort(device, clean)) || 'something that the switch does not tell';
    const isAsBefore = device.strays.length === 0 && isSameJson(status.observed, seen.port.status?.observed);
    if (!isOnIt(seen, seen.port.status?.appliedTo)) {
      const message = `The switch is another one than ${socket} was cleaned on; it is cleaned anew: ${changes}.`;
      events.push({ type: 'Warning', reason: 'ConfigurationDrifted', message });
    } else if (isAsBefore) {
      const message = `What a clean port is has changed; ${socket} is cleaned anew: ${changes}.`;
      events.push({ type: 'Normal', reason: 'Cleaning', message });
    } else {
      const message = `Somebody changed ${socket} on the switch; it is cleaned: ${changes}.`;
      events.push({ type: 'Warning', reason: 'ConfigurationDrifted', message });
    }
  } else if (action === 'tell-drift' && device !== undefined && noted !== undefined) {
    const changes = describePlan(planPort(device, noted)) || 'something that the switch does not tell';
    const message = isOnIt(seen, seen.port.status?.appliedTo)
      ? `Somebody changed ${socket} on the switch; it is set back: ${changes}.`
      : `The switch is another one than ${socket} was set on; it is set anew: ${changes}.`;
    events.push({ type: 'Warning', reason: 'ConfigurationDrifted', message });
  }
  if (action === 'leave-behind') {
    const what = noted === undefined ? 'what was set there' : shortSettings(noted);
    const why = seen.standing.kind === 'waiting' ? seen.standing.fault.message : 'it could not or must not be cleaned';
    const message = `${socket ?? 'The port'} was left as it is (${what}): ${why}. Clean it by hand.`;
    events.push({ type: 'Warning', reason: 'LeftBehind', message });
  }
  const { appliedTo } = seen.port.status ?? {};
  if (noted !== undefined && appliedTo !== undefined && status.appliedTo !== appliedTo && !isOnIt(seen, appliedTo)) {
    const message = `The switch is another one than ${socket} was set on: ${placeIn(appliedTo)} was left as it is (${shortSettings(noted)}). Clean it by hand if it is still in use.`;
    events.push({ type: 'Warning', reason: 'LeftBehind', message });
  }
  if (phase === 'Active' && situation.phase !== 'Active' && goal !== undefined) {
    events.push({ type: 'Normal', reason: 'Configured', message: `${socket} is set: ${shortSettings(goal)}.` });
  }
  if (action === 'forget') events.push({ type: 'Normal', reason: 'Cleaned', message: `${socket} is clean.` });
  const { error } = status;
  if (error !== undefined && error.reason !== seen.port.status?.error?.reason) {
    events.push({ type: 'Warning', reason: error.reason, message: error.message });
  }
  return events;
}
