import type { BareMetalHostDiscovery, BareMetalHostDiscoveryStatus } from '../api/index.ts';
import {
  type Decision,
  type Effect,
  type EventDraft,
  type Instant,
  isBeingDeleted,
  namesForPeople,
  type Wake,
} from '../kube/index.ts';
import { discoveryStatus } from './discovery-status.ts';
import type { PlannedHost } from './poll/plan-hosts.ts';
import { type Report, refusalsForPeople } from './report.ts';

/** What is known of a BareMetalHostDiscovery. */
export interface DiscoverySeen {
  readonly object: BareMetalHostDiscovery;
  /** Hosts that the last poll planned and nobody has created yet. */
  readonly planned: readonly PlannedHost[];
  /** What the last poll came to, once its hosts are created. */
  readonly report: Report | undefined;
  /** True until a status has told it. */
  readonly isNews: boolean;
  /** Hosts that were created and are in no status yet. */
  readonly uncounted: number;
  /** When the next poll is due. */
  readonly dueInMs: number;
}

/** What is done for a BareMetalHostDiscovery. */
export interface DiscoveryEffect extends Effect {
  readonly kind: 'create-hosts';
  readonly hosts: readonly PlannedHost[];
}

/** What is wanted of a BareMetalHostDiscovery. */
export type DiscoveryDecision = Decision<DiscoveryEffect, BareMetalHostDiscoveryStatus>;

/** Decides what is created, and what is told of it. Pure. */
export function decideDiscovery(seen: DiscoverySeen, now: Instant): DiscoveryDecision {
  const { object, planned } = seen;
  if (isBeingDeleted(object)) {
    return { effects: [], status: undefined, wake: { never: 'it is being deleted' }, why: [] };
  }
  if (object.spec.paused === true) {
    const why = [{ code: 'Paused', message: 'No hosts are created while it is paused.' }];
    return { effects: [], status: statusOf(seen, now), wake: { on: 'change' }, why };
  }
  if (planned.length > 0) {
    const names = planned.map(({ host }) => host.metadata.name ?? '');
    const why = [{ code: 'Discovered', message: `Creates ${namesForPeople(names)}.` }];
    const key = `create-hosts/${object.metadata.namespace}/${object.metadata.name}`;
    return { effects: [{ kind: 'create-hosts', key, hosts: planned }], status: undefined, wake: { after: 0 }, why };
  }
  const wake: Wake = { after: Math.max(0, seen.dueInMs) };
  return { effects: [], status: statusOf(seen, now), wake, why: whyOf(seen.report), events: eventsOf(seen) };
}

function statusOf({ object, report, uncounted }: DiscoverySeen, now: Instant): BareMetalHostDiscoveryStatus {
  return discoveryStatus({ object, report, uncounted }, now);
}

function whyOf(report: Report | undefined): DiscoveryDecision['why'] {
  if (report === undefined) return [];
  const { problem, known, waiting, refused, ignored } = report;
  const counts = `${known} machines are hosts, ${waiting} wait, ${refused.length} were refused, ${ignored} are left alone.`;
  return [
    { code: 'Polled', message: counts },
    ...(problem === undefined ? [] : [{ code: problem.reason, message: problem.message }]),
  ];
}

/** One event for many machines: a flood of them must not become one of events. */
function eventsOf({ report, isNews }: DiscoverySeen): EventDraft[] {
  if (report === undefined || !isNews) return [];
  const { created, news } = report;
  const hosts = created.length === 1 ? 'the host' : `${created.length} hosts`;
  return [
    ...(created.length === 0
      ? []
      : [
          {
            type: 'Normal',
            reason: 'HostsDiscovered',
            message: `Created ${hosts} ${namesForPeople(created)}.`,
          } as const,
        ]),
    ...(news.length === 0
      ? []
      : [{ type: 'Warning', reason: 'HostsRefused', message: refusalsForPeople(news).slice(0, 1000) } as const]),
  ];
}
