import type { TSchema } from 'typebox';
import type { Json, JsonObject, JsonSchema } from '../schema/index.ts';
import type { KindDeclaration, KindVersion } from './declare.ts';

/** A CustomResourceDefinition as clean JSON, ready to be sent or printed. */
export interface CustomResourceDefinition extends JsonObject {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: JsonObject;
  spec: JsonObject;
}

const apiVersionText = 'Version of the API this object is written in.';
const kindText = 'What kind of object this is.';

/** A TypeBox schema as the plain JSON a CRD carries. */
export function plainSchema(schema: TSchema): JsonSchema {
  // TypeBox keeps its marks in properties that are not enumerable, so a trip through JSON drops them.
  return JSON.parse(JSON.stringify(schema)) as JsonSchema;
}

/** The schema of a whole object of this version: apiVersion, kind, metadata and what is declared. */
export function schemaOf(kind: KindDeclaration, version: KindVersion): JsonSchema {
  const declared = { ...(version.extra ?? {}), ...pick('spec', version.spec), ...pick('status', version.status) };
  const properties = Object.entries(declared).map(([name, schema]) => [name, plainSchema(schema)] as const);
  return {
    type: 'object',
    description: kind.description,
    properties: {
      apiVersion: { type: 'string', description: apiVersionText },
      kind: { type: 'string', description: kindText },
      metadata: { type: 'object' },
      ...Object.fromEntries(properties),
    },
    ...(version.required === undefined ? {} : { required: [...version.required] }),
    ...(version.rules === undefined ? {} : { 'x-kubernetes-validations': version.rules.map((rule) => ({ ...rule })) }),
  };
}

/** The CRD of a kind. The conversion of a kind with several versions is None until an installer fills in its webhook. */
export function crdOf(kind: KindDeclaration): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${kind.plural}.${kind.group}`,
      labels: { 'app.kubernetes.io/part-of': 'rackwright', ...kind.labels },
    },
    spec: {
      group: kind.group,
      names: namesOf(kind),
      scope: kind.scope,
      ...(kind.versions.length > 1 ? { conversion: { strategy: 'None' } } : {}),
      versions: kind.versions.map((version) => versionOf(kind, version)),
    },
  };
}

function namesOf(kind: KindDeclaration): JsonObject {
  return {
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural: kind.plural,
    singular: kind.singular,
    ...(kind.shortNames === undefined ? {} : { shortNames: [...kind.shortNames] }),
    ...(kind.categories === undefined ? {} : { categories: [...kind.categories] }),
  };
}

function versionOf(kind: KindDeclaration, version: KindVersion): JsonObject {
  return {
    name: version.version,
    served: version.served ?? true,
    storage: version.storage,
    ...(version.deprecated === undefined ? {} : { deprecated: version.deprecated }),
    ...(version.deprecationWarning === undefined ? {} : { deprecationWarning: version.deprecationWarning }),
    schema: { openAPIV3Schema: schemaOf(kind, version) as unknown as Json },
    ...subresourcesOf(version),
    ...(version.columns.length === 0 ? {} : { additionalPrinterColumns: version.columns.map((c) => ({ ...c })) }),
    ...(version.selectableFields === undefined
      ? {}
      : { selectableFields: version.selectableFields.map((jsonPath) => ({ jsonPath })) }),
  };
}

function subresourcesOf(version: KindVersion): JsonObject {
  if (!version.hasStatusSubresource && version.scale === undefined) return {};
  return {
    subresources: {
      ...(version.hasStatusSubresource ? { status: {} } : {}),
      ...(version.scale === undefined ? {} : { scale: { ...version.scale } }),
    },
  };
}

function pick(name: string, schema: TSchema | undefined): Record<string, TSchema> {
  return schema === undefined ? {} : { [name]: schema };
}
