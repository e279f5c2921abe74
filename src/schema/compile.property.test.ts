import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { compileCheck } from './check.ts';
import { explain } from './explain.ts';
import { compileSchema, type Json, type JsonObject, type JsonSchema } from './index.ts';

function compileSpec(spec: JsonSchema) {
  return compileSchema({ type: 'object', properties: { spec } }, { kind: 'custom', isRoot: true });
}

// Random schemas and random values: what they find is not known, but some things must always hold.
const anySchema: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ type: fc.constant('string'), maxLength: fc.nat(3), format: fc.constantFrom('date', 'ipv4', '') }),
    fc.record(
      { type: fc.constantFrom('integer', 'number'), minimum: fc.integer({ min: -2, max: 2 }), default: fc.constant(1) },
      { requiredKeys: ['type'] },
    ),
    fc.record({ type: fc.constant('boolean'), nullable: fc.boolean() }),
    fc.record({ 'x-kubernetes-int-or-string': fc.constant(true) }),
    fc.record({ type: fc.constant('string'), enum: fc.constant<Json[]>(['a', 'b']) }),
    fc.record({
      type: fc.constant('array'),
      items: tie('schema'),
      maxItems: fc.nat(3),
      'x-kubernetes-list-type': fc.constantFrom('set', 'atomic'),
    }),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('schema')),
        required: fc.subarray(['a', 'b']),
        'x-kubernetes-preserve-unknown-fields': fc.boolean(),
        default: fc.constantFrom<JsonObject>({}, { a: 1 }),
        not: fc.constant<JsonSchema>({ required: ['c'] }),
        anyOf: fc.constant<JsonSchema[]>([{ required: ['a'] }, { maxProperties: 1 }]),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
  ),
})).schema as fc.Arbitrary<JsonSchema>;

const anyJson = fc
  .letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Json>(null, true, 'a', 'abcd', '1.2.3.4', 0, 1, -7, 1.5, 2 ** 60),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor'), tie('value')),
    ),
  }))
  .value.map((value) => JSON.parse(JSON.stringify(value)) as Json);

test('the compiled check and the explanation always agree, and neither throws', () => {
  fc.assert(
    fc.property(anySchema, anyJson, (spec, value) => {
      const isValid = compileCheck(spec)?.(value) ?? true;
      assert.equal(explain(value, spec).length === 0, isValid);
    }),
  );
});

test('filling defaults twice is filling them once', () => {
  fc.assert(
    fc.property(anySchema, anyJson, (spec, value) => {
      const compiled = compileSpec(spec);
      const once: JsonObject = { spec: structuredClone(value) };
      compiled.applyDefaults(once);
      const twice = structuredClone(once);
      compiled.applyDefaults(twice);
      assert.deepEqual(twice, once);
    }),
  );
});

test('pruning twice is pruning once, and findUnknown foretells it without touching the object', () => {
  fc.assert(
    fc.property(anySchema, anyJson, (spec, value) => {
      const compiled = compileSpec(spec);
      const object: JsonObject = { spec: structuredClone(value) };
      const foretold = compiled.findUnknown(object);
      assert.deepEqual(object, { spec: value });
      const pruned = compiled.prune(object);
      assert.deepEqual(pruned, foretold);
      assert.deepEqual(compiled.prune(object), []);
    }),
  );
});

test('an update that changes nothing is always valid', () => {
  fc.assert(
    fc.property(anySchema, anyJson, (spec, value) => {
      const compiled = compileSpec(spec);
      const object: JsonObject = { spec: value };
      compiled.prune(object);
      const errors = compiled.validateUpdate(structuredClone(object), object);
      const isOpen = JSON.stringify(spec).includes('preserve-unknown-fields":true');
      if (!isOpen) assert.deepEqual(errors, []);
    }),
  );
});
