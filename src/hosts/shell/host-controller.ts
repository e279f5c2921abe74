import type { BareMetalHost, BareMetalHostStatus } from '../../api/index.ts';
import {
  type Clock,
  createStateCounts,
  createWorkQueue,
  type EventDraft,
  type EventRecorder,
  type Failure,
  hasFinalizer,
  type Instant,
  isBeingDeleted,
  isNotFound,
  type Random,
  type StateCounts,
  sleep,
  toFailure,
  type Watch,
  type WorkOutcome,
} from '../../kube/index.ts';
import type { Logger, Metrics } from '../../telemetry/index.ts';
import { bmcOf } from '../credentials/judge-credentials.ts';
import { secretSeen } from '../credentials/secrets.ts';
import { decideHost } from '../decide/decide-host.ts';
import type { Count, HostDecision, HostEffect, HostSeen } from '../decide/seen.ts';
import { type ImagesSeen, networkSecretNameOf, networkSecretSeen } from '../images/images-seen.ts';
import { createHealthMetrics, createHostMetrics, type HealthMetrics } from '../metrics/host-metrics.ts';
import type { HostInformers } from '../objects.ts';
import type { HostName } from '../ports.ts';
import { finalizers, resources } from '../resources.ts';
import type { ServicedHosts } from '../servicing/serviced-hosts.ts';
import type { HostSettings } from '../settings.ts';
import { blankStatus, stateOf } from '../status/host-status.ts';
import { isSameStatus } from '../status/same-status.ts';
import { hostTable } from '../table/host-table.ts';
import { basisOf } from './basis.ts';
import { type ClaimedMachines, claimOf } from './claimed-machines.ts';
import { findDuplicate } from './find-duplicate.ts';
import { findRival } from './find-rival.ts';
import { holdAgainMs } from './held-work.ts';
import { type PerformContext, type PerformParts, perform, storeStatus } from './perform.ts';
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

/** What the controller of hosts works with. */
export interface HostControllerParts extends PerformParts {
  readonly informers: HostInformers;
  readonly settings: HostSettings;
  readonly watches: readonly Watch[];
  readonly machines: ClaimedMachines;
  readonly serviced: ServicedHosts;
}

/** What its shell uses. */
export interface HostControllerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: EventRecorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly concurrency: number;
}

/** How a round about a host ended. */
export interface LastRound extends Pick<HostDecision, 'state' | 'wake' | 'why'> {
  readonly at: Instant;
  /** When it is looked at again though nothing changes, by the clock that never jumps. */
  readonly dueAt: number;
  /** What it was decided from: as long as that stays, there is nothing to do before. */
  readonly basis: string;
}

/** The running controller of hosts. */
export interface HostController {
  readonly name: string;
  start(): void;
  stop(options?: { readonly deadlineMs?: number }): Promise<void>;
  wake(key: string): void;
  /** How the last round about a host ended. */
  last(key: string): LastRound | undefined;
  /** What would be done for a host first; nothing is. */
  plan(key: string): HostDecision | undefined;
}

/** What is over so soon is waited for in the round: a write of the status in between would tell nobody anything. */
const shortWaitMs = 250;
const mostWaitedMs = 1000;
/** A round that goes on for so many moments goes round in circles. */
const mostMoments = 60;
/** Who has so many events waiting to be written waits for them. */
const mostEventsWaiting = 500;

/** Reads all that a decision about a host is made from. */
export function readHostSeen(parts: HostControllerParts, key: string, share: number): HostSeen | undefined {
  const { newest, informers } = parts;
  const host = newest.hosts.get(key);
  if (host === undefined) return undefined;
  const status: BareMetalHostStatus = { ...blankStatus, ...host.status };
  const secret = newest.secrets.get(`${host.metadata.namespace ?? ''}/${bmcOf({ host }).credentialsName}`);
  return {
    host,
    hostBefore: host,
    status,
    answers: {},
    secret: secretSeen(host, secret),
    config: undefined,
    hardwareData: newest.hardwareData.get(key),
    firmwareSettings: newest.firmwareSettings.get(key),
    firmwareComponents: newest.firmwareComponents.get(key),
    updatePolicy: informers.updatePolicies.get(key),
    network: parts.network?.look(host),
    images: readImages(parts, host, key),
    nodes: {},
    rival: findRival(informers.hosts, host),
    duplicate: findDuplicate(informers.hosts, host),
    beganIn: stateOf(status),
    begun: parts.begun.get(key),
    powerAsked: parts.powerAsked.get(key),
    isFirmwareFresh: false,
    wishes: 'unchecked',
    settings: parts.settings,
    share,
  };
}

function readImages({ newest, provisioners }: HostControllerParts, host: BareMetalHost, key: string): ImagesSeen {
  const secret = newest.secrets.get(`${host.metadata.namespace ?? ''}/${networkSecretNameOf(host)}`);
  return {
    formats: provisioners.bootImageFormats,
    bootImage: newest.bootImages.get(key),
    network: networkSecretSeen(host, secret),
    dataImage: newest.dataImages.get(key),
  };
}

/** What the next moment sees of the last: the status that was decided; of the answers, in another state, only who it is. */
export function carryOn(seen: HostSeen, decision: HostDecision): HostSeen {
  const isMoved = decision.status.provisioning.state !== seen.status.provisioning.state;
  // Where boot images are built, another state may need one that the last did not.
  const register = seen.images.formats === undefined ? seen.answers.register : undefined;
  const answers = isMoved ? (register === undefined ? {} : { register }) : seen.answers;
  return { ...seen, status: decision.status, answers };
}

/** How long something under way is waited for within a round; undefined when it takes longer than that. */
function shortWaitOf({ wake, why }: HostDecision): number | undefined {
  const isUnderWay = why.some(({ code }) => code === 'UnderWay');
  return isUnderWay && 'after' in wake && wake.after <= shortWaitMs ? wake.after : undefined;
}

/** What the host is asked again after a short wait: all but who it is. That it has begun was told. */
function askAgain(seen: HostSeen): HostSeen {
  const register = seen.answers.register?.kind === 'done' ? { register: seen.answers.register } : {};
  return { ...seen, hostBefore: seen.host, nodes: {}, answers: register, beganIn: stateOf(seen.status) };
}

/** Makes the controller of hosts: rounds of moments, each decided anew, with as few writes between them as can be. */
export function createHostController(parts: HostControllerParts, options: HostControllerOptions): HostController {
  const wake = (key: string): void => {
    shell.last.delete(key);
    queue.add(key);
  };
  const shell = new HostShell(parts, options, createWaitingLine(wake));
  const queue = createWorkQueue({
    name: 'hosts',
    work: (key, signal) => shell.work(key, signal),
    clock: options.clock,
    random: options.random,
    concurrency: options.concurrency,
    metrics: options.metrics,
    logger: options.logger,
  });
  let leave: (() => void)[] = [];
  const stopped = new AbortController();
  let looking: Promise<void> | undefined;
  return {
    name: 'hosts',
    start() {
      leave = parts.watches.map((watch) => watch.subscribe((key) => queue.add(key)));
      queue.start();
      looking = shell.findLeftOver(stopped.signal).then((keys) => {
        for (const key of keys) queue.add(key);
      });
    },
    async stop(stopping) {
      for (const end of leave.splice(0)) end();
      stopped.abort();
      await looking;
      await queue.drain(stopping);
      shell.forget();
    },
    wake,
    last: (key) => shell.last.get(key),
    plan(key) {
      const seen = readHostSeen(parts, key, 0.5);
      return seen === undefined ? undefined : decideHost(seen, options.clock.now());
    },
  };
}

function nameOf(key: string): HostName {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

interface EndedRound {
  readonly decision: HostDecision;
  readonly seen: HostSeen;
}

/** What a round has to tell once what it is about is stored. */
interface Pending {
  events: EventDraft[];
  counts: Count[];
}

class HostShell {
  readonly last = new Map<string, LastRound>();
  readonly #parts: HostControllerParts;
  readonly #options: HostControllerOptions;
  readonly #metrics: ReturnType<typeof createHostMetrics>;
  readonly #states: StateCounts;
  readonly #health: HealthMetrics;
  readonly #line: WaitingLine;

  constructor(parts: HostControllerParts, options: HostControllerOptions, line: WaitingLine) {
    this.#parts = parts;
    this.#options = options;
    this.#line = line;
    this.#metrics = createHostMetrics(options.metrics);
    this.#states = createStateCounts(options.metrics, hostTable);
    this.#health = createHealthMetrics(options.metrics);
  }

  /** Counts nothing any more: whoever goes on counts anew. */
  forget(): void {
    this.#states.clear();
    this.#health.clear();
  }

  async work(key: string, signal: AbortSignal): Promise<WorkOutcome> {
    const seen = readHostSeen(this.#parts, key, this.#options.random());
    if (seen === undefined) {
      this.last.delete(key);
      this.#parts.begun.delete(key);
      this.#parts.powerAsked.delete(key);
      this.#states.gone(key);
      this.#health.at(key, undefined);
      this.#line.gone(key);
      this.#parts.serviced.roundEnded(key);
      return this.#forget(key);
    }
    await this.#parts.externalWork.makeGood(nameOf(key));
    const leftMs = this.#leftMs(key, seen);
    if (leftMs > 0) return this.#again(key, leftMs);
    this.#count([{ metric: 'reconcile' }], seen);
    try {
      const { decision, seen: end } = await this.#round(seen, { key, signal });
      this.#parts.serviced.roundEnded(key);
      const { state, wake, why } = decision;
      const { clock } = this.#options;
      const dueAt = 'after' in wake ? clock.monotonic() + wake.after : Number.POSITIVE_INFINITY;
      this.last.set(key, { at: clock.now(), dueAt, basis: basisOf(end), state, wake, why });
      const isDelayed = why.some(({ code }) => code === 'NoCapacity');
      this.#line.roundEnded(key, { before: seen.status, after: end.status, isDelayed });
      await this.#options.recorder.whenFewerWait(mostEventsWaiting);
      return this.#again(key, 'after' in wake ? wake.after : Number.POSITIVE_INFINITY);
    } catch (error) {
      return this.#fail(key, seen, error);
    }
  }

  /** When the host is worked on again: before anything is due where something could not be released. */
  #again(key: string, afterMs: number): WorkOutcome {
    const soonMs = this.#parts.externalWork.isOwed(nameOf(key)) ? Math.min(afterMs, holdAgainMs) : afterMs;
    return Number.isFinite(soonMs) ? { kind: 'again', afterMs: soonMs } : { kind: 'done' };
  }

  /** Nothing is held any more for a host that is gone: another on that machine would wait for ever. */
  async #forget(key: string): Promise<WorkOutcome> {
    try {
      await this.#parts.externalWork.forget(nameOf(key));
      await this.#parts.machines.forget(nameOf(key));
      return { kind: 'done' };
    } catch (error) {
      this.#options.logger.warn('the machine of a host that is gone could not be released', { key, error });
      return { kind: 'retry', leastMs: holdAgainMs };
    }
  }

  /** The keys of hosts that are gone and for which somebody who led before still holds something. */
  async findLeftOver(signal: AbortSignal): Promise<readonly string[]> {
    while (!signal.aborted) {
      try {
        const { externalWork, machines } = this.#parts;
        const found = [...(await externalWork.owners()), ...(await machines.owners())];
        const keys = [...new Set(found.map(({ namespace, name }) => `${namespace}/${name}`))];
        return keys.filter((key) => this.#parts.newest.hosts.get(key) === undefined);
      } catch (error) {
        this.#options.logger.warn('what is held for hosts that are gone could not be listed', { error });
        await sleep(this.#options.clock, holdAgainMs, signal);
      }
    }
    return [];
  }

  /** How long there is nothing to do: what woke us may be what we wrote ourselves, told before we heard that it was. */
  #leftMs(key: string, seen: HostSeen): number {
    const last = this.last.get(key);
    if (last === undefined || last.basis !== basisOf(seen)) return 0;
    return last.dueAt - this.#options.clock.monotonic();
  }

  /** Moments until there is nothing more to do for now. The status is written at the end, or where it must be before. */
  async #round(first: HostSeen, context: PerformContext): Promise<EndedRound> {
    let seen = first;
    const pending: Pending = { events: [], counts: [] };
    let waitedMs = 0;
    for (let moment = 0; moment < mostMoments; moment++) {
      const decision = decideHost(seen, this.#options.clock.now());
      pending.events.push(...decision.events);
      pending.counts.push(...decision.counts);
      this.#states.at(context.key, decision.state);
      seen = carryOn(seen, decision);
      await this.#claim(seen, { isAtEnd: false });
      for (const effect of decision.effects) {
        seen = await this.#perform(seen, effect, context);
        if (effect.kind === 'store-status') this.#tell(pending, seen);
      }
      if (!decision.isRoundOver) continue;
      const waitMs = shortWaitOf(decision);
      if (waitMs !== undefined && waitedMs + waitMs <= mostWaitedMs) {
        waitedMs += Math.max(waitMs, 50);
        await sleep(this.#options.clock, waitMs, context.signal);
        seen = askAgain(seen);
        continue;
      }
      const isGone = isBeingDeleted(seen.host) && !hasFinalizer(seen.host, finalizers.host);
      const isStored = isGone || isSameStatus(seen.status, { ...blankStatus, ...seen.host.status });
      if (!isStored) seen = await storeStatus(this.#parts, seen, context);
      this.#tell(pending, seen);
      this.#health.at(context.key, { ...seen.host, status: seen.status });
      await this.#claim(seen, { isAtEnd: true });
      return { decision, seen };
    }
    throw new Error(`a round about the host ${context.key} does not end`);
  }

  /** A Secret that is not there is an answer; one that could not be read for another cause is counted. */
  async #perform(seen: HostSeen, effect: HostEffect, context: PerformContext): Promise<HostSeen> {
    try {
      return await perform(this.#parts, seen, effect, context);
    } catch (error) {
      const isUnread = effect.kind === 'claim-secret' && !context.signal.aborted;
      if (isUnread) this.#count([{ metric: 'credentialsUnhandled' }], seen);
      throw error;
    }
  }

  /** That a host is in use is told before anything is done to it; that it is not any more, only when that is stored. */
  async #claim(seen: HostSeen, { isAtEnd }: { readonly isAtEnd: boolean }): Promise<void> {
    const { machines } = this.#parts;
    const claim = claimOf(seen);
    if (claim === undefined || (!isAtEnd && claim.use === undefined && machines.isClaimed(claim.host))) return;
    try {
      await machines.claim(claim);
    } catch (error) {
      // Nothing is done to the machine before it is claimed; all else may go on.
      this.#options.logger.warn('the machine of a host could not be claimed', { host: claim.host.name, error });
    }
  }

  #tell(pending: Pending, seen: HostSeen): void {
    const subject = { ...seen.host, kind: resources.hosts.kind ?? '' };
    const related = seen.host.spec?.consumerRef;
    for (const draft of pending.events.splice(0)) {
      this.#options.recorder.record(subject, related === undefined ? draft : { ...draft, related });
    }
    this.#count(pending.counts.splice(0), seen);
  }

  #count(counts: readonly Count[], { host }: HostSeen): void {
    const of = { namespace: host.metadata.namespace ?? '', host: host.metadata.name ?? '' };
    for (const count of counts) this.#metrics.count(count, of);
  }

  /** What was written may be out of date: the next round begins with what the server tells. */
  #fail(key: string, seen: HostSeen, error: unknown): WorkOutcome {
    this.last.delete(key);
    this.#parts.newest.hosts.forget(key);
    if (isNotFound(error) && this.#parts.informers.hosts.get(key) === undefined) return { kind: 'done' };
    this.#count([{ metric: 'reconcileError' }], seen);
    const failure: Failure = toFailure(error);
    const level = failure.retry === 'bug' ? 'error' : failure.retry === 'transient' ? 'debug' : 'warn';
    this.#options.logger[level]('a round about a host failed', { key, code: failure.code, error });
    return { kind: 'retry', leastMs: failure.retryAfterMs };
  }
}
