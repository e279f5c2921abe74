import { BmcError, isBmcError } from '../errors.ts';
import type { HttpAnswer } from '../http/exchange.ts';
import { HttpFailure } from '../http/http-failure.ts';
import { readAnswer } from '../http/read-answer.ts';
import { bounded } from './bounded.ts';
import type { Breaker, CredentialMark } from './breaker.ts';
import { askCredentials, type Caller, checkCallerLease } from './caller.ts';
import type { CredentialSource } from './gate.ts';
import type { Again } from './judge.ts';
import { createLeftovers, type Leftovers } from './leftovers.ts';
import { judgeLogIn, type LogInAnswer, sessionPath } from './log-in-answer.ts';
import { redirectTarget } from './path-on-bmc.ts';
import { type Credentials, markOf, type Shared } from './shared.ts';
import { type Wire, wireHeaders } from './wire.ts';

/** How requests prove who sends them. */
export interface Pass {
  readonly kind: 'session' | 'basic';
  readonly header: 'x-auth-token' | 'authorization';
  readonly value: string;
  readonly mark: CredentialMark;
  /** What must not be told again, should the BMC quote it. */
  readonly secrets: readonly string[];
  /** The session's path, where the BMC said it. */
  readonly uri: string | undefined;
}

/** A pass, or why there is none and whether trying again soon may help. */
export type PassOutcome =
  | { readonly pass: Pass; readonly error?: undefined }
  | { readonly pass?: undefined; readonly error: BmcError; readonly again: Again };

/** What a keeper works with. */
export interface KeeperOptions {
  readonly origin: string;
  readonly shared: Shared;
  readonly wire: Wire;
  readonly breaker: Breaker;
  isOutage(): boolean;
  /** Throws when the gate is closed. */
  checkOpen(): void;
}

const rootPath = '/redfish/v1/';
const systemsPath = '/redfish/v1/Systems';
const standardPath = '/redfish/v1/SessionService/Sessions';

/** Holds the one session of a gate: opens it when it is needed, and sees to it that it is ended. */
export class SessionKeeper {
  readonly #options: KeeperOptions;
  readonly leftovers: Leftovers;
  #pass: Pass | undefined;
  #pending: { readonly outcome: Promise<PassOutcome>; readonly source: CredentialSource } | undefined;
  /** Who showed that it has the credentials of the pass: nobody else acts with it. */
  #owners = new WeakSet<CredentialSource>();
  /** Where sessions are opened; null when the BMC has none. */
  #path: string | null = standardPath;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.leftovers = createLeftovers(options);
  }

  /** The pass that the caller may use now; undefined when one has to be asked for. */
  passFor(caller: Caller): Pass | undefined {
    return this.#owners.has(caller.endpoint.credentials) ? this.#pass : undefined;
  }

  get sessionUri(): string | undefined {
    return this.#pass?.uri;
  }

  get hasPass(): boolean {
    return this.#pass !== undefined;
  }

  /** Logs in if need be. Callers of the same credentials that come together share one log-in. */
  async obtain(caller: Caller): Promise<PassOutcome> {
    for (;;) {
      const pending = this.#pending;
      if (pending === undefined) return this.#lead(caller);
      const outcome = await this.#follow(pending.outcome, caller);
      // What came of another's credentials, lost lease or impatience says nothing about us.
      if (pending.source !== caller.endpoint.credentials && !caller.signal?.aborted) continue;
      if (outcome.pass !== undefined || !isBmcError(outcome.error, 'leaseLost', 'cancelled')) return outcome;
      if (caller.signal?.aborted) return outcome;
    }
  }

  /** The BMC does not take this session any more. */
  forget(pass: Pass): void {
    if (this.#pass !== pass) return;
    this.#pass = undefined;
    if (pass.kind === 'session') this.leftovers.add(pass);
  }

  /** The BMC refused Basic credentials: the outcome says whether others are at hand. */
  async refuse(pass: Pass, caller: Caller): Promise<PassOutcome> {
    this.forget(pass);
    let credentials: Credentials;
    try {
      credentials = await askCredentials(caller, this.#options);
    } catch (error) {
      return failed(error, 'never');
    }
    const { shared } = this.#options;
    if (markOf(credentials, shared.salt).digest !== pass.mark.digest) return this.obtain(caller);
    return this.#refused(pass.mark, { isLocked: false });
  }

  /** Ends the session, and those that could not be ended before. Never throws: what fails is tried again later. */
  async end(caller: Caller): Promise<void> {
    await this.endOlder(caller);
    await this.endOwn(caller);
  }

  /** With the session still in hand, older ones can be ended even when their tokens are not valid any more. */
  async endOlder(caller: Caller): Promise<void> {
    if (this.#pass !== undefined) await this.leftovers.flush(caller, this.#pass);
  }

  /** Ends the session, then what is left of older ones, each with its own token. */
  async endOwn(caller: Caller): Promise<void> {
    if (this.#pass !== undefined) this.forget(this.#pass);
    this.#path = standardPath;
    await this.leftovers.flush(caller, undefined);
  }

  #follow(pending: Promise<PassOutcome>, caller: Caller): Promise<PassOutcome> {
    const { origin, shared } = this.#options;
    const wait = bounded(pending, {
      clock: shared.clock,
      withinMs: 4 * shared.settings.deadlineMs,
      signal: caller.signal,
      late: () =>
        new BmcError('timeout', { origin, method: 'POST', path: standardPath, ms: 4 * shared.settings.deadlineMs }),
      aborted: () => new BmcError('cancelled', { origin }),
    });
    return wait.catch((error: unknown) => failed(error, 'never'));
  }

  async #lead(caller: Caller): Promise<PassOutcome> {
    const outcome = this.#obtain(caller).catch((error: unknown) => failed(error, 'never'));
    this.#pending = { outcome, source: caller.endpoint.credentials };
    try {
      return await outcome;
    } finally {
      this.#pending = undefined;
    }
  }

  async #obtain(caller: Caller): Promise<PassOutcome> {
    const { shared, breaker } = this.#options;
    const credentials = await askCredentials(caller, this.#options);
    const mark = markOf(credentials, shared.salt);
    const old = this.#pass;
    if (old !== undefined && old.mark.digest === mark.digest) {
      this.#owners.add(caller.endpoint.credentials);
      return { pass: old };
    }
    const verdict = breaker.verdict(mark, shared.clock.monotonic());
    if (verdict.kind !== 'go') return this.#held(mark, verdict);
    if (old !== undefined) {
      // One session at a time: BMCs have few, and the caller that has this one logs in again.
      this.forget(old);
      await this.leftovers.flush(caller, undefined);
    }
    if (this.#options.isOutage()) {
      const problem = await this.#probe(caller);
      if (problem !== undefined) return problem;
    }
    const stranger = await this.#stranger(caller);
    if (stranger !== undefined) return stranger;
    if (caller.endpoint.authentication === 'basic' || this.#path === null)
      return this.#takeBasic(credentials, mark, caller);
    return this.#logIn(credentials, mark, caller);
  }

  /** Why the password is not sent: another BMC answers, and no certificate was asked to prove that it is the right one. */
  async #stranger(caller: Caller): Promise<PassOutcome | undefined> {
    const { origin, shared } = this.#options;
    const { serviceUuid: known, trust } = caller.endpoint;
    const isProven = origin.startsWith('https:') && trust.kind !== 'insecure';
    if (known === undefined || known === '' || isProven) return undefined;
    const answer = await this.#ask({ method: 'GET', path: rootPath }, caller);
    if (answer instanceof BmcError)
      return { error: answer, again: answer.retry === 'transient' ? this.#patience() : 'never' };
    if (answer.status >= 500) return this.#busy({ detail: `its root answers ${answer.status}`, status: answer.status });
    const found = readAnswer(answer, shared.settings).body?.UUID;
    if (answer.status >= 300 || typeof found !== 'string' || found.toLowerCase() === known.toLowerCase())
      return undefined;
    return failed(new BmcError('otherBmc', { origin, found: found.slice(0, 64), known }), 'never');
  }

  /** While an outage is expected nobody logs in before the BMC answers at all. */
  async #probe(caller: Caller): Promise<PassOutcome | undefined> {
    const answer = await this.#ask({ method: 'GET', path: rootPath }, caller);
    if (answer instanceof BmcError) return { error: answer, again: 'never' };
    return answer.status < 400
      ? undefined
      : this.#busy({ detail: `its root answers ${answer.status}`, status: answer.status });
  }

  async #logIn(credentials: Credentials, mark: CredentialMark, caller: Caller): Promise<PassOutcome> {
    const { shared } = this.#options;
    const path = this.#path ?? standardPath;
    const body = JSON.stringify({ UserName: credentials.username, Password: credentials.password });
    const answer = await this.#ask({ method: 'POST', path, body }, caller);
    if (answer instanceof BmcError)
      return { error: answer, again: answer.retry === 'transient' ? this.#patience() : 'never' };
    const judged = judgeLogIn(answer, { ...shared.settings, password: credentials.password, path });
    switch (judged.kind) {
      case 'session':
        return this.#opened(sessionPass(judged, mark), caller);
      case 'refused':
        // What stands before the service asks for Basic authentication even where there are no sessions.
        return asksForBasic(answer) && !judged.isLocked && (await this.#hasNoSessions(caller))
          ? this.#takeBasic(credentials, mark, caller)
          : this.#refused(mark, judged);
      case 'elsewhere':
        return this.#lookElsewhere({ path, status: answer.status }, { credentials, mark, caller });
      case 'exhausted':
        return this.#exhausted(judged, caller);
      case 'busy':
        return this.#busy(judged);
      case 'odd':
        return this.#odd({ method: 'POST', path }, judged);
    }
  }

  /** True when the root can be read and says nothing of sessions. */
  async #hasNoSessions(caller: Caller): Promise<boolean> {
    const answer = await this.#ask({ method: 'GET', path: rootPath }, caller);
    if (answer instanceof BmcError || answer.status >= 300) return false;
    const { body } = readAnswer(answer, this.#options.shared.settings);
    const hasNone =
      body !== undefined &&
      body.SessionService === undefined &&
      sessionsLink(answer, this.#options.shared) === undefined;
    if (hasNone) this.#path = null;
    return hasNone;
  }

  /** The root says where sessions are; when that is nowhere, Basic authentication is left. */
  async #lookElsewhere(
    { path, status }: { readonly path: string; readonly status: number },
    who: { readonly credentials: Credentials; readonly mark: CredentialMark; readonly caller: Caller },
  ): Promise<PassOutcome> {
    const { credentials, mark, caller } = who;
    const answer = await this.#ask({ method: 'GET', path: rootPath }, caller);
    if (answer instanceof BmcError) return { error: answer, again: this.#patience() };
    // A BMC that starts does not have its root yet, or a root without what it leads to.
    if (answer.status >= 300) return this.#busy({ detail: `its root answers ${answer.status}`, status: answer.status });
    const found = sessionsLink(answer, this.#options.shared);
    if (status === 404 && found === path) return this.#busy({ detail: `${path} is not there yet`, status });
    const isTried = found === undefined || found === path || path !== standardPath;
    this.#path = isTried ? null : found;
    return isTried ? this.#takeBasic(credentials, mark, caller) : this.#logIn(credentials, mark, caller);
  }

  /** Basic credentials are tried on one request before all requests carry them: each with bad ones counts as a log-in. */
  async #takeBasic(credentials: Credentials, mark: CredentialMark, caller: Caller): Promise<PassOutcome> {
    const pass = basicPass(credentials, mark);
    const answer = await this.#askSystems(pass, caller);
    if (answer instanceof BmcError)
      return { error: answer, again: answer.retry === 'transient' ? this.#patience() : 'never' };
    const { status } = answer;
    if (status < 300) return this.#accept(pass, caller);
    const { shared } = this.#options;
    const judged = judgeLogIn(answer, { ...shared.settings, password: credentials.password, path: systemsPath });
    if (judged.kind === 'refused') return this.#refused(mark, judged);
    if (judged.kind === 'odd') return this.#odd({ method: 'GET', path: systemsPath }, judged);
    return this.#busy({ detail: `${systemsPath} answers ${status}`, status });
  }

  async #askSystems(pass: Pass, caller: Caller): Promise<HttpAnswer | BmcError> {
    const answer = await this.#ask({ method: 'GET', path: systemsPath, pass }, caller);
    if (answer instanceof BmcError || answer.status < 300 || answer.status >= 400) return answer;
    // Some want a slash at the end.
    const { origin } = this.#options;
    const path = redirectTarget(answer.headers.location, { origin, path: systemsPath });
    return path === undefined ? answer : this.#ask({ method: 'GET', path, pass }, caller);
  }

  #opened(pass: Pass, caller: Caller): PassOutcome {
    this.#options.shared.metrics.sessionOpened();
    return this.#accept(pass, caller);
  }

  #accept(pass: Pass, caller: Caller): PassOutcome {
    const { breaker, shared, origin } = this.#options;
    this.#pass = pass;
    this.#owners = new WeakSet([caller.endpoint.credentials]);
    breaker.accepted(pass.mark);
    if (shared.stopped.delete(origin)) shared.metrics.stoppedGates(shared.stopped.size);
    return { pass };
  }

  #refused(mark: CredentialMark, { isLocked }: { readonly isLocked: boolean }): PassOutcome {
    const { breaker, shared, origin } = this.#options;
    const isOutage = this.#options.isOutage();
    breaker.refused({ mark, nowMs: shared.clock.monotonic(), isLocked, isOutage });
    shared.metrics.logInRefused();
    if (isOutage && !isLocked) return this.#busy({ detail: 'it refuses log-ins', status: 401 });
    shared.stopped.add(origin);
    shared.metrics.stoppedGates(shared.stopped.size);
    const code = isLocked ? 'lockedOut' : 'credentials';
    const error = new BmcError(code, { origin, username: mark.username }, { status: 401 });
    shared.logger.warn('no further log-in to a BMC', { origin, username: mark.username, reason: code });
    return { error, again: 'never' };
  }

  #held(mark: CredentialMark, verdict: Exclude<ReturnType<Breaker['verdict']>, { kind: 'go' }>): PassOutcome {
    const { origin, shared } = this.#options;
    if (verdict.kind === 'stopped') {
      return { error: new BmcError(verdict.why, { origin, username: mark.username }, { status: 401 }), again: 'never' };
    }
    const seconds = Math.ceil((verdict.untilMs - shared.clock.monotonic()) / 1000);
    const detail = `log-ins were refused, and the next is tried in ${seconds} s so that the account is not locked`;
    return { error: new BmcError('busy', { origin, detail }, { status: 401 }), again: 'never' };
  }

  async #exhausted(said: { readonly detail: string; readonly status: number }, caller: Caller): Promise<PassOutcome> {
    const { origin } = this.#options;
    // Some of them may be ours.
    await this.leftovers.flush(caller, undefined);
    const error = new BmcError('sessionsExhausted', { origin, detail: said.detail }, { status: said.status });
    return { error, again: this.#patience() };
  }

  #busy(said: { readonly detail: string; readonly status: number }): PassOutcome {
    const error = new BmcError('busy', { origin: this.#options.origin, detail: said.detail }, { status: said.status });
    return { error, again: this.#patience() };
  }

  #odd(asked: { method: string; path: string }, said: OddAnswer): PassOutcome {
    const fields = { origin: this.#options.origin, ...asked, status: said.status, detail: said.detail };
    const code = said.status < 300 ? 'malformed' : 'refused';
    return { error: new BmcError(code, fields, said), again: code === 'malformed' ? this.#patience() : 'never' };
  }

  #patience(): Again {
    return this.#options.isOutage() ? 'never' : 'often';
  }

  /** Sends one request of the log-in. The lease is checked right before one that carries the password. */
  async #ask(request: LogInRequest, caller: Caller): Promise<HttpAnswer | BmcError> {
    const { shared, wire, origin } = this.#options;
    const { deadlineMs, leaseFreshMs } = shared.settings;
    const { method, path, body, pass } = request;
    const isLogIn = body !== undefined || pass !== undefined;
    for (let stale = 0; ; stale += 1) {
      const headers = wireHeaders({ isIdentity: true });
      if (body !== undefined) headers.push('content-type', 'application/json');
      if (pass !== undefined) headers.push(pass.header, pass.value);
      if (isLogIn) await checkCallerLease(caller, 'log-in', this.#options);
      this.#options.checkOpen();
      const isLeased = isLogIn && caller.checkLease !== undefined;
      const startBeforeMs = isLeased ? shared.clock.monotonic() + leaseFreshMs : undefined;
      const sent = { method, path, headers, deadlineMs, signal: caller.signal, startBeforeMs };
      try {
        return await wire.send(body === undefined ? sent : { ...sent, body }, caller.endpoint.trust);
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        if (error.kind !== 'stale' || stale >= 3) return toLogInError(error, { origin, method, path, ms: deadlineMs });
      }
    }
  }
}

type OddAnswer = Extract<LogInAnswer, { readonly kind: 'odd' }>;

interface LogInRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly pass?: Pass;
}

function sessionPass(opened: { readonly token: string; readonly uri: string | undefined }, mark: CredentialMark): Pass {
  const { token, uri } = opened;
  return { kind: 'session', header: 'x-auth-token', value: token, mark, secrets: [token], uri };
}

function basicPass({ username, password }: Credentials, mark: CredentialMark): Pass {
  const encoded = Buffer.from(`${username}:${password}`).toString('base64');
  const value = `Basic ${encoded}`;
  const secrets = [value, encoded, password];
  return { kind: 'basic', header: 'authorization', value, mark, secrets, uri: undefined };
}

/** A lost answer to a log-in is no ambiguity worth the word: at worst there is a session that times out. */
function toLogInError(failure: HttpFailure, fields: Readonly<Record<string, string | number>>): BmcError {
  const { kind, detail } = failure;
  const code = kind === 'stale' || kind === 'reset' || kind === 'body' ? 'unreachable' : kind;
  return new BmcError(code, { ...fields, detail });
}

function failed(error: unknown, again: Again): PassOutcome {
  if (isBmcError(error)) return { error, again };
  throw error;
}

function asksForBasic({ status, headers }: HttpAnswer): boolean {
  return status === 401 && /^basic\b/i.test(headers['www-authenticate'] ?? '');
}

function sessionsLink(answer: HttpAnswer, shared: Shared): string | undefined {
  const links = readAnswer(answer, shared.settings).body?.Links;
  const sessions = typeof links === 'object' && links !== null && !Array.isArray(links) ? links.Sessions : undefined;
  const isLink = typeof sessions === 'object' && sessions !== null && !Array.isArray(sessions);
  const id = isLink ? sessions['@odata.id'] : undefined;
  return typeof id === 'string' ? sessionPath(id)?.replace(/\/+$/, '') : undefined;
}
