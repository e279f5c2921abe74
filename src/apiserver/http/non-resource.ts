import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Registry } from 'prom-client';
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  coreVersions,
  type DiscoverySource,
  groupVersions,
} from '../discovery/discovery.ts';
import type { OpenApiDocuments } from '../openapi/documents.ts';
import type { UserInfo } from '../resource.ts';
import { methodNotAllowed, unknownResource } from '../status.ts';
import { chooseMedia, noMediaFits } from './media.ts';
import type { RequestInfo } from './request-info.ts';
import { acceptsGzip, respondJson, respondText } from './respond.ts';

/** A request to a path that names no resource. */
export interface NonResourceRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  /** Gives its seat to the next request: for what waits for answers of this server itself. */
  giveWay?(): void;
}

/** Serves discovery, OpenAPI, version, health and metrics; answers with the HTTP code it sent. */
export interface NonResourceRoutes {
  serve(request: NonResourceRequest): Promise<number>;
}

/** What these paths show. */
export interface NonResourceParts {
  readonly discovery: DiscoverySource;
  readonly openapi: OpenApiDocuments;
  readonly metrics: Registry;
  readonly version: object;
  /** `host:port` as clients reach this server. */
  address(): string;
  isBuiltinGroup(group: string): boolean;
  /** Named checks; a text says what is wrong. */
  readonly checks: Readonly<Record<string, () => string | undefined>>;
  /** Checks of /readyz alone: a server that is not ready yet is alive all the same. */
  readonly readiness?: Readonly<Record<string, () => string | undefined>>;
}

const media = { format: 'json' as const, contentType: 'application/json', pretty: false };

const healthPath = /^\/(healthz|readyz|livez)(?:\/([^/]+))?$/;

/** Builds the routes. */
export function createNonResourceRoutes(parts: NonResourceParts): NonResourceRoutes {
  return {
    async serve(request) {
      const { info, response } = request;
      const path = info.path.length > 1 && info.path.endsWith('/') ? info.path.slice(0, -1) : info.path;
      if (path === '/' && info.path !== '/') return notFoundText(response); // a slash too many
      const health = healthPath.exec(path);
      if (health !== null) return serveHealth(parts, request, { root: health[1] ?? '', only: health[2] });
      // These, and what tells of custom resources, are served by handlers that never look at the method.
      const isOfCustom = path.startsWith('/apis/') && !isBuiltinPath(parts, path);
      const isForAll = info.path === '/' || info.path === '/apis/' || isOfCustom;
      const isRouted = path === '/version' || isBuiltinPath(parts, path);
      if (info.method === 'HEAD' && isRouted) throw methodNotAllowed();
      if (info.method !== 'GET' && info.method !== 'HEAD' && !isForAll) {
        if (isRouted) throw methodNotAllowed();
        return notFoundText(response);
      }
      if (path === '/metrics') return serveMetrics(parts, request);
      if (path === '/openapi/v2') return serveOpenApiV2(parts, request);
      const document = findDocument(parts, request, path);
      if (document !== undefined) return sendDocument(request, document);
      if (path.startsWith('/openapi/v3/')) return notFoundBare(response);
      if (isBuiltinPath(parts, path)) throw unknownResource();
      return notFoundText(response);
    },
  };
}

interface Document {
  readonly body: object | string;
  readonly contentType?: string;
  /** It would look different to a client that accepts something else; such documents are not packed. */
  readonly isVaried?: boolean;
}

function findDocument(parts: NonResourceParts, { request }: NonResourceRequest, path: string): Document | undefined {
  if (path === '/version') return { body: parts.version };
  if (path === '/') return { body: { paths: rootPaths(parts) } };
  if (path === '/openapi/v3') return { body: parts.openapi.v3Index(), contentType: 'text/plain; charset=utf-8' };
  if (path.startsWith('/openapi/v3/')) {
    const body = parts.openapi.v3Document(path.slice('/openapi/v3/'.length));
    return body === undefined ? undefined : { body, isVaried: true };
  }
  if (path === '/api' || path === '/apis') return rootDiscovery(parts, request, path === '/api' ? 'api' : 'apis');
  const segments = path.split('/').slice(1);
  return groupDiscovery(parts, segments);
}

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function rootDiscovery(parts: NonResourceParts, request: IncomingMessage, root: 'api' | 'apis'): Document {
  const accept = request.headers.accept ?? '';
  if (accept.includes('as=APIGroupDiscoveryList')) {
    const clauses = accept.replaceAll(' ', '').split(',');
    if (clauses.includes(aggregatedType)) {
      return { body: aggregatedDiscovery(parts.discovery, root), contentType: aggregatedType };
    }
    if (!clauses.some((clause) => clause === 'application/json' || clause === '*/*')) throw noMediaFits();
  } else chooseMedia(accept, { canTransform: false, pretty: false });
  return { body: root === 'api' ? coreVersions(parts.address()) : apiGroupList(parts.discovery) };
}

function groupDiscovery({ discovery }: NonResourceParts, segments: string[]): Document | undefined {
  const [root, first = '', second] = segments;
  if (root === 'api' && segments.length === 2) return wrap(apiResourceList(discovery, '', first));
  if (root !== 'apis') return undefined;
  if (segments.length === 3) return wrap(apiResourceList(discovery, first, second ?? ''));
  if (segments.length !== 2 || first === '' || groupVersions(discovery, first).length === 0) return undefined;
  return { body: { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(discovery, first) } };
}

function wrap(body: object | undefined): Document | undefined {
  return body === undefined ? undefined : { body };
}

function rootPaths({ discovery }: NonResourceParts): string[] {
  const paths = [
    '/api',
    '/api/v1',
    '/apis',
    '/apis/',
    '/healthz',
    '/livez',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/',
    '/readyz',
    '/version',
  ];
  const groups = new Set([...discovery.registry.groups(), ...discovery.virtual.map((v) => v.group)]);
  for (const group of groups) {
    if (group === '') continue;
    paths.push(`/apis/${group}`, ...groupVersions(discovery, group).map((v) => `/apis/${group}/${v}`));
  }
  return paths.sort();
}

function sendDocument({ request, response, info }: NonResourceRequest, document: Document): number {
  const json = typeof document.body === 'string' ? document.body : JSON.stringify(document.body);
  const isAggregated = document.contentType?.includes('APIGroupDiscoveryList') ?? false;
  const etag = `"${createHash('sha256').update(json).digest('hex').toUpperCase()}"`;
  const varies = isAggregated || document.isVaried === true;
  const headers = {
    ETag: etag,
    ...(varies ? { Vary: 'Accept' } : {}),
    ...(isAggregated ? { 'Cache-Control': 'public' } : {}),
  };
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, headers).end();
    return 304;
  }
  const pretty = info.query.has('pretty');
  const form = { format: 'json' as const, contentType: document.contentType ?? 'application/json', pretty };
  const isPacked = document.isVaried !== true && acceptsGzip(request);
  respondJson(response, json, { code: 200, media: form, warnings: new Set(), acceptsGzip: isPacked, headers });
  return 200;
}

function serveOpenApiV2(parts: NonResourceParts, { request, response }: NonResourceRequest): number {
  const headers = { Vary: 'Accept-Encoding, Accept' };
  if (/application\/com\.github\.proto-openapi\.spec\.v2[.@]v1\.0\+protobuf/.test(request.headers.accept ?? '')) {
    const bytes = parts.openapi.v2Protobuf();
    response.writeHead(200, { ...headers, 'Content-Type': protobufDocument, 'Content-Length': bytes.length });
    response.end(bytes);
    return 200;
  }
  const frame = { code: 200, media, warnings: new Set<string>(), acceptsGzip: acceptsGzip(request), headers };
  respondJson(response, parts.openapi.v2(), frame);
  return 200;
}

async function serveMetrics(parts: NonResourceParts, { request, response }: NonResourceRequest): Promise<number> {
  const text = await parts.metrics.metrics();
  if (acceptsGzip(request)) {
    const bytes = await promisify(gzip)(text);
    const headers = { 'Content-Type': metricsType, 'Content-Encoding': 'gzip', 'Content-Length': bytes.length };
    response.writeHead(200, { 'Cache-Control': 'no-cache, private', ...headers }).end(bytes);
    return 200;
  }
  respondText(response, 200, text, { 'Content-Type': metricsType });
  return 200;
}

/** The form in which kubectl reads the OpenAPI 2 document; it asks for it by a name that is no media type. */
const protobufDocument = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

const metricsType = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** Unknown paths inside Kubernetes' own groups are answered with a Status. */
function isBuiltinPath(parts: NonResourceParts, path: string): boolean {
  const [, root, group = ''] = path.split('/');
  return root === 'api' || (root === 'apis' && group !== '' && parts.isBuiltinGroup(group));
}

function notFoundBare(response: ServerResponse): number {
  response.writeHead(404, { 'Cache-Control': 'no-cache, private', 'Content-Length': 0 }).end();
  return 404;
}

function notFoundText(response: ServerResponse): number {
  respondText(response, 404, '404 page not found\n');
  return 404;
}

function serveHealth(
  parts: NonResourceParts,
  { response, info }: NonResourceRequest,
  asked: { root: string; only: string | undefined },
): number {
  const excluded = new Set(info.query.getAll('exclude'));
  const checks = asked.root === 'readyz' ? { ...parts.checks, ...parts.readiness } : parts.checks;
  if (asked.only !== undefined && !Object.hasOwn(checks, asked.only)) return notFoundText(response);
  const results = Object.entries(checks)
    .filter(([name]) => (asked.only ?? name) === name)
    .map(([name, check]) => ({
      name,
      isExcluded: excluded.has(name),
      fault: excluded.has(name) ? undefined : check(),
    }));
  const isHealthy = results.every((r) => r.fault === undefined);
  const lines = results.map(checkLine);
  const verdict = `${asked.root} check ${isHealthy ? 'passed' : 'failed'}`;
  const code = isHealthy ? 200 : 500;
  const isBrief = isHealthy && !info.query.has('verbose');
  respondText(response, code, isBrief ? 'ok' : `${[...lines, verdict].join('\n')}\n`);
  return code;
}

function checkLine(result: { name: string; isExcluded: boolean; fault: string | undefined }): string {
  if (result.isExcluded) return `[+]${result.name} excluded: ok`;
  return result.fault === undefined ? `[+]${result.name} ok` : `[-]${result.name} failed: ${result.fault}`;
}
