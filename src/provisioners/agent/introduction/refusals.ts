import type { Clock } from '../../../kube/index.ts';
import type { RefusedMachine } from '../../discovery-source.ts';

/** Machines that were refused lately. */
export interface Refusals {
  /** True where it is the first of its kind, which is worth a line in the log. */
  add(refusal: Pick<RefusedMachine, 'mac' | 'macs' | 'reason'>): boolean;
  /** Somebody with these MACs, or from that address, was let in: what was held against them is settled. */
  settle(whose: readonly string[]): void;
  list(): readonly RefusedMachine[];
}

/** Whoever has not tried for so long has gone away. */
const latelyMs = 3_600_000;

/** Remembers so many; the one that tried least lately goes first. */
export function createRefusals({ clock, most }: { readonly clock: Clock; readonly most: number }): Refusals {
  const all = new Map<string, RefusedMachine>();
  return {
    add({ mac, macs, reason }) {
      const before = all.get(mac);
      const now = clock.now();
      all.delete(mac);
      const sinceMs = before?.sinceMs ?? now;
      all.set(mac, { mac, macs, reason, sinceMs, lastMs: now, times: (before?.times ?? 0) + 1 });
      const [first] = all.keys();
      if (all.size > most && first !== undefined) all.delete(first);
      return before === undefined;
    },
    settle(whose) {
      for (const each of whose) all.delete(each);
    },
    list: () => [...all.values()].filter(({ lastMs }) => clock.now() - lastMs < latelyMs),
  };
}
