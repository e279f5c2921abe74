import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFieldError, type Json, type JsonObject, type JsonSchema } from '../../schema/index.ts';
import { asKubeObject, type KubeObject } from '../object.ts';
import { defaultCrd, validateCrd, validateCrdUpdate } from './validate-crd.ts';
import { compileCrdShape } from './validate-shape.ts';

const plainSchema: JsonSchema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
};

function crdOf(parts: { spec?: JsonObject; version?: JsonObject; schema?: JsonSchema } = {}): KubeObject {
  const schema = { openAPIV3Schema: parts.schema ?? plainSchema } as unknown as JsonObject;
  const crd = asKubeObject({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.x.example.com' },
    spec: {
      group: 'x.example.com',
      names: { plural: 'things', kind: 'Thing' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema, ...parts.version }],
      ...parts.spec,
    },
  });
  defaultCrd(crd);
  return crd;
}

function textsOf(crd: KubeObject): string[] {
  return validateCrd(crd).map(formatFieldError);
}

function specSchema(spec: JsonSchema): JsonSchema {
  return { type: 'object', properties: { spec } };
}

test('defaults name the singular, the list kind, the conversion and the stored version', () => {
  const crd = crdOf();
  assert.deepEqual((crd.spec as JsonObject).names, {
    plural: 'things',
    kind: 'Thing',
    singular: 'thing',
    listKind: 'ThingList',
  });
  assert.deepEqual((crd.spec as JsonObject).conversion, { strategy: 'None' });
  assert.deepEqual(crd.status, { storedVersions: ['v1'] });
  assert.deepEqual(validateCrd(crd), []);
});

// What kube-apiserver 1.34 says to each.
const wrongSpecs: [string, JsonObject, string[]][] = [
  [
    'a name that is not plural and group',
    { group: 'y.example.com' },
    ['metadata.name: Invalid value: "things.x.example.com": must be spec.names.plural+"."+spec.group'],
  ],
  [
    'an unknown scope',
    { scope: 'Foo' },
    ['spec.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespaced"'],
  ],
  [
    'no versions',
    { versions: [] },
    [
      'spec.versions: Invalid value: []: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ],
  ],
  [
    'a kind equal to its list kind',
    { names: { plural: 'things', kind: 'Thing', listKind: 'Thing' } },
    ['spec.names.listKind: Invalid value: "Thing": kind and listKind may not be the same'],
  ],
  [
    'preserveUnknownFields',
    { preserveUnknownFields: true },
    [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
  [
    'a webhook conversion without a webhook',
    { conversion: { strategy: 'Webhook' } },
    [
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Required value',
    ],
  ],
  [
    'a webhook with a bad URL',
    {
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'http://x/?a#b' } },
      },
    },
    [
      'spec.conversion.webhookClientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
      'spec.conversion.webhookClientConfig.url: Invalid value: "b": fragments are not permitted in the URL',
      'spec.conversion.webhookClientConfig.url: Invalid value: "a": query parameters are not permitted in the URL',
    ],
  ],
];

for (const [name, spec, expected] of wrongSpecs) {
  test(`${name} is refused in the API server's words`, () => assert.deepEqual(textsOf(crdOf({ spec })), expected));
}

const wrongVersions: [string, JsonObject, string[]][] = [
  ['a version without a schema', { schema: {} }, ['spec.versions[0].schema.openAPIV3Schema: Required value']],
  [
    'a version that is not stored',
    { storage: false },
    [
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ],
  ],
  [
    'a column without anything',
    { additionalPrinterColumns: [{}] },
    [
      'spec.additionalPrinterColumns[0].name: Required value',
      'spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].JSONPath: Required value',
    ],
  ],
  [
    'replicas in the wrong place',
    {
      subresources: {
        scale: { specReplicasPath: '.status.x', statusReplicasPath: '.status.x', labelSelectorPath: 'foo' },
      },
    },
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.x": should be a json path under .spec',
      'spec.subresources.scale.labelSelectorPath: Invalid value: "foo": must be a simple json path starting with .',
    ],
  ],
  [
    'selectable fields that are none',
    {
      selectableFields: [
        { jsonPath: '.spec.a' },
        { jsonPath: '.spec.a' },
        { jsonPath: '.spec' },
        { jsonPath: '.spec.c' },
        { jsonPath: '.x[0]' },
      ],
    },
    [
      'spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a"',
      'spec.selectableFields[2].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[3].jsonPath: Invalid value: ".spec.c": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[4].jsonPath: Invalid value: ".x[0]": is an invalid path: does not refer to a valid field',
    ],
  ],
  [
    'a deprecation warning out of place',
    { deprecationWarning: 'x' },
    ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
  ],
];

for (const [name, version, expected] of wrongVersions) {
  test(`${name} is refused in the API server's words`, () => assert.deepEqual(textsOf(crdOf({ version })), expected));
}

const at = 'spec.validation.openAPIV3Schema.properties[spec]';
const wrongSchemas: [string, Json, string[]][] = [
  ['a field without a type', {}, [`${at}.type: Required value: must not be empty for specified object fields`]],
  [
    'an unknown type',
    { type: 'foo' },
    [
      `${at}.type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
  ],
  ['an array without items', { type: 'array' }, [`${at}.items: Required value: must be specified`]],
  [
    'a type inside a junctor',
    { type: 'string', anyOf: [{ type: 'string' }] },
    [`${at}.anyOf[0].type: Forbidden: must be empty to be structural`],
  ],
  [
    'a pattern that is none',
    { type: 'string', pattern: '(?=a)' },
    [
      `${at}.pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
    ],
  ],
  [
    'a default of the wrong type',
    { type: 'object', properties: { a: { type: 'integer', default: 'x' } } },
    [`${at}.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"`],
  ],
  [
    'a default with unknown fields',
    { type: 'object', default: { b: 1 }, properties: { a: { type: 'string' } } },
    [`${at}.default: Invalid value: {"b":1}: must not have unknown fields`],
  ],
  [
    'unique items',
    { type: 'array', uniqueItems: true, items: { type: 'string' } },
    [`${at}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`],
  ],
  ['a reference', { $ref: '#/x' }, [`${at}.$ref: Forbidden: $ref is not supported`]],
  [
    'a set of granular objects',
    { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } },
    [
      `${at}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
    ],
  ],
  [
    'list-map keys that may be missing',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'b'],
      items: { type: 'object', properties: { a: { type: 'string' } } },
    },
    [
      `${at}.x-kubernetes-list-map-keys: Invalid value: ["a","b"]: entries must all be names of item properties`,
      `${at}.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
  ],
  [
    'a blank rule',
    { type: 'object', 'x-kubernetes-validations': [{ rule: ' ', reason: 'Foo', fieldPath: '.z' }] },
    [
      `${at}.x-kubernetes-validations[0].rule: Required value: rule is not specified`,
      `${at}.x-kubernetes-validations[0].reason: Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      `${at}.x-kubernetes-validations[0].fieldPath: Invalid value: ".z": must be a valid path`,
    ],
  ],
];

for (const [name, schema, expected] of wrongSchemas) {
  test(`${name} in a schema is refused in the API server's words`, () => {
    assert.deepEqual(textsOf(crdOf({ schema: specSchema(schema as unknown as JsonSchema) })), expected);
  });
}

test('int-or-string may name its two types in anyOf', () => {
  const schema = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] };
  assert.deepEqual(textsOf(crdOf({ schema: specSchema(schema) })), []);
});

test('an update keeps group and plural, and once established scope and kind', () => {
  const old = crdOf();
  old.status = { ...(old.status as JsonObject), conditions: [{ type: 'Established', status: 'True' }] };
  const next = crdOf({ spec: { scope: 'Cluster', names: { plural: 'others', kind: 'Other' } } });
  assert.deepEqual(validateCrdUpdate(next, old).map(formatFieldError), [
    'spec.scope: Invalid value: "Cluster": field is immutable',
    'spec.names.kind: Invalid value: "Other": field is immutable',
    'spec.names.plural: Invalid value: "others": field is immutable',
  ]);
});

test('a stored version must stay among the versions', () => {
  const crd = crdOf();
  crd.status = { storedVersions: ['v0', 'v1'] };
  assert.deepEqual(validateCrdUpdate(crd, crdOf()).map(formatFieldError), [
    'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
  ]);
});

test('unknown fields are found in nested schemas too, in the order they stand', () => {
  const shape = compileCrdShape({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  const schema = specSchema({
    type: 'object',
    foo: 1,
    properties: { q: { type: 'string', bar: 1, default: { any: 1 } } },
  } as unknown as JsonSchema);
  const crd = crdOf({ schema, spec: { baz: 1 } }) as unknown as JsonObject;
  const expected = [
    'spec.versions[0].schema.openAPIV3Schema.properties.spec.foo',
    'spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.q.bar',
    'spec.baz',
  ];
  assert.deepEqual(shape.findUnknown(crd), expected);
  assert.deepEqual(shape.prune(crd), expected);
  assert.deepEqual(shape.prune(crd), []);
});

test('a field of the wrong type cannot be decoded, and says so as Go does', () => {
  const shape = compileCrdShape({ type: 'object' });
  const schema = specSchema({ type: 5 } as unknown as JsonSchema);
  assert.equal(
    shape.decodeFault(crdOf({ schema }) as unknown as JsonObject),
    'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.type of type string',
  );
});
