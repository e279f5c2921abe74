import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
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
import { noMediaFits } from './media.ts';
import type { RequestInfo } from './request-info.ts';
import { respondJson, respondText } from './respond.ts';

/** A request to a path that names no resource. */
export interface NonResourceRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly user: UserInfo;
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
      const health = healthPath.exec(path);
      if (health !== null) return serveHealth(parts, request, { root: health[1] ?? '', only: health[2] });
      if (info.method !== 'GET' && info.method !== 'HEAD') {
        if (path === '/version' || isBuiltinPath(parts, path)) throw methodNotAllowed();
        return notFoundText(response);
      }
      if (path === '/metrics') return serveMetrics(parts, response);
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
}

function findDocument(parts: NonResourceParts, { request }: NonResourceRequest, path: string): Document | undefined {
  if (path === '/version') return { body: parts.version };
  if (path === '/') return { body: { paths: rootPaths(parts) } };
  if (path === '/openapi/v3') return { body: parts.openapi.v3Index(), contentType: 'text/plain; charset=utf-8' };
  if (path.startsWith('/openapi/v3/')) {
    const body = parts.openapi.v3Document(path.slice('/openapi/v3/'.length));
    return body === undefined ? undefined : { body };
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
  }
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
  const headers = { ETag: etag, Vary: 'Accept', ...(isAggregated ? { 'Cache-Control': 'public' } : {}) };
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, headers).end();
    return 304;
  }
  const acceptsGzip = String(request.headers['accept-encoding'] ?? '').includes('gzip');
  const pretty = info.query.has('pretty');
  const form = { format: 'json' as const, contentType: document.contentType ?? 'application/json', pretty };
  respondJson(response, json, { code: 200, media: form, warnings: new Set(), acceptsGzip, headers });
  return 200;
}

function serveOpenApiV2(parts: NonResourceParts, { request, response }: NonResourceRequest): number {
  const acceptsGzip = String(request.headers['accept-encoding'] ?? '').includes('gzip');
  respondJson(response, parts.openapi.v2(), { code: 200, media, warnings: new Set(), acceptsGzip });
  return 200;
}

async function serveMetrics(parts: NonResourceParts, response: ServerResponse): Promise<number> {
  respondText(response, 200, await parts.metrics.metrics(), { 'Content-Type': metricsType });
  return 200;
}

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
