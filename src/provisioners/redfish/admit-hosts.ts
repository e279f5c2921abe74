import type { Clock } from '../../kube/index.ts';
import type { ServicedHost } from '../provisioner.ts';
import type { HostRecords, RecordKey } from './host-record.ts';

/** What hosts are let in by. */
export interface AdmissionOptions {
  readonly records: Pick<HostRecords, 'working'>;
  readonly clock: Clock;
  /** Without a limit where it is undefined or 0. */
  readonly limit: number | undefined;
}

/** Says whose firmware may be changed. */
export interface Admission {
  /** Whether one more host may begin; it counts as one that did from then on. */
  admit(host: RecordKey, serviced?: () => readonly ServicedHost[]): Promise<boolean>;
}

/** So long a host that was let in counts, whether it is seen at work or not: it may not have begun. */
const admittedMs = 30_000;

/**
 * Counts the hosts whose firmware is being changed: by the records of what was ordered, by what the hosts say of
 * themselves, and those that were let in a moment ago. One is asked about after the other, so that nobody is counted by
 * what was read before somebody else was let in.
 */
export function createAdmission({ records, clock, limit }: AdmissionOptions): Admission {
  const admitted = new Map<string, number>();
  const nameOf = ({ namespace, name }: RecordKey): string => `${namespace}/${name}`;
  const decide = async (host: RecordKey, serviced: () => readonly ServicedHost[]): Promise<boolean> => {
    const working = await records.working();
    const busy = new Set([...working, ...serviced()].map(nameOf));
    const now = clock.monotonic();
    for (const [each, atMs] of admitted) if (now - atMs > admittedMs || busy.has(each)) admitted.delete(each);
    const key = nameOf(host);
    if (busy.has(key) || admitted.has(key)) return true;
    if (busy.size + admitted.size >= (limit ?? 0)) return false;
    admitted.set(key, now);
    return true;
  };
  let line: Promise<unknown> = Promise.resolve();
  return {
    admit(host, serviced = () => []) {
      if (limit === undefined || limit === 0) return Promise.resolve(true);
      const decided = line.then(() => decide(host, serviced));
      // Who could not be told does not keep the next from being told.
      line = decided.catch(() => undefined);
      return decided;
    },
  };
}
