import { readFileSync } from 'node:fs';
import type { JsonSchema } from '../../schema/index.ts';

/** The generated file: kind paths to definition names, and definitions that refer to each other by name. */
interface SchemaFile {
  readonly kubernetes: string;
  readonly kinds: Readonly<Record<string, string>>;
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };
const anyObject: JsonSchema = { type: 'object', ...anything };

/** Shapes that the OpenAPI documents describe only loosely. */
const special: Readonly<Record<string, JsonSchema>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { 'x-kubernetes-int-or-string': true },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': {
    'x-kubernetes-int-or-string': true,
    'x-go-type': 'resource.Quantity',
  },
  // Taken as it is: what is no field set is found out when owners are looked at.
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': anything,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': anyObject,
  // Refers to itself without end; CustomResourceDefinitions are checked by code of their own.
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps': anyObject,
};

/** Resolves the schemas of built-in kinds; equal parts are shared objects. */
export interface BuiltinSchemas {
  readonly kubernetesVersion: string;
  /** `path` is `api/v1` or `apis/GROUP/VERSION`. */
  of(path: string, kind: string): JsonSchema;
}

/** Loads the generated schemas. */
export function loadBuiltinSchemas(): BuiltinSchemas {
  const url = new URL('./schemas.gen.json', import.meta.url);
  const file = JSON.parse(readFileSync(url, 'utf8')) as SchemaFile;
  const resolved = new Map<string, JsonSchema>();
  const resolveName = (name: string): JsonSchema => {
    const known = special[name] ?? resolved.get(name);
    if (known !== undefined) return known;
    const schema = { ...resolve(file.definitions[name] ?? anyObject, resolveName), 'x-go-type': goTypeOf(name) };
    resolved.set(name, schema);
    return schema;
  };
  return {
    kubernetesVersion: file.kubernetes,
    of(path, kind) {
      const name = file.kinds[`${path} ${kind}`];
      if (name === undefined) throw new Error(`schemas.gen.json has no ${path} ${kind}`);
      return resolveName(name);
    },
  };
}

/** `io.k8s.api.core.v1.ConfigMap` is `v1.ConfigMap` in the words of decoding errors. */
function goTypeOf(name: string): string {
  return name.split('.').slice(-2).join('.');
}

/** Replaces references. Defaults are what Go writes of an empty field; enums are for readers, code checks them. */
function resolve(schema: JsonSchema, resolveName: (name: string) => JsonSchema): JsonSchema {
  const { $ref, allOf, ...rest } = schema;
  if ($ref !== undefined) return resolveName($ref);
  const base = allOf?.[0]?.$ref;
  const result: JsonSchema = base === undefined ? { ...rest } : { ...resolveName(base), ...rest };
  if (rest.properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries(rest.properties).map(([k, v]) => [k, resolve(v, resolveName)]),
    );
    // An optional name has a default, but is left out when it is empty all the same.
    const { name } = result.properties;
    if (name?.default === '' && !(rest.required ?? []).includes('name')) delete name.default;
  }
  if (rest.items !== undefined) result.items = resolve(rest.items, resolveName);
  if (typeof rest.additionalProperties === 'object') {
    result.additionalProperties = resolve(rest.additionalProperties, resolveName);
  }
  return result;
}
