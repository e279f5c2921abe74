import type { Tone } from '../parts/tone.tsx';

/** A condition as conditionOrc shows it, as far as the console reads it. */
export interface ConditionRecord {
  readonly id: string;
  readonly target: string;
  readonly kind: string;
  readonly state: 'pending' | 'active' | 'failed' | 'succeeded';
  readonly status: {
    readonly message?: string;
    readonly percent?: number;
    readonly step?: string;
    readonly component?: string;
  };
  readonly parameters: { readonly owner?: string };
  readonly controller: string | null;
  readonly client: string;
  readonly priority: number;
  readonly reason: { readonly code: string; readonly message: string; readonly since: string } | null;
  readonly cancel: { readonly at: string; readonly by: string } | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly finalized_at: string | null;
}

/** One line of the tasks. */
export interface TaskRow {
  readonly id: string;
  readonly server: string;
  readonly kind: string;
  readonly tone: Tone;
  readonly word: string;
  /** 0 to 100; undefined where nobody says. */
  readonly percent: number | undefined;
  readonly what: string;
  readonly by: string;
  readonly at: string;
  /** Why it cannot be cancelled; undefined when it can. */
  readonly noCancel: string | undefined;
}

const kinds: Readonly<Record<string, string>> = {
  firmwareInstall: 'Firmware install',
  firmwareDiscover: 'Firmware discovery',
  inventoryOOB: 'Inventory scan',
  inventory: 'Inventory',
  biosControl: 'BIOS settings',
  externalWork: 'Host work',
  serverControl: 'Power',
};

/** Makes a line; `names` are those of servers by their id. */
export function toTaskRow(record: ConditionRecord, names: ReadonlyMap<string, string>): TaskRow {
  const { id, target, kind, state, status, reason, cancel, client } = record;
  const isOver = record.finalized_at !== null;
  const isCancelling = cancel !== null && !isOver;
  const step = [status.component, status.step].filter(Boolean).join(': ');
  return {
    id,
    server: names.get(target) ?? target,
    kind: kinds[kind] ?? kind,
    tone:
      state === 'failed'
        ? 'bad'
        : state === 'succeeded'
          ? 'good'
          : isCancelling
            ? 'warn'
            : state === 'active'
              ? 'busy'
              : 'idle',
    word: isCancelling
      ? 'stopping'
      : state === 'failed' && reason?.code.toLowerCase().includes('cancel') === true
        ? 'cancelled'
        : state,
    percent: state === 'active' ? status.percent : undefined,
    what: reason?.message ?? status.message ?? step,
    by: client,
    at: record.finalized_at ?? record.updated_at,
    noCancel: isOver ? 'It is over.' : isCancelling ? 'It stops at its next safe point.' : undefined,
  };
}

/** How many there are: `12`, `1000+` where there are more than were read, or nothing yet. */
export function countText(of: { readonly records: readonly unknown[]; readonly isMore: boolean } | undefined): string {
  return of === undefined ? '…' : `${of.records.length}${of.isMore ? '+' : ''}`;
}
