import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeFault, type Json, type JsonSchema, objectMetaSchema } from './index.ts';

const lease: JsonSchema = {
  type: 'object',
  'x-go-type': 'v1.Lease',
  properties: {
    metadata: objectMetaSchema,
    data: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
    kindOf: { type: 'string', 'x-go-type': 'v1.SecretType' },
    spec: {
      type: 'object',
      'x-go-type': 'v1.LeaseSpec',
      properties: {
        seconds: { type: 'integer', format: 'int32' },
        renewTime: { type: 'string', format: 'date-time', 'x-go-type': 'v1.MicroTime' },
        port: { 'x-kubernetes-int-or-string': true },
        limits: {
          type: 'object',
          additionalProperties: { 'x-kubernetes-int-or-string': true, 'x-go-type': 'resource.Quantity' },
        },
        items: {
          type: 'array',
          items: { type: 'object', 'x-go-type': 'v1.Item', properties: { on: { type: 'boolean' } } },
        },
      },
    },
  },
};

// What kube-apiserver 1.34 says about the like in its own kinds.
const table: [Json, string | undefined][] = [
  [
    { metadata: { name: 'a' }, spec: { seconds: 5, port: '80', items: [{ on: true }], limits: { a: 0.5, b: '1Gi' } } },
    undefined,
  ],
  [{ metadata: null, spec: null }, undefined],
  ['x', 'json: cannot unmarshal string into Go value of type v1.Lease'],
  [{ metadata: [] }, 'json: cannot unmarshal array into Go struct field Lease.metadata of type v1.ObjectMeta'],
  [
    { metadata: { ownerReferences: [{ controller: 'x' }] } },
    'json: cannot unmarshal string into Go struct field OwnerReference.metadata.ownerReferences.controller of type bool',
  ],
  [
    { metadata: { generation: 1.5 } },
    'json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64',
  ],
  [{ kindOf: 5 }, 'json: cannot unmarshal number into Go struct field Lease.kindOf of type v1.SecretType'],
  [
    { spec: { seconds: 99999999999 } },
    'json: cannot unmarshal number 99999999999 into Go struct field LeaseSpec.spec.seconds of type int32',
  ],
  [{ spec: { port: true } }, 'json: cannot unmarshal bool into Go struct field LeaseSpec.spec.port of type int32'],
  [
    { spec: { items: {} } },
    'json: cannot unmarshal object into Go struct field LeaseSpec.spec.items of type []v1.Item',
  ],
  [
    { spec: { items: [{ on: 1 }] } },
    'json: cannot unmarshal number into Go struct field Item.spec.items.on of type bool',
  ],
  [
    { spec: { limits: { a: 'abc' } } },
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [{ spec: { limits: { a: '5i' } } }, "unable to parse quantity's suffix"],
  [{ spec: { limits: { a: '5+1' } } }, "unable to parse quantity's suffix"],
  [{ spec: { limits: { a: '1e+3', b: '.5Gi', c: '5.' } } }, undefined],
  [
    { spec: { renewTime: '2024-01-01T00:00:00Z' } },
    'parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  [{ spec: { renewTime: '2024-01-01T00:00:00.123456Z' } }, undefined],
  [
    { metadata: { creationTimestamp: '2024-13-01T00:00:00Z' } },
    'parsing time "2024-13-01T00:00:00Z": month out of range',
  ],
  [{ data: { a: 'not base64!' } }, 'illegal base64 data at input byte 3'],
  [{ data: { a: 'YQ=' } }, 'illegal base64 data at input byte 3'],
  [{ data: { a: 'YWI=x' } }, 'illegal base64 data at input byte 4'],
  [{ data: { a: 'YQ==', b: 'YW\nJj' } }, undefined],
  [{ data: { a: 5 } }, 'json: cannot unmarshal number into Go struct field Lease.data of type []uint8'],
];

for (const [value, expected] of table) {
  test(`decoding ${JSON.stringify(value)} says ${expected ?? 'nothing'}`, () => {
    assert.equal(decodeFault(value, lease), expected);
  });
}

test('a quantity may be a thousand characters long', () => {
  assert.equal(decodeFault({ spec: { limits: { a: '1'.repeat(1000) } } }, lease), undefined);
  const longer = { spec: { limits: { a: '1'.repeat(1001) } } };
  assert.equal(decodeFault(longer, lease), 'quantities may have at most 1000 characters');
});
