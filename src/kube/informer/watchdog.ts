import type { Clock, Timer } from '../clock.ts';

/** Calls back when nothing was heard for too long. */
export interface Watchdog {
  /** Something was heard; the next sign of life is due within the limit. */
  feed(limitMs: number): void;
  stop(): void;
}

/**
 * A watchdog that looks at the time of the last sign of life when its timer fires, so that feeding it on every event
 * of a busy stream costs two numbers and no timer.
 */
export function startWatchdog(clock: Clock, limitMs: number, onSilence: () => void): Watchdog {
  let due = clock.monotonic() + limitMs;
  let armedFor = due;
  let timer: Timer = clock.after(limitMs, check);

  function arm(): void {
    armedFor = due;
    timer = clock.after(Math.max(0, due - clock.monotonic()), check);
  }
  function check(): void {
    if (clock.monotonic() >= due) onSilence();
    else arm();
  }
  return {
    feed(nextMs) {
      due = clock.monotonic() + nextMs;
      if (due >= armedFor) return;
      // The limit became shorter: the running timer would look too late.
      timer.cancel();
      arm();
    },
    stop: () => timer.cancel(),
  };
}
