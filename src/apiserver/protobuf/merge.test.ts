import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtobuf } from './decode.ts';
import { envelope, field, named, numberField, varint } from './wire-writer.ts';

const expected = { apiVersion: 'v1', kind: 'ConfigMap' };

function decoded(body: Buffer) {
  const result = decodeProtobuf(body, expected);
  if ('error' in result) assert.fail(result.error);
  return result.value;
}

function data(key: string, value: string): Buffer {
  return field(2, field(1, key), field(2, value));
}

test('of a field that stands twice the last value holds, and messages merge', () => {
  const again = field(1, field(1, 'second'), field(3, 'there'));
  const body = envelope(
    'v1',
    'ConfigMap',
    field(1, field(1, 'first'), field(2, 'g')),
    again,
    data('k', '1'),
    data('k', '2'),
  );
  const metadata = { name: 'second', generateName: 'g', namespace: 'there' };
  assert.deepEqual(decoded(body), { ...expected, metadata, data: { k: '2' } });
});

test('a zero value takes back what an earlier one said', () => {
  const body = envelope('v1', 'ConfigMap', field(1, field(1, 'first')), field(1, field(1, '')));
  assert.deepEqual(decoded(body), { ...expected, metadata: {} });
});

test('unknown fields and groups are passed over', () => {
  const group = Buffer.from([0x7b, 0x08, 0x01, 0x7b, 0x7c, 0x7d, 1, 2, 3, 4, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7c]);
  const body = envelope('v1', 'ConfigMap', group, named('x'), field(99, 'text'), numberField(98, -1));
  assert.deepEqual(decoded(body), { ...expected, metadata: { name: 'x' } });
});

test('a body that does not say its type, or says one that cannot be read, is of the expected one', () => {
  for (const apiVersion of ['', 'a/b/c']) {
    assert.deepEqual(decoded(envelope(apiVersion, '', named('x'))), { ...expected, metadata: { name: 'x' } });
  }
});

test('an entry without key or value has empty ones, and no key reaches what objects inherit', () => {
  const body = envelope('v1', 'ConfigMap', field(2), data('__proto__', 'x'));
  const { data: map } = decoded(body);
  assert.deepEqual(Object.entries(map ?? {}), [
    ['', ''],
    ['__proto__', 'x'],
  ]);
  assert.equal(Object.getPrototypeOf(map), Object.prototype);
});

test('lists of numbers may be packed, one by one, or both', () => {
  const packed = field(4, varint(5), varint(-6));
  const body = envelope('v1', 'Pod', field(2, field(14, packed, numberField(4, 7))));
  assert.deepEqual(decoded(body), {
    apiVersion: 'v1',
    kind: 'Pod',
    spec: { securityContext: { supplementalGroups: [5, -6, 7] } },
  });
});

test('times are cut to what JSON can say, and no time at all is null', () => {
  const spec = field(3, numberField(1, 1_700_000_000), numberField(2, 123_456_789));
  const before1970 = field(4, numberField(1, -1), numberField(2, 5000));
  const body = envelope('coordination.k8s.io/v1', 'Lease', field(2, spec, before1970));
  assert.deepEqual(decoded(body).spec, {
    acquireTime: '2023-11-14T22:13:20.123456Z',
    renewTime: '1969-12-31T23:59:59.000005Z',
  });
  const year1 = field(4, numberField(1, -62_135_596_800));
  assert.deepEqual(decoded(envelope('coordination.k8s.io/v1', 'Lease', field(2, year1))).spec, { renewTime: null });
});

test('bytes that are no UTF-8 become the sign for that', () => {
  const body = envelope('v1', 'ConfigMap', field(2, field(1, 'a'), field(2, Buffer.from([0x61, 0xff, 0xfe]))));
  assert.deepEqual(decoded(body).data, { a: 'a\ufffd\ufffd' });
});
