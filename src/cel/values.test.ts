import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '#fast-check';
import { compareStrings } from './equality.ts';
import { escapeFieldName, unescapeFieldName } from './field-names.ts';
import { celTypeOfSchema } from './schema-type.ts';
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from './time.ts';
import { formatType } from './types.ts';
import { CelDuration, CelTimestamp } from './values.ts';

describe('field names', () => {
  const table: readonly (readonly [string, string | undefined])[] = [
    ['plain', 'plain'],
    ['namespace', '__namespace__'],
    ['in', '__in__'],
    ['my-field', 'my__dash__field'],
    ['a.b/c', 'a__dot__b__slash__c'],
    ['a__b', 'a__underscores__b'],
    ['_a', '_a'],
    ['1a', undefined],
    ['', undefined],
    ['a b', undefined],
    ['é', undefined],
  ];

  for (const [name, escaped] of table) {
    test(`${JSON.stringify(name)} is written as ${escaped}`, () => assert.equal(escapeFieldName(name), escaped));
  }

  test('what was escaped comes back', () => {
    const name = fc.stringMatching(/^[a-zA-Z_./-][a-zA-Z0-9_./-]{0,12}$/);
    fc.assert(
      fc.property(name, (original) => {
        const escaped = escapeFieldName(original);
        assert.ok(escaped !== undefined);
        assert.equal(unescapeFieldName(escaped), original);
      }),
    );
  });
});

test('strings are ordered as their UTF-8 bytes are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      assert.equal(Math.sign(compareStrings(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('a duration is read as it was printed', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), (nanoseconds) => {
      assert.equal(parseDuration(formatDuration(new CelDuration(nanoseconds)))?.nanoseconds, nanoseconds);
    }),
  );
});

test('a timestamp is read as it was printed', () => {
  const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 });
  fc.assert(
    fc.property(seconds, fc.integer({ min: 0, max: 999_999_999 }), (whole, nanos) => {
      const read = parseTimestamp(formatTimestamp(new CelTimestamp(whole, nanos)));
      assert.deepEqual(read, new CelTimestamp(whole, nanos));
    }),
  );
});

describe('the type of a schema', () => {
  const print = (schema: Parameters<typeof celTypeOfSchema>[0], root = false): string | undefined => {
    const type = celTypeOfSchema(schema, { root });
    return type === undefined ? undefined : formatType(type);
  };

  const table: readonly (readonly [string, Parameters<typeof celTypeOfSchema>[0], string | undefined])[] = [
    ['a string', { type: 'string' }, 'string'],
    ['a date-time', { type: 'string', format: 'date-time' }, 'timestamp'],
    ['a date', { type: 'string', format: 'date' }, 'timestamp'],
    ['a duration', { type: 'string', format: 'duration' }, 'duration'],
    ['bytes', { type: 'string', format: 'byte' }, 'bytes'],
    ['an unknown format', { type: 'string', format: 'email' }, 'string'],
    ['a number', { type: 'number' }, 'double'],
    ['an integer', { type: 'integer' }, 'int'],
    ['int-or-string', { 'x-kubernetes-int-or-string': true }, 'dyn'],
    ['a list', { type: 'array', items: { type: 'boolean' } }, 'list(bool)'],
    ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, 'map(string, int)'],
    ['a list of what has no type', { type: 'array', items: {} }, undefined],
    ['anything', {}, undefined],
  ];

  for (const [what, schema, printed] of table)
    test(`of ${what} is ${printed}`, () => assert.equal(print(schema), printed));

  test('has no field for a property without a type, or with a name that cannot be written', () => {
    const type = celTypeOfSchema(
      { type: 'object', properties: { a: { type: 'string' }, b: {}, é: { type: 'string' } } },
      { root: false },
    );
    assert.ok(type?.kind === 'object');
    assert.deepEqual([...type.fields.keys()], ['a']);
  });

  test('at the root of a resource always has kind, apiVersion and the names in metadata', () => {
    const type = celTypeOfSchema({ type: 'object', properties: { metadata: { type: 'object' } } }, { root: true });
    assert.ok(type?.kind === 'object');
    const metadata = type.fields.get('metadata');
    assert.ok(metadata?.kind === 'object');
    assert.deepEqual([...type.fields.keys()].sort(), ['apiVersion', 'kind', 'metadata']);
    assert.deepEqual([...metadata.fields.keys()].sort(), ['generateName', 'name']);
  });
});
