import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A request as the small BMC saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers a request: a status alone, or with more; or takes the response into its own hands. */
export type SmallAnswer =
  | number
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly body?: unknown;
      readonly raw?: string;
    }
  | 'handled';

/** What a test puts behind a path. */
export type SmallHandler = (seen: SeenRequest, response: ServerResponse) => SmallAnswer | Promise<SmallAnswer>;

/** A BMC of a few lines: sessions, a root, and whatever the test adds. */
export interface SmallBmc {
  readonly origin: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  /** `GET /redfish/v1/` and so on, in order. */
  readonly lines: string[];
  /** Tokens that are valid, by session path. */
  readonly sessions: Map<string, string>;
  readonly connections: ReadonlySet<Socket>;
  /** How many connections there ever were. */
  readonly connected: number;
  password: string;
  /** Answers `METHOD path` from now on. */
  on(line: string, handler: SmallHandler): void;
  close(): Promise<void>;
}

/** An address whose ports stay free when they are given up: connections, and servers of other tests, have 127.0.0.1. */
export const quietHost = '127.0.0.2';

/** How a small BMC is made. */
export interface SmallBmcOptions {
  readonly tls?: { readonly cert: string; readonly key: string; readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3' };
  readonly host?: string;
  readonly port?: number;
  /** Takes Basic authentication and has no sessions. */
  readonly isBasicOnly?: boolean;
}

/** Starts a small BMC on loopback. */
export async function startSmallBmc(options: SmallBmcOptions = {}): Promise<SmallBmc> {
  const handlers = new Map<string, SmallHandler>();
  const seen: SeenRequest[] = [];
  const sessions = new Map<string, string>();
  const connections = new Set<Socket>();
  let connected = 0;
  let opened = 0;

  const bmc = {
    seen,
    sessions,
    connections,
    get connected() {
      return connected;
    },
    get lines() {
      return seen.map(({ method, path }) => `${method} ${path}`);
    },
    password: 'secret',
    on: (line: string, handler: SmallHandler) => void handlers.set(line, handler),
  };

  const logIn: SmallHandler = ({ body }) => {
    const { UserName, Password } = JSON.parse(body) as { UserName: string; Password: string };
    if (UserName !== 'admin' || Password !== bmc.password) return 401;
    opened += 1;
    const path = `/redfish/v1/SessionService/Sessions/${opened}`;
    const token = `token-${opened}`;
    sessions.set(path, token);
    return { status: 201, headers: { location: path, 'x-auth-token': token }, body: { '@odata.id': path } };
  };
  const isKnown = ({ headers }: SeenRequest): boolean => {
    const basic = `Basic ${Buffer.from(`admin:${bmc.password}`).toString('base64')}`;
    if (options.isBasicOnly === true) return headers.authorization === basic;
    return [...sessions.values()].includes(String(headers['x-auth-token']));
  };
  const standard = (request: SeenRequest): SmallAnswer | Promise<SmallAnswer> => {
    const line = `${request.method} ${request.path}`;
    if (line === 'GET /redfish/v1/') return { body: { Name: 'root' } };
    if (line === 'POST /redfish/v1/SessionService/Sessions') {
      return options.isBasicOnly === true ? 404 : logIn(request, undefined as never);
    }
    if (!isKnown(request)) return 401;
    if (request.method === 'DELETE' && request.path.includes('/Sessions/'))
      return sessions.delete(request.path) ? 204 : 404;
    if (request.method === 'GET') return { body: { '@odata.id': request.path } };
    return 204;
  };

  const onRequest = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const { method = '', url: path = '', headers } = incoming;
    const request: SeenRequest = { method, path, headers, body: Buffer.concat(chunks).toString() };
    seen.push(request);
    const handler = handlers.get(`${method} ${path}`) ?? handlers.get(`${method} *`);
    const answer = await (handler === undefined ? standard(request) : handler(request, response));
    if (answer !== 'handled') write(response, answer);
  };

  const listener = (incoming: IncomingMessage, response: ServerResponse): void => void onRequest(incoming, response);
  const server: Server =
    options.tls === undefined ? createServer(listener) : (createTlsServer(options.tls, listener) as unknown as Server);
  server.on('connection', (socket: Socket) => {
    connected += 1;
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return Object.assign(bmc, {
    origin: `${options.tls === undefined ? 'http' : 'https'}://${name}:${port}`,
    port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of connections) socket.destroy();
      }),
  });
}

function write(response: ServerResponse, answer: Exclude<SmallAnswer, 'handled'>): void {
  const { status = 200, headers = {}, body, raw } = typeof answer === 'number' ? { status: answer } : answer;
  const text = raw ?? (body === undefined ? '' : JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}
