import type { ServerFirmwareStatus } from '../../api/index.ts';
import {
  type Decision,
  type EventDraft,
  hasFinalizer,
  type Instant,
  isBeingDeleted,
  type Reason,
  takeStep,
  type Wake,
} from '../../kube/index.ts';
import { entryKey, readEntryKey } from '../fleet/ownership.ts';
import type { RequestedFirmware, ScanRequest, ServerTarget, UpdateRequest } from '../ports.ts';
import { updateFinalizer } from '../resources.ts';
import { textOfMoment } from '../times.ts';
import type { Difference } from './differences.ts';
import {
  askWorkerAgainMs,
  believeSeen,
  describeSituation,
  isAnswered,
  isFor,
  isWaitingForWorker,
  otherMachineList,
  type ServerSeen,
  type ServerSituation,
  unsentJobId,
} from './server-facts.ts';
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
  | { readonly kind: 'consume-retry'; readonly key: string }
  /** Sees to it that the object cannot go unseen while its update waits. */
  | { readonly kind: 'hold'; readonly key: string }
  /** Lets an object go that is being deleted. */
  | { readonly kind: 'let-go'; readonly key: string };

/** What is decided about one server. */
export type ServerDecision = Decision<ServerEffect, ServerFirmwareStatus>;

/** Decides what to do about the firmware of one server. Pure. */
export function decideServer(told: ServerSeen, now: Instant): ServerDecision {
  const seen = believeSeen(told, now);
  const situation = describeSituation(seen, now);
  const { phase, action } = settle(situation, now);
  const status = describeServerStatus(seen, situation, {
    phase,
    request: requestAfter(seen, situation, { action, now }),
    now,
  });
  return {
    effects: [
      // First: it must not begin while something else does not work.
      ...withdrawal(seen, situation),
      ...biosEffects(seen, situation),
      ...retryEffects(seen, situation),
      ...holdEffects(seen, status.request),
      ...requestEffects(seen, situation, action),
    ],
    status,
    wake: action === undefined ? wakeOf(situation, { phase, status }, now) : { on: 'change' },
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
  { facts, hash, part }: ServerSituation,
  { action, now }: { readonly action: ServerAction | undefined; readonly now: Instant },
): ServerFirmwareStatus['request'] {
  const time = textOfMoment(now);
  if (action === 'scan') return { kind: 'Scan', jobID: unsentJobId, time };
  if (action === 'update') {
    const asked = { kind: 'Update', jobID: unsentJobId, time, desiredHash: hash } as const;
    return part === undefined ? asked : { ...asked, partHash: part };
  }
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
  if (action === 'scan') {
    const key = `scan/${server.systemUUID}`;
    return [{ kind: 'scan', key, request: { key, server } }];
  }
  if (action === 'update') {
    const { hash, part, askable } = situation;
    const key = `update/${server.systemUUID}/${part ?? hash}`;
    const firmwares = askable.map(toRequested);
    return [{ kind: 'update', key, request: { key, server, firmwares, desiredHash: hash } }];
  }
  return [];
}

function toRequested(difference: Difference): RequestedFirmware {
  const { version, excludedSlots } = difference;
  const excluded = excludedSlots.length === 0 ? {} : { excludedSlots: [...excludedSlots] };
  return { ...readEntryKey(entryKey(difference)), version, ...excluded };
}

/** An update that waits its turn would flash what nobody wants any more, or a server that is to be left alone. */
function withdrawal(seen: ServerSeen, situation: ServerSituation): ServerEffect[] {
  const { status } = seen.firmware;
  return [isAnswered(status) ? undefined : status?.request, status?.openUpdate].flatMap((update): ServerEffect[] => {
    if (update?.kind !== 'Update') return [];
    const reason = reasonToWithdraw(update, seen, situation);
    if (reason === undefined) return [];
    return [{ kind: 'withdraw', key: `withdraw/${update.jobID}`, jobId: update.jobID, reason }];
  });
}

function reasonToWithdraw(
  update: NonNullable<ServerFirmwareStatus['request']>,
  { hold }: ServerSeen,
  { facts, hash, part, inertness, differences }: ServerSituation,
): string | undefined {
  if (inertness !== undefined) return inertness.message;
  if (update.desiredHash === otherMachineList) return 'the Server is another machine now';
  if (isFor(update, { hash, part })) {
    const isContradictory = differences.some(({ relation }) => relation === 'contradictory');
    if (facts.difference !== 'held') return undefined;
    return hold?.message ?? (isContradictory ? 'entries of spec contradict each other' : undefined);
  }
  const isSameList = part !== undefined && update.desiredHash === hash;
  return (isSameList ? hold?.message : undefined) ?? 'other versions are wanted now';
}

function holdEffects({ firmware }: ServerSeen, request: ServerFirmwareStatus['request']): ServerEffect[] {
  const { name } = firmware.metadata;
  const isHeld = hasFinalizer(firmware, updateFinalizer);
  if (isBeingDeleted(firmware)) return isHeld ? [{ kind: 'let-go', key: `let-go/${name}` }] : [];
  return request?.kind === 'Update' && !isHeld ? [{ kind: 'hold', key: `hold/${name}` }] : [];
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

function wakeOf(
  situation: ServerSituation,
  { phase, status }: { readonly phase: ServerPhase; readonly status: ServerFirmwareStatus },
  now: Instant,
): Wake {
  const { facts, scanDueAt, coolUntil, catalogueDueAt } = situation;
  const isOpen = phase === 'Scanning' || phase === 'Updating';
  if (isOpen && isWaitingForWorker(status)) return { after: askWorkerAgainMs };
  if (isOpen || phase === 'Inert') return { on: 'change' };
  const isWaiting = facts.scan === 'cooling' || facts.difference === 'cooling';
  const times = [scanDueAt, catalogueDueAt, isWaiting ? coolUntil : undefined].filter(
    (at) => at !== undefined && at > now,
  );
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
