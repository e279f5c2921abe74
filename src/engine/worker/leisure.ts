import { performance } from 'node:perf_hooks';
import { type Clock, sleep } from '../../kube/index.ts';

/** Tells when a process has time for more work. */
export interface Leisure {
  /** How many pieces of work to take before asking again. */
  readonly portion: number;
  /** Resolves when there is time, and in any case after a while: whoever is always busy still takes some. */
  wait(signal: AbortSignal): Promise<void>;
}

/** How leisure is judged. */
export interface LeisureOptions {
  readonly clock: Clock;
  /** Busy part of the time since the last look, from 0 to 1; of this process's event loop unless given. */
  readonly load?: () => number;
}

const lookMs = 20;
const mostMs = 500;
const busyFrom = 0.9;

/**
 * Judges by the event loop. A worker that takes hundreds at once works on all of them in turns, and none gets to its long
 * wait for a BMC before all do; one that takes a few more whenever it has time gets each there as soon as it can.
 */
export function createLeisure({ clock, load = createLoopLoad() }: LeisureOptions): Leisure {
  return {
    portion: 8,
    async wait(signal) {
      const end = clock.monotonic() + mostMs;
      do await sleep(clock, lookMs, signal);
      while (!signal.aborted && load() >= busyFrom && clock.monotonic() < end);
    },
  };
}

function createLoopLoad(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}
