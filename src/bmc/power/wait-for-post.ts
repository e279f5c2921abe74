import type { Bmc } from '../bmc.ts';
import type { JsonObject } from '../json.ts';
import { objectIn, systemOf, textIn } from '../redfish/index.ts';
import { poll } from './poll.ts';
import { powerIn, refresh } from './power-state.ts';

/** How to wait for the end of a host's self-test. */
export interface PostWait {
  /** 30 minutes unless given: large memory takes long. */
  readonly deadlineMs?: number;
  /** What is believed only after this long, as it may be of the boot before; 30 s unless given. */
  readonly settleMs?: number;
  /** Where the BMC shows no progress at all, POST is taken to be over this long after power on; 10 minutes unless given. */
  readonly assumedMs?: number;
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
  readonly isOver: boolean;
}

const overStates = /^(?:SystemHardwareInitializationComplete|SetupEntered|OSBootStarted|OSRunning)$/;
const overVendorStates = /^(?:FinishedPost|InPostDiscoveryComplete|OSBooted|BootingOSOrInUnsupportedOS|BootingOS.*)$/;

/** Waits until the host's self-test (POST) is over. Throws `deadline` when it is not, also for a host that stays off. */
export async function waitForPost(bmc: Bmc, wait: PostWait = {}): Promise<PostOutcome> {
  const system = await systemOf(bmc);
  const started = bmc.clock.monotonic();
  const tookMs = () => bmc.clock.monotonic() - started;
  let seen = 'nothing yet';
  let hasSeenPost = false;
  return poll(bmc, {
    what: 'the self-test (POST)',
    deadlineMs: wait.deadlineMs ?? 30 * 60_000,
    signal: wait.signal,
    seen: () => `last seen: ${seen}`,
    look: async () => {
      const { body } = await refresh(bmc, system);
      const { state, said } = powerIn(body);
      const progress = progressIn(body);
      seen = progress === undefined ? `power ${said ?? 'not said'}` : `power ${said ?? 'not said'}, ${progress.said}`;
      if (state !== 'on' || progress?.isOver === false) hasSeenPost = true;
      if (state !== 'on') return undefined;
      if (progress === undefined) {
        return tookMs() >= (wait.assumedMs ?? 10 * 60_000)
          ? { by: 'assumed', said: seen, tookMs: tookMs() }
          : undefined;
      }
      const isFresh = hasSeenPost || tookMs() >= (wait.settleMs ?? 30_000);
      return progress.isOver && isFresh ? { by: progress.by, said: progress.said, tookMs: tookMs() } : undefined;
    },
  });
}

/** Whether a host is in its self-test, by the body of its system; one whose BMC does not show that is not. */
export function isInPost(system: JsonObject): boolean {
  return powerIn(system).state === 'on' && progressIn(system)?.isOver === false;
}

function progressIn(body: JsonObject): Progress | undefined {
  const state = textIn(objectIn(body, 'BootProgress'), 'LastState');
  if (state !== undefined) return { by: 'boot-progress', said: state, isOver: overStates.test(state) };
  const own =
    textIn(objectIn(body, 'Oem', 'Hpe'), 'PostState') ?? textIn(objectIn(body, 'Oem', 'Lenovo'), 'SystemStatus');
  return own === undefined ? undefined : { by: 'vendor', said: own, isOver: overVendorStates.test(own) };
}
