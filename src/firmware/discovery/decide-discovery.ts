import { type DiscoveredFirmware, type DiscoveredFirmwareStatus, ironcoreConditions } from '../../api/index.ts';
import { type Decision, type Facts, type Instant, takeStep, type Wake } from '../../kube/index.ts';
import { hardwareKey } from '../../parts/index.ts';
import { believableFailures } from '../believable-failures.ts';
import { type ConditionDraft, writeConditions } from '../conditions.ts';
import type { DiscoverRequest } from '../ports.ts';
import type { FirmwareSettings } from '../settings.ts';
import { growingWaitMs, momentOf, pauseMs, textOfMoment } from '../times.ts';
import { type DiscoveryPhase, discoveryTable } from './discovery-table.ts';

/** What the discovery controller looks at. */
export interface DiscoverySeen {
  readonly object: DiscoveredFirmware;
  /** An older object about the same manufacturer and model. */
  readonly duplicateOf: string | undefined;
  readonly settings: FirmwareSettings;
}

/** Asks for a discovery. */
export interface Discover {
  readonly kind: 'discover';
  readonly key: string;
  readonly request: DiscoverRequest;
}

/** What is decided about one manufacturer and model. */
export type DiscoveryDecision = Decision<Discover, DiscoveredFirmwareStatus>;

/** Vendors' catalogues are not asked without a pause, whatever the interval says. */
const intervals = { leastMs: 1000, defaultMs: 24 * 3_600_000 };
const { ready, progressing } = ironcoreConditions;
const ownConditions: readonly string[] = [ready, progressing];

interface Situation {
  readonly phase: DiscoveryPhase;
  /** True when discovery is to be asked for. */
  readonly isAsking: boolean;
  /** When it changes by itself. */
  readonly until: Instant | undefined;
}

/** Decides whether to look for firmware of a model. Pure. */
export function decideDiscovery(told: DiscoverySeen, now: Instant): DiscoveryDecision {
  const seen = believeSeen(told, now);
  const situation = situationOf(seen, now);
  const status = statusOf(seen, situation, now);
  return {
    effects: situation.isAsking ? [discover(seen.object)] : [],
    status,
    wake: wakeOf(situation, now),
    why: (status.conditions ?? []).map(({ reason, message, lastTransitionTime }) => ({
      code: reason,
      message,
      since: Date.parse(lastTransitionTime),
    })),
    state: situation.phase,
  };
}

/** What is seen, with a time that can be waited from. */
function believeSeen(seen: DiscoverySeen, now: Instant): DiscoverySeen {
  const { object, settings } = seen;
  const failedRuns = believableFailures(object.status?.failedRuns, { settings, now });
  if (failedRuns === undefined || failedRuns === object.status?.failedRuns) return seen;
  return { ...seen, object: { ...object, status: { ...object.status, failedRuns } } };
}

function discover({ metadata, spec }: DiscoveredFirmware): Discover {
  const { manufacturer, model, versionsToStore = 3 } = spec;
  const key = `discover/${hardwareKey(spec)}`;
  return {
    kind: 'discover',
    key,
    request: { key, name: metadata.name ?? '', manufacturer, model, versionsToStore },
  };
}

interface Run {
  readonly fact: 'fresh' | 'due' | 'cooling';
  readonly until: Instant | undefined;
}

function situationOf(seen: DiscoverySeen, now: Instant): Situation {
  const { object, duplicateOf, settings } = seen;
  const sentAt = momentOf(object.status?.request?.time);
  const isOpen =
    sentAt !== undefined && now - sentAt < settings.resendAfterMs && sentAt <= now + settings.resendAfterMs;
  const run = runOf(seen, now);
  const facts = {
    target: duplicateOf === undefined ? 'ready' : 'inert',
    request: isOpen ? 'open' : 'over',
    run: run.fact,
  } as const;
  const { phase, isAsking } = settle(object.status?.request === undefined ? 'Idle' : 'Discovering', facts, now);
  const isWaiting = phase === 'Idle' || phase === 'Cooling';
  return { phase, isAsking, until: isWaiting ? run.until : undefined };
}

function settle(
  from: DiscoveryPhase,
  facts: Facts<typeof discoveryTable.facts>,
  now: Instant,
): Pick<Situation, 'phase' | 'isAsking'> {
  let state = from;
  for (let steps = 0; steps < discoveryTable.states.length; steps++) {
    const { position, actions } = takeStep(discoveryTable, { state, since: now }, facts, now);
    if (actions.length > 0) return { phase: position.state, isAsking: true };
    if (position.state === state) break;
    state = position.state;
  }
  return { phase: state, isAsking: false };
}

function runOf({ object, settings }: DiscoverySeen, now: Instant): Run {
  const { spec, status } = object;
  const intervalMs = pauseMs(spec.discoveryInterval, intervals);
  const foundAt = momentOf(status?.lastDiscoveryTime);
  const dueAt = foundAt === undefined || foundAt > now + intervalMs ? now : foundAt + intervalMs;
  if (dueAt > now) return { fact: 'fresh', until: dueAt };
  const failedAt = momentOf(status?.failedRuns?.lastFailureTime);
  const limits = { fromMs: settings.retryFromMs, toMs: settings.retryToMs };
  const coolUntil = failedAt === undefined ? now : failedAt + growingWaitMs(status?.failedRuns?.failed ?? 0, limits);
  return coolUntil > now ? { fact: 'cooling', until: coolUntil } : { fact: 'due', until: undefined };
}

function wakeOf({ until }: Situation, now: Instant): Wake {
  return until === undefined ? { on: 'change' } : { after: Math.max(1, until - now) };
}

function statusOf(
  { object, duplicateOf }: DiscoverySeen,
  situation: Situation,
  now: Instant,
): DiscoveredFirmwareStatus {
  const { metadata, status = {} } = object;
  const { request, ...kept } = status;
  const { phase, isAsking } = situation;
  const { versionsToStore = 3 } = object.spec;
  const asked = { kind: 'Discovery', jobID: 'unsent', time: textOfMoment(now) } as const;
  const open = isAsking ? asked : phase === 'Discovering' ? request : undefined;
  const context = { before: status.conditions, generation: metadata.generation, now };
  const drafts = [readyDraft(object, duplicateOf), progressDraft(object, situation, open?.time)];
  return {
    ...kept,
    ...newestOf(status, versionsToStore),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    ...(open === undefined ? {} : { request: open }),
    conditions: writeConditions(drafts, context, ownConditions),
  };
}

/** The lists with no more versions than are to be stored: fewer may be wanted since they were found. */
function newestOf(
  { bios, firmwares }: DiscoveredFirmwareStatus,
  most: number,
): Pick<DiscoveredFirmwareStatus, 'bios' | 'firmwares'> {
  return {
    ...(bios === undefined ? {} : { bios: { ...bios, versions: bios.versions.slice(-most) } }),
    ...(firmwares === undefined
      ? {}
      : {
          firmwares: firmwares.map(({ version, versions, ...each }) => ({
            ...each,
            ...(version === undefined ? {} : { version: version.slice(-most) }),
            ...(versions === undefined ? {} : { versions: versions.slice(-most) }),
          })),
        }),
  };
}

function readyDraft({ spec, status }: DiscoveredFirmware, duplicateOf: string | undefined): ConditionDraft {
  if (duplicateOf !== undefined) {
    const message = `DiscoveredFirmware ${duplicateOf} is about ${spec.manufacturer} ${spec.model} too and was there first; delete one of them.`;
    return { type: ready, status: 'False', reason: 'DuplicateModel', message };
  }
  const { lastDiscoveryTime, failedRuns } = status ?? {};
  if (failedRuns !== undefined && failedRuns.failed > 0) {
    const message = `${failedRuns.failed} runs failed in a row, the last one: ${failedRuns.message ?? ''}`;
    return { type: ready, status: 'False', reason: 'DiscoveryFailed', message };
  }
  return lastDiscoveryTime === undefined
    ? { type: ready, status: 'Unknown', reason: 'NeverDiscovered', message: 'Discovery has not run yet.' }
    : { type: ready, status: 'True', reason: 'Discovered', message: `Discovery last ran at ${lastDiscoveryTime}.` };
}

function progressDraft(
  _: DiscoveredFirmware,
  { phase, until }: Situation,
  askedAt: string | undefined,
): ConditionDraft {
  const at = until === undefined ? '' : textOfMoment(until);
  switch (phase) {
    case 'Discovering': {
      const message = `Discovery was asked for at ${askedAt ?? 'some time'}; its result wakes this.`;
      return { type: progressing, status: 'True', reason: 'DiscoveryRequested', message };
    }
    case 'Idle':
      return { type: progressing, status: 'False', reason: 'Idle', message: `Discovery runs again at ${at}.` };
    case 'Cooling':
      return { type: progressing, status: 'False', reason: 'DiscoveryFailed', message: `Tried again at ${at}.` };
    case 'Inert':
      return { type: progressing, status: 'False', reason: 'DuplicateModel', message: 'Nothing is done.' };
  }
}
