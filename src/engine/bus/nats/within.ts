import { type Clock, sleep } from '../../../kube/index.ts';

/** What is waited for and how long. */
export interface Within<T> {
  readonly clock: Clock;
  readonly boundMs: number;
  readonly promise: Promise<T>;
}

/** The answer of a promise, or `late` when it takes longer than the bound; what it does after that is ignored. */
export async function within<T>({ clock, boundMs, promise }: Within<T>): Promise<T | 'late'> {
  const enough = new AbortController();
  const late = sleep(clock, boundMs, enough.signal).then(() => 'late' as const);
  try {
    // The race listens to both, so that a rejection which comes too late is not reported as unhandled.
    return await Promise.race([promise, late]);
  } finally {
    enough.abort();
  }
}
