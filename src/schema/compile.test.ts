import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSchema, formatFieldError, type Json, type JsonObject, type JsonSchema } from './index.ts';

function compileSpec(spec: JsonSchema) {
  return compileSchema({ type: 'object', properties: { spec } }, { kind: 'custom', isRoot: true });
}

function errorsOf(spec: JsonSchema, value: Json): string[] {
  return compileSpec(spec).validate({ spec: value }).map(formatFieldError);
}

const texts: [string, JsonSchema, Json, string[]][] = [
  [
    'a string for an integer',
    { type: 'integer' },
    'x',
    ['spec: Invalid value: "string": spec in body must be of type integer: "string"'],
  ],
  [
    'null where it is not allowed',
    { type: 'string' },
    null,
    ['spec: Invalid value: "null": spec in body must be of type string: "null"'],
  ],
  [
    'a number for an int-or-string',
    { 'x-kubernetes-int-or-string': true },
    1.5,
    ['spec: Invalid value: "number": spec in body must be of type integer,string: "number"'],
  ],
  [
    'a value outside an enum',
    { type: 'string', enum: ['a', 'b'] },
    'c',
    ['spec: Unsupported value: "c": supported values: "a", "b"'],
  ],
  [
    'a number outside an enum',
    { type: 'integer', enum: [1, 2] },
    3,
    ['spec: Unsupported value: 3: supported values: "1", "2"'],
  ],
  ['a long string', { type: 'string', maxLength: 2 }, 'abc', ['spec: Too long: may not be more than 2 bytes']],
  [
    'a short string',
    { type: 'string', minLength: 2 },
    'a',
    ['spec: Invalid value: "a": spec in body should be at least 2 chars long'],
  ],
  [
    'a string against its pattern',
    { type: 'string', pattern: '^a+$' },
    'b',
    ['spec: Invalid value: "b": spec in body should match \'^a+$\''],
  ],
  [
    'a number above',
    { type: 'integer', maximum: 3 },
    4,
    ['spec: Invalid value: 4: spec in body should be less than or equal to 3'],
  ],
  [
    'a number below',
    { type: 'integer', minimum: 3, exclusiveMinimum: true },
    3,
    ['spec: Invalid value: 3: spec in body should be greater than 3'],
  ],
  [
    'a number off its step',
    { type: 'integer', multipleOf: 3 },
    4,
    ['spec: Invalid value: 4: spec in body should be a multiple of 3'],
  ],
  [
    'too many items',
    { type: 'array', items: { type: 'string' }, maxItems: 1 },
    ['a', 'b'],
    ['spec: Too many: 2: must have at most 1 item'],
  ],
  [
    'too few items',
    { type: 'array', items: { type: 'string' }, minItems: 1 },
    [],
    ['spec: Invalid value: 0: spec in body should have at least 1 items'],
  ],
  [
    'too few fields',
    { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 },
    {},
    ['spec: Invalid value: 0: spec in body should have at least 1 properties'],
  ],
  [
    'a missing field',
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    {},
    ['spec.a: Required value'],
  ],
  [
    'a field in a list',
    { type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } } } },
    [{ a: true }],
    ['spec[0].a: Invalid value: "boolean": spec[0].a in body must be of type integer: "boolean"'],
  ],
  [
    'a format',
    { type: 'string', format: 'date-time' },
    'x',
    ['spec: Invalid value: "x": spec in body must be of type date-time: "x"'],
  ],
  [
    'none of anyOf',
    { type: 'string', anyOf: [{ minLength: 3 }, { pattern: 'z' }] },
    'a',
    [
      '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
      'spec: Invalid value: "a": spec in body should be at least 3 chars long',
    ],
  ],
  [
    'two of oneOf',
    { type: 'string', oneOf: [{ minLength: 1 }, { maxLength: 3 }] },
    'a',
    ['<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  ],
  [
    'one of allOf',
    { type: 'string', allOf: [{ minLength: 1 }, { maxLength: 3 }] },
    'abcd',
    [
      'spec: Too long: may not be more than 3 bytes',
      '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)',
    ],
  ],
  [
    'what not forbids',
    { type: 'string', not: { enum: ['a'] } },
    'a',
    ['<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
  ],
  [
    'a repeated set element',
    { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    ['a', 'a', 'a'],
    ['spec[1]: Duplicate value: "a"'],
  ],
  [
    'a repeated list-map key',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['n', 'm'],
      items: { type: 'object', properties: { n: { type: 'string' }, m: { type: 'integer' } } },
    },
    [
      { n: 'a', m: 1 },
      { n: 'a', m: 1 },
    ],
    ['spec[1]: Duplicate value: {"m":1,"n":"a"}'],
  ],
];

for (const [name, schema, value, expected] of texts) {
  test(`validate reports ${name} in the API server's words`, () => {
    assert.deepEqual(errorsOf(schema, value), expected);
  });
}

test('of the branches of a failed anyOf the one with the most checks is reported', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    anyOf: [
      { properties: { a: { minLength: 2 } }, oneOf: [{ maxProperties: 0, oneOf: [{ minProperties: 2 }] }] },
      { properties: { a: { format: 'duration' } }, anyOf: [{ required: ['a'] }] },
    ],
  };
  assert.deepEqual(errorsOf(schema, { a: 'x' }), [
    '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
    '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
    'spec: Invalid value: 1: spec in body should have at least 2 properties',
    'spec: Too many: 1: must have at most 0 items',
    'spec.a: Invalid value: "x": spec.a in body should be at least 2 chars long',
  ]);
});

test('values that satisfy every bound have no errors', () => {
  assert.deepEqual(errorsOf({ type: 'integer', minimum: 1, maximum: 3, multipleOf: 2 }, 2), []);
  assert.deepEqual(errorsOf({ type: 'string', maxLength: 1 }, '\u{1f600}'), []);
  assert.deepEqual(errorsOf({ type: 'number' }, 3), []);
  assert.deepEqual(errorsOf({ type: 'integer', format: 'int32' }, 2 ** 40), []);
  assert.deepEqual(errorsOf({ type: 'string', nullable: true }, null), []);
});

test('defaults are filled below objects that exist, in lists and maps, and instead of refused nulls', () => {
  const item: JsonSchema = { type: 'object', properties: { a: { type: 'integer', default: 1 } } };
  const compiled = compileSpec({
    type: 'object',
    properties: {
      missing: item,
      made: { ...item, default: {} },
      list: { type: 'array', items: item },
      map: { type: 'object', additionalProperties: item },
      none: { type: 'string' },
      null: { type: 'string', default: 'x' },
      kept: { type: 'string', nullable: true, default: 'x' },
    },
  });
  const object: JsonObject = { spec: { list: [{}, { a: 2 }], map: { k: {} }, none: null, null: null, kept: null } };
  compiled.applyDefaults(object);
  assert.deepEqual(object, {
    spec: { made: { a: 1 }, list: [{ a: 1 }, { a: 2 }], map: { k: { a: 1 } }, null: 'x', kept: null },
  });
});

test('a default is a copy, never shared between objects', () => {
  const compiled = compileSpec({ type: 'object', properties: { a: { type: 'object', default: { b: 1 } } } });
  const first = { spec: {} } as { spec: { a?: { b: number } } };
  const second = { spec: {} } as { spec: { a?: { b: number } } };
  compiled.applyDefaults(first as JsonObject);
  compiled.applyDefaults(second as JsonObject);
  assert.notEqual(first.spec.a, second.spec.a);
});

test('prune removes unknown fields and names them, metadata first', () => {
  const compiled = compileSpec({
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { shut: { type: 'object' } } },
    },
  });
  const object: JsonObject = {
    apiVersion: 'v1',
    kind: 'K',
    metadata: { name: 'n', foo: 1, labels: {}, ownerReferences: [{ bar: 1 }] },
    extra: 1,
    spec: { z: 1, list: [{ a: 'x', b: 1 }], open: { any: { thing: 1 }, shut: { c: 1 } } },
  };
  const expected = [
    'metadata.foo',
    'metadata.ownerReferences[0].bar',
    'extra',
    'spec.list[0].b',
    'spec.open.shut.c',
    'spec.z',
  ];
  assert.deepEqual(compiled.findUnknown(object), expected);
  assert.deepEqual(compiled.prune(object), expected);
  assert.deepEqual(object, {
    apiVersion: 'v1',
    kind: 'K',
    metadata: { name: 'n', ownerReferences: [{}] },
    spec: { list: [{ a: 'x' }], open: { any: { thing: 1 }, shut: {} } },
  });
  assert.deepEqual(compiled.prune(object), []);
});

test('an embedded resource keeps its own apiVersion, kind and metadata', () => {
  const compiled = compileSpec({ type: 'object', 'x-kubernetes-embedded-resource': true, properties: {} });
  const object: JsonObject = { spec: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', foo: 1 }, bar: 1 } };
  assert.deepEqual(compiled.prune(object), ['spec.bar', 'spec.metadata.foo']);
  assert.deepEqual(object, { spec: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } } });
  assert.deepEqual(compiled.validate({ spec: { kind: '' } }).map(formatFieldError), [
    'spec.apiVersion: Required value',
    'spec.kind: Invalid value: "": must not be empty',
  ]);
});

test('an update forgives mistakes in fields that it leaves unchanged', () => {
  const compiled = compileSpec({
    type: 'object',
    properties: {
      a: { type: 'string', maxLength: 1 },
      b: { type: 'string' },
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer', maximum: 1 } } },
      },
    },
  });
  const old: JsonObject = {
    spec: {
      a: 'long',
      b: 'x',
      list: [
        { k: 'p', v: 9 },
        { k: 'q', v: 1 },
      ],
    },
  };
  const kept: JsonObject = {
    spec: {
      a: 'long',
      b: 'y',
      list: [
        { k: 'q', v: 1 },
        { k: 'p', v: 9 },
      ],
    },
  };
  assert.deepEqual(compiled.validateUpdate(kept, old), []);
  const changed: JsonObject = { spec: { a: 'lone', b: 'x', list: [{ k: 'p', v: 8 }] } };
  assert.deepEqual(compiled.validateUpdate(changed, old).map(formatFieldError), [
    'spec.a: Too long: may not be more than 1 byte',
    'spec.list[0].v: Invalid value: 8: spec.list[0].v in body should be less than or equal to 1',
  ]);
});

test('a write to status is checked below status only, with paths from there', () => {
  const compiled = compileSchema(
    {
      type: 'object',
      properties: {
        spec: { type: 'string' },
        status: { type: 'object', properties: { n: { type: 'integer', minimum: 0 } } },
      },
    },
    { kind: 'custom', isRoot: true },
  );
  const errors = compiled.validateStatusUpdate({ spec: 1, status: { n: -1 } }, { spec: 1 });
  assert.deepEqual(errors.map(formatFieldError), [
    'status.n: Invalid value: -1: n in body should be greater than or equal to 0',
  ]);
});

test('decodeFault says what Go says about malformed metadata', () => {
  const compiled = compileSpec({ type: 'object' });
  const table: [JsonObject, string | undefined][] = [
    [
      { metadata: { labels: { x: 5 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
    [
      { metadata: { labels: 5 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string',
    ],
    [{ metadata: 'x' }, 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
    [
      { metadata: { ownerReferences: [{ name: 3 }] } },
      'json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.name of type string',
    ],
    [
      { metadata: { creationTimestamp: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [{ metadata: { name: 'a', creationTimestamp: null } }, undefined],
    [{ metadata: { managedFields: [{ fieldsV1: 'no tree' }] } }, undefined],
  ];
  for (const [object, expected] of table) assert.equal(compiled.decodeFault(object), expected);
});
