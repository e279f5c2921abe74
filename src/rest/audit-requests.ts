import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../kube/index.ts';
import type { AuditExport, AuditObject } from '../telemetry/index.ts';
import type { AuthenticatedUser } from './access/authorizer.ts';
import { accessGroup, restResources } from './access/resources.ts';
import type { Route } from './route.ts';

/** What an audit of requests needs. */
export interface AuditParts {
  readonly audit: AuditExport;
  readonly clock: Clock;
  /** All routes, also those that are added later. */
  readonly routes: readonly Route[];
  /** Who asked, as far as that was found out. */
  userOf(request: FastifyRequest): AuthenticatedUser | undefined;
  /** What is answered by others, who know their callers: it is theirs to audit. */
  isElsewhere(request: FastifyRequest): boolean;
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Records writes, reads of credentials, and what was refused for want of rights. Other reads are not recorded. */
export function auditRequests(app: FastifyInstance, parts: AuditParts): void {
  // The address is gone once the connection is.
  const received = new WeakMap<FastifyRequest, { readonly at: Date; readonly from: string | undefined }>();
  app.addHook('onRequest', async (request) => {
    received.set(request, { at: new Date(parts.clock.now()), from: request.ip });
  });
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode: code } = reply;
    if (parts.isElsewhere(request)) return;
    const route = routeOf(parts.routes, request);
    const isPlainRead = reading.has(request.method) && !readsCredentials(route);
    if (isPlainRead && code !== 401 && code !== 403) return;
    const endedAt = new Date(parts.clock.now());
    const user = parts.userOf(request);
    parts.audit.record({
      id: request.id,
      verb: verbOf(route, request),
      path: request.url.split('?', 1)[0] ?? '/',
      user: user === undefined ? undefined : { username: user.name, groups: user.groups },
      sourceIp: received.get(request)?.from,
      userAgent: request.headers['user-agent'],
      object: objectOf(route, request),
      code,
      receivedAt: received.get(request)?.at ?? endedAt,
      endedAt,
    });
  });
}

function routeOf(routes: readonly Route[], request: FastifyRequest): Route | undefined {
  const { url } = request.routeOptions;
  return routes.find(({ path, method }) => path === url && method === request.method);
}

function readsCredentials(route: Route | undefined): boolean {
  return route !== undefined && route.access !== 'public' && route.access.resource === restResources.credentials;
}

function verbOf(route: Route | undefined, request: FastifyRequest): string {
  return route === undefined || route.access === 'public' ? request.method.toLowerCase() : route.access.verb;
}

/** The thing that roles protect, by the name that the path gives it. */
function objectOf(route: Route | undefined, request: FastifyRequest): AuditObject | undefined {
  if (route === undefined || route.access === 'public') return undefined;
  const [resource = '', subresource] = route.access.resource.kube.split('/');
  const [name] = Object.values((request.params ?? {}) as Record<string, string>);
  return {
    apiGroup: accessGroup,
    resource,
    ...(subresource === undefined ? {} : { subresource }),
    ...(name === undefined ? {} : { name }),
  };
}
