import type { JsonSchema } from '../../schema/index.ts';
import { type DiscoverySource, groupVersions } from '../discovery/discovery.ts';
import { apiVersionOf, type ServedResource } from '../served-resource.ts';

/** A group, version and kind, as `x-kubernetes-group-version-kind` lists it. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The definition name of a kind: the group reversed, the version, the kind. */
export function definitionName({ group, version, kind }: GroupVersionKind): string {
  const base = group === '' ? 'io.k8s.api.core' : group.split('.').reverse().join('.');
  return `${base}.${version}.${kind}`;
}

/** The definition of one kind: its schema with the standard metadata and its names. */
export function definitionOf(served: ServedResource, refPrefix: string): JsonSchema {
  const schema = served.schema;
  const properties: Record<string, JsonSchema> = {
    ...schema.properties,
    apiVersion: { type: 'string', description: 'The version of the schema this object is written in.' },
    kind: { type: 'string', description: 'The kind of this object.' },
    metadata: metadataSchema(served, refPrefix),
  };
  return withNames({ type: 'object', ...schema, properties }, served);
}

function metadataSchema(served: ServedResource, refPrefix: string): JsonSchema {
  const own = served.schema.properties?.metadata?.description;
  const description = own ?? 'Standard object metadata: name, namespace, labels, annotations, owners, finalizers.';
  return refOf(metaName, description, refPrefix);
}

/** OpenAPI 3 allows nothing beside a `$ref`, so a described one is wrapped. */
function refOf(name: string, description: string, refPrefix: string): JsonSchema {
  const $ref = `${refPrefix}${name}`;
  return refPrefix.startsWith('#/components') ? { description, allOf: [{ $ref }] } : { description, $ref };
}

function withNames(schema: JsonSchema, names: GroupVersionKind): JsonSchema {
  const { group, version, kind } = names;
  return { ...schema, 'x-kubernetes-group-version-kind': [{ group, version, kind }] } as JsonSchema;
}

/** The list definition of a kind. */
export function listDefinitionOf(served: ServedResource, refPrefix: string): JsonSchema {
  const item = `${refPrefix}${definitionName(served)}`;
  return withNames(
    {
      type: 'object',
      description: `A list of ${served.kind}.`,
      required: ['items'],
      properties: {
        apiVersion: { type: 'string', description: 'The version of the schema this list is written in.' },
        kind: { type: 'string', description: 'The kind of this list.' },
        metadata: refOf(listMetaName, 'Metadata of the list: its version, and how to go on.', refPrefix),
        items: { type: 'array', description: 'The objects of this page.', items: { $ref: item } },
      },
    },
    { group: served.group, version: served.version, kind: served.listKind },
  );
}

/** Definition names every document shares. */
export const metaName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
export const listMetaName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';
export const deleteOptionsName = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
export const statusName = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';
export const patchName = 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch';

const ownerName = 'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference';
const managedName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry';
const fieldsName = 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1';

const text: JsonSchema = { type: 'string' };
const texts: JsonSchema = { type: 'array', items: { type: 'string' } };
const textMap: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };

/** The shared definitions: metadata, list metadata, DeleteOptions, Status, Patch. */
export function sharedDefinitions(refPrefix: string): Record<string, JsonSchema> {
  const item = (name: string): JsonSchema =>
    refPrefix.startsWith('#/components')
      ? { default: {}, allOf: [{ $ref: `${refPrefix}${name}` }] }
      : { $ref: `${refPrefix}${name}` };
  const owner: JsonSchema = {
    type: 'object',
    description: 'An object that owns this one: when the last owner is gone, this object is deleted.',
    required: ['apiVersion', 'kind', 'name', 'uid'],
    properties: {
      apiVersion: text,
      kind: text,
      name: text,
      uid: text,
      controller: { type: 'boolean' },
      blockOwnerDeletion: { type: 'boolean' },
    },
    'x-kubernetes-map-type': 'atomic',
  };
  const managed: JsonSchema = {
    type: 'object',
    description: 'The fields one manager owns.',
    properties: {
      manager: text,
      operation: text,
      apiVersion: text,
      time: { type: 'string', format: 'date-time' },
      fieldsType: text,
      fieldsV1: refOf(fieldsName, 'The fields, as a tree.', refPrefix),
      subresource: text,
    },
  };
  return {
    [metaName]: {
      type: 'object',
      description: 'Metadata that every stored object has.',
      properties: {
        name: text,
        generateName: text,
        namespace: text,
        uid: text,
        resourceVersion: text,
        selfLink: text,
        generation: { type: 'integer', format: 'int64' },
        creationTimestamp: { type: 'string', format: 'date-time' },
        deletionTimestamp: { type: 'string', format: 'date-time' },
        deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
        labels: textMap,
        annotations: textMap,
        finalizers: { ...texts, 'x-kubernetes-list-type': 'set', 'x-kubernetes-patch-strategy': 'merge' },
        ownerReferences: {
          type: 'array',
          items: item(ownerName),
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['uid'],
          'x-kubernetes-patch-merge-key': 'uid',
          'x-kubernetes-patch-strategy': 'merge',
        },
        managedFields: { type: 'array', items: item(managedName), 'x-kubernetes-list-type': 'atomic' },
      },
    },
    [ownerName]: owner,
    [managedName]: managed,
    [fieldsName]: { type: 'object', description: 'A set of fields, as a tree of their paths.' },
    [listMetaName]: {
      type: 'object',
      description: 'Metadata of a list.',
      properties: {
        resourceVersion: text,
        continue: text,
        remainingItemCount: { type: 'integer', format: 'int64' },
        selfLink: text,
      },
    },
    [deleteOptionsName]: {
      type: 'object',
      description: 'How to delete.',
      properties: {
        apiVersion: text,
        kind: text,
        dryRun: texts,
        gracePeriodSeconds: { type: 'integer', format: 'int64' },
        orphanDependents: { type: 'boolean' },
        propagationPolicy: text,
        preconditions: { type: 'object', properties: { uid: text, resourceVersion: text } },
      },
    },
    [statusName]: {
      type: 'object',
      description: 'The outcome of a request that returns no object.',
      properties: {
        apiVersion: text,
        kind: text,
        metadata: { type: 'object' },
        status: text,
        message: text,
        reason: text,
        details: { type: 'object' },
        code: { type: 'integer', format: 'int32' },
      },
    },
    [patchName]: { type: 'object', description: 'A patch in the format its media type names.' },
  };
}

/** Every definition of the given group versions. */
export function definitionsOf(
  source: DiscoverySource,
  groups: readonly string[],
  refPrefix: string,
): Record<string, JsonSchema> {
  const definitions: Record<string, JsonSchema> = {};
  for (const group of groups) {
    for (const version of groupVersions(source, group))
      Object.assign(definitions, versionDefinitions(source, group, version, refPrefix));
  }
  return { ...definitions, ...sharedDefinitions(refPrefix) };
}

/** The definitions of one group version. */
export function versionDefinitions(
  source: DiscoverySource,
  group: string,
  version: string,
  refPrefix: string,
): Record<string, JsonSchema> {
  const definitions: Record<string, JsonSchema> = {};
  for (const served of source.registry.resources(group, version)) {
    definitions[definitionName(served)] = definitionOf(served, refPrefix);
    definitions[definitionName({ ...served, kind: served.listKind })] = listDefinitionOf(served, refPrefix);
  }
  for (const v of source.virtual) {
    if (v.group !== group || v.version !== version) continue;
    const schema: JsonSchema = {
      type: 'object',
      description: `${v.kind} asks ${apiVersionOf(group, version)} a question; it is not stored.`,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    definitions[definitionName(v)] = withNames(schema, v);
  }
  return definitions;
}
