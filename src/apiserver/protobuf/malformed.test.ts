import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { decodeProtobuf } from './decode.ts';
import { goldenMessages } from './golden-messages.ts';
import { envelope, field, named, numberField, varint } from './wire-writer.ts';

const expected = { apiVersion: 'v1', kind: 'ConfigMap' };

function decode(body: Buffer) {
  return decodeProtobuf(body, expected);
}

function configMap(...parts: readonly Buffer[]): Buffer {
  return envelope('v1', 'ConfigMap', ...parts);
}

function lease(...spec: readonly Buffer[]): Buffer {
  return envelope('coordination.k8s.io/v1', 'Lease', field(2, ...spec));
}

/** A pod with one container made of the given fields. */
function pod(...container: readonly Buffer[]): Buffer {
  return envelope('v1', 'Pod', field(2, field(2, ...container)));
}

/** A definition whose schema is `{not: {not: ...}}`. */
function nestedSchema(levels: number): Buffer {
  let schema: Buffer = Buffer.alloc(0);
  for (let level = 0; level < levels; level++) schema = field(28, schema);
  const version = field(7, field(4, field(1, schema)));
  return envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', field(2, version));
}

// The words are what kube-apiserver 1.34 says of the same bytes, as far as it says anything.
const outer: [string, Buffer, string][] = [
  ['nothing at all', Buffer.alloc(0), 'empty data'],
  [
    'JSON',
    Buffer.from('{"kind":"ConfigMap"}'),
    'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
  ],
  ['the prefix alone', Buffer.from('k8s\0'), 'empty body'],
  ['an envelope that is cut off', configMap(named('x')).subarray(0, 12), 'unexpected EOF'],
  ['a raw object that is a number', Buffer.from('k8s\0\x10\x05'), 'proto: wrong wireType = 0 for field Raw'],
];
for (const [what, body, error] of outer) {
  test(`a body that is ${what} is refused without a type`, () => {
    assert.deepEqual(decode(body), { error, type: undefined });
  });
}

const notANumber = Buffer.concat([varint(9 * 8 + 1), Buffer.from([0, 0, 0, 0, 0, 0, 0xf8, 0x7f])]);
const inner: [string, Buffer, string][] = [
  ['that is cut off', configMap(named('x').subarray(0, 3)), 'unexpected EOF'],
  ['with a number for metadata', configMap(numberField(1, 5)), 'proto: wrong wireType = 0 for field ObjectMeta'],
  ['with a number for a map', configMap(numberField(2, 5)), 'proto: wrong wireType = 0 for field Data'],
  ['with a number for a text', configMap(field(1, numberField(5, 3))), 'proto: wrong wireType = 0 for field UID'],
  ['with the end of no group', configMap(Buffer.from([12])), 'proto: ConfigMap: wiretype end group for non-group'],
  ['with field 0', configMap(Buffer.from([2, 0])), 'proto: ConfigMap: illegal tag 0 (wire type 2)'],
  ['with an unknown way to write', configMap(Buffer.from([0x7f, 1])), 'proto: illegal wireType 7'],
  ['with an endless number', configMap(Buffer.from([0x78, ...Array(10).fill(255), 1])), 'proto: integer overflow'],
  ['with an endless group', configMap(Buffer.from([0x7b, 0x08, 0x01])), 'unexpected EOF'],
  [
    'with a negative length',
    configMap(Buffer.from([10, ...Array(9).fill(255), 1])),
    'proto: negative length found during unmarshaling',
  ],
  ['with a length beyond its end', configMap(Buffer.from([10, ...varint(2 ** 40)])), 'unexpected EOF'],
  [
    'with a quantity that is none',
    pod(field(8, field(1, field(1, 'cpu'), field(2, field(1, 'abc'))))),
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    'with neither number nor text',
    pod(field(10, field(1, field(2, field(2, numberField(1, 7)))))),
    'impossible IntOrString.Type',
  ],
  [
    'with a time after 9999',
    lease(field(4, numberField(1, 1e12))),
    'time 1000000000000 is outside of the years 0 to 9999',
  ],
  [
    'with an integer beyond 2^53',
    configMap(field(1, numberField(7, 2n ** 60n))),
    'integer in field Generation is not kept exactly beyond 2^53',
  ],
  [
    'with managed fields that are not JSON',
    configMap(field(1, field(17, field(7, field(1, '{bad'))))),
    "invalid character 'b' looking for beginning of object key string",
  ],
  [
    'with a number that is none',
    envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', field(2, field(7, field(4, field(1, notANumber))))),
    'json: unsupported value: NaN in field Maximum',
  ],
  ['nested too deep', nestedSchema(501), 'exceeded max depth'],
];
for (const [what, body, error] of inner) {
  test(`an object ${what} is refused with its type`, () => {
    const result = decode(body);
    assert.ok('error' in result);
    assert.equal(result.error, error);
    assert.notEqual(result.type, undefined);
  });
}

test('schemas may nest deep, and 3 MiB of nesting does not end the process', () => {
  assert.ok('value' in decode(nestedSchema(400)));
  let bottomless: Buffer = Buffer.alloc(0);
  while (bottomless.length < 20_000) bottomless = field(28, bottomless);
  const version = field(7, field(4, field(1, bottomless)));
  const result = decode(envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', field(2, version)));
  assert.ok('error' in result && result.error === 'exceeded max depth');
});

const randomBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const golden = goldenMessages();
const small = golden.filter(({ body }) => body.length < 20_000);

test('random bytes in any place of a body give an object or a reason, never an exception', () => {
  const kinds = fc.constantFrom(...golden.map(({ json }) => json));
  fc.assert(fc.property(randomBytes, isOutcome));
  fc.assert(
    fc.property(kinds, randomBytes, (type, bytes) => isOutcome(envelope(type.apiVersion, type.kind, bytes))),
    {
      numRuns: 1000,
    },
  );
});

test('golden messages with bytes changed, cut out and put in give an object or a reason, never an exception', () => {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat(4),
    inserted: fc.uint8Array({ maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.constantFrom(...small), fc.array(change, { minLength: 1, maxLength: 5 }), ({ body }, changes) => {
      let mutated = body;
      for (const { at, removed, inserted } of changes) {
        const position = 4 + Math.floor(at * (mutated.length - 4));
        mutated = Buffer.concat([mutated.subarray(0, position), inserted, mutated.subarray(position + removed)]);
      }
      return isOutcome(mutated);
    }),
    { numRuns: 500 },
  );
});

/** Whatever is decoded must be JSON: it comes back the same from its text, and is not many times larger than the body. */
function isOutcome(body: Buffer): boolean {
  const result = decode(body);
  if ('error' in result) return result.error !== '';
  const text = JSON.stringify(result.value);
  assert.deepEqual(JSON.parse(text), result.value);
  return text.length < 40 * body.length + 200;
}
