import type { DiscoverySource } from '../discovery/discovery.ts';
import type { ServedResource } from '../served-resource.ts';
import { definitionName, deleteOptionsName, statusName } from './definitions.ts';

/** How a document version writes bodies and answers; OpenAPI 2 and 3 differ only there. */
export interface Dialect {
  readonly refPrefix: string;
  body(ref: string): object;
  patchBody(mediaTypes: readonly string[]): object;
  answer(ref: string): object;
  parameter(name: string, place: 'path' | 'query', type: string): object;
}

const writeQueries = ['dryRun', 'fieldManager', 'fieldValidation'];
const listQueries = [
  'continue',
  'fieldSelector',
  'labelSelector',
  'resourceVersion',
  'resourceVersionMatch',
  'limit',
  'timeoutSeconds',
  'watch',
  'allowWatchBookmarks',
  'sendInitialEvents',
];

/** The path items of one group version. */
export function pathsOf(
  source: DiscoverySource,
  group: string,
  version: string,
  dialect: Dialect,
): Record<string, object> {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const paths: Record<string, object> = {};
  for (const served of source.registry.resources(group, version)) {
    const base = served.namespaced ? `${root}/namespaces/{namespace}/${served.resource}` : `${root}/${served.resource}`;
    paths[base] = collectionItem(served, dialect);
    paths[`${base}/{name}`] = objectItem(served, dialect, '');
    if (served.scale !== undefined) paths[`${base}/{name}/scale`] = objectItem(served, dialect, 'scale');
    if (served.hasStatus) paths[`${base}/{name}/status`] = objectItem(served, dialect, 'status');
    if (served.namespaced)
      paths[`${root}/${served.resource}`] = { get: operation(served, dialect, 'list', { suffix: 'ForAllNamespaces' }) };
  }
  return paths;
}

function collectionItem(served: ServedResource, dialect: Dialect): object {
  return {
    get: operation(served, dialect, 'list', {}),
    post: operation(served, dialect, 'create', { body: dialect.body(definitionName(served)) }),
    delete: operation(served, dialect, 'deletecollection', { body: dialect.body(deleteOptionsName) }),
    parameters: pathParameters(served, dialect, false),
  };
}

function objectItem(served: ServedResource, dialect: Dialect, subresource: string): object {
  const suffix = subresource.charAt(0).toUpperCase() + subresource.slice(1);
  const patchTypes =
    served.origin === 'custom'
      ? ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml']
      : [
          'application/json-patch+json',
          'application/merge-patch+json',
          'application/strategic-merge-patch+json',
          'application/apply-patch+yaml',
        ];
  return {
    get: operation(served, dialect, 'get', { suffix }),
    put: operation(served, dialect, 'update', { suffix, body: dialect.body(definitionName(served)) }),
    patch: operation(served, dialect, 'patch', { suffix, body: dialect.patchBody(patchTypes) }),
    ...(subresource === ''
      ? { delete: operation(served, dialect, 'delete', { body: dialect.body(deleteOptionsName) }) }
      : {}),
    parameters: pathParameters(served, dialect, true),
  };
}

function pathParameters(served: ServedResource, dialect: Dialect, isNamed: boolean): object[] {
  const parameters = isNamed ? [dialect.parameter('name', 'path', 'string')] : [];
  if (served.namespaced) parameters.push(dialect.parameter('namespace', 'path', 'string'));
  return [...parameters, dialect.parameter('pretty', 'query', 'string')];
}

const verbWords: Record<string, string> = {
  get: 'read',
  list: 'list',
  create: 'create',
  update: 'replace',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'deleteCollection',
};
const actions: Record<string, string> = {
  get: 'get',
  list: 'list',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'deletecollection',
};

function operation(
  served: ServedResource,
  dialect: Dialect,
  verb: string,
  extra: { suffix?: string; body?: object },
): object {
  const answered =
    verb === 'list'
      ? definitionName({ ...served, kind: served.listKind })
      : verb.startsWith('delete')
        ? statusName
        : definitionName(served);
  const queries =
    verb === 'list' || verb === 'deletecollection'
      ? listQueries
      : verb === 'get'
        ? []
        : [...writeQueries, ...(verb === 'patch' ? ['force'] : [])];
  const { parameters: bodyParameters = [], ...body } = (extra.body ?? {}) as { parameters?: object[] };
  return {
    description: `${verbWords[verb]} ${served.kind}`,
    operationId: operationId(served, verb, extra.suffix ?? ''),
    tags: [tagOf(served)],
    parameters: [...bodyParameters, ...queries.map((q) => dialect.parameter(q, 'query', 'string'))],
    ...body,
    responses: {
      200: { description: 'OK', ...dialect.answer(answered) },
      ...(verb === 'create' || verb === 'update' || verb === 'patch'
        ? { 201: { description: 'Created', ...dialect.answer(answered) } }
        : {}),
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': actions[verb],
    'x-kubernetes-group-version-kind': { group: served.group, version: served.version, kind: served.kind },
  };
}

function camel(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function tagOf(served: ServedResource): string {
  const group = served.group === '' ? 'core' : (served.group.split('.')[0] ?? served.group);
  return `${group}_${served.version}`;
}

function operationId(served: ServedResource, verb: string, suffix: string): string {
  const group =
    served.group === ''
      ? 'Core'
      : served.group
          .split(/[^A-Za-z0-9]/)
          .map(camel)
          .join('');
  const scope = served.namespaced && suffix !== 'ForAllNamespaces' ? 'Namespaced' : '';
  return `${verbWords[verb]}${group}${camel(served.version)}${scope}${served.kind}${suffix}`;
}
