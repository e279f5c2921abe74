import { backoffDelay, type Clock, type Random, sleep, type Timer } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { Condition } from '../condition.ts';
import { EngineError, isEngineError } from '../errors.ts';
import type { StepReport, Work } from './work.ts';
import type { CheckOptions, Lease, ReportOutcome, WorkerPort, WorkReport } from './worker-port.ts';

/** What held work needs of its worker. */
export interface HeldWorkParts {
  readonly port: WorkerPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly lease: Lease;
  /** When the lease was asked for: it may have begun to run then. */
  readonly askedAt: number;
  /** When the answer came: a request for a lease may wait long for work. */
  readonly gotAt: number;
}

const retry = { baseMs: 200, maxMs: 10_000 };

/**
 * A condition while a worker holds it. It knows by this process's own clock until when the lease surely holds, counted
 * from before each request was sent: a process that was frozen finds that out before it does anything.
 */
export class HeldWork implements Work {
  readonly lease: Lease;
  readonly #parts: HeldWorkParts;
  readonly #ended = new AbortController();
  readonly #ending = new AbortController();
  #surelyUntil: number;
  /** Until then the engine cannot have taken this process for lost. */
  #aliveUntil: number;
  #timer: Timer | undefined;
  #isUnsafe: boolean;
  #cancel: Condition['cancel'];
  #hasThrown = false;

  constructor(parts: HeldWorkParts) {
    this.#parts = parts;
    this.lease = parts.lease;
    // A flash outlives the worker that began it: who goes on with one is not at a safe point.
    this.#isUnsafe = parts.lease.isCancelUnsafe === true;
    this.#surelyUntil = parts.askedAt + parts.lease.leaseMs;
    this.#aliveUntil = parts.askedAt + this.#mostSilenceMs;
    this.#watch();
    this.#hearCancel(parts.lease.condition.cancel);
  }

  get condition(): Condition {
    return this.lease.condition;
  }

  get isFirstLease(): boolean {
    return this.condition.leases <= 1;
  }

  get previous(): Lease['previous'] {
    return this.lease.previous;
  }

  get leftovers(): Lease['leftovers'] {
    return this.lease.leftovers;
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  get cancel(): Condition['cancel'] {
    return this.#cancel;
  }

  /** A cancel has to wait: the work is not at a safe point. */
  get isCancelUnsafe(): boolean {
    return this.#isUnsafe;
  }

  async report(report: StepReport = {}): Promise<void> {
    await this.send(report);
    if (report.isCancelUnsafe !== undefined) this.#isUnsafe = report.isCancelUnsafe;
    this.#throwAtSafePoint();
  }

  async check(options?: CheckOptions): Promise<void> {
    this.#throwIfEnded();
    this.#throwIfOver();
    const sentAt = this.#parts.clock.monotonic();
    try {
      await this.#parts.port.check(this.#held, options);
      this.hear(sentAt);
    } catch (error) {
      if (isEngineError(error, 'leaseLost')) this.lose(error.message);
      throw error;
    }
    // The process may have been frozen while the answer was on its way.
    this.#throwIfOver();
  }

  async confirm(): Promise<void> {
    const { clock, random, logger } = this.#parts;
    for (let failures = 1; ; failures++) {
      this.#throwIfEnded();
      this.#throwIfOver();
      if (clock.monotonic() < this.#aliveUntil) return;
      try {
        await this.check({ requestMs: 0 });
      } catch (error) {
        if (!isWorthRetrying(error) || isEngineError(error, 'leaseLost')) throw error;
        logger.warn('the engine cannot be asked whether the lease is held', { condition: this.condition.id, error });
        await sleep(clock, backoffDelay(retry, failures, random), this.signal);
      }
    }
  }

  /** The engine took a sign of life that was sent then. */
  hear(sentAt: number): void {
    this.#aliveUntil = Math.max(this.#aliveUntil, sentAt + this.#mostSilenceMs);
  }

  async pause(ms: number, signal?: AbortSignal): Promise<void> {
    // Who is on the way to its safe point, or cleans up, has to be able to wait too.
    const isEndingNow = this.ending.aborted && (this.#isUnsafe || this.#hasThrown);
    const ends = [this.signal, ...(isEndingNow ? [] : [this.ending]), ...(signal === undefined ? [] : [signal])];
    await sleep(this.#parts.clock, ms, AbortSignal.any(ends));
    this.#throwIfEnded();
    this.#throwIfOver();
    this.#throwAtSafePoint();
  }

  now(): number {
    // The store wrote the condition when it gave the lease.
    const { clock, gotAt } = this.#parts;
    return Math.round(this.condition.updatedAt + clock.monotonic() - gotAt);
  }

  async acquireSlot(name: 'upload'): Promise<() => Promise<void>> {
    this.#throwIfEnded();
    this.#throwIfOver();
    // The store renews the lease of who stands in line, so the end by our own clock would come too early.
    this.#timer?.cancel();
    const before = this.#surelyUntil;
    this.#surelyUntil = Number.POSITIVE_INFINITY;
    let isIn = false;
    try {
      const giveBack = await this.#standInLine(name);
      isIn = true;
      return this.#gentle(giveBack);
    } finally {
      await this.#leaveLine({ before, isIn });
    }
  }

  /** Who was let in long before the lease would end, by what was known before, need not ask for it anew. */
  async #leaveLine({ before, isIn }: { readonly before: number; readonly isIn: boolean }): Promise<void> {
    const { clock } = this.#parts;
    const isSure = isIn && !this.signal.aborted && clock.monotonic() < before - this.lease.leaseMs / 2;
    if (isSure) {
      this.#surelyUntil = before;
      this.#watch();
    } else {
      // From here on our own clock counts again; whether the lease is still held is the store's to say.
      this.#surelyUntil = clock.monotonic() + this.lease.leaseMs;
      await this.send({});
    }
  }

  /** Asks for a slot until there is one. The line is a safe point: who is cancelled or stops leaves it. */
  async #standInLine(name: 'upload'): Promise<() => Promise<void>> {
    const { port, clock, random, logger } = this.#parts;
    const leaving = this.#isUnsafe || this.#hasThrown ? this.signal : AbortSignal.any([this.signal, this.ending]);
    for (let failures = 1; ; failures++) {
      try {
        return await port.acquireSlot(name, this.#held, leaving);
      } catch (error) {
        this.#throwIfEnded();
        if (leaving.aborted) this.#throwAtSafePoint();
        if (!isWorthRetrying(error) || isEngineError(error, 'leaseLost')) throw error;
        logger.warn('a slot was not given; it is asked for again', { condition: this.condition.id, error });
        await sleep(clock, backoffDelay(retry, failures, random), leaving);
      }
    }
  }

  /** A slot that cannot be given back is free again when the lease ends: no reason to fail the work. */
  #gentle(giveBack: () => Promise<void>): () => Promise<void> {
    return () =>
      giveBack().catch((error: unknown) =>
        this.#parts.logger.warn('a slot is free only when the lease ends', { condition: this.condition.id, error }),
      );
  }

  /** Sends a report, again and again while the way to the engine is broken and the lease surely holds. */
  async send(report: WorkReport): Promise<void> {
    this.#throwIfEnded();
    for (let failures = 0; ; failures++) {
      const sentAt = this.#parts.clock.monotonic();
      const outcome = await this.#try(report, failures);
      if (outcome === undefined) continue;
      if (outcome.outcome === 'lost') throw this.lose(outcome.why);
      this.#surelyUntil = sentAt + this.lease.leaseMs;
      this.#watch();
      this.hear(sentAt);
      this.#hearCancel(outcome.cancel);
      return;
    }
  }

  async #try(report: WorkReport, failures: number): Promise<ReportOutcome | undefined> {
    const { port, clock, random, logger } = this.#parts;
    this.#throwIfOver();
    try {
      return await port.report(this.#held, report);
    } catch (error) {
      if (!isWorthRetrying(error)) throw error;
      logger.warn('a report was not taken; it is sent again', { condition: this.condition.id, error });
      await sleep(clock, backoffDelay(retry, failures + 1, random), this.signal);
      this.#throwIfEnded();
      return undefined;
    }
  }

  /** Asks whether somebody cancelled. */
  async lookForCancel(): Promise<void> {
    if (!this.signal.aborted) await this.send({});
  }

  /** Lets the work go at its next safe point, since the worker stops. */
  askToStop(): void {
    if (!this.ending.aborted) this.#ending.abort(new EngineError('stopping', { id: this.condition.id }));
  }

  /** The time to stop is over. */
  cutOff(): void {
    if (!this.signal.aborted) this.#ended.abort(new EngineError('stopping', { id: this.condition.id }));
  }

  /** The lease is gone: everything stops. */
  lose(detail: string): EngineError {
    const error = new EngineError('leaseLost', { id: this.condition.id, detail });
    if (!this.signal.aborted) this.#ended.abort(error);
    this.close();
    return error;
  }

  /** No more timers. */
  close(): void {
    this.#timer?.cancel();
  }

  get #held() {
    return { conditionId: this.condition.id, token: this.lease.token };
  }

  get #mostSilenceMs(): number {
    return this.lease.lostAfterMs ?? Number.POSITIVE_INFINITY;
  }

  #watch(): void {
    this.#timer?.cancel();
    const left = this.#surelyUntil - this.#parts.clock.monotonic();
    this.#timer = this.#parts.clock.after(Math.max(0, left), () => this.lose('it ended without progress'));
  }

  #hearCancel(cancel: Condition['cancel']): void {
    if (cancel === undefined) return;
    this.#cancel = cancel;
    if (this.ending.aborted) return;
    this.#ending.abort(new EngineError('cancelled', { id: this.condition.id, by: cancel.by }));
  }

  #throwIfEnded(): void {
    if (this.signal.aborted) throw this.signal.reason;
  }

  #throwIfOver(): void {
    if (this.#parts.clock.monotonic() >= this.#surelyUntil) throw this.lose('it ended without progress');
  }

  #throwAtSafePoint(): void {
    if (!this.ending.aborted || this.#isUnsafe || this.#hasThrown) return;
    this.#hasThrown = true;
    throw this.ending.reason;
  }
}

/** Reports can be sent twice without harm, so only what is surely an answer or a mistake of ours is not sent again. */
function isWorthRetrying(error: unknown): boolean {
  if (isEngineError(error)) return error.retry === 'transient';
  const retryClass = error instanceof Error && 'retry' in error ? error.retry : undefined;
  return retryClass !== 'terminal' && retryClass !== 'bug';
}
