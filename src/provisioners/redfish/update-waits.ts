import type { Clock } from '../../kube/index.ts';

/** Whose power waits for an update that its BMC is at, as far as this process has looked. */
export interface UpdateWaits {
  /** An update was seen; how long it has been waited for, in milliseconds. */
  wait(host: string): number;
  /** None was seen any more, or nobody waits. */
  end(host: string): void;
}

/** Who did not look for so long has not waited: what is seen then may be another update. */
const gapMs = 30 * 60_000;

/** Makes a place for such waits. A process that dies loses them, and whoever comes after it waits anew. */
export function createUpdateWaits(clock: Clock): UpdateWaits {
  const all = new Map<string, { readonly sinceMs: number; readonly seenMs: number }>();
  return {
    wait(host) {
      const seenMs = clock.monotonic();
      const before = all.get(host);
      const sinceMs = before === undefined || seenMs - before.seenMs > gapMs ? seenMs : before.sinceMs;
      all.set(host, { sinceMs, seenMs });
      return seenMs - sinceMs;
    },
    end: (host) => void all.delete(host),
  };
}
