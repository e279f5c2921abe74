import type { Clock } from '../../kube/index.ts';
import { createFakeClock, type FakeClock } from '../../kube/index.ts';

/** A clock for tests on which sleeping takes no real time: whoever sleeps wakes at once, and time has moved on. */
export function createHurriedClock(start?: number): Clock & Pick<FakeClock, 'advance' | 'pending' | 'jumpWall'> {
  const clock = createFakeClock(start);
  return {
    ...clock,
    get pending() {
      return clock.pending;
    },
    after(delayMs, callback, purpose) {
      const wakeAt = clock.monotonic() + Math.max(0, delayMs);
      const timer = clock.after(delayMs, callback);
      // After everything that can go on without time has gone on.
      if (purpose === 'sleep') setImmediate(() => clock.advance(Math.max(0, wakeAt - clock.monotonic())));
      return timer;
    },
  };
}
