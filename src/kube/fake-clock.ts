import type { Clock, Timer } from './clock.ts';

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves time forward, firing due timers in order. */
  advance(ms: number): void;
  /** Moves to the next timer and fires it; false when there is none. */
  advanceToNext(): boolean;
  /** How many timers wait. */
  readonly pending: number;
  /** Milliseconds until the next timer fires. */
  nextInMs(): number | undefined;
  /** Resolves when at least one timer waits. */
  untilPending(): Promise<void>;
  /** Moves wall time only, as an operator or NTP would. */
  jumpWall(ms: number): void;
}

interface Waiting {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Makes a clock for tests, starting at the given wall time. */
export function createFakeClock(start = Date.UTC(2025, 0, 1)): FakeClock {
  let elapsed = 0;
  let wall = start;
  let order = 0;
  const waiting = new Set<Waiting>();
  let watchers: (() => void)[] = [];

  const next = (): Waiting | undefined => [...waiting].sort((a, b) => a.at - b.at || a.order - b.order)[0];
  const moveTo = (at: number): void => {
    wall += Math.max(0, at - elapsed);
    elapsed = Math.max(elapsed, at);
  };
  const fire = (timer: Waiting): void => {
    waiting.delete(timer);
    moveTo(timer.at);
    timer.callback();
  };
  const after = (delayMs: number, callback: () => void): Timer => {
    const timer: Waiting = { at: elapsed + Math.max(0, delayMs), order: order++, callback };
    waiting.add(timer);
    for (const watcher of watchers.splice(0)) watcher();
    return { cancel: () => void waiting.delete(timer) };
  };

  return {
    now: () => wall,
    monotonic: () => elapsed,
    after,
    advance(ms) {
      const end = elapsed + ms;
      for (let due = next(); due !== undefined && due.at <= end; due = next()) fire(due);
      moveTo(end);
    },
    advanceToNext() {
      const due = next();
      if (due !== undefined) fire(due);
      return due !== undefined;
    },
    get pending() {
      return waiting.size;
    },
    nextInMs() {
      const due = next();
      return due === undefined ? undefined : Math.max(0, due.at - elapsed);
    },
    untilPending: () =>
      waiting.size > 0 ? Promise.resolve() : new Promise((resolve) => (watchers = [...watchers, resolve])),
    jumpWall(ms) {
      wall += ms;
    },
  };
}
