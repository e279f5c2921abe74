import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { KubeObject } from '../../src/apiserver/object.ts';
import type { Status } from '../../src/apiserver/status.ts';

/** Where a server is and who asks. */
export interface ClientTarget {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
}

/** What a request may carry besides its method and path. */
export interface RequestParts {
  /** Texts and bytes go as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer, read to its end. */
export interface Reply {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One event of a watch. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

/** A running watch. */
export interface WatchReader {
  /** The next event, or undefined when the stream has ended, by the server or by a lost connection. */
  next(): Promise<WatchEvent | undefined>;
  close(): void;
}

/** A plain HTTPS client that hides nothing: no retries, no checks of what it sends. */
export class ApiClient {
  readonly #target: ClientTarget;
  readonly #agent: Agent;

  constructor(target: ClientTarget) {
    this.#target = target;
    this.#agent = new Agent({ keepAlive: true, ca: target.caPem });
  }

  async request(method: string, path: string, parts: RequestParts = {}): Promise<Reply> {
    const response = await this.#send(method, path, parts, this.#agent);
    return { code: response.statusCode ?? 0, headers: response.headers, text: await textOf(response) };
  }

  /** Sends a request and reads its answer; one without an announced end, such as a watch, is dropped at once. */
  async probe(method: string, path: string, parts: RequestParts = {}): Promise<Reply> {
    const response = await this.#send(method, path, parts, this.#agent);
    const { headers, statusCode: code = 0 } = response;
    if (headers['content-length'] === undefined) {
      response.destroy();
      return { code, headers, text: '' };
    }
    return { code, headers, text: await textOf(response) };
  }

  /** Opens a watch, on a connection of its own; throws when it is not answered with 200. */
  async watch(path: string): Promise<WatchReader> {
    const agent = new Agent({ ca: this.#target.caPem });
    const response = await this.#send('GET', path, {}, agent);
    if (response.statusCode !== 200) {
      throw new Error(`${path} was answered with ${response.statusCode}: ${await textOf(response)}`);
    }
    return new LineReader(response, () => agent.destroy());
  }

  /** Sends bytes on a connection of their own and collects what comes back until the server closes it. */
  async raw(bytes: string | Buffer, options: { readonly endsAfter?: boolean } = {}): Promise<string> {
    const socket = await this.connect();
    socket.on('error', () => undefined); // a reset: what was read until then counts
    socket.write(bytes);
    if (options.endsAfter === true) socket.end();
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve) => socket.on('close', resolve));
    return Buffer.concat(chunks).toString('latin1');
  }

  /** A bare connection. */
  async connect(): Promise<TLSSocket> {
    const { hostname, port } = new URL(this.#target.url);
    const socket = connect({ host: hostname, port: Number(port), ca: this.#target.caPem });
    await once(socket, 'secureConnect');
    return socket;
  }

  /** The head of a request for `raw`, with credentials. */
  head(requestLine: string, headers: readonly string[] = []): string {
    const lines = [requestLine, 'Host: localhost', `Authorization: Bearer ${this.#target.token}`, ...headers];
    return `${lines.join('\r\n')}\r\n\r\n`;
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, parts: RequestParts, agent: Agent): Promise<IncomingMessage> {
    const { hostname, port } = new URL(this.#target.url);
    const body = bytesOf(parts.body);
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#target.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...parts.headers,
    };
    if (body !== undefined && headers['transfer-encoding'] === undefined) {
      headers['content-length'] = String(body.length);
    }
    return new Promise((resolve, reject) => {
      const request = httpsRequest({ hostname, port, method, path, headers, agent }, resolve);
      request.on('error', reject);
      request.end(body);
    });
  }
}

/** Events as they come, kept until somebody asks for them. */
class LineReader implements WatchReader {
  readonly #events: WatchEvent[] = [];
  readonly #waiting: ((event: WatchEvent | undefined) => void)[] = [];
  readonly #onClose: () => void;
  #rest = '';
  #isOver = false;

  constructor(response: IncomingMessage, onClose: () => void) {
    this.#onClose = onClose;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#take(chunk));
    response.on('error', () => undefined); // a lost connection: it ends, and that is all a reader needs to know
    response.on('close', () => this.#end());
  }

  next(): Promise<WatchEvent | undefined> {
    const event = this.#events.shift();
    if (event !== undefined || this.#isOver) return Promise.resolve(event);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    this.#onClose();
  }

  #take(chunk: string): void {
    const lines = `${this.#rest}${chunk}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = JSON.parse(line) as WatchEvent;
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#events.push(event);
      else waiting(event);
    }
  }

  #end(): void {
    this.#isOver = true;
    for (const waiting of this.#waiting.splice(0)) waiting(undefined);
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The object in an answer. */
export function objectIn(reply: Reply): KubeObject {
  return JSON.parse(reply.text) as KubeObject;
}

/** The Status in an answer. */
export function statusIn(reply: Reply): Status {
  return JSON.parse(reply.text) as Status;
}
