import type { Clock } from '../../kube/index.ts';

/** How long something outside of the gate may take. */
export interface Bound {
  readonly clock: Clock;
  readonly withinMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What is thrown when time is up. */
  late(): Error;
  /** What is thrown when the signal aborts. */
  aborted(): Error;
}

/** Waits for a promise that somebody else has to settle, but neither for ever nor past the caller's interest. */
export function bounded<T>(promise: Promise<T>, bound: Bound): Promise<T> {
  const { signal } = bound;
  if (signal?.aborted) {
    promise.catch(() => {});
    return Promise.reject(bound.aborted());
  }
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      timer.cancel();
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const onAbort = (): void => done(() => reject(bound.aborted()));
    const timer = bound.clock.after(bound.withinMs, () => done(() => reject(bound.late())));
    signal?.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => done(() => resolve(value)),
      (error) => done(() => reject(error)),
    );
  });
}
