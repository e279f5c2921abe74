import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { EngineError, type EngineErrorCode, engineErrors, type JsonObject } from '../../engine/index.ts';
import { traceparentHere } from '../../telemetry/index.ts';
import { OrcError } from '../errors.ts';

/** A token, or where to get the current one. */
export type TokenSource = string | (() => string | Promise<string>);

/** How the worker API is reached. */
export interface WorkerClientOptions {
  /** Of conditionOrc: `https://host:port`. */
  readonly url: string;
  readonly token: TokenSource;
  /** Certificates to trust besides those of the system, as PEM. */
  readonly ca?: string;
  /** How long an answer may take beyond what was asked to be waited for; 15 s unless given. */
  readonly timeoutMs?: number;
}

/** One request to the worker API. */
export interface WorkerCall {
  /** `lease`, `slots/acquire`. */
  readonly what: string;
  readonly body: JsonObject;
  /** How long the other side may wait before it answers. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** Sends requests to the worker API. */
export interface WorkerClient {
  /** The answer. Throws errors of the engine as the engine would, and errors of the way to it. */
  post(call: WorkerCall): Promise<JsonObject>;
  close(): Promise<void>;
}

/** A token that a file holds, read anew for each request, since others renew it. */
export function tokenFromFile(path: string): () => Promise<string> {
  return async () => (await readFile(path, 'utf8')).trim();
}

/** Makes a client. */
export function createWorkerClient(options: WorkerClientOptions): WorkerClient {
  const { timeoutMs = 15_000, ca } = options;
  const base = options.url.replace(/\/+$/, '');
  const agent = new Agent({ connect: { ...(ca === undefined ? {} : { ca }), timeout: timeoutMs } });
  return {
    async post({ what, body, waitMs = 0, signal }) {
      const token = await readToken(options.token, what);
      const traceparent = traceparentHere();
      try {
        const answer = await request(`${base}/api/v1/workers/${what}`, {
          dispatcher: agent,
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            ...(traceparent === undefined ? {} : { traceparent }),
          },
          body: JSON.stringify(body),
          headersTimeout: waitMs + timeoutMs,
          bodyTimeout: timeoutMs,
          ...(signal === undefined ? {} : { signal }),
        });
        return await readAnswer(answer.statusCode, await answer.body.text(), what);
      } catch (error) {
        if (error instanceof EngineError || error instanceof OrcError) throw error;
        throw new OrcError('workerApiAway', { what, detail: detailOf(error) }, { cause: error });
      }
    },
    close: () => agent.close(),
  };
}

async function readToken(source: TokenSource, what: string): Promise<string> {
  try {
    return typeof source === 'string' ? source : await source();
  } catch (error) {
    throw new OrcError('workerApiDenied', { what, detail: 'the token cannot be read' }, { cause: error });
  }
}

function detailOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed';
}

async function readAnswer(status: number, text: string, what: string): Promise<JsonObject> {
  const body = parse(text);
  if (status === 200 && body !== undefined) return body;
  const detail = typeof body?.message === 'string' ? body.message : `status ${status}`;
  const error = engineErrorOf(body?.code, detail);
  if (error !== undefined) throw error;
  if (status === 401 || status === 403) throw new OrcError('workerApiDenied', { what, detail });
  if (status === 200 || status === 408 || status === 429 || status >= 500)
    throw new OrcError('workerApiAway', { what, detail });
  throw new OrcError('workerApi', { what, detail });
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** What the engine refused over there is refused here in the same way. One that closes there may be back soon. */
function engineErrorOf(code: unknown, message: string): EngineError | undefined {
  if (typeof code !== 'string' || code === 'closed' || !Object.hasOwn(engineErrors, code)) return undefined;
  const error = new EngineError(code as EngineErrorCode, {});
  error.message = message;
  return error;
}
