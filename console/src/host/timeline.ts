import type { KubeObject } from '../api/kinds.ts';
import type { HostObject } from '../fleet/host-row.ts';
import type { Tone } from '../parts/tone.tsx';

/** An Event of Kubernetes as far as the console reads it. */
export interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

/** Something that happened. */
export interface Moment {
  readonly id: string;
  readonly at: string;
  readonly title: string;
  readonly text: string;
  readonly tone: Tone;
}

const operations: Readonly<Record<string, readonly [string, string]>> = {
  register: ['Registering', 'Registered'],
  inspect: ['Inspecting', 'Inspected'],
  provision: ['Provisioning', 'Provisioned'],
  deprovision: ['Deprovisioning', 'Deprovisioned'],
  service: ['Live update', 'Live update ended'],
};

/** What happened to a host, newest first: the operations of its status and what was told of it. */
export function timelineOf(host: HostObject, events: readonly EventObject[]): readonly Moment[] {
  const done = Object.entries(host.status?.operationHistory ?? {}).flatMap(([name, times]): Moment[] => {
    const [began, ended] = operations[name] ?? [name, name];
    if (times?.start == null) return [];
    if (times.end == null)
      return [{ id: `${name}-start`, at: times.start, title: began, text: 'goes on', tone: 'busy' }];
    const seconds = Math.round((Date.parse(times.end) - Date.parse(times.start)) / 1000);
    return [
      { id: `${name}-end`, at: times.end, title: ended, text: seconds > 0 ? `took ${seconds} s` : '', tone: 'good' },
    ];
  });
  const told = events.map((event): Moment => {
    const at = event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
    const times = (event.count ?? 1) > 1 ? ` (${event.count} times)` : '';
    return {
      id: event.metadata.name,
      at,
      title: event.reason ?? 'Event',
      text: `${event.message ?? ''}${times}`,
      tone: event.type === 'Warning' ? 'warn' : 'idle',
    };
  });
  return [...done, ...told].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}
