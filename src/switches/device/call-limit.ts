import type { Clock } from '../../kube/index.ts';

/** The end of one call: the caller's signal, the device's closing, or its deadline, whichever is first. */
export interface CallLimit {
  readonly signal: AbortSignal;
  /** Why it ended, once it has. */
  why(): 'cancelled' | 'timeout';
  release(): void;
}

/** Starts the limit of one call. */
export function limitCall(
  clock: Clock,
  limits: { readonly timeoutMs: number; readonly signals: readonly (AbortSignal | undefined)[] },
): CallLimit {
  const controller = new AbortController();
  const signals = limits.signals.filter((each) => each !== undefined);
  let reason: 'cancelled' | 'timeout' = 'cancelled';
  const cancel = (): void => controller.abort();
  const timer = clock.after(limits.timeoutMs, () => {
    if (!controller.signal.aborted) reason = 'timeout';
    controller.abort();
  });
  for (const each of signals) {
    if (each.aborted) cancel();
    else each.addEventListener('abort', cancel, { once: true });
  }
  return {
    signal: controller.signal,
    why: () => reason,
    release() {
      timer.cancel();
      for (const each of signals) each.removeEventListener('abort', cancel);
    },
  };
}

/** Settles with the work, or with `undefined` as soon as the signal aborts; the work then goes on unheard. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(undefined);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
