import { type Logger, type Metrics, noMetrics, silentLogger } from '../telemetry/index.ts';
import { type Clock, type Random, sleep } from './clock.ts';
import { isAlreadyExists, isConflict } from './errors.ts';
import type { Lease, LeaseStore } from './lease.ts';

/** How a candidate behaves. */
export interface LeaderElectionOptions {
  readonly store: LeaseStore;
  /** Unique to this process: two processes with one identity would both lead. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  /** How long others wait for a holder that says nothing; 15 s unless given. */
  readonly leaseMs?: number;
  /** How long the holder goes on without a renewal; 10 s unless given, and always less than leaseMs. */
  readonly renewDeadlineMs?: number;
  /** How often the lease is looked at; 2 s unless given. */
  readonly retryMs?: number;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

/** A candidate for leadership. */
export interface LeaderElection {
  /** True while leadership is certain, by this process's own monotonic clock; ask right before anything that must not be done twice. */
  isLeader(): boolean;
  /**
   * Competes until the signal aborts. While leading, runs the work; its signal aborts when leadership is lost or the
   * election ends. The lease is released only after the work has ended.
   */
  run(signal: AbortSignal, work: (leading: AbortSignal) => Promise<void>): Promise<void>;
}

/** A candidate that competes for one lease. */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const leaseMs = options.leaseMs ?? 15_000;
  const renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
  const retryMs = options.retryMs ?? 2_000;
  if (renewDeadlineMs >= leaseMs) throw new RangeError('the renew deadline must be shorter than the lease');
  if (retryMs >= renewDeadlineMs) throw new RangeError('the retry period must be shorter than the renew deadline');
  return new Candidate(options, { leaseMs, renewDeadlineMs, retryMs });
}

interface Periods {
  readonly leaseMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

class Candidate implements LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #periods: Periods;
  readonly #logger: Logger;
  readonly #setLeading: (value: 0 | 1) => void;
  /** The lease as last seen, and when this version of it was first seen, by our own clock: no wall clocks are compared. */
  #seen: { readonly lease: Lease; readonly at: number } | undefined;
  #leadsUntil = Number.NEGATIVE_INFINITY;

  constructor(options: LeaderElectionOptions, periods: Periods) {
    this.#options = options;
    this.#periods = periods;
    this.#logger = (options.logger ?? silentLogger).child({ lease: options.store.name, identity: options.identity });
    const gauge = (options.metrics ?? noMetrics).gauge({
      name: 'leader_election_master_status',
      help: '1 while this process leads the controller set of the lease.',
      labels: ['name'],
    });
    this.#setLeading = (value) => gauge.set(value, { name: options.store.name });
    this.#setLeading(0);
  }

  isLeader(): boolean {
    return this.#options.clock.monotonic() < this.#leadsUntil;
  }

  async run(signal: AbortSignal, work: (leading: AbortSignal) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await this.#tryToHold(signal);
      if (this.isLeader()) await this.#lead(signal, work);
      await this.#pause(signal);
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    await sleep(clock, this.#periods.retryMs * (0.75 + random() / 2), signal);
  }

  /** Works while renewing; ends when the work has ended, whatever ended it. */
  async #lead(signal: AbortSignal, work: (leading: AbortSignal) => Promise<void>): Promise<void> {
    const leading = new AbortController();
    this.#logger.info('leading');
    this.#setLeading(1);
    const renewing = this.#keepRenewing(signal, leading);
    try {
      await work(leading.signal);
    } catch (error) {
      this.#logger.error('the work of the leader threw', { error });
    }
    leading.abort();
    await renewing;
    this.#setLeading(0);
    this.#logger.info('not leading any more');
    await this.#release();
  }

  async #keepRenewing(signal: AbortSignal, leading: AbortController): Promise<void> {
    const stop = AbortSignal.any([signal, leading.signal]);
    const watch = this.#watchDeadline(leading);
    while (!stop.aborted && this.isLeader()) {
      await this.#pause(stop);
      if (!stop.aborted) await this.#tryToHold(stop);
    }
    watch.cancel();
    leading.abort();
  }

  /** Ends the work at the deadline even while a renewal hangs. */
  #watchDeadline(leading: AbortController): { cancel(): void } {
    const { clock } = this.#options;
    const check = () => {
      const leftMs = this.#leadsUntil - clock.monotonic();
      if (leftMs > 0) timer = clock.after(leftMs, check);
      else {
        this.#logger.error('lost leadership: the lease could not be renewed in time');
        leading.abort();
      }
    };
    let timer = clock.after(this.#leadsUntil - clock.monotonic(), check);
    return { cancel: () => timer.cancel() };
  }

  /** Acquires or renews if that is allowed; failures leave everything as it was, so that leadership runs out by itself. */
  async #tryToHold(signal: AbortSignal): Promise<void> {
    try {
      await this.#hold(signal);
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error)) this.#logger.debug('another candidate wrote the lease first');
      else this.#logger.warn('cannot read or write the lease', { error });
    }
  }

  async #hold(signal: AbortSignal): Promise<void> {
    const { clock, store, identity } = this.#options;
    const timing = { signal, timeoutMs: this.#periods.renewDeadlineMs };
    const current = await store.get(timing);
    // Time counts from before the write: the server may have taken it at once and answered late.
    const askedAt = clock.monotonic();
    if (current === undefined) {
      this.#accept(await store.create(this.#draft(undefined), timing), askedAt);
      return;
    }
    this.#observe(current, askedAt);
    if (current.holder !== identity && current.holder !== '' && !this.#isAbandoned()) return;
    this.#accept(await store.update(this.#draft(current), timing), askedAt);
  }

  #observe(lease: Lease, at: number): void {
    if (this.#seen?.lease.resourceVersion !== lease.resourceVersion) this.#seen = { lease, at };
  }

  /** A lease is abandoned when it did not change for its whole duration since we first saw this version of it. */
  #isAbandoned(): boolean {
    if (this.#seen === undefined) return false;
    const waitMs = Math.max(this.#seen.lease.durationMs, this.#periods.leaseMs);
    return this.#options.clock.monotonic() - this.#seen.at > waitMs;
  }

  #accept(lease: Lease, askedAt: number): void {
    this.#observe(lease, askedAt);
    this.#leadsUntil = askedAt + this.#periods.renewDeadlineMs;
  }

  #draft(current: Lease | undefined): Lease {
    const { clock, identity } = this.#options;
    const isOurs = current?.holder === identity;
    return {
      holder: identity,
      durationMs: this.#periods.leaseMs,
      renewTime: clock.now(),
      acquireTime: isOurs ? current.acquireTime : clock.now(),
      transitions: (current?.transitions ?? 0) + (current === undefined || isOurs ? 0 : 1),
      resourceVersion: current?.resourceVersion,
    };
  }

  /** Lets the next candidate in at once. Only a lease that is still ours is touched. */
  async #release(): Promise<void> {
    const wasLeader = this.isLeader();
    this.#leadsUntil = Number.NEGATIVE_INFINITY;
    const lease = this.#seen?.lease;
    if (!wasLeader || lease?.holder !== this.#options.identity) return;
    try {
      await this.#options.store.update(
        { ...lease, holder: '', durationMs: 1000, renewTime: this.#options.clock.now() },
        {
          timeoutMs: this.#periods.retryMs,
        },
      );
    } catch (error) {
      this.#logger.warn('the lease could not be released; others wait until it runs out', { error });
    }
  }
}
