import type { Clock } from '../../kube/index.ts';
import type { MachineRecord } from './records/machine-record.ts';
import type { MachineRecords } from './records/machine-records.ts';

/** Knows whose agents were heard of lately. */
export interface Hearing {
  /** Notes that an agent was just heard of; says when that is worth writing down. */
  hear(id: string): { readonly isWorthWriting: boolean };
  isHeard(machine: Pick<MachineRecord, 'id' | 'heardAtMs'>): boolean;
  /** Whether an agent is surely silent: not heard, although it was listened for long enough. */
  isSilent(machine: Pick<MachineRecord, 'id' | 'heardAtMs'>): boolean;
  /** The agent is expected to be gone. */
  forget(id: string): void;
}

/** Writing down each time would cost a write with each question for work. */
const writeEveryMs = 60_000;
const most = 100_000;

/** Listens. What was written down counts after a restart. */
export function createHearing(options: { readonly clock: Clock; readonly silenceMs: number }): Hearing {
  const { clock, silenceMs } = options;
  const heard = new Map<string, { atMs: number; writtenMs: number }>();
  const sinceMs = clock.now();
  const isHeard: Hearing['isHeard'] = ({ id, heardAtMs = 0 }) => {
    const atMs = Math.max(heard.get(id)?.atMs ?? 0, heardAtMs);
    return clock.now() - atMs < silenceMs;
  };
  return {
    isHeard,
    isSilent: (machine) => clock.now() - sinceMs >= silenceMs && !isHeard(machine),
    hear(id) {
      const atMs = clock.now();
      const before = heard.get(id);
      const isWorthWriting = before !== undefined && atMs - before.writtenMs >= writeEveryMs;
      heard.delete(id);
      heard.set(id, { atMs, writtenMs: before === undefined || isWorthWriting ? atMs : before.writtenMs });
      const [first] = heard.keys();
      if (heard.size > most && first !== undefined) heard.delete(first);
      return { isWorthWriting };
    },
    forget: (id) => void heard.delete(id),
  };
}

/** Notes that an agent was heard of, also for after a restart. */
export async function noteHeard(
  { hearing, records, clock }: { readonly hearing: Hearing; readonly records: MachineRecords; readonly clock: Clock },
  id: string,
): Promise<void> {
  if (!hearing.hear(id).isWorthWriting) return;
  await records.change(id, (now) => ({ ...now, heardAtMs: clock.now() }));
}
