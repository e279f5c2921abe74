import { backoffDelay, type Clock, type Random, sleep } from '../../kube/index.ts';
import {
  type Logger,
  type Metrics,
  noMetrics,
  noTracer,
  silentLogger,
  type Tracer,
  withLogFields,
} from '../../telemetry/index.ts';
import type { Bus, BusHint } from '../bus/bus.ts';
import { isEngineError } from '../errors.ts';
import { abortOf, type HandlerEnd, runHandler } from './end-work.ts';
import { HeldWork } from './held-work.ts';
import type { Leisure } from './leisure.ts';
import type { WorkHandler } from './work.ts';
import { createWorkerMetrics, type WorkerMetrics } from './worker-metrics.ts';
import type { Lease, WorkerIdentity, WorkerPort } from './worker-port.ts';

/** What a worker is made of. */
export interface WorkerOptions {
  readonly port: WorkerPort;
  readonly identity: WorkerIdentity;
  /** One for each kind of the identity. */
  readonly handlers: Readonly<Record<string, WorkHandler>>;
  /** How many conditions it works on at once. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly random?: Random;
  /** With it, a worker hears of cancels before its next report. */
  readonly bus?: Pick<Bus, 'listen'>;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Work goes on with the trace of whoever asked for it. */
  readonly tracer?: Tracer;
  /** How often it says that it is there; 5 s unless given. */
  readonly heartbeatMs?: number;
  /** How long one request for work waits for some; 20 s unless given. */
  readonly waitMs?: number;
  /** With it, a worker that has work takes more only as its process has time for it. */
  readonly leisure?: Leisure;
}

/** A worker that runs until it is stopped. */
export interface Worker {
  /** How many conditions it works on. */
  readonly running: number;
  /** Resolves once the engine knows of it. */
  readonly online: Promise<void>;
  /**
   * Takes no more work, lets what runs go at safe points, and cuts off what is not at one after the grace time (30 s
   * unless given). Resolves when nothing runs and the engine knows that it left.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Makes a worker and starts it. It keeps trying while the engine cannot be reached. */
export function createWorker(options: WorkerOptions): Worker {
  for (const kind of options.identity.kinds) {
    if (handlerOf(options, kind) === undefined) throw new TypeError(`there is no handler for the kind ${kind}`);
  }
  return new RunningWorker(options);
}

function handlerOf({ handlers }: WorkerOptions, kind: string): WorkHandler | undefined {
  const name = Object.keys(handlers).find((one) => one.toLowerCase() === kind.toLowerCase());
  return name === undefined ? undefined : handlers[name];
}

const retry = { baseMs: 500, maxMs: 15_000 };
const defaultGraceMs = 30_000;
const defaultHeartbeatMs = 5000;
/** How long work that cannot be done beside what hangs is left to others. */
const leaving = { baseMs: 10_000, maxMs: 10 * 60_000 };

class RunningWorker implements Worker {
  readonly online: Promise<void>;
  readonly #options: WorkerOptions;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #metrics: WorkerMetrics;
  readonly #works = new Map<HeldWork, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #leaving = new AbortController();
  readonly #done: Promise<unknown>;
  readonly #heartbeats: Promise<unknown>;
  /** What handlers that lost their lease and do not notice may still act on, with how many of them. */
  readonly #hanging = new Map<string, number>();
  #roomMade = Promise.withResolvers<void>();

  constructor(options: WorkerOptions) {
    const identity = { isFencedByHeartbeats: true, ...options.identity };
    this.#options = { ...options, identity };
    this.#random = options.random ?? Math.random;
    this.#logger = (options.logger ?? silentLogger).child({ worker: options.identity.id });
    this.#metrics = createWorkerMetrics(options.metrics ?? noMetrics);
    this.online = this.#comeOnline();
    this.#done = this.online.then(() => this.#leaseLoop());
    this.#heartbeats = this.online.then(() => this.#heartbeatLoop());
    this.#listen();
  }

  get running(): number {
    return this.#works.size;
  }

  async stop({ graceMs = defaultGraceMs }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#stopping.abort();
    this.#roomMade.resolve();
    await this.#done;
    for (const work of this.#works.keys()) work.askToStop();
    const over = this.#options.clock.after(graceMs, () => {
      for (const work of this.#works.keys()) work.cutOff();
    });
    await Promise.all(this.#works.values());
    over.cancel();
    this.#leaving.abort();
    await this.#heartbeats;
    await this.#options.port.offline(this.#options.identity.id).catch((error: unknown) => {
      this.#logger.warn('the engine was not told that this worker left; it will notice', { error });
    });
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Tries until it works or the worker stops. */
  async #insist(what: string, work: () => Promise<void>): Promise<void> {
    for (let failures = 1; !this.#isStopping; failures++) {
      try {
        return await work();
      } catch (error) {
        this.#logger.warn(`${what} failed; it is tried again`, { error });
        await sleep(this.#options.clock, backoffDelay(retry, failures, this.#random), this.#stopping.signal);
      }
    }
  }

  #comeOnline(): Promise<void> {
    return this.#insist('coming online', () => this.#options.port.online(this.#options.identity));
  }

  /** Until the worker leaves: while it stops, what is not at a safe point yet is still at work. */
  async #heartbeatLoop(): Promise<void> {
    const { clock, heartbeatMs = defaultHeartbeatMs } = this.#options;
    const { signal } = this.#leaving;
    for (let failures = 0; !signal.aborted; ) {
      const pauseMs = failures === 0 ? heartbeatMs : Math.min(backoffDelay(retry, failures, this.#random), heartbeatMs);
      await sleep(clock, pauseMs, signal);
      if (signal.aborted) return;
      failures = (await this.#tryBeat()) ? 0 : failures + 1;
    }
  }

  async #tryBeat(): Promise<boolean> {
    try {
      await this.#beat();
      return true;
    } catch (error) {
      this.#logger.warn('a heartbeat was not taken; it is sent again', { error });
      return false;
    }
  }

  /** An engine that does not know this worker any more has given its work away: the worker begins anew. */
  async #beat(): Promise<void> {
    const { port, identity, clock } = this.#options;
    const sentAt = clock.monotonic();
    try {
      await port.heartbeat(identity.id);
      for (const work of this.#works.keys()) work.hear(sentAt);
    } catch (error) {
      if (!isEngineError(error, 'unknownWorker')) throw error;
      for (const work of this.#works.keys()) work.lose('the engine took this worker for lost');
      if (!this.#isStopping) await port.online(identity);
    }
  }

  async #leaseLoop(): Promise<void> {
    while (!this.#isStopping) {
      await this.#insist('leasing', async () => {
        const room = this.#options.concurrency - this.#works.size;
        if (room > 0) await this.#leaseSome(await this.#portionOf(room));
        else await this.#roomMade.promise;
      });
    }
  }

  /** How much to take of what there is room for. */
  async #portionOf(room: number): Promise<number> {
    const { leisure } = this.#options;
    if (leisure === undefined) return room;
    if (this.#works.size > 0) await leisure.wait(this.#stopping.signal);
    return Math.min(room, leisure.portion);
  }

  async #leaseSome(max: number): Promise<void> {
    const { port, identity, clock, waitMs = 20_000 } = this.#options;
    const signal = this.#stopping.signal;
    const sentAt = clock.monotonic();
    const leases = await port.lease(identity.id, { max, waitMs, signal }).catch(async (error: unknown) => {
      if (isEngineError(error, 'unknownWorker')) await this.#beat();
      throw error;
    });
    const gotAt = clock.monotonic();
    for (const lease of leases) {
      // After a long wait nobody knows how old the lease is: was it given just now, or was this process frozen?
      const isFresh = gotAt - sentAt < lease.leaseMs / 4;
      if (this.#isInUse(lease)) await this.#leave(lease);
      else this.#start(lease, { isFresh, askedAt: isFresh ? sentAt : gotAt, gotAt });
    }
  }

  /** True while a handler may still act here that has no right to any more: beside it no other may begin. */
  #isInUse({ condition: { id, lockKey } }: Lease): boolean {
    const isLeftOf = ({ condition, signal }: HeldWork): boolean =>
      condition.id === id || (condition.lockKey === lockKey && signal.aborted);
    return this.#hanging.has(lockKey) || [...this.#works.keys()].some(isLeftOf);
  }

  /** Another process may have it: there is waited until requests of this one are over, and its session is ended. */
  async #leave({ condition, token }: Lease): Promise<void> {
    const afterMs = Math.round(backoffDelay(leaving, condition.leases, this.#random));
    const why = `in ${this.#options.identity.id} work on ${condition.lockKey} that lost its lease has not ended: if it hangs, restart that process`;
    const how = { afterMs, isNotCounted: true, areLeftoversKept: true };
    await this.#options.port.release({ conditionId: condition.id, token }, why, how).catch((error: unknown) => {
      this.#logger.warn('work was not given back; it is leased again when its lease ends', { error });
    });
  }

  /**
   * Work that hangs gives its place to other work. Only so much of it as there are places: what hangs beyond that keeps its
   * place, so that a process in which everything hangs does not fill up without end.
   */
  async #hang(work: HeldWork, hanging: Promise<void>): Promise<void> {
    const { lockKey, id } = work.condition;
    const count = (by: number): void => {
      const left = (this.#hanging.get(lockKey) ?? 0) + by;
      if (left > 0) this.#hanging.set(lockKey, left);
      else this.#hanging.delete(lockKey);
    };
    count(1);
    this.#logger.error('work hangs though it lost its lease; what it worked on is left alone here until it ends', {
      condition: id,
      lockKey,
    });
    const ended = hanging.then(() => count(-1));
    if (this.#hanging.size > this.#options.concurrency) await Promise.race([ended, abortOf(this.#stopping.signal)]);
  }

  #start(
    lease: Lease,
    { isFresh, ...times }: { readonly isFresh: boolean; readonly askedAt: number; readonly gotAt: number },
  ): void {
    const { port, clock } = this.#options;
    const logger = this.#logger.child({ condition: lease.condition.id, kind: lease.condition.kind });
    const work = new HeldWork({ port, clock, random: this.#random, logger, lease, ...times });
    if (this.#isStopping) work.askToStop();
    const done = this.#trace(work, { isFresh, logger }).finally(() => {
      work.close();
      this.#works.delete(work);
      this.#metrics.running(this.#works.size);
      this.#roomMade.resolve();
      this.#roomMade = Promise.withResolvers<void>();
    });
    this.#works.set(work, done);
    this.#metrics.running(this.#works.size);
  }

  #trace(work: HeldWork, how: { isFresh: boolean; logger: Logger }): Promise<void> {
    const { tracer = noTracer, identity } = this.#options;
    const { id, kind, target, leases, traceparent } = work.condition;
    const attributes = {
      'rackwright.condition': id,
      'rackwright.kind': kind,
      'rackwright.target': target,
      'rackwright.worker': identity.id,
      'rackwright.lease': leases,
    };
    const plan = { name: `work ${kind}`, kind: 'consumer', attributes, parent: traceparent } as const;
    return withLogFields({ condition: id, kind }, () =>
      tracer.trace(plan, async (span) => {
        const outcome = await this.#run(work, how);
        span.set({ 'rackwright.outcome': outcome });
        if (outcome === 'failed') span.fail('failed');
      }),
    );
  }

  async #run(
    work: HeldWork,
    { isFresh, logger }: { isFresh: boolean; logger: Logger },
  ): Promise<HandlerEnd['outcome']> {
    const { clock } = this.#options;
    const began = clock.monotonic();
    const { kind } = work.condition;
    const handler: WorkHandler =
      handlerOf(this.#options, kind) ??
      (async () => ({ outcome: 'released', why: `this worker has no handler for ${kind}`, afterMs: 60_000 }));
    const handle: WorkHandler = async (held) => {
      if (!isFresh) await work.send({});
      return await handler(held);
    };
    const end = await runHandler(handle, work, { random: this.#random, clock });
    this.#metrics.ended({ kind, outcome: end.outcome }, (clock.monotonic() - began) / 1000);
    try {
      await this.#tell(work, end);
      if ('hanging' in end && end.hanging !== undefined) await this.#hang(work, end.hanging);
      logger.info('work ended', { outcome: end.outcome, ...('why' in end ? { why: end.why } : {}) });
    } catch (error) {
      logger.error('the end of the work could not be told; it is leased again when its lease ends', { error });
    }
    return end.outcome;
  }

  async #tell(work: HeldWork, end: HandlerEnd): Promise<void> {
    if (end.outcome === 'lost') return;
    if (end.outcome === 'released') {
      const held = { conditionId: work.condition.id, token: work.lease.token };
      const options = end.afterMs === undefined ? {} : { afterMs: end.afterMs };
      await this.#options.port.release(held, end.why, options);
      return;
    }
    const { outcome, ...report } = end;
    await work.send({ state: outcome, isCancelUnsafe: false, ...report });
  }

  #listen(): void {
    const heard = (hint: BusHint): void => {
      if (hint.about !== 'cancel') return;
      for (const work of this.#works.keys()) {
        if (work.condition.id !== hint.conditionId) continue;
        work.lookForCancel().catch((error: unknown) => this.#logger.debug('no news of a cancel', { error }));
      }
    };
    this.#options.bus
      ?.listen(heard)
      .then((unlisten) => this.#done.finally(() => unlisten()))
      .catch((error: unknown) => this.#logger.warn('cancels are heard only with reports', { error }));
  }
}
