import { fc } from '#fast-check';
import type { Json, JsonObject, JsonSchema } from '../../schema/index.ts';
import { apiVersionOf, type KindDeclaration, type KindVersion } from '../declare.ts';
import { schemaOf } from '../to-crd.ts';

const samples: Readonly<Record<string, readonly string[]>> = {
  apiVersion: ['infrastructure.cluster.x-k8s.io/v1beta1', 'infrastructure.cluster.x-k8s.io/v1alpha5', 'example.com/v1'],
  apiGroup: ['infrastructure.cluster.x-k8s.io', 'bootstrap.cluster.x-k8s.io', 'example.com'],
  name: ['a', 'b', 'c', 'd.e'],
  namespace: ['fleet', 'other'],
};

const durations = ['0s', '10m', '10m0s', '1h30m', '500ms', '90s', '100000h'];

/** Random objects of one version of a kind: every field of its schema may be there, and no other. */
export function arbitraryObject(kind: KindDeclaration, version: KindVersion): fc.Arbitrary<JsonObject> {
  const { spec, status } = schemaOf(kind, version).properties ?? {};
  const parts = {
    ...(spec === undefined ? {} : { spec: ofSchema('spec', spec) }),
    ...(status === undefined ? {} : { status: ofSchema('status', status) }),
  };
  const metadata = { name: 'it', namespace: 'fleet', uid: '1', labels: { a: 'b' } };
  return fc
    .record(parts, { requiredKeys: [] })
    .map((body) => ({ apiVersion: apiVersionOf(kind, version), kind: kind.kind, metadata, ...body }) as JsonObject)
    .map((object) => structuredClone(object)); // fast-check makes objects without a prototype, JSON does not
}

function ofSchema(name: string, schema: JsonSchema): fc.Arbitrary<Json> {
  if (schema['x-kubernetes-int-or-string']) return fc.oneof(fc.nat(10), fc.constantFrom('25%', '0%'));
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 100_000 });
    case 'array':
      return ofList(schema);
    case 'object':
      return ofObject(schema);
    default:
      return ofText(name, schema);
  }
}

function ofText(name: string, schema: JsonSchema): fc.Arbitrary<Json> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (name.endsWith('Timeout')) return fc.constantFrom(...durations);
  if (schema.format === 'date-time') return fc.constant('2026-01-02T03:04:05Z');
  const known = samples[name];
  return known === undefined ? fc.constantFrom('x', 'y', 'z') : fc.constantFrom(...known);
}

function ofList(schema: JsonSchema): fc.Arbitrary<Json> {
  const item = ofSchema('item', schema.items ?? {});
  const keys = schema['x-kubernetes-list-map-keys'];
  const size = { minLength: schema.minItems ?? 0, maxLength: 3 };
  if (keys === undefined) return fc.array(item, size);
  const keyOf = (value: Json) => keys.map((key) => String((value as JsonObject)[key])).join('/');
  return fc.uniqueArray(item, { ...size, selector: keyOf });
}

function ofObject(schema: JsonSchema): fc.Arbitrary<Json> {
  if (typeof schema.additionalProperties === 'object') {
    return fc.dictionary(fc.constantFrom('a', 'b', 'c'), ofSchema('value', schema.additionalProperties));
  }
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, ofSchema(name, field)] as const);
  const required = schema.required ?? [];
  const some = fc.record(Object.fromEntries(fields), { requiredKeys: required }) as fc.Arbitrary<JsonObject>;
  return schema.minProperties === undefined ? some : some.filter((value) => Object.keys(value).length > 0);
}

/** Fields of a value that its schema does not know, as paths. */
export function unknownFields(value: Json | undefined, schema: JsonSchema, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => unknownFields(item, schema.items ?? {}, `${path}[${i}]`));
  if (typeof value !== 'object' || value === null || schema['x-kubernetes-preserve-unknown-fields']) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const known = schema.properties?.[name] ?? schema.additionalProperties;
    return typeof known === 'object' ? unknownFields(field, known, `${path}.${name}`) : [`${path}.${name}`];
  });
}
