import type { Bmc } from '../bmc.ts';
import type { JsonObject } from '../json.ts';
import { objectIn, type System, systemOf, textIn } from '../redfish/index.ts';
import { poll } from './poll.ts';
import { powerIn, refresh } from './power-state.ts';

/** How long a self-test may take, and how long its signs are waited for. Times of a real host. */
export interface PostTimes {
  /** How long it may take. */
  readonly deadlineMs: number;
  /** What is believed only after this long, as it may be of the boot before. */
  readonly settleMs: number;
  /** Where the BMC shows no progress at all, POST is taken to be over this long after power on. */
  readonly assumedMs: number;
  /** A host that has come to the last step of its POST and shows no other counts as through after this long. */
  readonly lastStepMs: number;
}

/** Large memory takes long. */
export const defaultPostTimes: PostTimes = {
  deadlineMs: 30 * 60_000,
  settleMs: 30_000,
  assumedMs: 10 * 60_000,
  lastStepMs: 2 * 60_000,
};

/** How to wait for the end of a host's self-test; by default for as long as real hosts take. */
export interface PostWait extends Partial<PostTimes> {
  /** For how long it was waited for before, by another process: it counts towards all of these. */
  readonly waitedMs?: number;
  readonly signal?: AbortSignal;
}

/** How it was known that the self-test is over. */
export interface PostOutcome {
  /** `assumed`: the BMC shows no progress, so only time passed. */
  readonly by: 'boot-progress' | 'vendor' | 'assumed';
  readonly said: string;
  readonly tookMs: number;
}

/** Where a boot stands, as far as the BMC shows it. */
interface Progress {
  readonly by: 'boot-progress' | 'vendor';
  readonly said: string;
  /** `last-step`: the hardware is ready and the boot device is not chosen yet. Where there is none, some hosts stay so. */
  readonly stage: 'going' | 'last-step' | 'over';
}

const overStates = /^(?:SetupEntered|OSBootStarted|OSRunning)$/;
const lastSteps = /^(?:SystemHardwareInitializationComplete|InPostDiscoveryComplete)$/;
const overVendorStates = /^(?:FinishedPost|OSBooted|BootingOSOrInUnsupportedOS|BootingOS.*)$/;
/** POST takes minutes; only its end is worth looking at often. */
const firstPauseMs = 2000;
const lastPauseMs = 2000;
/** So long before the time that is assumed it is looked at often: no longer than the longest pause. */
const nearMs = 10_000;
/** A host that hangs at its last step, or comes to it again and again, is not looked at so often for ever. */
const mostQuickLooks = 40;

/**
 * Waits until the host's self-test (POST) is over: until it has gone on to a boot device, not only until its hardware is
 * ready. Throws `deadline` when it is not, also for a host that stays off.
 */
export async function waitForPost(bmc: Bmc, wait: PostWait = {}): Promise<PostOutcome> {
  let known: System | undefined = await systemOf(bmc);
  const { path } = known;
  const { waitedMs = 0, deadlineMs = defaultPostTimes.deadlineMs } = wait;
  const watch = createPostWatch(wait, createStopwatch(bmc, waitedMs));
  return poll(bmc, {
    what: 'the self-test (POST)',
    deadlineMs: Math.max(0, deadlineMs - waitedMs),
    signal: wait.signal,
    seen: () => `last seen: ${watch.seen}`,
    firstMs: firstPauseMs,
    paceMs: () => (watch.isNearEnd ? lastPauseMs : undefined),
    look: async () => {
      const { body } = known ?? (await refresh(bmc, { path, body: {} }));
      known = undefined;
      return watch.take(body);
    },
  });
}

function createStopwatch({ clock }: Bmc, waitedMs: number): () => number {
  const started = clock.monotonic() - waitedMs;
  return () => clock.monotonic() - started;
}

/** What is made of one look after the other. */
interface PostWatch {
  readonly seen: string;
  /** It is worth looking at often. */
  readonly isNearEnd: boolean;
  /** How it is known that POST is over; undefined while it is not. */
  take(system: JsonObject): PostOutcome | undefined;
}

function createPostWatch(wait: PostWait, tookMs: () => number): PostWatch {
  const { settleMs, assumedMs, lastStepMs } = { ...defaultPostTimes, ...wait };
  let seen = 'nothing yet';
  let hasSeenPost = false;
  let lastStepAt: number | undefined;
  let quickLooks = 0;
  let isUnshown = false;
  return {
    get seen() {
      return seen;
    },
    get isNearEnd() {
      if (isUnshown) return assumedMs - tookMs() <= nearMs;
      return lastStepAt !== undefined && quickLooks <= mostQuickLooks;
    },
    take(body) {
      const { state, said } = powerIn(body);
      const progress = progressIn(body);
      const [isOn, stage] = [state === 'on', progress?.stage];
      seen = `power ${said ?? 'not said'}${progress === undefined ? '' : `, ${progress.said}`}`;
      if (!isOn || stage === 'going') hasSeenPost = true;
      lastStepAt = isOn && stage === 'last-step' ? (lastStepAt ?? tookMs()) : undefined;
      if (lastStepAt !== undefined) quickLooks += 1;
      isUnshown = isOn && progress === undefined;
      if (!isOn) return undefined;
      if (progress === undefined) {
        return tookMs() >= assumedMs ? { by: 'assumed', said: seen, tookMs: tookMs() } : undefined;
      }
      const isFresh = hasSeenPost || tookMs() >= settleMs;
      const hasStayed = lastStepAt !== undefined && tookMs() - lastStepAt >= lastStepMs;
      const isOver = isFresh && (stage === 'over' || hasStayed);
      return isOver ? { by: progress.by, said: progress.said, tookMs: tookMs() } : undefined;
    },
  };
}

/** Whether a host is in its self-test, by the body of its system; one whose BMC does not show that is not. */
export function isInPost(system: JsonObject): boolean {
  return powerIn(system).state === 'on' && progressIn(system)?.stage === 'going';
}

function progressIn(body: JsonObject): Progress | undefined {
  const state = textIn(objectIn(body, 'BootProgress'), 'LastState');
  if (state !== undefined) return { by: 'boot-progress', said: state, stage: stageOf(state, overStates) };
  const own =
    textIn(objectIn(body, 'Oem', 'Hpe'), 'PostState') ?? textIn(objectIn(body, 'Oem', 'Lenovo'), 'SystemStatus');
  return own === undefined ? undefined : { by: 'vendor', said: own, stage: stageOf(own, overVendorStates) };
}

function stageOf(said: string, over: RegExp): Progress['stage'] {
  if (over.test(said)) return 'over';
  return lastSteps.test(said) ? 'last-step' : 'going';
}
