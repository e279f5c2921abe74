import type { Readable } from 'node:stream';
import { BmcError } from '../errors.ts';
import type { HttpAnswer } from '../http/exchange.ts';
import { HttpFailure } from '../http/http-failure.ts';
import type { Breaker } from './breaker.ts';
import { checkCallerLease } from './caller.ts';
import type { StreamBody } from './gate.ts';
import { judgeAnswer, judgeFailure, type Outcome } from './judge.ts';
import { type Pace, readRetryAfter } from './pace.ts';
import { redirectTarget } from './path-on-bmc.ts';
import type { Plan } from './plan.ts';
import type { Pass, SessionKeeper } from './session-keeper.ts';
import type { Shared } from './shared.ts';
import { type Wire, wireHeaders } from './wire.ts';

/** What a try works with. */
export interface AttemptTools {
  readonly origin: string;
  readonly shared: Shared;
  readonly wire: Wire;
  readonly keeper: SessionKeeper;
  readonly breaker: Breaker;
  readonly pace: Pace;
  isOutage(): boolean;
}

const maxRedirects = 3;
const maxStale = 3;
const noBytes = Buffer.alloc(0);

/** One try of a request, in its turn: logs in as needed, and deals with what can be dealt with at once. */
export class Attempt {
  readonly #tools: AttemptTools;
  readonly #plan: Plan;
  /** Takes the stream, for a request whose answer does not end. */
  readonly #onStream: ((stream: Readable) => void) | undefined;
  #path: string;
  #isPublic: boolean;
  #isIdentity = true;
  #hasRenewed = false;
  #redirects = 0;
  #stale = 0;

  constructor(tools: AttemptTools, plan: Plan, onStream?: (stream: Readable) => void) {
    this.#tools = tools;
    this.#plan = plan;
    this.#onStream = onStream;
    this.#path = plan.context.path;
    this.#isPublic = plan.request.isPublic === true;
  }

  /** Sends it, again at once where that is due; `mayGoOn` throws when nobody wants it any more. */
  async run(mayGoOn: () => void): Promise<Outcome> {
    const { keeper } = this.#tools;
    const { caller, request } = this.#plan;
    const isLeased = request.isDisruptive === true && caller.checkLease !== undefined;
    for (;;) {
      mayGoOn();
      let pass = this.#isPublic ? undefined : keeper.passFor(caller);
      if (pass === undefined && !this.#isPublic) {
        const obtained = await keeper.obtain(caller);
        if (obtained.error !== undefined) return obtained;
        pass = obtained.pass;
        mayGoOn();
      }
      if (isLeased) {
        await checkCallerLease(caller, 'disruptive', { ...this.#tools, fenceMs: this.#fenceMs });
        // The gate may have been closed meanwhile, or the caller may have given up.
        mayGoOn();
      }
      // Nothing is awaited between the check of the lease and the sending.
      const outcome = await this.#conclude(this.#send(pass, isLeased), pass);
      if (outcome !== undefined) return outcome;
    }
  }

  /** The request may leave as long after the check as that counts as fresh. */
  get #fenceMs(): number {
    const { request, context } = this.#plan;
    return (request.fenceMs ?? context.deadlineMs) + this.#tools.shared.settings.leaseFreshMs;
  }

  async #send(pass: Pass | undefined, isLeased: boolean): Promise<HttpAnswer> {
    const { request, caller, context, json, stream } = this.#plan;
    const { shared, wire } = this.#tools;
    context.secrets = pass?.secrets ?? [];
    const sent = {
      method: request.method,
      path: this.#path,
      headers: this.#headers(pass),
      deadlineMs: context.deadlineMs,
      signal: caller.signal,
      startBeforeMs: isLeased ? shared.clock.monotonic() + shared.settings.leaseFreshMs : undefined,
      body: stream === undefined ? json : openBody(stream),
      lengthBytes: stream?.lengthBytes,
    };
    const { trust } = caller.endpoint;
    return this.#onStream === undefined ? wire.send(sent, trust) : this.#openStream(wire.stream(sent, trust));
  }

  #headers(pass: Pass | undefined): string[] {
    const { request, json, stream } = this.#plan;
    const accept = this.#onStream === undefined ? 'application/json' : 'text/event-stream';
    const headers = wireHeaders({ isIdentity: this.#isIdentity, accept });
    if (pass !== undefined) headers.push(pass.header, pass.value);
    if (stream !== undefined) headers.push('content-type', stream.contentType);
    else if (json !== undefined) headers.push('content-type', 'application/json');
    for (const name in request.headers) {
      // BMCs of one vendor answer 412 to any If-Match on an action.
      if (request.method === 'POST' && name.toLowerCase() === 'if-match') continue;
      headers.push(name, request.headers[name] ?? '');
    }
    return headers;
  }

  async #openStream(opening: ReturnType<Wire['stream']>): Promise<HttpAnswer> {
    const { status, body } = await opening;
    if (status === 200) this.#onStream?.(body);
    else body.destroy();
    return { status, headers: {}, bytes: noBytes };
  }

  /** What came of it; undefined when it is to be sent again at once. */
  async #conclude(sent: Promise<HttpAnswer>, pass: Pass | undefined): Promise<Outcome | undefined> {
    const { context, request } = this.#plan;
    const { pace } = this.#tools;
    let answer: HttpAnswer;
    try {
      answer = await sent;
    } catch (error) {
      if (error instanceof HttpFailure) return this.#concludeFailure(error);
      throw error;
    }
    const { status } = answer;
    if (status < 300) {
      pace.speedUp();
      if (pass?.kind === 'session') this.#tools.breaker.noteGoodSession(this.#path);
      return judgeAnswer(answer, context);
    }
    this.#adaptPace(answer);
    context.isOutage = this.#tools.isOutage();
    if (request.accept?.includes(status) === true) return judgeAnswer(answer, context);
    if (status === 401) return this.#unauthorized(answer, pass);
    // It may lack a right, or be the way of this BMC to refuse: with Basic each such request counts as a log-in.
    if (status === 403 && pass?.kind === 'basic') this.#tools.keeper.forget(pass);
    if (status === 406 && this.#isIdentity) {
      this.#isIdentity = false;
      return undefined;
    }
    return status < 400 ? this.#redirected(answer) : judgeAnswer(answer, context);
  }

  #adaptPace({ status, headers }: HttpAnswer): void {
    const { pace, shared } = this.#tools;
    const { clock } = shared;
    const isBusy = status === 503 || status === 429;
    if (isBusy) pace.slowDown(clock.monotonic(), readRetryAfter(headers['retry-after'], clock.now()));
    else if (status < 500) pace.speedUp();
  }

  #concludeFailure(failure: HttpFailure): Outcome | undefined {
    const { context } = this.#plan;
    if (failure.kind === 'stale' && this.#stale < maxStale) {
      this.#stale += 1;
      return undefined;
    }
    context.isOutage = this.#tools.isOutage();
    if (failure.kind === 'timeout') this.#tools.pace.slowDown(this.#tools.shared.clock.monotonic(), undefined);
    return judgeFailure(failure, context);
  }

  async #unauthorized(answer: HttpAnswer, pass: Pass | undefined): Promise<Outcome | undefined> {
    const { keeper, breaker, shared } = this.#tools;
    const { context, caller } = this.#plan;
    const nowMs = shared.clock.monotonic();
    if (pass === undefined) {
      // Some want a log-in for what should be public; while they restart they say so to everything.
      if (context.isOutage) return judgeAnswer(answer, context);
      this.#isPublic = false;
      return undefined;
    }
    if (this.#hasRenewed) {
      breaker.noteFutileLogIn(this.#path, nowMs);
      return judgeAnswer(answer, context);
    }
    this.#hasRenewed = true;
    if (keeper.passFor(caller) !== pass) return undefined;
    if (breaker.isLogInFutile(this.#path, nowMs)) return judgeAnswer(answer, context);
    if (pass.kind === 'basic') {
      const obtained = await keeper.refuse(pass, caller);
      return obtained.error === undefined ? undefined : obtained;
    }
    keeper.forget(pass);
    return undefined;
  }

  /** Only a GET is sent on, and never to another host: it would get our token. */
  #redirected(answer: HttpAnswer): Outcome | undefined {
    const { origin } = this.#tools;
    const { method } = this.#plan.request;
    const target = redirectTarget(answer.headers.location, { origin, path: this.#path });
    if (method === 'GET' && target !== undefined && this.#redirects < maxRedirects) {
      this.#redirects += 1;
      this.#path = target;
      return undefined;
    }
    const { status } = answer;
    const detail = 'it sends us elsewhere, and only a GET is followed, on the same BMC';
    const fields = { origin, method, path: this.#path, status, detail };
    return { error: new BmcError('refused', fields, { status }), again: 'never' };
  }
}

/** A body that cannot even be opened is our own trouble, as one that breaks off is. */
function openBody(stream: StreamBody): Readable {
  try {
    return stream.open();
  } catch (error) {
    throw new HttpFailure('body', error instanceof Error ? error.message : 'it cannot be opened', { hasBegun: false });
  }
}
