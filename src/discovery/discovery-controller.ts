import type { BareMetalHostDiscovery, BareMetalHostDiscoveryStatus } from '../api/index.ts';
import {
  type Clock,
  type Controller,
  type ControllerOptions,
  defineController,
  formatKey,
  isForbidden,
  isInvalid,
  type KubeClient,
  type KubeObject,
  keyOf,
  ok,
  patchStatus,
  watchInformer,
} from '../kube/index.ts';
import type { DiscoverySource } from '../provisioners/index.ts';
import { claimNameOf } from './claims/claim.ts';
import { type ClaimContext, claimHost } from './claims/claim-host.ts';
import { createClaimDesk } from './claims/kube-desk.ts';
import type { QuietClaims } from './claims/quiet-claims.ts';
import { type Course, newCourse } from './course.ts';
import { type DiscoveryEffect, type DiscoverySeen, decideDiscovery } from './decide-discovery.ts';
import type { DiscoveryMetrics } from './discovery-metrics.ts';
import type { DiscoveryInformers } from './objects.ts';
import { eachAtOnce } from './poll/at-once.ts';
import { allowanceOf, type PlannedHost } from './poll/plan-hosts.ts';
import { pollSources } from './poll/poll-sources.ts';
import { refill, untilNextMs } from './poll/token-bucket.ts';
import { type HostResult, reportOf } from './report.ts';
import { fieldManager, resources } from './resources.ts';
import type { DiscoverySettings } from './settings.ts';

/** What discovery works with. */
export interface DiscoveryParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly sources: readonly DiscoverySource[];
  readonly informers: DiscoveryInformers;
  readonly quiet: QuietClaims;
  readonly settings: DiscoverySettings;
  readonly counts: DiscoveryMetrics;
  /** How far it is with each object, by key. */
  readonly courses: Map<string, Course>;
}

/** Makes hosts of machines that nobody has registered, as each BareMetalHostDiscovery asks for. */
export function createDiscoveryController(
  parts: DiscoveryParts,
  options: ControllerOptions,
): Controller<DiscoveryEffect, BareMetalHostDiscoveryStatus> {
  const { client, informers, courses } = parts;
  const objects = client.resource<BareMetalHostDiscovery & KubeObject>(resources.discoveries);
  return defineController<DiscoverySeen, DiscoveryEffect, BareMetalHostDiscoveryStatus>(
    {
      name: 'host-discovery',
      watches: [watchInformer(informers.discoveries)],
      read: (key) => readSeen(parts, key),
      decide: decideDiscovery,
      statusOf: ({ object }) => object.status,
      subjectOf: ({ object }) => object,
      async writeStatus({ object, uncounted }, status, { key, signal }) {
        await patchStatus(objects, object, status, { fieldManager, signal });
        const course = courses.get(key);
        if (course === undefined) return;
        course.uncounted -= uncounted;
        course.isNews = false;
      },
      effects: {
        'create-hosts': async ({ hosts }, { key, signal }) => {
          await createHosts(parts, { key, hosts, signal });
          return ok();
        },
      },
    },
    options,
  );
}

async function readSeen(parts: DiscoveryParts, key: string): Promise<DiscoverySeen | undefined> {
  const { informers, courses, clock, counts } = parts;
  const object = informers.discoveries.get(key);
  if (object === undefined) {
    courses.delete(key);
    counts.gone(key);
    return undefined;
  }
  const course = courses.get(key) ?? newCourse();
  courses.set(key, course);
  const isAsleep = object.spec.paused === true || object.metadata.deletionTimestamp !== undefined;
  if (isAsleep) {
    const { tokens, uncounted, fresh, arrivals } = course;
    Object.assign(course, { ...newCourse(), tokens, uncounted, fresh, arrivals });
  } else if (!course.isUntold && isDue(course, object, clock)) await poll(parts, { key, object, course });
  course.isUntold = false;
  const { report, isNews, uncounted } = course;
  const dueInMs = course.dueAtMs - clock.monotonic();
  return { object, planned: course.poll?.plan.hosts ?? [], report, isNews, uncounted, dueInMs };
}

function isDue({ dueAtMs, generation }: Course, { metadata }: BareMetalHostDiscovery, clock: Clock): boolean {
  return clock.monotonic() >= dueAtMs || generation !== metadata.generation;
}

interface Polled {
  readonly key: string;
  readonly object: BareMetalHostDiscovery & KubeObject;
  readonly course: Course;
}

async function poll(parts: DiscoveryParts, { key, object, course }: Polled): Promise<void> {
  const { informers, clock, settings, counts } = parts;
  const namespace = object.metadata.namespace ?? '';
  const { hosts } = informers;
  course.tokens = refill(object.spec.rateLimit, course.tokens, clock.monotonic());
  course.unused = hosts.byIndex('unused', namespace).length + countFresh(parts, course);
  const result = await pollSources(object, {
    sources: parts.sources,
    hosts: {
      isKnown: ({ id, macs }) =>
        hosts.byIndex('id', id).length > 0 || macs.some((mac) => hosts.byIndex('bootMac', mac).length > 0),
      listing(mac) {
        const [host] = hosts.byIndex('mac', mac);
        return host === undefined ? undefined : formatKey(keyOf(host));
      },
    },
    context: {
      isNameTaken: (name) => hosts.get(`${namespace}/${name}`) !== undefined,
      allowance: allowanceOf(object.spec, { tokens: course.tokens.left, unused: course.unused }),
    },
    readsPerPoll: settings.readsPerPoll,
    concurrency: settings.concurrency,
    retryMs: settings.retryMs,
    noSource: settings.noSource,
    ...{ cursor: course.cursor, arrivals: course.arrivals, names: course.names },
    now: clock.now(),
  });
  counts.polled(result.problem === undefined ? 'ok' : 'failed');
  course.generation = object.metadata.generation;
  course.cursor = result.cursor;
  course.arrivals = result.arrivals;
  course.names = result.plan.names;
  course.macs = result.macs;
  course.poll = result;
  course.waitMs = untilNextPollMs(object, course);
  if (result.plan.hosts.length === 0) conclude(parts, { key, course, results: [] });
}

/** Hosts that caches have not heard of yet; one that no cache has after so long is gone again. */
function countFresh({ informers, clock, settings }: DiscoveryParts, { fresh }: Course): number {
  for (const [key, atMs] of fresh) {
    const isOld = clock.monotonic() - atMs > settings.retakeMs;
    if (isOld || informers.hosts.get(key) !== undefined) fresh.delete(key);
  }
  return fresh.size;
}

/** Sooner than asked for where something waits for that. */
function untilNextPollMs({ spec }: BareMetalHostDiscovery, { poll: result, tokens }: Course): number {
  const usual = (spec.pollIntervalSeconds ?? 60) * 1000;
  if (result?.problem !== undefined) return Math.max(result.problem.afterMs, Math.min(usual, 5_000));
  if (result === undefined || result.plan.throttled === 0 || tokens === undefined) return usual;
  if (result.plan.throttledBy === 'unused') return usual;
  const left = tokens.left - result.plan.hosts.length;
  return Math.min(usual, Math.max(1_000, untilNextMs(spec.rateLimit, { ...tokens, left })));
}

interface Concluded {
  readonly key: string;
  readonly course: Course;
  readonly results: readonly { readonly planned: PlannedHost; readonly result: HostResult }[];
}

function conclude({ counts, clock }: DiscoveryParts, { key, course, results }: Concluded): void {
  if (course.poll === undefined) return;
  const report = reportOf(course.poll, results, {
    last: course.report,
    isUntold: course.isNews,
    unused: course.unused,
  });
  course.uncounted += report.created.length - (course.isNews ? (course.report?.created.length ?? 0) : 0);
  course.poll = undefined;
  course.report = report;
  course.isUntold = true;
  course.isNews = report.created.length + report.news.length > 0;
  course.dueAtMs = clock.monotonic() + course.waitMs;
  counts.told(key, report);
}

async function createHosts(
  parts: DiscoveryParts,
  {
    key,
    hosts,
    signal,
  }: { readonly key: string; readonly hosts: readonly PlannedHost[]; readonly signal: AbortSignal },
): Promise<void> {
  const { settings, counts, courses } = parts;
  const course = courses.get(key);
  if (course === undefined) return;
  const results: { readonly planned: PlannedHost; readonly result: HostResult }[] = [];
  const stopping = new AbortController();
  const both = AbortSignal.any([signal, stopping.signal]);
  await eachAtOnce(hosts, { concurrency: settings.concurrency, signal: both }, async (planned) => {
    const result = await createOne(parts, planned, signal);
    counts.host(result.kind);
    results.push({ planned, result });
    if (result.kind === 'created') course.fresh.set(formatKey(keyOf(result.host)), parts.clock.monotonic());
    // Where the API does not answer, the rest would only wait too.
    if (result.kind === 'failed') stopping.abort();
  });
  const used = results.filter(({ result }) => result.kind === 'created').length;
  if (course.tokens !== undefined) course.tokens = { ...course.tokens, left: course.tokens.left - used };
  const isLate = results.some(({ result }) => result.kind === 'failed' || result.kind === 'again');
  if (isLate || results.length < hosts.length) {
    course.waitMs = Math.min(course.waitMs, settings.retryMs);
  }
  conclude(parts, { key, course, results });
}

async function createOne(
  parts: DiscoveryParts,
  { machine, host }: PlannedHost,
  signal: AbortSignal,
): Promise<HostResult> {
  const { client, clock, informers, quiet, settings } = parts;
  const { claimNamespace: namespace, requestMs, createWithinMs, retakeMs } = settings;
  const desk = createClaimDesk(client, { namespace, requestMs, signal });
  const context: ClaimContext = {
    ...{ namespace, createWithinMs, retakeMs },
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    quietForMs: (claim) => quiet.quietForMs(claim),
  };
  const known = informers.claims.get(`${namespace}/${claimNameOf(machine.bootMac)}`);
  try {
    return await claimHost(host, known, { desk, context });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: isInvalid(error) || isForbidden(error) ? 'refused' : 'failed', message };
  }
}
