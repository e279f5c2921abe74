import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { type CertifiedKey, type Clock, isUnasked, MainThreadSteps, type Random } from '../kube/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { readAllowedMethods } from './allowed-methods.ts';
import { answerError, maxBodyBytes, maxPathPart } from './error-answer.ts';
import { RestError } from './errors.ts';
import { pacedBodyBytes, readJsonBody } from './json-body.ts';
import type { CallHandler } from './rest.ts';
import type { AnsweredRequest } from './rest-metrics.ts';
import type { Route } from './route.ts';

/** How long clients may take. */
export interface RestTimeouts {
  /** Until all of a request is here. */
  readonly requestMs: number;
  /** Until its headers are. */
  readonly headersMs: number;
  /** Nothing sent and nothing taken on a connection. */
  readonly idleMs: number;
  /** How often the first two are looked at. */
  readonly checkEveryMs: number;
}

/** How long clients may take unless somebody says otherwise. */
export const defaultTimeouts: RestTimeouts = {
  requestMs: 30_000,
  headersMs: 15_000,
  idleMs: 60_000,
  checkEveryMs: 5_000,
};

/** What the HTTP server is made of. */
export interface ServerParts {
  readonly options: { readonly certificate?: CertifiedKey; readonly calls?: CallHandler };
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly timeouts: Partial<RestTimeouts> | undefined;
  /** All routes, also those that are added later. */
  readonly routes: readonly Route[];
  readonly count: (request: AnsweredRequest) => void;
}

/** An HTTP server without routes: bodies, errors, ids of requests, metrics and slow clients are seen to. */
export function createServer(parts: ServerParts): FastifyInstance {
  const timeouts = { ...defaultTimeouts, ...parts.timeouts };
  const app = createApp(parts, timeouts);
  app.server.headersTimeout = timeouts.headersMs;
  app.removeAllContentTypeParsers();
  const steps = new MainThreadSteps();
  app.addContentTypeParser(
    /^application\/json\b/i,
    { parseAs: 'buffer' },
    async (_: unknown, body: Buffer | string) => {
      if (body.length >= pacedBodyBytes) await steps.turn();
      return readJsonBody(Buffer.from(body));
    },
  );
  const fail = failWith(parts.logger);
  app.setErrorHandler(fail);
  const { calls } = parts.options;
  app.addHook('onRequest', async (request, reply) => {
    if (calls !== undefined && request.url.startsWith(calls.below)) {
      reply.hijack();
      // Streams may have nothing to tell for long. Of HTTP/2 this is the one stream, of HTTP/1.1 the connection.
      request.raw.setTimeout(0);
      calls.handle(request.raw, reply.raw);
      return;
    }
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    // Before a body is read that nobody asked for.
    if (request.is404 || isElsewhere(parts.routes, request)) throw notServed(parts.routes, request);
  });
  app.setNotFoundHandler((request) => {
    throw notServed(parts.routes, request);
  });
  observe(app, parts);
  return app;
}

function createApp(parts: ServerParts, timeouts: RestTimeouts): FastifyInstance {
  const { certificate } = parts.options;
  const fail = failWith(parts.logger);
  const http = { connectionsCheckingInterval: timeouts.checkEveryMs };
  const tls = { cert: certificate?.certificatePem, key: certificate?.privateKeyPem, minVersion: 'TLSv1.2' } as const;
  const protocols = parts.options.calls === undefined ? {} : { ALPNProtocols: ['h2', 'http/1.1'] };
  return fastify({
    ...(certificate === undefined ? { http } : { https: { ...http, ...tls, ...protocols } }),
    logger: false,
    bodyLimit: maxBodyBytes,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: timeouts.idleMs,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    genReqId: (request) => readRequestId(request.headers['x-request-id'], parts.random),
    routerOptions: { maxParamLength: maxPathPart, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => fail(error, request, reply),
    clientErrorHandler: refuseClient,
  }) as unknown as FastifyInstance;
}

/** An id that came with the request is kept if it is harmless, so that logs of several services can be joined. */
function readRequestId(given: string | string[] | undefined, random: Random): string {
  if (typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given)) return given;
  const part = () =>
    Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0');
  return `${part()}${part()}`;
}

function failWith(logger: Logger) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const answer = answerError(error, { requestId: request.id, bodyLimit: request.routeOptions?.bodyLimit });
    if (answer.isUnexpected)
      logger.error('a request failed', { request: request.id, method: request.method, path: pathOf(request), error });
    else logRefusal(logger, request, { status: answer.status, error });
    return reply
      .code(answer.status)
      .headers({ 'x-request-id': request.id, 'cache-control': 'no-store', ...answer.headers })
      .send(answer.body);
  };
}

function logRefusal(logger: Logger, request: FastifyRequest, refusal: { status: number; error: unknown }): void {
  const { status, error } = refusal;
  const fields = { request: request.id, method: request.method, path: pathOf(request), status };
  // Only what is ours to repair comes with its cause: refusals of bodies could quote them.
  if (status >= 500) logger.warn('a request could not be answered', { ...fields, error });
  else logger.debug('a request was refused', fields);
}

/** The router falls back on a path with parameters when the one made of words does not take the method. */
function isElsewhere(routes: readonly Route[], request: FastifyRequest): boolean {
  const path = pathOf(request);
  if (request.routeOptions.url === path) return false;
  return routes.some((route) => route.path === path);
}

function notServed(routes: readonly Route[], request: FastifyRequest): RestError {
  const path = pathOf(request);
  const allowed = readAllowedMethods(routes)(path);
  if (allowed === undefined) return new RestError('noSuchPath', { path });
  const list = allowed.join(', ');
  return new RestError(
    'methodNotAllowed',
    { path, method: request.method, allowed: list },
    { headers: { allow: list } },
  );
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/';
}

function observe(app: FastifyInstance, parts: ServerParts): void {
  const begun = new WeakMap<FastifyRequest, number>();
  app.addHook('onRequest', async (request) => {
    begun.set(request, parts.clock.monotonic());
  });
  app.addHook('onResponse', async (request, reply) => {
    const seconds = (parts.clock.monotonic() - (begun.get(request) ?? parts.clock.monotonic())) / 1000;
    const route = request.routeOptions.url ?? 'other';
    parts.count({ method: request.method, route, status: reply.statusCode, seconds });
  });
}

/** What is no HTTP, or came too slowly: there is no request to answer, only a connection. */
function refuseClient(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed || isUnasked(error, socket)) {
    socket.destroy();
    return;
  }
  const { status, body } = answerError(clientErrorOf(error.code), { requestId: 'none', bodyLimit: undefined });
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}

function clientErrorOf(code: string | undefined): RestError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RestError('tooSlow', {});
  if (code === 'HPE_HEADER_OVERFLOW') return new RestError('headersTooLarge', {});
  return new RestError('badRequest', {}, { problems: ['this is not HTTP as it should be'] });
}
