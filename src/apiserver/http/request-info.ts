import type { IncomingMessage } from 'node:http';
import { parseFieldSelector } from '../meta/selectors.ts';
import { ApiError } from '../status.ts';

/** What a request asks for, read from its method, path and query alone. */
export interface RequestInfo {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** False for paths such as /version or /apis. */
  readonly isResource: boolean;
  /** get, list, watch, create, update, patch, delete, deletecollection; for other paths the method in lower case. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
}

const namespaceSubresources = new Set(['status', 'finalize']);
const verbOfMethod: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Reads a request line the way the Kubernetes API lays its paths out. */
export function readRequestInfo(request: Pick<IncomingMessage, 'method' | 'url'>): RequestInfo {
  const url = withoutOrigin(request.url ?? '/');
  const method = request.method ?? 'GET';
  const mark = url.indexOf('?');
  const path = decodePath(mark < 0 ? url : url.slice(0, mark));
  const query = parseQuery(mark < 0 ? '' : url.slice(mark + 1));
  const segments = splitPath(path);
  const resource = path.startsWith('//') ? undefined : resourceParts(segments);
  const base = { method, path, query };
  if (resource === undefined) {
    return { ...base, isResource: false, verb: method.toLowerCase(), group: '', version: '', ...nothing };
  }
  if (resource.isWatchPath) return { ...base, isResource: true, verb: 'watch', ...resource.parts };
  const verb = verbOf(method, query, resource.parts);
  const isOfMany = verb === 'list' || verb === 'watch';
  const name = isOfMany ? nameFromSelector(query.get('fieldSelector')) : resource.parts.name;
  return { ...base, isResource: true, verb, ...resource.parts, name };
}

/** Parameters with a broken escape are ignored, as Go's parser does. */
function parseQuery(text: string): URLSearchParams {
  if (!text.includes('%')) return new URLSearchParams(text);
  return new URLSearchParams(
    text
      .split('&')
      .filter((pair) => !brokenEscape.test(pair))
      .join('&'),
  );
}

const nothing = { namespace: '', resource: '', subresource: '', name: '' };

interface Parts {
  group: string;
  version: string;
  namespace: string;
  resource: string;
  subresource: string;
  name: string;
}

/** Words that stood before a resource in old paths; alone they say nothing, not even that there is no such resource. */
const bareWord = /^\/+(?:api\/[^/]*|apis\/[^/]*\/[^/]*)\/(?:watch|proxy)\/*$/;

/** Why it cannot be told what a path asks for; undefined when it can. */
export function pathFault({ path }: RequestInfo): string | undefined {
  return bareWord.test(path) ? 'unable to determine kind and namespace from url' : undefined;
}

/** A proxy may name the whole URL in the request line. */
function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
}

/** True when a path can be decoded at all. */
export function isPathValid(url: string): boolean {
  return !url.includes('%') || !brokenEscape.test(url.split('?', 1)[0] ?? '');
}

const brokenEscape = /%(?![0-9a-fA-F]{2})/;

/** The path without escapes; an escaped slash separates like any other, as in Go. */
function decodePath(path: string): string {
  if (!path.includes('%') || brokenEscape.test(path)) return path;
  const bytes = path.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** An empty part inside a path counts: what stands behind it is no longer where it would belong. */
function splitPath(path: string): string[] {
  return path.replace(/^\/+|\/+$/g, '').split('/');
}

function resourceParts(segments: string[]): { parts: Parts; isWatchPath: boolean } | undefined {
  const [prefix, second, third] = segments;
  if (prefix === 'api' && segments.length >= 3 && second !== undefined) return partsOf('', second, segments.slice(2));
  if (prefix !== 'apis' || segments.length < 4 || (second ?? '') === '') return undefined;
  return partsOf(second ?? '', third ?? '', segments.slice(3));
}

/** `/api/v1/watch/...` is the old way to ask for a watch. */
function partsOf(group: string, version: string, rest: string[]): { parts: Parts; isWatchPath: boolean } {
  const isWatchPath = rest[0] === 'watch' && rest.length > 1;
  return { parts: partsAfterVersion(group, version, isWatchPath ? rest.slice(1) : rest), isWatchPath };
}

function partsAfterVersion(group: string, version: string, rest: string[]): Parts {
  let namespace = '';
  let tail = rest;
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1] ?? '';
    if (rest.length > 2 && !namespaceSubresources.has(rest[2] ?? '')) tail = rest.slice(2);
  }
  const [resource = '', name = '', ...sub] = tail;
  return { group, version, namespace, resource, name, subresource: sub.join('/') };
}

function verbOf(method: string, query: URLSearchParams, parts: Parts): string {
  const verb = verbOfMethod[method] ?? method.toLowerCase();
  if (parts.name !== '') return verb;
  if (verb === 'delete') return 'deletecollection';
  if (verb !== 'get') return verb;
  return isTrue(query.get('watch')) ? 'watch' : 'list';
}

/** `metadata.name=x` narrows a list or watch to one name, so that RBAC resourceNames apply. */
function nameFromSelector(selector: string | null): string {
  const name = exactName(selector);
  return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
}

/** Of several names, none of which can be that of one object, the first in order counts, as in kube-apiserver. */
function exactName(selector: string | null): string {
  if (selector === null || !selector.includes('metadata.name')) return '';
  try {
    const terms = parseFieldSelector(selector).filter(({ field, negate }) => field === 'metadata.name' && !negate);
    return terms.map(({ value }) => value).sort()[0] ?? '';
  } catch (error) {
    if (error instanceof ApiError) return ''; // whoever reads the whole selector refuses it
    throw error;
  }
}

/** Reads a boolean query parameter as Kubernetes does: `1`, `true` and present-but-empty are true. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value !== 'false' && value !== 'False' && value !== 'FALSE';
}
