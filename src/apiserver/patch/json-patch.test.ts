import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { Json } from '../../schema/index.ts';
import { ApiError } from '../status.ts';
import { applyJsonPatch } from './json-patch.ts';

const doc = { data: { k: 'v', 'a/b': '1', 'm~n': '2' }, list: ['a', 'b'], items: [{ name: 'x' }], none: null };

function statusOf(act: () => unknown): ApiError['status'] {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
  assert.fail('nothing was refused');
}

const good: { title: string; patch: Json; expected: Json }[] = [
  { title: 'null is no operation', patch: null, expected: doc },
  {
    title: 'add sets a key',
    patch: [{ op: 'add', path: '/data/z', value: 1 }],
    expected: { ...doc, data: { ...doc.data, z: 1 } },
  },
  { title: 'add without a value sets null', patch: [{ op: 'add', path: '/z' }], expected: { ...doc, z: null } },
  {
    title: 'add inserts into a list',
    patch: [{ op: 'add', path: '/list/1', value: 'x' }],
    expected: { ...doc, list: ['a', 'x', 'b'] },
  },
  {
    title: 'add appends with a dash',
    patch: [{ op: 'add', path: '/list/-', value: 'x' }],
    expected: { ...doc, list: ['a', 'b', 'x'] },
  },
  {
    title: 'a negative index counts from the end',
    patch: [{ op: 'add', path: '/list/-1', value: 'x' }],
    expected: { ...doc, list: ['a', 'b', 'x'] },
  },
  { title: 'remove takes a list item', patch: [{ op: 'remove', path: '/list/0' }], expected: { ...doc, list: ['b'] } },
  {
    title: 'replace adds a key that is not there',
    patch: [{ op: 'replace', path: '/data/z', value: 1 }],
    expected: { ...doc, data: { ...doc.data, z: 1 } },
  },
  {
    title: 'replace of the whole takes an object',
    patch: [{ op: 'replace', path: '', value: { a: 1 } }],
    expected: { a: 1 },
  },
  {
    title: 'replace of the whole by a scalar does nothing',
    patch: [{ op: 'replace', path: '', value: 1 }],
    expected: doc,
  },
  {
    title: 'escapes in a path',
    patch: [
      { op: 'replace', path: '/data/a~1b', value: 'x' },
      { op: 'replace', path: '/data/m~0n', value: 'y' },
    ],
    expected: { ...doc, data: { k: 'v', 'a/b': 'x', 'm~n': 'y' } },
  },
  {
    title: 'move',
    patch: [{ op: 'move', from: '/data/k', path: '/k' }],
    expected: { ...doc, data: { 'a/b': '1', 'm~n': '2' }, k: 'v' },
  },
  {
    title: 'copy',
    patch: [{ op: 'copy', from: '/items/0', path: '/items/-' }],
    expected: { ...doc, items: [{ name: 'x' }, { name: 'x' }] },
  },
  {
    title: 'copy of a missing key sets null',
    patch: [{ op: 'copy', from: '/data/zz', path: '/z' }],
    expected: { ...doc, z: null },
  },
  { title: 'test of equal values', patch: [{ op: 'test', path: '/items', value: [{ name: 'x' }] }], expected: doc },
  { title: 'test of a missing key for null', patch: [{ op: 'test', path: '/zz', value: null }], expected: doc },
];
for (const { title, patch, expected } of good) {
  test(`a JSON patch is applied: ${title}`, () => {
    assert.deepEqual(applyJsonPatch(doc, patch), expected);
  });
}

const failing: Json[] = [
  [{ op: 'test', path: '/data/k', value: 'w' }],
  [{ op: 'test', path: '/data/k' }],
  [{ op: 'test', path: '/zz/k', value: 1 }],
  [{ op: 'test', path: '/list/9', value: 1 }],
  [{ op: 'remove', path: '/data/zz' }],
  [{ op: 'remove', path: '/list/2' }],
  [{ op: 'remove', path: '/list/x' }],
  [{ op: 'remove' }],
  [{ op: 'add', path: '/zz/k', value: 1 }],
  [{ op: 'add', path: '/none/k', value: 1 }],
  [{ op: 'add', path: '/data/k/deeper', value: 1 }],
  [{ op: 'add', path: '/list/4', value: 1 }],
  [{ op: 'add', path: '', value: 1 }],
  [{ op: 'add', path: 'data', value: 1 }],
  [{ op: 'replace', path: '/list/-', value: 1 }],
  [{ op: 'move', from: '/data/zz', path: '/x' }],
  [{ op: 'move', path: '/x' }],
  [{ op: 'copy', from: '/zz/k', path: '/x' }],
  [{ op: 'frobnicate', path: '/x' }],
  [{ path: '/x' }],
  [null],
];
for (const patch of failing) {
  test(`a JSON patch that cannot be applied gets 422: ${JSON.stringify(patch)}`, () => {
    const message = 'the server rejected our request due to an error in our request';
    const { code, reason, details, ...rest } = statusOf(() => applyJsonPatch(doc, patch));
    assert.deepEqual([code, reason, rest.message, details], [422, 'Invalid', message, {}]);
  });
}

const undecodable: { patch: Json; message: string }[] = [
  { patch: { a: 1 }, message: 'object into Go value of type []handlers.jsonPatchOp' },
  { patch: 'x', message: 'string into Go value of type []handlers.jsonPatchOp' },
  { patch: [1], message: 'number into Go value of type handlers.jsonPatchOp' },
  { patch: [{ op: 1 }], message: 'number into Go struct field jsonPatchOp.op of type string' },
  { patch: [{ op: 'add', path: true }], message: 'bool into Go struct field jsonPatchOp.path of type string' },
];
for (const { patch, message } of undecodable) {
  test(`what is no JSON patch gets 400: ${JSON.stringify(patch)}`, () => {
    const status = statusOf(() => applyJsonPatch(doc, patch));
    assert.deepEqual([status.code, status.message], [400, `error decoding patch: json: cannot unmarshal ${message}`]);
  });
}

test('a JSON patch may have ten thousand operations and not one more', () => {
  const operations = Array.from({ length: 10_000 }, () => ({ op: 'test', path: '/data/k', value: 'v' }));
  assert.deepEqual(applyJsonPatch(doc, operations), doc);
  const status = statusOf(() => applyJsonPatch(doc, [...operations, { op: 'remove', path: '/data' }]));
  assert.deepEqual(
    [status.code, status.message],
    [413, 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001'],
  );
});

test('a JSON patch never changes its inputs and the result shares nothing with them', () => {
  const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(value, value, (left, right) => {
      const input = { a: left, b: { c: left } };
      const patch: Json = [
        { op: 'add', path: '/b/d', value: right },
        { op: 'copy', from: '/a', path: '/e' },
      ];
      const before = JSON.stringify([input, patch]);
      const result = applyJsonPatch(input, patch) as { b: { c: Json; d: Json }; e: Json };
      for (const part of [result, result.b, result.b.c, result.b.d, result.e]) spoil(part);
      assert.equal(JSON.stringify([input, patch]), before);
    }),
  );
});

function spoil(value: Json): void {
  if (Array.isArray(value)) value.push('spoilt');
  else if (typeof value === 'object' && value !== null) value.spoilt = true;
}

test('copies that double the document again and again are refused', () => {
  const patch: Json = [{ op: 'add', path: '/x', value: { a: 1 } }];
  for (let i = 0; i < 30; i++) patch.push({ op: 'copy', from: '/x', path: `/x/k${i}` });
  const { code, reason } = statusOf(() => applyJsonPatch(doc, patch));
  assert.deepEqual({ code, reason }, { code: 422, reason: 'Invalid' });
});

test('all copies of one patch together may have three mebibytes', () => {
  const mebibyte = 'x'.repeat(1024 * 1024 - 2);
  const copies = [1, 2, 3].map((i) => ({ op: 'copy', from: '/big', path: `/copy${i}` }));
  const patched = applyJsonPatch({ big: mebibyte }, copies);
  assert.deepEqual(patched, { big: mebibyte, copy1: mebibyte, copy2: mebibyte, copy3: mebibyte });
  assert.equal(
    statusOf(() => applyJsonPatch({ big: mebibyte, a: 1 }, [...copies, { op: 'copy', from: '/a', path: '/b' }])).code,
    422,
  );
});
