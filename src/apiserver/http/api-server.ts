import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Tracer } from '../../telemetry/index.ts';
import { nameIn } from '../audit/audit-line.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Authenticator, type Authorizer, accessQueryOf, anonymous } from '../auth/auth.ts';
import { PlainTextError } from '../auth/impersonation.ts';
import type { ServerCore } from '../core.ts';
import { dispatch, refuseWrongMethod } from '../handlers/dispatch.ts';
import { dispatchSubresource, dispatchVirtual } from '../handlers/dispatch-special.ts';
import { checkListed } from '../handlers/list.ts';
import { checkMediaType } from '../handlers/patch.ts';
import { DefinitionChanged } from '../handlers/write-through.ts';
import type { HeavyWork } from '../heavy/heavy-work.ts';
import type { RequestMetrics } from '../metrics.ts';
import { Overloaded } from '../overload/overloaded.ts';
import type { RequestGate, Visit } from '../overload/request-gate.ts';
import type { Answer, RequestContext } from '../request-context.ts';
import type { UserInfo } from '../resource.ts';
import { isSealedBucket } from '../sealed-buckets.ts';
import { bucketOf, type ServedResource } from '../served-resource.ts';
import {
  ApiError,
  badRequest,
  diskFull,
  internalError,
  methodNotAllowed,
  notFound,
  unknownResource,
} from '../status.ts';
import { StoreError } from '../store/errors.ts';
import type { SubresourceHandler, VirtualResource } from '../virtual-resource.ts';
import { TruncatedBody } from './body.ts';
import { refuseWithoutHost } from './broken-request.ts';
import { bodyMediaType } from './decode.ts';
import type { Flights } from './flights.ts';
import { forbiddenRequest } from './forbidden.ts';
import { checkRouted, chooseMedia, type MediaChoice } from './media.ts';
import type { NonResourceRoutes } from './non-resource.ts';
import { isPathValid, isTrue, pathFault, type RequestInfo, readRequestInfo } from './request-info.ts';
import { acceptsGzip, respondJson, respondText, writtenForm } from './respond.ts';
import { traceRequest } from './trace-request.ts';

/** Everything a request meets on its way. */
export interface ApiServerParts {
  readonly core: ServerCore;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Whom the caller acts as, when its headers ask for it. */
  impersonate(request: IncomingMessage, caller: UserInfo): UserInfo | undefined;
  readonly audit: AuditLog;
  readonly tracer: Tracer;
  readonly metrics: RequestMetrics;
  /** Where requests wait for their turn. */
  readonly gate: RequestGate;
  /** What does the work of requests that take long. */
  readonly heavy: HeavyWork;
  readonly flights: Flights;
  readonly routes: NonResourceRoutes;
  readonly virtual: readonly VirtualResource[];
  readonly subresources: readonly SubresourceHandler[];
  /** Groups compiled into the server answer unknown paths with a Status, others with plain text. */
  isBuiltinGroup(group: string): boolean;
  /** Told about what should never happen; the client gets a 500. */
  onFault(error: unknown, info: RequestInfo): void;
}

const noWarnings: ReadonlySet<string> = new Set();
const plainMedia: Pick<MediaChoice, 'format' | 'contentType' | 'pretty'> = {
  format: 'json',
  contentType: 'application/json',
  pretty: false,
};
/** The rest of a body up to this size is read and forgotten, so that its connection can be used again. */
const shortBodyBytes = 256 * 1024;
const readVerbs = new Set(['get', 'list', 'watch']);

/** The request listener of the API server: who, may they, what, answer. */
export function createRequestListener(parts: ApiServerParts) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (!isPathValid(request.url ?? '')) {
      respondText(response, 400, '400 Bad Request', { Connection: 'close' });
      return;
    }
    if (refuseWithoutHost(request)) return;
    const info = readRequestInfo(request);
    const fault = pathFault(info);
    if (fault !== undefined) {
      const why = `failed to create RequestInfo: ${fault}, ${request.url ?? ''}`;
      respondText(response, 500, `Internal Server Error: ${JSON.stringify(request.url ?? '')}: ${why}\n`);
      return;
    }
    const work = serve(parts, request, response, info).catch((error: unknown) => {
      response.destroy(); // even the error answer failed: say nothing rather than half of something
      parts.onFault(error, info);
    });
    if (info.verb === 'watch') parts.flights.addWatch(work);
    else parts.flights.add(work, response);
  };
}

async function serve(
  parts: ApiServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  info: RequestInfo,
): Promise<void> {
  const started = performance.now();
  const warnings = new Set<string>();
  const seen: Flight['seen'] = {
    user: anonymous,
    caller: undefined,
    media: plainMedia,
    name: info.name,
    asked: { isDryRun: false },
    visit: undefined,
  };
  let code = 200;
  let reason = '';
  let isJudged = true;
  const measured = knownParts(parts, info);
  const end = parts.metrics.begin(measured);
  try {
    code = await traceRequest(parts.tracer, { request, info }, () =>
      answerRequest(parts, { request, response, info, warnings, seen }),
    );
  } catch (error) {
    if (error instanceof TruncatedBody || response.destroyed) {
      code = 499; // the socket's own error handler has answered, if anybody is left to read it
    } else if (error instanceof PlainTextError) {
      code = error.code;
      respondText(response, code, error.message);
    } else {
      const failure = toApiError(parts, error, info);
      code = failure.code;
      reason = failure.status.reason ?? '';
      isJudged = !(failure instanceof Overloaded);
      if (failure instanceof Overloaded && failure.why === 'heavy-work') parts.metrics.onRejected(failure.why);
      if (seen.name === '') seen.name = failure.status.details?.name ?? '';
      answerError(response, request, failure, { warnings, media: seen.media });
    }
  }
  seen.visit?.end();
  end();
  parts.metrics.observe(measured, code, performance.now() - started);
  // A flood that is sent away must not wash the lines of what was judged out of the log.
  if (!isJudged || !isAudited(info, code)) return;
  const agent = request.headers['user-agent'] ?? '';
  const from = request.socket.remoteAddress ?? '';
  const receivedAt = new Date(performance.timeOrigin + started);
  parts.audit.record({ info, ...seen, agent, from, receivedAt, isDryRun: seen.asked.isDryRun, code, reason });
}

interface Flight {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly warnings: Set<string>;
  /** Filled in as it becomes known, for the audit log and for error answers. */
  readonly seen: {
    /** Who acts: the caller, or whom the caller impersonates. */
    user: UserInfo;
    /** Who proved who they are; undefined until then. */
    caller: UserInfo | undefined;
    media: Pick<MediaChoice, 'format' | 'contentType' | 'pretty'>;
    /** The name of the object, for a create known only afterwards. */
    name: string;
    readonly asked: RequestContext['asked'];
    /** Its place among the requests that are worked on. */
    visit: Visit | undefined;
  };
}

/** Metrics are kept per resource for ever: what no resource is called must not become one of them. */
function knownParts({ core, virtual }: ApiServerParts, info: RequestInfo): RequestInfo {
  const { group, version, resource, subresource } = info;
  const served = core.registry.find(group, version, resource);
  const isVirtual = () => virtual.some((v) => v.group === group && v.version === version && v.resource === resource);
  if (served === undefined && !isVirtual()) {
    return { ...info, group: '', version: '', resource: '', subresource: '' };
  }
  const subresources = ['', 'status', 'scale', ...(served?.extraSubresources ?? []).map((s) => s.name)];
  return subresources.includes(subresource) ? info : { ...info, subresource: '' };
}

/** Every write, every read of credentials, and every attempt to come in with credentials that are wrong. */
function isAudited(info: RequestInfo, code: number): boolean {
  return (
    (info.isResource && (!readVerbs.has(info.verb) || isSealedBucket(bucketOf(info.group, info.resource)))) ||
    code === 401
  );
}

async function answerRequest(parts: ApiServerParts, flight: Flight): Promise<number> {
  const { request, response, info, seen } = flight;
  const given = parts.authenticator.authenticate(request);
  seen.caller = (given instanceof Promise ? await given : given) ?? anonymous;
  seen.user = parts.impersonate(request, seen.caller) ?? seen.caller;
  const verdict = parts.authorizer.authorize(accessQueryOf(info, seen.user));
  if (!verdict.isAllowed) throw forbiddenRequest(info, seen.user, verdict.reason);
  seen.visit = parts.gate.admit({ info, user: seen.user, request, response });
  if (seen.visit.admitted !== undefined) await seen.visit.admitted;
  if (!info.isResource) {
    const giveWay = (): void => seen.visit?.giveWay();
    return parts.routes.serve({ request, response, info, user: seen.user, giveWay });
  }
  const answer = await answerResource(parts, flight);
  if (answer === 'no such resource') {
    if (parts.isBuiltinGroup(info.group)) throw unknownResource();
    respondText(response, 404, '404 page not found\n');
    return 404;
  }
  if (answer === undefined) return 200;
  if (seen.name === '' && info.verb === 'create') seen.name = nameIn(answer.json);
  const form = writtenForm(seen.media);
  const text = form === undefined ? answer.json : await parts.heavy.write(payerOf(seen), answer.json, form);
  respondJson(response, text, {
    code: answer.code,
    media: form === undefined ? seen.media : { ...seen.media, format: 'written' },
    warnings: flight.warnings,
    acceptsGzip: acceptsGzip(request),
  });
  return answer.code;
}

/** How often a request is done over because the definition of its kind changed meanwhile. */
const maxRedos = 5;

async function answerResource(parts: ApiServerParts, flight: Flight): Promise<Answer | undefined | 'no such resource'> {
  const { info, seen, warnings } = flight;
  for (let redos = 0; ; redos++) {
    const target = findTarget(parts, info);
    if (target === undefined) return 'no such resource';
    refuseByRoute(target, flight);
    const context = contextOf(parts, flight);
    seen.media = context.media;
    try {
      return await answerTarget(parts, context, target);
    } catch (error) {
      // Part of a collection may be deleted already; what the rest of the page is then, is for the client to say.
      const canRedo = error instanceof DefinitionChanged && info.verb !== 'deletecollection';
      if (!canRedo || redos >= maxRedos) throw error;
      warnings.clear(); // said by the old definition; the new one speaks for itself
    }
  }
}

/**
 * The method and the form of a patch are looked at before what the client accepts, and for built-in kinds before all
 * else. Of lists of custom resources even the options are.
 */
function refuseByRoute(target: Target, flight: Flight): void {
  const { info, request } = flight;
  if (target.kind === 'stored') {
    refuseWrongMethod(info, target.served);
    if (info.verb === 'patch') checkMediaType(target.served, bodyMediaType({ request }));
    if (target.served.origin === 'custom') {
      if (info.verb === 'patch' && info.name === '') throw badRequest('name must be provided');
      if (info.verb === 'list' || info.verb === 'watch') refuseList(target.served, flight);
      return;
    }
    if (target.served.namespaced && info.namespace === '' && !readVerbs.has(info.verb)) throw methodNotAllowed();
  }
  checkRouted(request.headers.accept, { isCollection: info.verb === 'list' || info.verb === 'watch' });
}

/** What is wrong with a list is said in the form that was asked for, if there is one. */
function refuseList(served: ServedResource, { info, request, seen }: Flight): void {
  try {
    checkListed(served, info);
  } catch (error) {
    seen.media = mediaOf(request, info) ?? seen.media;
    throw error;
  }
}

function mediaOf(request: IncomingMessage, info: RequestInfo): MediaChoice | undefined {
  try {
    return chooseMedia(request.headers.accept, { canTransform: true, pretty: wantsPretty(request, info) });
  } catch (error) {
    if (error instanceof ApiError) return undefined; // told when it is its turn
    throw error;
  }
}

type Target =
  | { readonly kind: 'stored'; readonly served: ServedResource }
  | { readonly kind: 'sub'; readonly handler: SubresourceHandler; readonly served: ServedResource }
  | { readonly kind: 'virtual'; readonly virtual: VirtualResource };

function findTarget(parts: ApiServerParts, info: RequestInfo): Target | undefined {
  const served = parts.core.registry.find(info.group, info.version, info.resource);
  if (served !== undefined) return storedTarget(parts, info, served);
  const virtual = parts.virtual.find(
    (v) => v.group === info.group && v.version === info.version && v.resource === info.resource,
  );
  const isWhole = info.subresource === '' && info.name === '';
  return virtual === undefined || !isWhole ? undefined : { kind: 'virtual', virtual };
}

function storedTarget(parts: ApiServerParts, info: RequestInfo, served: ServedResource): Target | undefined {
  if (served.namespaced !== (info.namespace !== '') && !isListOfAll(info, served)) return undefined;
  const { subresource } = info;
  if (subresource === '') return { kind: 'stored', served };
  if (subresource === 'status' && served.hasStatus) return { kind: 'stored', served };
  if (subresource === 'scale' && served.scale !== undefined) return { kind: 'stored', served };
  const handler = parts.subresources.find((s) => s.bucket === served.bucket && s.subresource === subresource);
  if (handler !== undefined) return { kind: 'sub', handler, served };
  if (served.origin === 'custom') throw notFound(served, info.name);
  return undefined;
}

/** Namespaced resources are listed across namespaces, and namespaces themselves carry their name as namespace. */
function isListOfAll(info: RequestInfo, served: ServedResource): boolean {
  if (!served.namespaced) return served.bucket === '/namespaces';
  if (info.verb === 'list' || info.verb === 'watch') return true;
  // The paths of custom resources are made for their verbs; those of built-in kinds are there and refuse the method.
  return served.origin === 'builtin' && (info.verb === 'create' || info.verb === 'deletecollection');
}

/** Whose share of heavy work a request uses up: that of who proved who they are, or each name taken on would bring another share. */
function payerOf({ caller, user }: Flight['seen']): string {
  return (caller ?? user).username;
}

function contextOf(parts: ApiServerParts, flight: Flight): RequestContext {
  const { request, response, info, warnings, seen } = flight;
  return {
    info,
    user: seen.user,
    asked: seen.asked,
    media: chooseMedia(request.headers.accept, { canTransform: true, pretty: wantsPretty(request, info) }),
    now: parts.core.now(),
    demand(verb) {
      const asked = { ...info, verb };
      const verdict = parts.authorizer.authorize(accessQueryOf(asked, seen.user));
      if (!verdict.isAllowed) throw forbiddenRequest(asked, seen.user, verdict.reason);
    },
    giveWay: () => seen.visit?.giveWay(),
    work: parts.heavy.of(payerOf(seen)),
    request,
    response,
    warnings,
  };
}

async function answerTarget(
  parts: ApiServerParts,
  context: RequestContext,
  target: Target,
): Promise<Answer | undefined> {
  if (target.kind === 'stored') return dispatch(parts.core, context, target.served);
  if (target.kind === 'sub') return dispatchSubresource(context, target.handler, target.served);
  return dispatchVirtual(context, target.virtual);
}

function wantsPretty(request: IncomingMessage, info: RequestInfo): boolean {
  const asked = info.query.get('pretty');
  if (asked !== null) return isTrue(asked);
  const agent = request.headers['user-agent'] ?? '';
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0');
}

function toApiError(parts: ApiServerParts, error: unknown, info: RequestInfo): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreError && error.code === 'disk-full') return diskFull(error.message);
  parts.onFault(error, info);
  return internalError('the server met an error that it did not expect; its log says which');
}

function answerError(
  response: ServerResponse,
  request: IncomingMessage,
  error: ApiError,
  known: { warnings: ReadonlySet<string>; media: Pick<MediaChoice, 'format' | 'contentType' | 'pretty'> },
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // The rest of a body would be read before the next request; of a large one, the client is better told to stop.
  const isEarly = !request.complete && !(Number(request.headers['content-length'] ?? Number.NaN) <= shortBodyBytes);
  const headers = isEarly ? { ...error.headers, Connection: 'close' } : error.headers;
  respondJson(response, JSON.stringify(error.status), {
    code: error.code,
    media: known.media,
    warnings: known.warnings.size === 0 ? noWarnings : known.warnings,
    acceptsGzip: false,
    headers,
    unread: isEarly ? request : undefined,
  });
}
