/** A timer that can be taken back. */
export interface Timer {
  cancel(): void;
}

/** Where time comes from, so that tests can drive it. */
export interface Clock {
  /** Wall time in milliseconds since 1970; may jump. */
  now(): number;
  /** Milliseconds from an arbitrary start; never jumps. */
  monotonic(): number;
  /**
   * Calls back once after the delay. `sleep` says that whoever asked does nothing until then, so that a clock that is
   * stepped knows when everybody waits; a deadline beside other work leaves it out.
   */
  after(delayMs: number, callback: () => void, purpose?: 'sleep'): Timer;
}

/** A number in [0, 1). */
export type Random = () => number;

/** The machine's own clock. Its timers keep the process alive only while someone waits for them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(delayMs, 2 ** 31 - 1));
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Resolves after the delay, or at once when the signal aborts; never rejects. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(delayMs, done, 'sleep');
    signal?.addEventListener('abort', done, { once: true });
  });
}
