import type { JsonSchema } from '../../schema/index.ts';
import { type DiscoverySource, groupNames, groupVersions } from '../discovery/discovery.ts';
import { definitionsOf } from './definitions.ts';
import { type Dialect, pathsOf } from './paths.ts';

const refPrefix = '#/definitions/';

const dialect: Dialect = {
  refPrefix,
  body: (ref) => ({
    parameters: [{ name: 'body', in: 'body', required: true, schema: { $ref: `${refPrefix}${ref}` } }],
  }),
  patchBody: (mediaTypes) => ({
    consumes: mediaTypes,
    parameters: [
      {
        name: 'body',
        in: 'body',
        required: true,
        schema: { $ref: `${refPrefix}io.k8s.apimachinery.pkg.apis.meta.v1.Patch` },
      },
    ],
  }),
  answer: (ref) => ({ schema: { $ref: `${refPrefix}${ref}` } }),
  parameter: (name, place, type) => ({
    name,
    in: place,
    type,
    uniqueItems: true,
    ...(place === 'path' ? { required: true } : {}),
  }),
};

/** The OpenAPI 2 document. */
export interface OpenApiV2 {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

/** The one OpenAPI 2 document of everything. */
export function openApiV2(source: DiscoverySource, title: { name: string; version: string }): OpenApiV2 {
  const groups = ['', ...groupNames(source)];
  const paths: Record<string, object> = {};
  for (const group of groups) {
    for (const version of groupVersions(source, group)) Object.assign(paths, pathsOf(source, group, version, dialect));
  }
  const definitions = definitionsOf(source, groups, refPrefix);
  return {
    swagger: '2.0',
    info: { title: title.name, version: title.version },
    paths,
    definitions: Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, downgrade(schema)])),
  };
}

/** OpenAPI 2 knows neither anyOf, oneOf, not nor nullable; the server still enforces them. */
function downgrade(schema: JsonSchema): JsonSchema {
  const { anyOf: _anyOf, oneOf: _oneOf, not: _not, nullable, allOf: _allOf, default: _default, ...rest } = schema;
  if (nullable === true || rest['x-kubernetes-preserve-unknown-fields'] === true) {
    for (const key of ['type', 'items', 'properties', 'additionalProperties'] as const) delete rest[key];
  }
  if (rest.properties !== undefined) {
    rest.properties = Object.fromEntries(Object.entries(rest.properties).map(([k, v]) => [k, downgrade(v)]));
  }
  if (rest.items !== undefined) rest.items = downgrade(rest.items);
  if (typeof rest.additionalProperties === 'object') rest.additionalProperties = downgrade(rest.additionalProperties);
  return rest;
}
