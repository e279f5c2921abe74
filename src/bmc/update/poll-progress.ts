import { sleep } from '../../kube/index.ts';
import type { Bmc } from '../bmc.ts';
import { BmcError } from '../errors.ts';
import type { StartedUpdate, UpdateProgress } from '../firmware-update.ts';
import { LookPlan, type LookTimes } from './look-plan.ts';
import { readProgress } from './read-progress.ts';

/** How an update is polled. */
export interface PollOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  /** First and longest time between two looks: 1 s and 30 s unless given. */
  readonly pollMs?: LookTimes;
  /** Told how long the BMC was away, when it is back: from the first look that found nobody to the first that found it. */
  readonly onReturn?: (awayMs: number) => void;
  /** Lets somebody who hears that something may have changed end a wait early; what it gives ends that. */
  readonly listen?: (wake: () => void) => () => void;
}

/** When an update is looked at unless somebody says otherwise. */
export const defaultTimes: LookTimes = { first: 1000, most: 30_000 };

/** One look at an update. */
export interface ProgressLook {
  readonly progress: UpdateProgress;
  /** For how long neither kind nor percentage has changed. */
  readonly unchangedMs: number;
}

/**
 * Looks at an update again and again until whoever iterates has seen enough or the deadline is over, with growing time
 * between the looks while nothing changes. Throws BmcError `cancelled` with the signal.
 */
export async function* pollProgress(
  bmc: Bmc,
  started: StartedUpdate,
  options: PollOptions,
): AsyncGenerator<ProgressLook, void, void> {
  const { clock, random } = bmc;
  const end = clock.monotonic() + options.deadlineMs;
  const plan = new LookPlan(options.pollMs ?? defaultTimes, random);
  const waiting = createWaiting(options);
  try {
    for (;;) {
      throwIfCancelled(bmc, options.signal);
      waiting.begin();
      const progress = await readProgress(bmc, started);
      const before = plan.awayMs;
      const unchangedMs = plan.note(progress, clock.monotonic());
      if (plan.awayMs !== undefined && plan.awayMs !== before) options.onReturn?.(plan.awayMs);
      yield { progress, unchangedMs };
      const left = end - clock.monotonic();
      // Less than a millisecond may be too little to be added to the clock's time, which would then stand still.
      if (left < 1) return;
      await sleep(clock, Math.min(left, plan.next(clock.monotonic())), waiting.signal);
    }
  } finally {
    waiting.end();
  }
}

/** A wait that a hint ends; a hint that comes while it is looked ends the next one. */
function createWaiting({ signal, listen }: PollOptions) {
  let hinted = new AbortController();
  const unlisten = listen?.(() => hinted.abort());
  return {
    begin(): void {
      if (hinted.signal.aborted) hinted = new AbortController();
    },
    get signal(): AbortSignal | undefined {
      if (listen === undefined) return signal;
      return signal === undefined ? hinted.signal : AbortSignal.any([signal, hinted.signal]);
    },
    end(): void {
      unlisten?.();
    },
  };
}

function throwIfCancelled(bmc: Bmc, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new BmcError('cancelled', { origin: bmc.gate.origin });
}
