import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { Json, JsonObject } from '../../schema/index.ts';
import { ApiError } from '../status.ts';
import { applyMergePatch } from './merge-patch.ts';

const cases: { title: string; doc: Json; patch: JsonObject; expected: Json }[] = [
  {
    title: 'sets, changes and takes away',
    doc: { a: 1, b: 2, c: { d: 1, e: 2 } },
    patch: { a: null, b: 3, c: { d: null, f: 4 } },
    expected: { b: 3, c: { e: 2, f: 4 } },
  },
  { title: 'replaces lists', doc: { a: [1, 2] }, patch: { a: [3] }, expected: { a: [3] } },
  { title: 'replaces a map by a scalar', doc: { a: { b: 1 } }, patch: { a: 1 }, expected: { a: 1 } },
  {
    title: 'replaces a scalar by a map without its nulls',
    doc: { a: 1 },
    patch: { a: { b: null, c: 1 } },
    expected: { a: { c: 1 } },
  },
  {
    title: 'adds a map without its nulls, in lists too',
    doc: {},
    patch: { a: { b: null, l: [{ c: null }, null] } },
    expected: { a: { l: [{}, null] } },
  },
  {
    title: 'leaves nulls in a list that replaces a map',
    doc: { a: { b: 1 } },
    patch: { a: [{ c: null }] },
    expected: { a: [{ c: null }] },
  },
  { title: 'takes a key away that is not there', doc: { a: 1 }, patch: { b: null }, expected: { a: 1 } },
];
for (const { title, doc, patch, expected } of cases) {
  test(`a merge patch ${title}`, () => {
    assert.deepEqual(applyMergePatch(doc, patch), expected);
  });
}

const bad: { patch: Json; message: string }[] = [
  { patch: null, message: 'Invalid JSON Patch' },
  {
    patch: [1],
    message: 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
  },
  {
    patch: 'x',
    message: 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}',
  },
];
for (const { patch, message } of bad) {
  test(`a merge patch must be an object, not ${JSON.stringify(patch)}`, () => {
    assert.throws(
      () => applyMergePatch({}, patch),
      (error) => error instanceof ApiError && error.code === 400 && error.message === message,
    );
  });
}

const { object: objects } = fc.letrec<{ object: JsonObject; value: Json }>((tie) => ({
  object: fc
    .dictionary(fc.constantFrom('a', 'b', 'constructor', '__proto__'), tie('value'))
    .map((object) => JSON.parse(JSON.stringify(object)) as JsonObject),
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom<Json>(null, 1, 'x', ['y']), tie('object')),
}));

test('a merge patch applied twice does what it did the first time, and its inputs stay as they were', () => {
  fc.assert(
    fc.property(objects, objects, (doc, patch) => {
      const before = JSON.stringify([doc, patch]);
      const once = applyMergePatch(doc, patch);
      assert.deepEqual(applyMergePatch(once, patch), once);
      assert.equal(JSON.stringify([doc, patch]), before);
    }),
  );
});

test('the empty merge patch copies the document', () => {
  fc.assert(
    fc.property(objects, (doc) => {
      const copy = applyMergePatch(doc, {});
      assert.deepEqual(copy, doc);
      assert.notEqual(copy, doc);
    }),
  );
});
