import { type Counter, type Histogram, type Metrics, traceparentHere } from '../../telemetry/index.ts';
import { backoffDelay } from '../backoff.ts';
import { type Clock, type Random, sleep } from '../clock.ts';
import { KubeError, type KubeStatus, kubeError } from '../errors.ts';
import type { Transport, TransportAnswer, TransportRequest } from './transport.ts';

/** What every call may say. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** For the whole call, waiting and trying again included. */
  readonly timeoutMs?: number | undefined;
}

/** A request as the resource clients make it. */
export interface ApiRequest extends CallOptions {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
}

/** A stream of bytes that must be ended by its owner. */
export interface ApiStream {
  readonly body: AsyncIterable<Uint8Array>;
  end(): void;
}

/** Sends requests: time-outs, errors as KubeError, and waiting when the server asks for it. */
export interface Requester {
  json<T>(request: ApiRequest): Promise<T>;
  text(request: ApiRequest): Promise<string>;
  /** Opens a stream; the time-out covers the time until the answer begins. */
  stream(request: ApiRequest): Promise<ApiStream>;
}

/** What a requester needs. */
export interface RequesterOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly timeoutMs: number;
  /** Whom requests go to, as metrics name it. */
  readonly host: string;
  /** Told what the server warns about, e.g. deprecated versions. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

const maxAttempts = 10;

/** A requester over a transport. */
export function createRequester(options: RequesterOptions): Requester {
  const requests: Counter = options.metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the Kubernetes API by method, code (<error>: no answer) and host.',
    labels: ['code', 'method', 'host'],
  });
  const seconds: Histogram = options.metrics.histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Time from request to answer of the Kubernetes API; of a watch, to its beginning.',
    labels: ['verb', 'host'],
  });

  const { host } = options;
  const once = async (request: ApiRequest, signal: AbortSignal, isStream: boolean): Promise<TransportAnswer> => {
    const start = options.clock.monotonic();
    let code = '<error>';
    try {
      const answer = await options.transport.send(encode(request, signal, isStream));
      code = String(answer.status);
      warn(answer, options.onWarning);
      if (answer.status >= 200 && answer.status < 300) return answer;
      throw await errorFrom(answer, request);
    } finally {
      const { method } = request;
      requests.add(1, { code, method, host });
      seconds.observe((options.clock.monotonic() - start) / 1000, { verb: method, host });
    }
  };

  const withRetries = async (request: ApiRequest, limit: Limit, isStream: boolean): Promise<TransportAnswer> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(request, limit.signal, isStream);
      } catch (error) {
        const delayMs = retryDelay(error, request, attempt, options.random);
        if (delayMs === undefined || limit.leftMs() < delayMs || limit.signal.aborted)
          throw limit.explain(error, request);
        await sleep(options.clock, delayMs, limit.signal);
      }
    }
  };

  const text = async (request: ApiRequest): Promise<string> => {
    const limit = startLimit(options, request);
    try {
      return await (await withRetries(request, limit, false)).text();
    } catch (error) {
      throw limit.explain(error, request);
    } finally {
      limit.end();
    }
  };

  return {
    text,
    async json<T>(request: ApiRequest): Promise<T> {
      const body = await text(request);
      try {
        return JSON.parse(body) as T;
      } catch (cause) {
        throw kubeError('MalformedAnswer', `${describe(request)} was answered with something that is not JSON`, cause);
      }
    },
    async stream(request) {
      const limit = startLimit(options, request);
      try {
        const { body } = await withRetries(request, limit, true);
        limit.disarm();
        return { body: explainErrors(body, limit, request), end: limit.abort };
      } catch (error) {
        limit.end();
        throw error;
      }
    },
  };
}

async function* explainErrors(body: AsyncIterable<Uint8Array>, limit: Limit, request: ApiRequest) {
  try {
    yield* body;
  } catch (error) {
    throw limit.explain(error, request);
  } finally {
    limit.end();
  }
}

interface Limit {
  readonly signal: AbortSignal;
  leftMs(): number;
  /** The time limit is met; only the caller's signal ends the request now. */
  disarm(): void;
  abort(): void;
  end(): void;
  explain(error: unknown, request: ApiRequest): KubeError;
}

/** Joins the caller's signal and the time limit, without leaving a listener behind on a signal that lives long. */
function startLimit(options: RequesterOptions, request: ApiRequest): Limit {
  const controller = new AbortController();
  const timeoutMs = request.timeoutMs ?? options.timeoutMs;
  const deadline = options.clock.monotonic() + timeoutMs;
  let isTimedOut = false;
  const giveUp = (): void => controller.abort();
  const timer = options.clock.after(timeoutMs, () => {
    isTimedOut = true;
    controller.abort();
  });
  if (request.signal?.aborted) giveUp();
  request.signal?.addEventListener('abort', giveUp, { once: true });
  return {
    signal: controller.signal,
    leftMs: () => deadline - options.clock.monotonic(),
    disarm: timer.cancel,
    abort: giveUp,
    end() {
      timer.cancel();
      request.signal?.removeEventListener('abort', giveUp);
    },
    explain(error) {
      if (error instanceof KubeError) return error;
      if (isTimedOut)
        return kubeError('RequestTimeout', `${describe(request)} got no answer within ${timeoutMs} ms`, error);
      if (controller.signal.aborted)
        return kubeError('Aborted', `${describe(request)} was given up by the caller`, error);
      return kubeError('ConnectionFailed', `${describe(request)} failed: ${messageOf(error)}`, error);
    },
  };
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return `${error.message}${code}`;
}

/** The server did not act on a request it asks to repeat, so any method may be repeated then; reads also after a broken connection. */
function retryDelay(error: unknown, request: ApiRequest, attempt: number, random: Random): number | undefined {
  if (attempt >= maxAttempts) return undefined;
  if (error instanceof KubeError) {
    const isAskedTo = error.retryAfterMs !== undefined && (error.code === 429 || error.code >= 500);
    if (isAskedTo) return (error.retryAfterMs ?? 0) * (1 + random() / 4);
    return error.code === 429 ? backoffDelay({ baseMs: 500, maxMs: 10_000 }, attempt, random) : undefined;
  }
  return request.method === 'GET' && attempt === 1 ? 0 : undefined;
}

function encode(request: ApiRequest, signal: AbortSignal, isStream: boolean): TransportRequest {
  const hasBody = request.body !== undefined;
  const traceparent = traceparentHere();
  return {
    method: request.method,
    path: pathOf(request),
    headers: {
      accept: request.accept ?? 'application/json',
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(hasBody ? { 'content-type': request.contentType ?? 'application/json' } : {}),
    },
    ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
    signal,
    isStream,
  };
}

function pathOf({ path, query }: ApiRequest): string {
  let text = '';
  for (const name in query) {
    const value = query[name];
    if (value === undefined || value === '') continue;
    text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return path + text;
}

async function errorFrom(answer: TransportAnswer, request: ApiRequest): Promise<KubeError> {
  const text = await answer.text();
  const header = answer.headers['retry-after'];
  const seconds = typeof header === 'string' && /^\d+$/.test(header) ? Number(header) : undefined;
  const retryAfterMs = seconds === undefined ? undefined : seconds * 1000;
  return new KubeError(readStatus(text, answer.status, request), { retryAfterMs });
}

function readStatus(text: string, code: number, request: ApiRequest): KubeStatus {
  try {
    const status = JSON.parse(text) as KubeStatus;
    if (status?.kind === 'Status') return { ...status, code: status.code ?? code };
  } catch {
    // Not a Status: a proxy in between, or a plain-text answer; mapped below.
  }
  const message = `${describe(request)} was answered ${code}: ${text.slice(0, 200).trim()}`;
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code };
}

function describe(request: ApiRequest): string {
  return `${request.method} ${request.path}`;
}

function warn(answer: TransportAnswer, onWarning: ((text: string) => void) | undefined): void {
  const header = answer.headers.warning;
  if (header === undefined || onWarning === undefined) return;
  for (const line of Array.isArray(header) ? header : [header]) {
    for (const match of line.matchAll(/299 [^ ]+ "((?:[^"\\]|\\.)*)"/g))
      onWarning((match[1] ?? '').replace(/\\(.)/g, '$1'));
  }
}
