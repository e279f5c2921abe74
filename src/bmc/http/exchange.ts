import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock, Timer } from '../../kube/index.ts';
import { HttpFailure, toHttpFailure } from './http-failure.ts';

/** Headers of an answer, by small name; repeated ones are joined. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

/** An answer as it came, not read yet. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly bytes: Buffer;
}

/** One request on the wire. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** Name, value, name, value. */
  readonly headers: string[];
  readonly body?: string | Readable | undefined;
  /** Length of a streamed body; said as Content-Length, since some BMCs do not take chunks. */
  readonly lengthBytes?: number | undefined;
  /** How long it may take; with a streamed body, how long without progress. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Not sent when its connection is only ready after this time on the monotonic clock. */
  readonly startBeforeMs?: number | undefined;
}

/** What an exchange needs beside its request. */
export interface ExchangeOptions {
  readonly clock: Clock;
  readonly maxAnswerBytes: number;
  /** Gives up the connection that is being made for it. */
  abandon(reason: () => HttpFailure): void;
  done(answer: HttpAnswer | undefined, failure: HttpFailure | undefined): void;
}

const empty = Buffer.alloc(0);

/** Follows one request until its answer is complete, its deadline passes or its caller gives up. Settles once. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #options: ExchangeOptions;
  #deadline: Timer;
  #controller: Dispatcher.DispatchController | undefined;
  #lastProgressMs: number;
  #isSettled = false;
  #bodyError: Error | undefined;
  #status = 0;
  #headers: AnswerHeaders = {};
  #first: Buffer | undefined;
  #rest: Buffer[] | undefined;
  #size = 0;

  constructor(request: HttpRequest, options: ExchangeOptions) {
    this.#request = request;
    this.#options = options;
    this.#lastProgressMs = 0;
    this.#deadline = options.clock.after(request.deadlineMs, this.#onDeadline);
    if (typeof request.body === 'object') {
      this.#lastProgressMs = options.clock.monotonic();
      request.body.on('error', (error) => {
        this.#bodyError = error;
      });
    }
    request.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { startBeforeMs } = this.#request;
    if (this.#isSettled) throw new HttpFailure('cancelled', 'nobody waits for it', { hasBegun: false });
    if (startBeforeMs !== undefined && this.#options.clock.monotonic() > startBeforeMs) {
      throw new HttpFailure('stale', 'it waited too long for its connection', { hasBegun: false });
    }
    this.#controller = controller;
  }

  onBodySent(): void {
    if (typeof this.#request.body === 'object') this.#lastProgressMs = this.#options.clock.monotonic();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: object): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = joined(headers as Record<string, string | string[] | undefined>);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#options.maxAnswerBytes) {
      this.#fail(new HttpFailure('malformed', `more than ${this.#options.maxAnswerBytes} bytes`, { hasBegun: true }));
    } else if (this.#first === undefined) this.#first = chunk;
    else if (this.#rest === undefined) this.#rest = [this.#first, chunk];
    else this.#rest.push(chunk);
  }

  onResponseEnd(): void {
    const bytes = this.#rest === undefined ? (this.#first ?? empty) : Buffer.concat(this.#rest, this.#size);
    this.#settle({ status: this.#status, headers: this.#headers, bytes }, undefined);
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    const hasBegun = this.#controller !== undefined;
    const ownFault = this.#bodyError?.message;
    const failure =
      ownFault === undefined ? toHttpFailure(error, { hasBegun }) : new HttpFailure('body', ownFault, { hasBegun });
    this.#settle(undefined, failure);
  }

  /** It could not even be handed over: nothing will come of it. */
  drop(): void {
    this.#isSettled = true;
    this.#release();
  }

  readonly #onAbort = (): void => {
    this.#fail(new HttpFailure('cancelled', 'the caller gave up', { hasBegun: this.#controller !== undefined }));
  };

  readonly #onDeadline = (): void => {
    const { clock } = this.#options;
    const { deadlineMs, body } = this.#request;
    const leftMs = typeof body === 'object' ? this.#lastProgressMs + deadlineMs - clock.monotonic() : 0;
    if (leftMs > 0) {
      // A wait shorter than the clock can tell would never end.
      this.#deadline = clock.after(Math.ceil(leftMs), this.#onDeadline);
      return;
    }
    const hasBegun = this.#controller !== undefined;
    const detail = hasBegun ? `no answer within ${deadlineMs} ms` : `no connection within ${deadlineMs} ms`;
    this.#fail(new HttpFailure(hasBegun ? 'timeout' : 'unreachable', detail, { hasBegun }));
  };

  #fail(failure: HttpFailure): void {
    const controller = this.#controller;
    this.#settle(undefined, failure);
    if (controller === undefined) this.#options.abandon(() => failure);
    else controller.abort(failure);
  }

  #settle(answer: HttpAnswer | undefined, failure: HttpFailure | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#release();
    this.#options.done(answer, failure);
  }

  #release(): void {
    this.#deadline.cancel();
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    const { body } = this.#request;
    if (typeof body === 'object' && !body.destroyed) body.destroy();
  }
}

/** Headers that came twice are one, as HTTP has it; done in place, since hardly any does. */
function joined(headers: Record<string, string | string[] | undefined>): AnswerHeaders {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'object') headers[name] = value.join(', ');
  }
  return headers as AnswerHeaders;
}
