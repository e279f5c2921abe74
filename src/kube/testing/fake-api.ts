import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { AnyKubeObject, ResourceRef } from '../object.ts';

/** The resource that the fake serves. */
export const widgets: ResourceRef = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  namespaced: true,
  kind: 'Widget',
};

/** One request as a handler of the fake sees it. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly response: ServerResponse;
  readonly socket: Socket;
}

/** Takes a request, or leaves it to the next by returning false. */
export type FakeHandler = (request: FakeRequest) => boolean | undefined | Promise<boolean | undefined>;

/** A watch that the fake holds open. */
export interface FakeWatch {
  readonly request: FakeRequest;
  readonly since: number;
  /** A silent watch gets no events. */
  isSilent: boolean;
  send(type: string, object: object): void;
  raw(text: string): void;
  bookmark(version?: string): void;
  end(): void;
  destroy(): void;
}

interface Logged {
  readonly version: number;
  readonly type: string;
  readonly object: AnyKubeObject;
}

/** An API server in miniature that can be made to misbehave. */
export class FakeApi {
  readonly requests: FakeRequest[] = [];
  /** Asked before the fake answers itself, each once, in order. */
  readonly once: FakeHandler[] = [];
  /** Asked for every request. */
  handler: FakeHandler = () => false;
  readonly watches = new Set<FakeWatch>();
  readonly #objects = new Map<string, AnyKubeObject>();
  readonly #snapshots = new Map<number, AnyKubeObject[]>();
  #log: Logged[] = [];
  #version = 10;
  #oldest = 0;
  readonly #server: Server;
  #watchWaiters: ((watch: FakeWatch) => void)[] = [];
  #watchesSeen: FakeWatch[] = [];

  private constructor() {
    // A connection that is dropped for being idle while the machine stood still fails whatever is sent on it next.
    this.#server = createServer(
      { keepAliveTimeout: 600_000 },
      (request, response) => void this.#serve(request, response),
    );
  }

  static async start(): Promise<FakeApi> {
    const fake = new FakeApi();
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get version(): number {
    return this.#version;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** The next watch that is opened, or one opened since the last call. */
  nextWatch(): Promise<FakeWatch> {
    const seen = this.#watchesSeen.shift();
    return seen === undefined ? new Promise((resolve) => this.#watchWaiters.push(resolve)) : Promise.resolve(seen);
  }

  put(name: string, spec: unknown = {}): AnyKubeObject {
    const old = this.#objects.get(name);
    const version = ++this.#version;
    const object: AnyKubeObject = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: {
        name,
        namespace: 'default',
        uid: old?.metadata?.uid ?? `uid-${version}`,
        resourceVersion: String(version),
        managedFields: [{ manager: 'fake' }],
      },
      spec,
    };
    this.#objects.set(name, object);
    this.#record({ version, type: old === undefined ? 'ADDED' : 'MODIFIED', object });
    return object;
  }

  remove(name: string): void {
    const old = this.#objects.get(name);
    if (old === undefined) return;
    this.#objects.delete(name);
    const version = ++this.#version;
    const object = { ...old, metadata: { ...old.metadata, resourceVersion: String(version) } };
    this.#record({ version, type: 'DELETED', object });
  }

  /** Forgets history, so that older watches and continue tokens are expired. */
  compact(): void {
    this.#oldest = this.#version;
    this.#log = [];
    this.#snapshots.clear();
  }

  /** Name and spec of everything that exists. */
  state(): Map<string, unknown> {
    return new Map([...this.#objects].map(([name, object]) => [name, object.spec]));
  }

  #record(entry: Logged): void {
    this.#log.push(entry);
    for (const watch of this.watches) if (!watch.isSilent) watch.send(entry.type, entry.object);
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', 'http://fake');
    let body = '';
    for await (const chunk of incoming) body += String(chunk);
    const request: FakeRequest = {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body,
      response,
      socket: incoming.socket,
    };
    this.requests.push(request);
    response.on('error', () => {});
    if ((await this.once.shift()?.(request)) === true) return;
    if ((await this.handler(request)) === true) return;
    if (request.query.get('watch') === 'true') this.#watch(request);
    else this.#list(request);
  }

  /** All pages of a listing show one moment, as those of a real server do. */
  #list(request: FakeRequest): void {
    const [from = 0, version = 0] = (request.query.get('continue') ?? `0:${this.#version}`).split(':').map(Number);
    const snapshot = this.#snapshots.get(version);
    if (from > 0 && snapshot === undefined) {
      answerExpired(request);
      return;
    }
    const all = snapshot ?? [...this.#objects].sort().map(([, object]) => object);
    const limit = Number(request.query.get('limit') ?? 0) || all.length;
    const hasMore = from + limit < all.length;
    if (hasMore) this.#snapshots.set(version, all);
    answerJson(request, 200, {
      apiVersion: 'example.com/v1',
      kind: 'WidgetList',
      metadata: { resourceVersion: String(version), ...(hasMore ? { continue: `${from + limit}:${version}` } : {}) },
      items: all.slice(from, from + limit).map(({ apiVersion: _version, kind: _kind, ...rest }) => rest),
    });
  }

  #watch(request: FakeRequest): void {
    const since = Number(request.query.get('resourceVersion') ?? 0);
    if (since < this.#oldest) {
      answerExpired(request);
      return;
    }
    const { response } = request;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const watch: FakeWatch = {
      request,
      since,
      isSilent: false,
      raw: (text) => void response.write(text),
      send: (type, object) => void response.write(`${JSON.stringify({ type, object })}\n`),
      bookmark: (version = String(this.#version)) =>
        watch.send('BOOKMARK', {
          kind: 'Widget',
          apiVersion: 'example.com/v1',
          metadata: { resourceVersion: version },
        }),
      end: () => void response.end(),
      destroy: () => void request.socket.destroy(),
    };
    this.watches.add(watch);
    response.on('close', () => this.watches.delete(watch));
    for (const entry of this.#log) if (entry.version > since) watch.send(entry.type, entry.object);
    const waiter = this.#watchWaiters.shift();
    if (waiter === undefined) this.#watchesSeen.push(watch);
    else waiter(watch);
  }
}

/** Answers a request with JSON. */
export function answerJson(
  request: FakeRequest,
  code: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  request.response.writeHead(code, { 'content-type': 'application/json', ...headers });
  request.response.end(JSON.stringify(body));
}

/** Answers a request with a Status. */
export function answerStatus(
  request: FakeRequest,
  code: number,
  reason: string,
  headers: Record<string, string> = {},
): void {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${reason} it is`,
    reason,
    code,
  };
  answerJson(request, code, status, headers);
}

function answerExpired(request: FakeRequest): void {
  answerStatus(request, 410, 'Expired');
}
