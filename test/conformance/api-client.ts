import { Agent, type RequestOptions, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Json, JsonObject } from '../../src/schema/index.ts';
import type { ConformanceTarget } from './target.ts';

/** Who a request speaks for; without one it is the administrator. */
export type Caller =
  | { readonly token: string }
  | { readonly certPem: string; readonly keyPem: string }
  | { readonly anonymous: true };

/** One HTTP request to a target. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON, a string or bytes as they are. */
  readonly body?: unknown;
  readonly as?: Caller;
}

/** The answer to one request. */
export class ApiAnswer {
  readonly code: number;
  readonly headers: Record<string, string>;
  readonly text: string;
  /** The parsed body, or the text when it is not JSON. */
  readonly body: Json;
  constructor(code: number, headers: Record<string, string>, text: string) {
    this.code = code;
    this.headers = headers;
    this.text = text;
    this.body = parseBody(text);
  }
  /** The body as an object; empty when it is not one. */
  get object(): JsonObject {
    return typeof this.body === 'object' && this.body !== null && !Array.isArray(this.body) ? this.body : {};
  }
  /** What a dotted path leads to. */
  at(path: string): Json | undefined {
    return valueAt(this.body, path);
  }
  /** The string a dotted path leads to; empty when there is none, so that the transcript shows the difference. */
  str(path: string): string {
    const value = this.at(path);
    return typeof value === 'string' ? value : '';
  }
}

/** What a dotted path leads to in a JSON value; list positions are numbers. */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  let here: Json | undefined = value;
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as JsonObject)[key];
  }
  return here;
}

/** Reads JSON where there is some; some is sent as plain text, so the content type does not decide. */
export function parseBody(text: string): Json {
  if (!text.startsWith('{') && !text.startsWith('[')) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Sends requests to one target over kept connections. */
export class ApiClient {
  readonly target: ConformanceTarget;
  readonly #agent: Agent;
  readonly #port: string;
  constructor(target: ConformanceTarget) {
    this.target = target;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 32, ca: target.caPem });
    this.#port = new URL(target.url).port;
  }

  /** Connection options for a caller; certificates never share connections with others. */
  options(asked: ApiRequest): RequestOptions {
    const headers: Record<string, string> = { 'user-agent': 'conformance/1.0', accept: 'application/json' };
    const caller = asked.as ?? { token: this.target.adminToken };
    if ('token' in caller) headers.authorization = `Bearer ${caller.token}`;
    const tls =
      'certPem' in caller
        ? { agent: false as const, ca: this.target.caPem, cert: caller.certPem, key: caller.keyPem }
        : { agent: this.#agent };
    const base = { host: '127.0.0.1', port: this.#port, method: asked.method, path: asked.path };
    return { ...base, ...tls, headers: { ...headers, ...lowerCased(asked.headers) } };
  }

  /** Sends one request and reads the whole answer. */
  async send(asked: ApiRequest): Promise<ApiAnswer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#sendOnce(asked);
      // The real server asks to come back while it sets up the storage of a new or changed kind; as clients do, we do.
      if (answer.code !== 429 || !answer.text.includes('storage is (re)initializing') || attempt >= 100) return answer;
      await delay(100);
    }
  }

  #sendOnce(asked: ApiRequest): Promise<ApiAnswer> {
    const options = this.options(asked);
    const { payload, headers } = encode(asked, options.headers as Record<string, string>);
    return new Promise((done, fail) => {
      const sent = request({ ...options, headers, timeout: 60_000 }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', fail);
        answer.on('end', () => {
          const headers = flatten(answer.headers);
          const text = unpacked(Buffer.concat(chunks), headers['content-encoding']).toString('utf8');
          done(new ApiAnswer(answer.statusCode ?? 0, headers, text));
        });
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer in 60 s to ${asked.method} ${asked.path}`)));
      sent.on('error', fail);
      sent.end(payload);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  return encoding === 'gzip' && bytes.length > 0 ? gunzipSync(bytes) : bytes;
}

function encode(asked: ApiRequest, headers: Record<string, string>) {
  if (asked.body === undefined) return { payload: undefined, headers };
  const { body } = asked;
  const payload = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const typed = 'content-type' in headers ? headers : { ...headers, 'content-type': 'application/json' };
  return { payload, headers: { ...typed, 'content-length': String(payload.length) } };
}

/** Header names in lower case, several values joined. */
export function flatten(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
