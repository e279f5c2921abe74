import type { Readable } from 'node:stream';
import { backoffDelay, sleep, type Timer } from '../../kube/index.ts';
import type { BmcAddress } from '../address.ts';
import { BmcError, isBmcError } from '../errors.ts';
import type { HttpAnswer } from '../http/exchange.ts';
import { HttpFailure } from '../http/http-failure.ts';
import type { JsonObject } from '../json.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import { type Caller, checkCallerLease } from './caller.ts';
import type { GateReply, GateRequest, GateState, StreamBody } from './gate.ts';
import { describeGate } from './gate-state.ts';
import { type JudgeContext, judgeAnswer, judgeFailure, type Outcome } from './judge.ts';
import { createPace, type Pace, readRetryAfter } from './pace.ts';
import { pathOnBmc, redirectTarget } from './path-on-bmc.ts';
import { type Pass, SessionKeeper } from './session-keeper.ts';
import type { Shared } from './shared.ts';
import { createTurnQueue, type QueueLane, type TurnQueue } from './turn-queue.ts';
import { createWire, type Wire, wireHeaders } from './wire.ts';

/** Who asks: a caller, and the lane it waits in. */
export interface LaneCaller extends Caller {
  readonly lane: QueueLane;
}

/** A request with everything that does not change from try to try. */
interface Plan {
  readonly request: GateRequest;
  readonly caller: LaneCaller;
  readonly context: JudgeContext;
  readonly json: string | undefined;
  readonly stream: StreamBody | undefined;
}

/** What a try learned on its way. */
interface Try {
  path: string;
  isPublic: boolean;
  isIdentity: boolean;
  hasRenewed: boolean;
  redirects: number;
  stale: number;
}

const maxRedirects = 3;
const maxStale = 3;

/** The one way to one BMC: turns, pace, session and breaker. */
export class BmcGate {
  readonly origin: string;
  readonly #shared: Shared;
  readonly #queue: TurnQueue;
  readonly #pace: Pace;
  readonly #breaker: Breaker;
  readonly #wire: Wire;
  readonly #keeper: SessionKeeper;
  #outages = 0;
  #streams = 0;
  #isClosed = false;
  #lastUsedMs = 0;
  #idleTimer: Timer | undefined;
  /** Whoever asked last logs out when nobody asks any more. */
  #lastCaller: LaneCaller | undefined;

  constructor(address: BmcAddress, shared: Shared) {
    const { settings, clock, trustStore } = shared;
    this.origin = address.origin;
    this.#shared = shared;
    this.#queue = createTurnQueue(settings.maxInFlight);
    this.#pace = createPace(settings);
    this.#breaker = createBreaker(settings);
    this.#wire = createWire({ address, trustStore, clock, settings, pace: this.#pace });
    const isOutage = (): boolean => this.#outages > 0;
    const parts = { origin: address.origin, shared, wire: this.#wire, breaker: this.#breaker, isOutage };
    this.#keeper = new SessionKeeper(parts);
  }

  get sessionUri(): string | undefined {
    return this.#keeper.sessionUri;
  }

  get state(): GateState {
    return describeGate({
      origin: this.origin,
      clock: this.#shared.clock,
      breaker: this.#breaker,
      pace: this.#pace,
      hasSession: this.#keeper.hasPass,
      waiting: this.#queue.waiting,
      requests: this.#wire.requests,
    });
  }

  /** Somebody opened this gate with an endpoint of its own. */
  suspectChange(): void {
    this.#keeper.suspectChange();
  }

  async request(request: GateRequest, caller: LaneCaller): Promise<GateReply> {
    const { metrics, settings, random, clock } = this.#shared;
    const { method, signal } = request;
    try {
      const plan = this.#plan(request, caller);
      const maxTries = request.maxTries ?? settings.maxTries;
      for (let tries = 1; ; tries += 1) {
        const outcome = await this.#inTurn(caller, tries > 1, () => this.#attempt(plan));
        if (outcome.error === undefined) {
          metrics.request(method, 'ok');
          return outcome.reply;
        }
        const lastTry = outcome.again === 'never' ? 1 : outcome.again === 'once' ? 2 : maxTries;
        if (tries >= Math.min(lastTry, maxTries)) throw outcome.error;
        await sleep(clock, backoffDelay(settings.backoff, tries, random), signal);
      }
    } catch (error) {
      metrics.request(method, isBmcError(error) ? error.code : 'bug');
      throw error;
    }
  }

  async openEventStream(path: string, caller: LaneCaller): Promise<Readable> {
    const request: GateRequest = {
      method: 'GET',
      path,
      ...(caller.signal === undefined ? {} : { signal: caller.signal }),
    };
    const plan = this.#plan(request, caller);
    let body: Readable | undefined;
    const outcome = await this.#inTurn(caller, false, () => this.#attempt(plan, (stream) => (body = stream)));
    if (outcome.error !== undefined) throw outcome.error;
    if (body === undefined) {
      throw new BmcError('malformed', { origin: this.origin, method: 'GET', path, detail: 'no stream of events' });
    }
    this.#streams += 1;
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
    if (!this.#keeper.hasPass && this.#keeper.leftovers.count === 0) return;
    await this.#inTurn(caller, true, () => this.#keeper.end(caller));
  }

  /** Refuses whoever waits, logs out, and ends all connections. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#idleTimer?.cancel();
    this.#queue.refuseAll(this.#closedError());
    const caller = this.#lastCaller;
    const { clock, settings } = this.#shared;
    if (caller !== undefined && (this.#keeper.hasPass || this.#keeper.leftovers.count > 0)) {
      const tooLong = new AbortController();
      const timer = clock.after(settings.closeMs, () => tooLong.abort());
      await this.#keeper.end({ ...caller, signal: tooLong.signal });
      timer.cancel();
    }
    this.#wire.close();
  }

  #plan(request: GateRequest, caller: LaneCaller): Plan {
    const { settings } = this.#shared;
    const path = pathOnBmc(request.path, this.origin);
    const { method, body, accept } = request;
    const stream = body !== undefined && isStreamBody(body) ? body : undefined;
    const object = stream === undefined ? (body as JsonObject | undefined) : undefined;
    const isSessionEnd = method === 'DELETE' && /\/Sessions\/[^/]+\/?$/.test(path);
    const context: JudgeContext = {
      origin: this.origin,
      method,
      path,
      deadlineMs: request.deadlineMs ?? settings.deadlineMs,
      accept,
      isRepeatable: method === 'GET' || isSessionEnd,
      isOutage: this.#outages > 0,
      bounds: settings,
      body: object,
    };
    return { request, caller, context, stream, json: object === undefined ? undefined : JSON.stringify(object) };
  }

  /** Waits for a turn, does it, and gives the turn back. */
  async #inTurn<T>(caller: LaneCaller, isFirst: boolean, work: () => Promise<T>): Promise<T> {
    const { signal, lane } = caller;
    if (this.#isClosed) throw this.#closedError();
    if (signal?.aborted) throw this.#cancelledError();
    const turn = this.#queue.take(lane, { isFirst, signal });
    if (turn !== undefined) await this.#await(turn);
    this.#lastCaller = caller;
    try {
      return await work();
    } finally {
      this.#lastUsedMs = this.#shared.clock.monotonic();
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
    const { caller, context, request } = plan;
    const waitMs = this.#pace.waitMs(this.#shared.clock.monotonic());
    if (waitMs > 0) await sleep(this.#shared.clock, waitMs, caller.signal);
    const state: Try = {
      path: context.path,
      isPublic: request.isPublic === true,
      isIdentity: true,
      hasRenewed: false,
      redirects: 0,
      stale: 0,
    };
    for (;;) {
      if (this.#isClosed) throw this.#closedError();
      if (caller.signal?.aborted) throw this.#cancelledError();
      let pass = state.isPublic ? undefined : this.#keeper.pass;
      if (pass === undefined && !state.isPublic) {
        const obtained = await this.#keeper.obtain(caller);
        if (obtained.error !== undefined) return obtained;
        pass = obtained.pass;
      }
      const isLeased = request.isDisruptive === true && caller.checkLease !== undefined;
      if (isLeased) await checkCallerLease(caller, 'disruptive', { origin: this.origin, shared: this.#shared });
      // Nothing is awaited between the check of the lease and the sending.
      const sent = this.#send(plan, { state, pass, isLeased, onStream });
      const outcome = await this.#conclude(sent, plan, { state, pass });
      if (outcome !== undefined) return outcome;
    }
  }

  #send(
    plan: Plan,
    how: {
      readonly state: Try;
      readonly pass: Pass | undefined;
      readonly isLeased: boolean;
      readonly onStream: ((stream: Readable) => void) | undefined;
    },
  ): Promise<HttpAnswer> {
    const { request, caller, context, json, stream } = plan;
    const { state, pass, isLeased, onStream } = how;
    const { clock, settings } = this.#shared;
    const headers = wireHeaders({
      isIdentity: state.isIdentity,
      ...(onStream === undefined ? {} : { accept: 'text/event-stream' }),
    });
    if (pass !== undefined) headers.push(pass.header, pass.value);
    if (json !== undefined) headers.push('content-type', 'application/json');
    if (stream !== undefined) headers.push('content-type', stream.contentType);
    for (const name in request.headers) addHeader(headers, request.method, [name, request.headers[name] ?? '']);
    const sent = {
      method: request.method,
      path: state.path,
      headers,
      deadlineMs: context.deadlineMs,
      signal: caller.signal,
      startBeforeMs: isLeased ? clock.monotonic() + settings.leaseFreshMs : undefined,
      ...(json === undefined ? {} : { body: json }),
      ...(stream === undefined ? {} : { body: stream.open(), lengthBytes: stream.lengthBytes }),
    };
    if (onStream === undefined) return this.#wire.send(sent, caller.endpoint.trust);
    return this.#wire.stream(sent, caller.endpoint.trust).then(({ status, body }) => {
      if (status === 200) onStream(body);
      else body.destroy();
      return { status, headers: {}, bytes: Buffer.alloc(0) };
    });
  }

  /** What came of it; undefined when it is to be sent again at once. */
  async #conclude(
    sent: Promise<HttpAnswer>,
    plan: Plan,
    how: { readonly state: Try; readonly pass: Pass | undefined },
  ): Promise<Outcome | undefined> {
    const { clock } = this.#shared;
    const { state } = how;
    plan.context.isOutage = this.#outages > 0;
    let answer: HttpAnswer;
    try {
      answer = await sent;
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      return this.#concludeFailure(error, plan, state);
    }
    const { status } = answer;
    if (status < 300) {
      this.#pace.speedUp();
      return judgeAnswer(answer, plan.context);
    }
    if (status === 503 || status === 429) {
      this.#pace.slowDown(clock.monotonic(), readRetryAfter(answer.headers['retry-after'], clock.now()));
    } else if (status < 500) this.#pace.speedUp();
    if (plan.request.accept?.includes(status) === true) return judgeAnswer(answer, plan.context);
    if (status === 401) return this.#unauthorized(answer, plan, how);
    if (status === 406 && state.isIdentity) {
      state.isIdentity = false;
      return undefined;
    }
    if (status >= 300 && status < 400) return this.#redirected(answer, plan, state);
    return judgeAnswer(answer, plan.context);
  }

  #concludeFailure(failure: HttpFailure, plan: Plan, state: Try): Outcome | undefined {
    if (failure.kind === 'stale' && state.stale < maxStale) {
      state.stale += 1;
      return undefined;
    }
    if (failure.kind === 'timeout') this.#pace.slowDown(this.#shared.clock.monotonic(), undefined);
    if (failure.kind === 'cancelled' && this.#isClosed) throw this.#closedError();
    return judgeFailure(failure, plan.context);
  }

  async #unauthorized(
    answer: HttpAnswer,
    plan: Plan,
    how: { readonly state: Try; readonly pass: Pass | undefined },
  ): Promise<Outcome | undefined> {
    const { state, pass } = how;
    const nowMs = this.#shared.clock.monotonic();
    if (pass === undefined) {
      // Some want a log-in for what should be public; while they restart they say so to everything.
      if (this.#outages > 0) return judgeAnswer(answer, plan.context);
      state.isPublic = false;
      return undefined;
    }
    if (state.hasRenewed) {
      this.#breaker.noteFutileLogIn(nowMs);
      return judgeAnswer(answer, plan.context);
    }
    state.hasRenewed = true;
    if (this.#keeper.pass !== pass) return undefined;
    if (this.#breaker.isLogInFutile(nowMs)) return judgeAnswer(answer, plan.context);
    if (pass.kind === 'basic') {
      const obtained = await this.#keeper.refuse(pass, plan.caller);
      return obtained.error === undefined ? undefined : obtained;
    }
    this.#keeper.forget(pass);
    return undefined;
  }

  /** Only a GET is sent on, and never to another host: it would get our token. */
  #redirected(answer: HttpAnswer, plan: Plan, state: Try): Outcome | undefined {
    const target = redirectTarget(answer.headers.location, { origin: this.origin, path: state.path });
    if (plan.request.method === 'GET' && target !== undefined && state.redirects < maxRedirects) {
      state.redirects += 1;
      state.path = target;
      return undefined;
    }
    const detail = 'it sends us elsewhere, and only a GET is followed, on the same BMC';
    const { status } = answer;
    const fields = { origin: this.origin, method: plan.request.method, path: state.path, status, detail };
    return { error: new BmcError('refused', fields, { status }), again: 'never' };
  }

  /** After a while without requests the session is ended and the connections are closed. */
  #rest(): void {
    if (this.#idleTimer !== undefined || this.#isClosed || this.#isInUse()) return;
    this.#armIdle(this.#shared.settings.idleLogOutMs);
  }

  #armIdle(delayMs: number): void {
    this.#idleTimer = this.#shared.clock.after(delayMs, () => {
      this.#idleTimer = undefined;
      const { clock, settings } = this.#shared;
      const leftMs = this.#lastUsedMs + settings.idleLogOutMs - clock.monotonic();
      if (this.#isClosed || this.#isInUse()) return;
      if (leftMs > 0) this.#armIdle(leftMs);
      else void this.#retire();
    });
  }

  async #retire(): Promise<void> {
    const caller = this.#lastCaller;
    if (caller === undefined) return;
    await this.logOut({ ...caller, signal: undefined });
    if (this.#isInUse() || this.#keeper.hasPass) return;
    this.#wire.close();
    // What could not be ended is tried again after the same while, see logOut.
    if (this.#keeper.leftovers.count === 0) {
      this.#idleTimer?.cancel();
      this.#idleTimer = undefined;
    }
  }

  #isInUse(): boolean {
    return this.#queue.inFlight > 0 || this.#queue.waiting > 0 || this.#streams > 0;
  }

  #closedError(): BmcError {
    return new BmcError('closed', { origin: this.origin });
  }

  #cancelledError(): BmcError {
    return new BmcError('cancelled', { origin: this.origin });
  }
}

function isStreamBody(body: JsonObject | StreamBody): body is StreamBody {
  return typeof body.open === 'function';
}

/** BMCs of one vendor answer 412 to any If-Match on an action. */
function addHeader(headers: string[], method: string, [name, value]: readonly [string, string]): void {
  if (method === 'POST' && name.toLowerCase() === 'if-match') return;
  headers.push(name, value);
}
