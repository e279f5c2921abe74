import type { Clock } from '../../src/kube/index.ts';

/** A clock that knows how many of its timers still wait: what a client leaves behind is seen there. */
export interface CountedClock extends Clock {
  readonly pending: number;
}

/** Counts the timers of one client. */
export function countTimers(clock: Clock): CountedClock {
  const waiting = new Set<object>();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after(delayMs, callback, purpose) {
      const mark = {};
      waiting.add(mark);
      const fire = (): void => {
        waiting.delete(mark);
        callback();
      };
      const timer = clock.after(delayMs, fire, purpose);
      return {
        cancel() {
          waiting.delete(mark);
          timer.cancel();
        },
      };
    },
    get pending() {
      return waiting.size;
    },
  };
}
