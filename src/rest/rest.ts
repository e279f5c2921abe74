import { once } from 'node:events';
import type { Server as HttpServer, RequestListener } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JsonObject } from '../engine/index.ts';
import {
  type CertifiedKey,
  type Clock,
  type CountLimits,
  limitConnections,
  type Random,
  systemClock,
  usualConnections,
} from '../kube/index.ts';
import {
  type AuditExport,
  type Logger,
  type Metrics,
  noMetrics,
  noTracer,
  silentLogger,
  type Tracer,
  withLogFields,
} from '../telemetry/index.ts';
import type { AccessNeed, AuthenticatedUser, Authorizer } from './access/authorizer.ts';
import { enforceAccess, requireRight } from './access/enforce.ts';
import { noteUser } from './access/note-user.ts';
import { auditRequests } from './audit-requests.ts';
import { answerError } from './error-answer.ts';
import { RestError } from './errors.ts';
import { answerHttp2Too } from './http2-too.ts';
import { checkTexts } from './json-body.ts';
import { isLoopback } from './loopback.ts';
import { describeRoutes, type OpenapiInfo } from './openapi.ts';
import { createRestMetrics } from './rest-metrics.ts';
import { namesInPath, type Route } from './route.ts';
import { createServer, defaultTimeouts, type RestTimeouts } from './server.ts';
import { serviceRoutes } from './service-routes.ts';
import { traceRoute } from './trace-route.ts';
import { Validators } from './validate.ts';

/** What a REST server is made of. */
export interface RestOptions {
  readonly info: OpenapiInfo;
  readonly authorizer: Authorizer;
  /** With it everything goes over TLS; without it only loopback addresses are listened on. */
  readonly certificate?: CertifiedKey;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** What is not ready yet, by name; nothing when all is. Asked for /readyz. */
  readonly missing?: () => Promise<readonly string[]> | readonly string[];
  readonly timeouts?: Partial<RestTimeouts>;
  /** How many connections there may be at once; as many as to the API server unless given. */
  readonly connections?: CountLimits;
  /** Requests are traced with it, those for health and metrics excepted. */
  readonly tracer?: Tracer;
  /** Is told of requests that change something and of those that were refused for want of rights. */
  readonly audit?: AuditExport;
  /** Calls of another kind on the same port; HTTP/2 is spoken too then, which gRPC needs. */
  readonly calls?: CallHandler;
}

/** Answers what is below a path by itself, who may call included. */
export interface CallHandler {
  /** Such as `/rackwright.update.v1.UpdateService/`. */
  readonly below: string;
  readonly handle: RequestListener;
}

/** Routes of one or more services behind one port. */
export interface Rest {
  /** Adds routes; only before it listens. */
  add(...routes: readonly Route[]): void;
  /** The OpenAPI 3.1 document of all routes. */
  readonly openapi: JsonObject;
  /** Opens the port; 0 takes any free one. */
  listen(where: {
    readonly host: string;
    readonly port: number;
  }): Promise<{ readonly url: string; readonly port: number }>;
  /** Answers a request that came in by another port of this process; only while it listens. */
  readonly handle: RequestListener;
  /** Uses another certificate for new connections; those that are open stay open. */
  setCertificate(certificate: CertifiedKey): void;
  /** Takes no more requests, lets those in hand end, then closes. */
  close(): Promise<void>;
}

/** Makes a REST server; nothing is listened on yet. */
export function createRest(options: RestOptions): Rest {
  const parts = {
    options,
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    validators: new Validators(),
    routes: [] as Route[],
    users: new WeakMap<FastifyRequest, AuthenticatedUser>(),
  };
  const count = createRestMetrics(options.metrics ?? noMetrics);
  const app = createServer({ ...parts, random: options.random ?? Math.random, count, timeouts: options.timeouts });
  if (options.audit !== undefined) {
    const { calls, audit } = options;
    auditRequests(app, {
      ...{ audit, clock: parts.clock, routes: parts.routes },
      userOf: (request) => parts.users.get(request),
      isElsewhere: ({ url }) => calls !== undefined && url.startsWith(calls.below),
    });
  }
  const { requestMs, idleMs } = { ...defaultTimeouts, ...options.timeouts };
  const limits = { requestMs, idleMs, silentMs: idleMs };
  const http2 =
    options.calls === undefined
      ? undefined
      : answerHttp2Too(
          app.server,
          (request, response) => {
            onRequest(request, response);
            app.routing(request, response);
          },
          limits,
        );
  const onRequest = limitConnections(app.server, options.connections ?? usualConnections);
  const describe = () => describeRoutes(options.info, parts.routes);
  const rest: Rest = {
    add(...routes) {
      for (const route of routes) addRoute(app, route, parts);
    },
    get openapi() {
      return describe();
    },
    async listen({ host, port }) {
      if (options.certificate === undefined && !isLoopback(host)) throw new RestError('plaintextRefused', { host });
      await app.listen({ host, port });
      const bound = (app.server.address() as AddressInfo).port;
      const name = host.includes(':') ? `[${host}]` : host;
      return { url: `${options.certificate === undefined ? 'http' : 'https'}://${name}:${bound}`, port: bound };
    },
    handle: (request, response) => app.routing(request, response),
    setCertificate({ certificatePem, privateKeyPem }) {
      const server: HttpServer = app.server;
      if (!(server instanceof HttpsServer)) throw new TypeError('a server without TLS has no certificate to replace');
      server.setSecureContext({ cert: certificatePem, key: privateKeyPem });
    },
    async close() {
      http2?.close();
      await closeServer(app, parts.clock);
    },
  };
  rest.add(...serviceRoutes({ openapi: describe, missing: options.missing ?? (() => []) }));
  return rest;
}

/** How long requests in hand may take once the server closes. */
const patienceMs = 10_000;

async function closeServer(app: FastifyInstance, clock: Clock): Promise<void> {
  const closed = app.server.listening ? once(app.server, 'close') : Promise.resolve();
  const impatient = clock.after(patienceMs, () => app.server.closeAllConnections());
  try {
    await app.close();
    await closed;
  } finally {
    impatient.cancel();
  }
}

interface RouteParts {
  readonly options: RestOptions;
  readonly validators: Validators;
  readonly routes: Route[];
  /** Who asks, once that is known. */
  readonly users: WeakMap<FastifyRequest, AuthenticatedUser>;
}

function addRoute(app: FastifyInstance, route: Route, { options, validators, routes, users }: RouteParts): void {
  checkDeclaration(route, routes);
  routes.push(route);
  const check = validators.compile(route);
  const awaited = new WeakSet<FastifyRequest>();
  const tracer = options.tracer ?? noTracer;
  app.route({
    method: route.method,
    url: route.path,
    ...(route.maxBodyBytes === undefined ? {} : { bodyLimit: route.maxBodyBytes }),
    // Before the body is read: strangers get no memory.
    onRequest: async (request) => {
      if (route.admit !== undefined) {
        const params = { ...(request.params as Record<string, string>) };
        const asker = { peer: request.ip, authorization: request.headers.authorization, params };
        users.set(request, await route.admit(asker));
      }
      if (route.access !== 'public') {
        const authorizer = noteUser(options.authorizer, (user) => users.set(request, user));
        await enforceAccess(authorizer, route.access, request.headers.authorization);
      }
      awaited.add(request);
    },
    onError: async (request, _, error) => {
      if (!awaited.has(request)) return;
      const { status, body } = answerError(error, { requestId: request.id, bodyLimit: route.maxBodyBytes });
      const { message } = body as { readonly message: string };
      // A connection that broke has refused nothing.
      if (status < 500) route.onRefusedBody?.({ peer: request.ip, user: users.get(request), status, message });
    },
    handler: async (request, reply) => {
      awaited.delete(request);
      checkTexts(request.params, 'path');
      checkTexts(request.query, 'query');
      const call = {
        params: { ...(request.params as object) },
        query: { ...(request.query as object) },
        body: request.body ?? undefined,
      };
      check(call);
      const gone = new AbortController();
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) gone.abort();
      });
      const user = users.get(request);
      const require = async (need: AccessNeed): Promise<void> => {
        if (route.access === 'public' || user === undefined)
          throw new TypeError('a public route has no rights to ask for');
        await requireRight(options.authorizer, user, need);
      };
      const from = { url: request.url, user, requestId: request.id, signal: gone.signal, require };
      const answer = await withLogFields({ request: request.id }, () =>
        traceRoute(tracer, { route, request }, () => route.handle({ ...call, ...from })),
      );
      return reply
        .code(answer.status)
        .headers({ ...(route.mediaType === undefined ? {} : { 'content-type': route.mediaType }), ...answer.headers })
        .send(answer.body);
    },
  });
}

function checkDeclaration(route: Route, routes: readonly Route[]): void {
  const declared = Object.keys(route.params?.properties ?? {}).sort();
  const named = namesInPath(route.path).sort();
  if (declared.join() !== named.join())
    throw new TypeError(`${route.operation} declares the parameters ${declared.join()}, its path has ${named.join()}`);
  if (routes.some(({ operation }) => operation === route.operation))
    throw new TypeError(`two routes are named ${route.operation}`);
}
