import type { Readable } from 'node:stream';
import { backoffDelay, sleep, type Timer } from '../../kube/index.ts';
import { traced } from '../../telemetry/index.ts';
import type { BmcAddress } from '../address.ts';
import { BmcError, isBmcError } from '../errors.ts';
import { Attempt, type AttemptTools } from './attempt.ts';
import { createBreaker } from './breaker.ts';
import type { Caller } from './caller.ts';
import type { GateReply, GateRequest, GateState } from './gate.ts';
import { spanOf } from './gate-span.ts';
import { describeGate } from './gate-state.ts';
import type { Outcome } from './judge.ts';
import { createPace } from './pace.ts';
import { type Plan, planRequest } from './plan.ts';
import { SessionKeeper } from './session-keeper.ts';
import type { Shared } from './shared.ts';
import { createTurnQueue, type QueueLane, type TurnQueue } from './turn-queue.ts';
import { createWire } from './wire.ts';

/** Who asks: a caller, and the lane it waits in. */
export interface LaneCaller extends Caller {
  readonly lane: QueueLane;
}

/** The one way to one BMC: turns, pace, session and breaker. */
export class BmcGate {
  readonly origin: string;
  readonly #shared: Shared;
  readonly #queue: TurnQueue;
  readonly #tools: AttemptTools;
  #outages = 0;
  #streams = 0;
  #isClosed = false;
  #idleTimer: Timer | undefined;
  /** Whoever asked last logs out when nobody asks any more. */
  #lastCaller: LaneCaller | undefined;

  constructor(address: BmcAddress, shared: Shared) {
    const { settings, clock, trustStore } = shared;
    const { origin } = address;
    this.origin = origin;
    this.#shared = shared;
    this.#queue = createTurnQueue(settings.maxInFlight);
    const pace = createPace(settings);
    const breaker = createBreaker(settings);
    const wire = createWire({ address, trustStore, clock, settings, pace });
    const isOutage = (): boolean => this.#outages > 0;
    const checkOpen = (): void => this.#checkOpen();
    const keeper = new SessionKeeper({ origin, shared, wire, breaker, isOutage, checkOpen });
    this.#tools = { origin, shared, wire, keeper, breaker, pace, isOutage };
  }

  get sessionUri(): string | undefined {
    return this.#tools.keeper.sessionUri;
  }

  get state(): GateState {
    const { origin, keeper, wire, breaker, pace } = this.#tools;
    const { clock } = this.#shared;
    const counts = { hasSession: keeper.hasPass, waiting: this.#queue.waiting, requests: wire.requests };
    return describeGate({ origin, clock, breaker, pace, ...counts });
  }

  /** Sends it when its turn comes, as often as the rules of its method allow. */
  async request(request: GateRequest, caller: LaneCaller): Promise<GateReply> {
    const { metrics } = this.#shared;
    const { method } = request;
    return await traced(spanOf(this.origin, request), async (span) => {
      try {
        const reply = await this.#repeat(planRequest(request, caller, this.#about()), caller);
        metrics.request(method, 'ok');
        span.set({ 'http.response.status_code': reply.status });
        return reply;
      } catch (error) {
        const outcome = isBmcError(error) ? error.code : 'bug';
        metrics.request(method, outcome);
        span.set({ 'error.type': outcome });
        throw error;
      }
    });
  }

  async #repeat(plan: Plan, caller: LaneCaller): Promise<GateReply> {
    const { settings, random, clock } = this.#shared;
    const maxTries = plan.request.maxTries ?? settings.maxTries;
    let last: BmcError | undefined;
    try {
      for (let tries = 1; ; tries += 1) {
        const outcome = await this.#inTurn(caller, { isFirst: tries > 1 }, () => this.#attempt(plan));
        if (outcome.error === undefined) return outcome.reply;
        const useful = { never: 1, once: 2, often: maxTries }[outcome.again];
        const isOver = tries >= Math.min(useful, maxTries) || isBmcError(outcome.error, 'cancelled');
        if (isOver) throw outcome.error;
        last = outcome.error;
        await sleep(clock, backoffDelay(settings.backoff, tries, random), caller.signal);
      }
    } catch (error) {
      // A caller that gives up between two tries still learns what the BMC answered to the first one.
      if (last !== undefined && caller.signal?.aborted === true) throw this.#cancelledError(last);
      throw error;
    }
  }

  /** Opens a stream of events; only its opening takes a turn. */
  async openEventStream(path: string, caller: LaneCaller, headers: GateRequest['headers'] = {}): Promise<Readable> {
    const plan = planRequest({ method: 'GET', path, headers }, caller, this.#about());
    let body: Readable | undefined;
    const take = (stream: Readable): void => {
      body = stream;
    };
    const outcome = await this.#inTurn(caller, { isFirst: false }, () => this.#attempt(plan, take));
    if (outcome.error !== undefined) throw outcome.error;
    if (body === undefined) {
      throw new BmcError('malformed', { origin: this.origin, method: 'GET', path, detail: 'no stream of events' });
    }
    this.#streams += 1;
    this.#stopResting();
    body.once('close', () => {
      this.#streams -= 1;
      this.#rest();
    });
    return body;
  }

  expectOutage(): () => void {
    this.#outages += 1;
    let isOver = false;
    return () => {
      if (!isOver) this.#outages -= 1;
      isOver = true;
    };
  }

  async logOut(caller: LaneCaller): Promise<void> {
    const { keeper } = this.#tools;
    if (!keeper.hasPass && keeper.leftovers.count === 0) return;
    await this.#inTurn(caller, { isFirst: true }, () => keeper.end(caller));
  }

  /** Refuses whoever waits, logs out, and ends all connections. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopResting();
    this.#queue.refuseAll(this.#closedError());
    const { keeper, wire } = this.#tools;
    const caller = this.#lastCaller;
    await this.#within(this.#queue.untilIdle());
    if (caller !== undefined && (keeper.hasPass || keeper.leftovers.count > 0)) {
      // A slow answer about an old session must not keep us from ending the one in use.
      await this.#asLastWord(caller, (last) => keeper.endOlder(last));
      await this.#asLastWord(caller, (last) => this.#endOwn(last));
    }
    wire.end();
  }

  async #asLastWord(caller: LaneCaller, work: (caller: LaneCaller) => Promise<void>): Promise<void> {
    const tooLong = new AbortController();
    await this.#within(work({ ...caller, signal: tooLong.signal }), () => tooLong.abort());
  }

  /** There is no later any more: what a busy BMC did not end, or what was cut, is tried again at once. */
  async #endOwn(caller: LaneCaller): Promise<void> {
    const { keeper } = this.#tools;
    const { clock, settings, random } = this.#shared;
    for (let tries = 1; tries <= settings.maxTries; tries += 1) {
      await keeper.endOwn(caller);
      if (keeper.leftovers.count === 0 || caller.signal?.aborted) return;
      if (tries < settings.maxTries) await sleep(clock, backoffDelay(settings.backoff, tries, random), caller.signal);
    }
  }

  /** Waits for something, but not longer than closing may take. */
  async #within(work: Promise<void>, giveUp?: () => void): Promise<void> {
    const { clock, settings } = this.#shared;
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = clock.after(settings.closeMs, () => {
        giveUp?.();
        resolve();
      });
    });
    await Promise.race([work, late]);
    timer?.cancel();
  }

  #about(): { readonly origin: string; readonly settings: Shared['settings'] } {
    return { origin: this.origin, settings: this.#shared.settings };
  }

  /** Waits for a turn, does it, and gives the turn back. */
  async #inTurn<T>(caller: LaneCaller, how: { readonly isFirst: boolean }, work: () => Promise<T>): Promise<T> {
    const { signal, lane } = caller;
    this.#checkWanted(caller);
    const turn = this.#queue.take(lane, { isFirst: how.isFirst, signal });
    if (turn !== undefined) await this.#await(turn);
    this.#lastCaller = caller;
    this.#stopResting();
    try {
      return await work();
    } finally {
      this.#queue.giveBack();
      this.#rest();
    }
  }

  async #await(turn: Promise<void>): Promise<void> {
    const { metrics } = this.#shared;
    metrics.waiting(1);
    try {
      await turn;
    } catch (error) {
      throw isBmcError(error) ? error : this.#cancelledError();
    } finally {
      metrics.waiting(-1);
    }
  }

  async #attempt(plan: Plan, onStream?: (stream: Readable) => void): Promise<Outcome> {
    const { clock } = this.#shared;
    const { caller } = plan;
    const waitMs = this.#tools.pace.waitMs(clock.monotonic());
    if (waitMs > 0) await sleep(clock, waitMs, caller.signal);
    return new Attempt(this.#tools, plan, onStream).run(() => this.#checkWanted(caller));
  }

  #checkWanted(caller: Caller): void {
    this.#checkOpen();
    if (caller.signal?.aborted) throw this.#cancelledError();
  }

  #checkOpen(): void {
    if (this.#isClosed) throw this.#closedError();
  }

  /** After a while without requests the session is ended and the connections are closed. */
  #rest(): void {
    if (this.#idleTimer !== undefined || this.#isClosed || this.#isInUse()) return;
    this.#idleTimer = this.#shared.clock.after(this.#shared.settings.idleLogOutMs, () => {
      this.#idleTimer = undefined;
      void this.#retire().catch((error: unknown) => this.#noteRetireFailure(error));
    });
  }

  #stopResting(): void {
    this.#idleTimer?.cancel();
    this.#idleTimer = undefined;
  }

  async #retire(): Promise<void> {
    const { keeper, wire } = this.#tools;
    const caller = this.#lastCaller;
    if (caller === undefined) return;
    await this.logOut({ ...caller, signal: undefined });
    if (this.#isInUse() || keeper.hasPass) return;
    wire.close();
    // What could not be ended is tried again after the same while; else there is nothing to wake up for.
    if (keeper.leftovers.count === 0) this.#stopResting();
  }

  #noteRetireFailure(error: unknown): void {
    // Closed meanwhile: then closing logs out.
    if (!isBmcError(error, 'closed')) this.#shared.logger.error('logging out of an idle BMC failed', { error });
  }

  #isInUse(): boolean {
    return this.#queue.inFlight > 0 || this.#queue.waiting > 0 || this.#streams > 0;
  }

  #closedError(): BmcError {
    return new BmcError('closed', { origin: this.origin });
  }

  #cancelledError(cause?: BmcError): BmcError {
    return new BmcError('cancelled', { origin: this.origin }, { cause });
  }
}
