import type { AnyKubeObject } from '../../kube/index.ts';

/** An event of the core group, as far as it is shown. */
export interface ShownEvent extends AnyKubeObject {
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  source?: { component?: string };
  reportingComponent?: string;
  involvedObject?: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
}

/** When an event was last seen. */
export function timeOf({ lastTimestamp, eventTime, metadata }: ShownEvent): string {
  return lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? '';
}

/**
 * Events by time, oldest first, each once. Their times have whole seconds, within which the resource version tells the
 * order. A recorder that was restarted, or that repeats itself after a while, writes an equal event anew: those are one,
 * with their counts added up.
 */
export function orderEvents(events: readonly ShownEvent[]): ShownEvent[] {
  const merged = new Map<string, ShownEvent>();
  for (const event of events.toSorted(compareEvents)) {
    const { involvedObject: { kind, namespace, name, uid } = {} } = event;
    const key = JSON.stringify([
      kind,
      namespace,
      name,
      uid,
      event.type,
      event.reason,
      event.message,
      componentOf(event),
    ]);
    const before = merged.get(key);
    // Put at the end again: it is where it was seen last.
    merged.delete(key);
    merged.set(key, before === undefined ? event : { ...event, count: countOf(before) + countOf(event) });
  }
  return [...merged.values()];
}

function compareEvents(a: ShownEvent, b: ShownEvent): number {
  return secondOf(a) - secondOf(b) || versionOf(a) - versionOf(b);
}

function secondOf(event: ShownEvent): number {
  return Math.floor((Date.parse(timeOf(event)) || 0) / 1000);
}

function versionOf({ metadata }: ShownEvent): number {
  return Number(metadata?.resourceVersion ?? 0) || 0;
}

function countOf({ count = 1 }: ShownEvent): number {
  return Math.max(1, count);
}

/** Who recorded an event. */
export function componentOf({ source, reportingComponent }: ShownEvent): string {
  return source?.component ?? reportingComponent ?? '';
}
