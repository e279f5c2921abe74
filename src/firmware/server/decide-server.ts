import type { ServerFirmwareStatus } from '../../api/index.ts';
import { type Decision, type EventDraft, type Instant, type Reason, takeStep, type Wake } from '../../kube/index.ts';
import type { ScanRequest, ServerTarget, UpdateRequest } from '../ports.ts';
import { textOfMoment } from '../times.ts';
import { describeSituation, isAnswered, type ServerSeen, type ServerSituation, unsentJobId } from './server-facts.ts';
import { describeServerStatus } from './server-status.ts';
import { type ServerAction, type ServerPhase, serverTable } from './server-table.ts';

/** What the server controller does. */
export type ServerEffect =
  | { readonly kind: 'scan'; readonly key: string; readonly request: ScanRequest }
  | { readonly kind: 'update'; readonly key: string; readonly request: UpdateRequest }
  /** Takes back an update that is not wanted any more, where that is safe. */
  | { readonly kind: 'withdraw'; readonly key: string; readonly jobId: string; readonly reason: string }
  /** Lets `spec.bios` follow the server. */
  | { readonly kind: 'follow-bios'; readonly key: string; readonly version: string }
  /** Tells the Server which BIOS the last scan saw. */
  | { readonly kind: 'tell-bios'; readonly key: string; readonly server: string; readonly version: string }
  /** Takes the retry annotation away, once what it asks for is written down. */
  | { readonly kind: 'consume-retry'; readonly key: string };

/** What is decided about one server. */
export type ServerDecision = Decision<ServerEffect, ServerFirmwareStatus>;

/** Decides what to do about the firmware of one server. Pure. */
export function decideServer(seen: ServerSeen, now: Instant): ServerDecision {
  const situation = describeSituation(seen, now);
  const { phase, action } = settle(situation, now);
  const status = describeServerStatus(seen, situation, {
    phase,
    request: requestAfter(seen, situation, { action, now }),
    now,
  });
  return {
    effects: [
      ...biosEffects(seen, situation),
      ...retryEffects(seen, situation),
      ...requestEffects(seen, situation, action),
    ],
    status,
    wake: action === undefined ? wakeOf(situation, phase, now) : { on: 'change' },
    why: whyOf(status),
    events: eventsOf(seen, status),
    state: phase,
  };
}

/** Steps through the table until it rests or asks for something. */
function settle(
  { phase, facts }: ServerSituation,
  now: Instant,
): { readonly phase: ServerPhase; readonly action: ServerAction | undefined } {
  let state = phase;
  for (let steps = 0; steps < serverTable.states.length; steps++) {
    const { position, actions } = takeStep(serverTable, { state, since: now }, facts, now);
    const [action] = actions;
    if (action !== undefined) return { phase: position.state, action };
    if (position.state === state) break;
    state = position.state;
  }
  return { phase: state, action: undefined };
}

function requestAfter(
  { firmware }: ServerSeen,
  { facts, hash }: ServerSituation,
  { action, now }: { readonly action: ServerAction | undefined; readonly now: Instant },
): ServerFirmwareStatus['request'] {
  const time = textOfMoment(now);
  if (action === 'scan') return { kind: 'Scan', jobID: unsentJobId, time };
  if (action === 'update') return { kind: 'Update', jobID: unsentJobId, time, desiredHash: hash };
  return facts.request === 'open' && facts.target === 'ready' ? firmware.status?.request : undefined;
}

/** Where the Server is, for the update service. */
export function targetOf({ firmware, server }: Pick<ServerSeen, 'firmware' | 'server'>): ServerTarget {
  return {
    name: firmware.spec.serverRef.name,
    systemUUID: server?.spec.systemUUID.toLowerCase() ?? '',
    manufacturer: server?.status?.manufacturer,
    model: server?.status?.model,
  };
}

function requestEffects(
  seen: ServerSeen,
  situation: ServerSituation,
  action: ServerAction | undefined,
): ServerEffect[] {
  const server = targetOf(seen);
  const withdrawn = withdrawal(seen, situation);
  if (action === 'scan') {
    const key = `scan/${server.systemUUID}`;
    return [...withdrawn, { kind: 'scan', key, request: { key, server } }];
  }
  if (action === 'update') {
    const { hash, askable } = situation;
    const key = `update/${server.systemUUID}/${hash}`;
    const firmwares = askable.map(({ name, manufacturer, version }) => ({ name, manufacturer, version }));
    return [...withdrawn, { kind: 'update', key, request: { key, server, firmwares, desiredHash: hash } }];
  }
  return withdrawn;
}

/** An update that waits its turn for a list that is not wanted any more would flash what nobody wants. */
function withdrawal({ firmware, hold }: ServerSeen, { facts, hash }: ServerSituation): ServerEffect[] {
  const { request, openUpdate } = firmware.status ?? {};
  const isHeld = facts.difference === 'held';
  return [isAnswered(firmware.status) ? undefined : request, openUpdate].flatMap((update): ServerEffect[] => {
    if (update?.kind !== 'Update') return [];
    const isOther = update.desiredHash !== hash;
    if (!isOther && !isHeld) return [];
    const reason = isOther ? 'other versions are wanted now' : (hold?.message ?? 'it is held');
    return [{ kind: 'withdraw', key: `withdraw/${update.jobID}`, jobId: update.jobID, reason }];
  });
}

function biosEffects({ firmware, server }: ServerSeen, { inertness }: ServerSituation): ServerEffect[] {
  if (inertness !== undefined || server === undefined) return [];
  const name = server.metadata.name ?? '';
  const told = server.status?.bios?.version;
  const scanned = firmware.status?.bios?.version;
  const effects: ServerEffect[] = [];
  if (scanned !== undefined && scanned !== told) {
    effects.push({ kind: 'tell-bios', key: `tell-bios/${name}/${scanned}`, server: name, version: scanned });
  }
  const version = scanned ?? told ?? server.status?.biosVersion;
  const { isBiosTaken, isBiosOurs } = firmware.ownership;
  const isFollowing = isBiosOurs && firmware.spec.bios?.version === version;
  if (version !== undefined && version !== '' && !isBiosTaken && !isFollowing) {
    effects.push({ kind: 'follow-bios', key: `follow-bios/${name}/${version}`, version });
  }
  return effects;
}

/** Only once the counts are gone for good: an annotation that went first would be forgotten in a crash. */
function retryEffects({ firmware }: ServerSeen, { isRetryAsked }: ServerSituation): ServerEffect[] {
  const isCounted = firmware.status?.attempts !== undefined || firmware.status?.failedScans !== undefined;
  if (!isRetryAsked || isCounted) return [];
  return [{ kind: 'consume-retry', key: `retry/${firmware.metadata.name}` }];
}

function wakeOf(situation: ServerSituation, phase: ServerPhase, now: Instant): Wake {
  const { facts, scanDueAt, coolUntil } = situation;
  if (phase === 'Scanning' || phase === 'Updating' || phase === 'Inert') return { on: 'change' };
  const isWaiting = facts.scan === 'cooling' || facts.difference === 'cooling';
  const times = [scanDueAt, isWaiting ? coolUntil : undefined].filter((at) => at !== undefined && at > now);
  return times.length === 0 ? { on: 'change' } : { after: Math.max(1, Math.min(...(times as number[])) - now) };
}

function whyOf(status: ServerFirmwareStatus): Reason[] {
  return (status.conditions ?? []).map(({ reason, message, lastTransitionTime }) => ({
    code: reason,
    message,
    since: Date.parse(lastTransitionTime),
  }));
}

/** Only what somebody has to do something about: an event for every update would be a write for every server. */
function eventsOf({ firmware }: ServerSeen, status: ServerFirmwareStatus): EventDraft[] {
  return (status.conditions ?? []).flatMap(({ type, status: value, reason, message }): EventDraft[] => {
    if (value !== 'True' || (type !== 'Stalled' && type !== 'DuplicateServer')) return [];
    const before = firmware.status?.conditions?.find((each) => each.type === type);
    return before?.status === 'True' ? [] : [{ type: 'Warning', reason, message }];
  });
}
