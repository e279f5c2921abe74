import type { Clock } from '../../kube/index.ts';

/** How long a BMC may be too busy for something before that is a failure. */
export const busyLimitMs = 60_000;

/** Since when BMCs have been too busy for what they are asked for. */
export interface BusyBmcs {
  /** Notes that a BMC was too busy for what it was asked for at that time; true once it has been for too long. */
  note(what: string, askedAt: number): boolean;
  /** The BMC did it. */
  forget(what: string): void;
}

/** Remembers that in this process: who begins anew waits anew. Times are those of the clock that never jumps. */
export function createBusyBmcs(clock: Pick<Clock, 'monotonic'>): BusyBmcs {
  const waits = new Map<string, { readonly since: number; readonly last: number }>();
  return {
    note(what, askedAt) {
      const now = clock.monotonic();
      const before = waits.get(what);
      // What was not asked for in between has not waited.
      const since = before !== undefined && askedAt - before.last < busyLimitMs ? before.since : askedAt;
      waits.set(what, { since, last: now });
      return now - since >= busyLimitMs;
    },
    forget: (what) => void waits.delete(what),
  };
}
