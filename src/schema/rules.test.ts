import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSchema, formatFieldError, type Json, type JsonObject, type JsonSchema } from './index.ts';
import { compileRules } from './rules.ts';

const listMap: JsonSchema = {
  type: 'array',
  maxItems: 5,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
  items: {
    type: 'object',
    required: ['k'],
    properties: { k: { type: 'string', maxLength: 5 }, v: { type: 'integer', maximum: 5 } },
    'x-kubernetes-validations': [{ rule: 'self.v >= oldSelf.v', message: 'v must not shrink' }],
  },
};

const schema: JsonSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        fixed: {
          type: 'string',
          maxLength: 10,
          'x-kubernetes-validations': [
            { rule: 'self == oldSelf', message: '  immutable  ', reason: 'FieldValueForbidden' },
          ],
        },
        n: {
          type: 'integer',
          'x-kubernetes-validations': [{ rule: 'self != 4', messageExpression: '"no " + string(self)' }],
        },
        grows: {
          type: 'integer',
          'x-kubernetes-validations': [
            { rule: 'oldSelf.hasValue() ? self >= oldSelf.value() : self == 1', optionalOldSelf: true },
          ],
        },
        listMap,
        atomic: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 3 } },
        map: {
          type: 'object',
          maxProperties: 3,
          additionalProperties: {
            type: 'integer',
            'x-kubernetes-validations': [{ rule: 'self != 2', reason: 'FieldValueDuplicate' }],
          },
        },
        pair: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' } },
          required: ['a', 'b'],
          'x-kubernetes-validations': [{ rule: 'self.a < self.b', fieldPath: '.b' }, { rule: 'self.b / self.a > 0' }],
        },
        size: {
          'x-kubernetes-int-or-string': true,
          'x-kubernetes-validations': [{ rule: 'self == 5 || self == "5"' }],
        },
      },
    },
  },
  'x-kubernetes-validations': [{ rule: "self.metadata.name != 'bad'", message: 'no bad' }],
};

const compiled = compileSchema(schema, { kind: 'custom', isRoot: true });

function objectOf(spec: Json, name = 'good'): JsonObject {
  return { apiVersion: 'x.example.com/v1', kind: 'Thing', metadata: { name }, spec };
}

// What kube-apiserver 1.34 says to each.
const creations: [string, JsonObject, string[]][] = [
  ['a valid object', objectOf({ n: 3, grows: 1, size: '5', fixed: 'x', pair: { a: 1, b: 2 } }), []],
  ['a rule at the root', objectOf({}, 'bad'), ['<nil>: Invalid value: "object": no bad']],
  ['a message expression', objectOf({ n: 4 }), ['spec.n: Invalid value: "integer": no 4']],
  [
    'an optional old value that is missing',
    objectOf({ grows: 2 }),
    ['spec.grows: Invalid value: "integer": failed rule: oldSelf.hasValue() ? self >= oldSelf.value() : self == 1'],
  ],
  ['a rule on map values', objectOf({ map: { x: 1, y: 2 } }), ['spec.map[y]: Duplicate value: "integer"']],
  [
    'a field path',
    objectOf({ pair: { a: 2, b: 2 } }),
    ['spec.pair.b: Invalid value: "object": failed rule: self.a < self.b'],
  ],
  [
    'an error while evaluating',
    objectOf({ pair: { a: 0, b: 2 } }),
    ['spec.pair: Invalid value: "object": division by zero evaluating rule: self.b / self.a > 0'],
  ],
  ['int-or-string', objectOf({ size: 7 }), ['spec.size: Invalid value: "": failed rule: self == 5 || self == "5"']],
  [
    'a mistake that rules may not be run on',
    objectOf({ pair: { a: 9 } }),
    [
      'spec.pair.b: Required value',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ],
  ],
];

for (const [name, object, expected] of creations) {
  test(`creating with ${name} reports ${expected.length === 0 ? 'nothing' : 'what the API server does'}`, () => {
    assert.deepEqual(compiled.validateCreate(object).map(formatFieldError), expected);
  });
}

const before = objectOf({ fixed: 'x', n: 4, grows: 3, listMap: [{ k: 'p', v: 3 }], map: { x: 2 } });
const updates: [string, Json, string[]][] = [
  ['leaves failing values unchanged', { fixed: 'x', n: 4, grows: 3, listMap: [{ k: 'p', v: 3 }], map: { x: 2 } }, []],
  ['changes what may not change', { fixed: 'y' }, ['spec.fixed: Forbidden: immutable']],
  [
    'shrinks what may only grow',
    { grows: 2 },
    ['spec.grows: Invalid value: "integer": failed rule: oldSelf.hasValue() ? self >= oldSelf.value() : self == 1'],
  ],
  [
    'moves and shrinks a list-map element',
    {
      listMap: [
        { k: 'q', v: 0 },
        { k: 'p', v: 2 },
      ],
    },
    ['spec.listMap[1]: Invalid value: "object": v must not shrink'],
  ],
  ['adds a failing map value beside an old one', { map: { x: 2, y: 2 } }, ['spec.map[y]: Duplicate value: "integer"']],
];

for (const [name, spec, expected] of updates) {
  test(`an update that ${name} reports ${expected.length === 0 ? 'nothing' : 'only that'}`, () => {
    assert.deepEqual(compiled.validateUpdate(objectOf(spec), before).map(formatFieldError), expected);
  });
}

test('rules stop when their cost budget is spent', () => {
  const costly: JsonSchema = {
    type: 'object',
    properties: {
      spec: {
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, self.all(c, a + b + c != "x")))' }],
      },
    },
  };
  const errors = compileSchema(costly, { kind: 'custom', isRoot: true }).validateCreate({
    spec: Array(200).fill('abc'),
  });
  assert.equal(errors.length, 1);
  assert.match(formatFieldError(errors[0] as never), /no further validation rules will be run/);
});

test('a rule that does not compile is reported on every object', () => {
  const broken = compileSchema(
    { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.missing' }] },
    { kind: 'custom', isRoot: true },
  );
  assert.match(broken.validateCreate({}).map(formatFieldError).join(), /rule compile error: compilation failed/);
});

test('the old elements of a list-map are found without looking through all of them for each', () => {
  const items: JsonSchema = {
    type: 'object',
    properties: { k: { type: 'string' }, v: { type: 'integer' } },
    'x-kubernetes-validations': [{ rule: 'self.v >= oldSelf.v' }],
  };
  const run = compileRules(
    { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    { isRoot: false },
  );
  let looks = 0;
  const old = Array.from({ length: 500 }, (_, i) => ({
    get k() {
      looks++;
      return `k${i}`;
    },
    v: 2,
  }));
  const next = old.map((_, i) => ({ k: `k${i}`, v: i === 7 ? 1 : 2 }));
  assert.deepEqual(
    run?.(next, old).map(({ field }) => field),
    ['[7]'],
  );
  assert.ok(looks <= 10 * old.length, `${looks} looks at ${old.length} keys`);
});
