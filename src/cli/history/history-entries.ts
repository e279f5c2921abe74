import type { ConditionRecord } from '../../conditionorc/index.ts';
import type { HostObject } from '../fleet/fleet-machines.ts';
import { messageOf } from '../install-service/conditions.ts';
import { componentOf, orderEvents, type ShownEvent, timeOf } from '../objects/order-events.ts';
import type { Column } from '../output/show.ts';

/** One thing that was done to a machine, or told of it. */
export interface HistoryEntry {
  /** When it was asked for, began or was last told. */
  readonly at: string;
  readonly endedAt?: string | undefined;
  readonly what: string;
  /** `BareMetalHost simulated/r01-s01`, or the machine itself. */
  readonly about: string;
  /** Who asked for it, or who told it. */
  readonly by: string;
  /** Who did it. */
  readonly worker?: string | undefined;
  readonly result: string;
  readonly message: string;
  readonly source: 'engine' | 'host' | 'event';
  /** Of the condition. */
  readonly id?: string | undefined;
}

/** Work of the engine, in the order in which it was asked for and runs: ids grow with time. */
export function entriesOfWork(
  records: readonly ConditionRecord[],
  nameOf: (machine: string) => string,
): HistoryEntry[] {
  const unique = [...new Map(records.map((record) => [record.id, record])).values()];
  return unique.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((record) => entryOfCondition(record, nameOf));
}

function entryOfCondition(record: ConditionRecord, nameOf: (machine: string) => string): HistoryEntry {
  const isCancelled = record.reason?.code === 'Cancelled';
  return {
    at: record.created_at,
    endedAt: record.finalized_at ?? undefined,
    what: record.kind,
    about: nameOf(record.target.toLowerCase()),
    by: record.cancel === null ? record.client : `${record.client}, cancelled by ${record.cancel.by}`,
    worker: record.controller ?? undefined,
    result: isCancelled ? 'cancelled' : record.state,
    message: messageOf(record),
    source: 'engine',
    id: record.id,
  };
}

/** What a host says was last done to it, of each kind. */
export function entriesOfHost(host: HostObject): HistoryEntry[] {
  return Object.entries(host.status?.operationHistory ?? {}).flatMap(([what, times]) => {
    if (typeof times?.start !== 'string') return [];
    const endedAt = times.end ?? undefined;
    return [
      {
        ...{ at: times.start, endedAt, what, about: aboutOf(host), by: 'host controller' },
        ...{ result: endedAt === undefined ? 'active' : 'ended', message: '', source: 'host' as const },
      },
    ];
  });
}

/** What was told of objects, each event once. */
export function entriesOfEvents(events: readonly ShownEvent[]): HistoryEntry[] {
  return orderEvents(events).map(entryOfEvent);
}

function entryOfEvent(event: ShownEvent): HistoryEntry {
  const { kind = '', namespace, name = '' } = event.involvedObject ?? {};
  const times = (event.count ?? 1) > 1 ? ` (${event.count} times)` : '';
  return {
    at: timeOf(event),
    what: event.reason ?? '',
    about: namespace === undefined || namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`,
    by: componentOf(event),
    result: event.type === 'Warning' ? 'warning' : 'told',
    message: `${event.message ?? ''}${times}`,
    source: 'event',
  };
}

/** `BareMetalHost simulated/r01-s01`. */
export function aboutOf({ kind, metadata }: HostObject): string {
  const name = metadata?.namespace === undefined ? metadata?.name : `${metadata.namespace}/${metadata.name}`;
  return `${kind ?? 'BareMetalHost'} ${name ?? ''}`;
}

/** Oldest first, as a story is told; of too many the newest. */
export function orderEntries(entries: readonly HistoryEntry[], most: number): HistoryEntry[] {
  const whenOf = ({ at }: HistoryEntry): number => Date.parse(at) || 0;
  return entries.toSorted((a, b) => whenOf(a) - whenOf(b)).slice(-most);
}

/** The table of a history. */
export const historyColumns: readonly Column<HistoryEntry>[] = [
  { title: 'WHEN', cell: ({ at }) => at.replace(/\.\d+Z$/, 'Z') },
  { title: 'WHAT', cell: ({ what }) => what },
  { title: 'ABOUT', cell: ({ about }) => about },
  { title: 'BY', cell: ({ by }) => by },
  { title: 'RESULT', cell: ({ result }) => result },
  { title: 'TOOK', cell: tookOf },
  { title: 'WORKER', cell: ({ worker = '' }) => worker, isWide: true },
  { title: 'ID', cell: ({ id = '' }) => id, isWide: true },
  { title: 'MESSAGE', cell: ({ message }) => message },
];

function tookOf({ at, endedAt }: HistoryEntry): string {
  if (endedAt === undefined) return '';
  const seconds = (Date.parse(endedAt) - Date.parse(at)) / 1000;
  if (seconds < 60) return `${Math.round(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m${Math.round(seconds % 60)}s` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}
