import type { Dispatcher } from 'undici';
import { type Connection, type Credentials, type TlsSettings, tlsConnectOptions } from './connection.ts';
import { sendForWhole } from './whole-answer.ts';

/** One HTTP request to the API, without what the connection adds. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** A stream gets a connection of its own, so that watches never starve requests. */
  readonly isStream: boolean;
}

/** One HTTP answer; the body of a stream is still coming in. */
export interface TransportAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
}

/** How requests reach the API: over the network, or straight into a server in this process. */
export interface Transport {
  send(request: TransportRequest): Promise<TransportAnswer>;
  close(): Promise<void>;
}

/** Limits of a transport. */
export interface HttpTransportOptions {
  readonly userAgent: string;
  /** How many connections carry requests, watches not counted; 32 unless given. */
  readonly maxConnections?: number;
  /** After so much silence the kernel probes the peer, so that a half-open connection breaks; 15 s unless given. */
  readonly keepAliveProbeMs?: number;
}

type Undici = typeof import('undici');

interface Dispatchers {
  readonly fingerprint: string;
  readonly tls: TlsSettings;
  readonly requests: Dispatcher;
  readonly streams: Dispatcher;
}

/** A transport over HTTP/1.1 with keep-alive: a connection that breaks takes one watch with it, not all of them. */
export function createHttpTransport(connection: Connection, options: HttpTransportOptions): Transport {
  const base = new URL(connection.server);
  const prefix = base.pathname.replace(/\/$/, '');
  let current: Dispatchers | undefined;
  let loading: Promise<Undici> | undefined;

  const dispatchers = (undici: Undici, credentials: Credentials): Dispatchers => {
    // Most connections always say the same: only those that make it anew are looked at more closely.
    if (current !== undefined && current.tls === credentials.tls) return current;
    const fingerprint = JSON.stringify(credentials.tls);
    if (current?.fingerprint === fingerprint) return current;
    // Requests in flight finish on the old connections.
    void current?.requests.close();
    void current?.streams.close();
    current = {
      fingerprint,
      tls: credentials.tls,
      requests: createDispatcher(undici, {
        connection,
        credentials,
        options,
        connections: options.maxConnections ?? 32,
      }),
      streams: createDispatcher(undici, { connection, credentials, options, connections: null }),
    };
    return current;
  };

  const attempt = async (request: TransportRequest, fresh: boolean): Promise<TransportAnswer> => {
    // Loaded with the first request: the API server takes much from this room, and never sends one.
    loading ??= import('undici');
    const undici = await loading;
    const credentials = await connection.credentials({ fresh });
    const { requests, streams } = dispatchers(undici, credentials);
    const order = {
      origin: base.origin,
      path: prefix + request.path,
      method: request.method,
      headers: headerList({ 'user-agent': options.userAgent, ...credentials.headers, ...request.headers }),
      body: request.body ?? null,
      // The caller's signal is the time limit; a watch may be quiet for longer than any fixed limit of the pool.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    if (!request.isStream) return sendForWhole(requests, order, request.signal);
    const answer = await streams.request({ ...order, signal: request.signal });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body, text: () => answer.body.text() };
  };

  return {
    async send(request) {
      const answer = await attempt(request, false);
      if (answer.status !== 401) return answer;
      await answer.text();
      return attempt(request, true);
    },
    async close() {
      await Promise.all([current?.requests.destroy(), current?.streams.destroy()]);
      current = undefined;
    },
  };
}

interface DispatcherParts {
  readonly connection: Connection;
  readonly credentials: Credentials;
  readonly options: HttpTransportOptions;
  /** Null: as many as are asked for. */
  readonly connections: number | null;
}

function createDispatcher(
  { Agent, ProxyAgent, Socks5ProxyAgent }: Undici,
  { connection, credentials, options, connections }: DispatcherParts,
): Dispatcher {
  const tls = tlsConnectOptions(credentials.tls);
  const connect = {
    ...tls,
    keepAlive: true,
    keepAliveInitialDelay: options.keepAliveProbeMs ?? 15_000,
    timeout: 10_000,
    allowH2: false,
  };
  const pool = { connections, allowH2: false, keepAliveTimeout: 30_000, connect };
  if (connection.proxyUrl === undefined || connection.proxyUrl === '') return new Agent(pool);
  if (connection.proxyUrl.startsWith('socks')) {
    return new Socks5ProxyAgent(connection.proxyUrl, { connections, allowH2: false, requestTls: tls });
  }
  return new ProxyAgent({ ...pool, uri: connection.proxyUrl, requestTls: tls, connect: {} });
}

/** Several values of one header are joined by newlines until here, since a record holds one value per name. */
function headerList(headers: Readonly<Record<string, string>>): string[] {
  const list: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (!value.includes('\n')) list.push(name, value);
    else for (const one of value.split('\n')) list.push(name, one);
  }
  return list;
}
