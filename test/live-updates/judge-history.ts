import { readDetail } from '../../simulator/machine/log-detail.ts';
import { checkHistory } from '../recovery/check-log.ts';
import type { MachineHistory } from '../recovery/fleet.ts';
import type { HostPlan } from './plan-changes.ts';

/** What a simulated machine's own log says of its live updates. */
export interface HistoryVerdict {
  /** Promises that were broken, in words. */
  readonly violations: readonly string[];
  /** Images that were written, settings that took effect, and how often the host was started anew. */
  readonly written: number;
  readonly applied: number;
  readonly restarts: number;
  /** When it was worked on: from the first event of a service to the last. Simulated milliseconds. */
  readonly spans: readonly Span[];
}

/** A while in which a machine was worked on. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Events by which a machine is changed. */
const changing = /^(bios\.(staged|applied)|update\.|power\.reset|post\.)/;

/**
 * Judges the log of one machine from the event on that its first change came after:
 *
 * - every setting that was to be another took effect once, and for each change the host was started anew once;
 * - every image was written once, unless the BMC had failed with it, and nothing that a BMC had taken was destroyed (the
 *   rules of `checkHistory`; who of several asked, controllers do not tell BMCs).
 */
export function judgeHistory(history: MachineHistory, plan: HostPlan, from: number): HistoryVerdict {
  const events = history.events.slice(from);
  const made = plan.changes.filter(({ failure }) => failure === undefined);
  const settings = made.filter((change) => change.settings !== undefined).length;
  const updates = made.filter((change) => change.updates !== undefined).length;
  const bios = plan.server.releases.find(({ component }) => component === 'bios');
  const versions = updates === 0 ? [] : (bios?.slots ?? []).map((slot) => ({ slot, version: bios?.version ?? '' }));
  const checked = checkHistory(history, { versions, power: 'On' });
  const applied = events.filter(({ event }) => event === 'bios.applied').length;
  const restarts = events.filter(isStart).length;
  const mayFail = plan.changes.some(({ failure, updates: images = [] }) => failure !== undefined && images.length > 0);
  const violations = [
    ...checked.violations.map(({ rule, message }) => `${rule}: ${message}`),
    ...(applied === settings ? [] : [`settings took effect ${applied} times instead of ${settings}`]),
    // An image that fails may be tried again, and each try may start the host anew.
    ...(mayFail || restarts === settings + updates
      ? []
      : [`the host was started anew ${restarts} times instead of ${settings + updates}`]),
  ];
  const written = events.filter(({ event, detail }) => event === 'update.flash-end' && isGood(detail)).length;
  return {
    violations: violations.map((each) => `${history.name}: ${each}`),
    ...{ written, applied, restarts },
    spans: spansOf(events.filter(({ event }) => changing.test(event))),
  };
}

function isDone(detail: string): boolean {
  return readDetail(detail).outcome === 'ok';
}

/** Resets that a host is off after: what starts it again is another one. */
const switchingOff: readonly (string | undefined)[] = ['GracefulShutdown', 'ForceOff'];

/** A host is shut down by one reset and started by another: that is one restart. */
function isStart({ event, detail }: MachineHistory['events'][number]): boolean {
  return event === 'power.reset' && isDone(detail) && !switchingOff.includes(readDetail(detail).type);
}

function isGood(detail: string): boolean {
  return readDetail(detail).result === 'ok';
}

/** What the log of a machine says of one service for settings. */
export interface ServiceSeen {
  readonly applied: number;
  readonly restarts: number;
  /** From the restart, or the shutdown before it, to the end of the self-test: what the machine took itself. */
  readonly downMs: number;
  readonly spans: readonly Span[];
}

/** Whether the log goes as far as the end of each self-test that the service began, so that all of it can be read. */
export function hasEnded(history: MachineHistory, from: number): boolean {
  const events = history.events.slice(from).map(({ event }) => event);
  return !events.includes('bios.staged') || events.lastIndexOf('post.done') > events.lastIndexOf('post.begin');
}

/** Reads it from the event on that the service came after. */
export function readService(history: MachineHistory, from: number): ServiceSeen {
  // What a boot before is still at is none of this service.
  const all = history.events.slice(from);
  const events = all.slice(
    Math.max(
      0,
      all.findIndex(({ event }) => event === 'bios.staged'),
    ),
  );
  const resets = events.filter(({ event, detail }) => event === 'power.reset' && isDone(detail));
  const [reset] = resets;
  const times = events.filter(({ event }) => changing.test(event)).map(({ atMs }) => atMs);
  const [first, last] = [times[0], times.at(-1)];
  const done = events.findLast(({ event }) => event === 'post.done');
  return {
    applied: events.filter(({ event }) => event === 'bios.applied').length,
    restarts: events.filter(isStart).length,
    downMs: reset === undefined || done === undefined ? Number.NaN : done.atMs - reset.atMs,
    spans: first === undefined || last === undefined ? [] : [{ fromMs: first, toMs: last }],
  };
}

/** Nothing of one service is further apart than this, in simulated time, but the end of a shutdown. */
const restMs = 20_000;
const shutdownMs = 200_000;

function spansOf(events: MachineHistory['events']): readonly Span[] {
  const spans: { fromMs: number; toMs: number }[] = [];
  let mostMs = restMs;
  for (const { atMs, event, detail } of events) {
    const last = spans.at(-1);
    if (last !== undefined && atMs - last.toMs <= mostMs) last.toMs = atMs;
    else spans.push({ fromMs: atMs, toMs: atMs });
    const isShuttingDown = event === 'power.reset' && readDetail(detail).type === 'GracefulShutdown' && isDone(detail);
    mostMs = isShuttingDown ? shutdownMs : restMs;
  }
  return spans;
}

/** The most machines that were worked on at one moment. */
export function mostAtOnce(spans: readonly Span[]): number {
  const steps = spans.flatMap(({ fromMs, toMs }) => [
    { at: fromMs, by: 1 },
    { at: toMs, by: -1 },
  ]);
  // Who begins at the moment at which another ends is not beside it.
  steps.sort((one, other) => one.at - other.at || one.by - other.by);
  let now = 0;
  let most = 0;
  for (const { by } of steps) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}
