import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DataCentre } from '../data-centre.ts';
import { type AdminAnswer, AdminRefusal, type AdminRoute, adminRoutes } from './admin-routes.ts';
import { createFirmwareCatalog, type FirmwareCatalog } from './firmware-catalog.ts';

/** Where a running data centre is looked at and disturbed. */
export interface AdminServer {
  readonly url: string;
  /** Goes with each request as `Authorization: Bearer`. */
  readonly token: string;
  close(): Promise<void>;
}

const bodyLimitBytes = 4 * 1024 * 1024;

/** Starts the admin API of a data centre on loopback. */
export async function startAdminServer(
  dataCentre: DataCentre,
  options: { readonly host?: string; readonly port?: number; readonly token?: string } = {},
): Promise<AdminServer> {
  const token = options.token ?? randomBytes(24).toString('base64url');
  const host = options.host ?? '127.0.0.1';
  const catalog = createFirmwareCatalog(dataCentre);
  const server = createServer((request, response) => {
    answer({ dataCentre, catalog, request, token })
      .catch((error: unknown) => explain(error))
      .then((found) => send(response, found))
      .catch(() => response.destroy());
  });
  server.listen(options.port ?? 0, host);
  await Promise.race([once(server, 'listening'), once(server, 'error').then(([error]) => Promise.reject(error))]);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    token,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(asked: {
  readonly dataCentre: DataCentre;
  readonly catalog: FirmwareCatalog;
  readonly request: IncomingMessage;
  readonly token: string;
}): Promise<AdminAnswer> {
  const { dataCentre, catalog, request, token } = asked;
  const url = new URL(request.url ?? '/', 'http://admin');
  const found = findRoute(request.method ?? 'GET', url.pathname);
  if (found === 'unknown') throw new AdminRefusal(404, `there is no ${url.pathname}; GET / lists what there is`);
  if (found === 'other-method') throw new AdminRefusal(405, `${request.method} does not work on ${url.pathname}`);
  if (!found.route.isPublic && !isAuthorized(request, token)) {
    throw new AdminRefusal(
      401,
      'the token of the admin API is missing or wrong: send it as "Authorization: Bearer TOKEN"',
    );
  }
  const params = found.parts.map((part) => decodePart(part));
  const body = request.method === 'GET' || request.method === 'DELETE' ? undefined : await readJson(request);
  const origin = `http://${request.headers.host ?? 'localhost'}`;
  return found.route.handle({ dataCentre, catalog, params, query: url.searchParams, body, origin });
}

const routes = adminRoutes.map((route) => ({ route, expression: expressionOf(route.path) }));

/** What a readable path like `/v1/bmcs/{server}/log` matches; its parameters are the groups. The rest has letters and digits only. */
function expressionOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith('{') ? '([^/]+)' : part));
  return new RegExp(`^${parts.join('/')}$`);
}

function findRoute(
  method: string,
  path: string,
): { readonly route: AdminRoute; readonly parts: readonly string[] } | 'unknown' | 'other-method' {
  const onPath = routes.flatMap(({ route, expression }) => {
    const match = expression.exec(path);
    return match === null ? [] : [{ route, parts: match.slice(1) }];
  });
  if (onPath.length === 0) return 'unknown';
  return onPath.find(({ route }) => route.method === method) ?? 'other-method';
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new AdminRefusal(400, `"${part}" in the path is not percent-encoded as it should be`);
  }
}

function isAuthorized(request: IncomingMessage, token: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyLimitBytes) throw new AdminRefusal(413, `the body is larger than ${bodyLimitBytes} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw new AdminRefusal(400, `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function explain(error: unknown): AdminAnswer {
  if (error instanceof AdminRefusal) return { status: error.status, body: { error: error.message } };
  return { status: 500, body: { error: error instanceof Error ? error.message : String(error) } };
}

async function send(response: ServerResponse, found: AdminAnswer): Promise<void> {
  if (found.stream !== undefined) {
    response.writeHead(found.status, { 'content-type': 'application/octet-stream', ...found.headers });
    found.stream.on('error', () => response.destroy());
    found.stream.pipe(response);
    return;
  }
  const isText = typeof found.body === 'string';
  const text = isText ? (found.body as string) : JSON.stringify(found.body ?? {});
  response.writeHead(found.status, {
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
    ...found.headers,
  });
  response.end(text);
}
