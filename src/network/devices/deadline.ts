import type { Clock } from '../../kube/index.ts';

/**
 * Waits for something no longer than told. When the time is up it is told to end, and nobody waits for it any more, since
 * a device that hangs may not even notice that.
 */
export function withDeadline<T>(
  { clock, ms }: { readonly clock: Clock; readonly ms: number },
  begin: (signal: AbortSignal) => Promise<T>,
  late: () => T,
): Promise<T> {
  const ending = new AbortController();
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      // First what came of it: the caller must not take the abort for an answer.
      resolve(late());
      ending.abort();
    });
    begin(ending.signal)
      .then(resolve, reject)
      .finally(() => timer.cancel());
  });
}
