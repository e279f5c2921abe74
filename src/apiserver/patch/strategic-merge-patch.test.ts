import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, JsonSchema } from '../../schema/index.ts';
import { ApiError } from '../status.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const text: JsonSchema = { type: 'string' };
const schema: JsonSchema = {
  type: 'object',
  properties: {
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      properties: {
        name: text,
        selector: { type: 'object', additionalProperties: text },
        args: { type: 'array', items: text },
        containers: {
          type: 'array',
          'x-kubernetes-patch-strategy': 'merge',
          'x-kubernetes-patch-merge-key': 'name',
          items: {
            type: 'object',
            properties: {
              name: text,
              image: text,
              env: {
                type: 'array',
                'x-kubernetes-patch-strategy': 'merge',
                'x-kubernetes-patch-merge-key': 'name',
                items: { type: 'object', properties: { name: text, value: text } },
              },
            },
          },
        },
        strategy: {
          type: 'object',
          'x-kubernetes-patch-strategy': 'retainKeys',
          properties: { type: text, rolling: { type: 'object' }, recreate: { type: 'object' } },
        },
        unmergeable: { type: 'array', 'x-kubernetes-patch-strategy': 'merge', items: { type: 'object' } },
      },
    },
  },
};

const doc: JsonObject = {
  metadata: { labels: { a: '1', b: '2' }, finalizers: ['x.y/a', 'x.y/b'] },
  spec: {
    args: ['1', '2'],
    selector: { q: 'r' },
    strategy: { type: 'rolling', rolling: { max: 1 } },
    containers: [
      { name: 'a', image: 'ia', env: [{ name: 'A', value: '1' }] },
      { name: 'b', image: 'ib' },
      { name: 'c', image: 'ic' },
    ],
  },
};

function patched(patch: JsonObject): { metadata: JsonObject; spec: JsonObject } {
  return applyStrategicMergePatch(doc, patch, schema) as { metadata: JsonObject; spec: JsonObject };
}

function names(spec: JsonObject): unknown[] {
  return (spec.containers as JsonObject[]).map((container) => container.name);
}

test('maps merge and null takes a key away', () => {
  assert.deepEqual(patched({ metadata: { labels: { a: null, c: '3' } } }).metadata.labels, { b: '2', c: '3' });
});

test('keys that every JavaScript object inherits are data like any other', () => {
  const { labels } = patched({ metadata: { labels: JSON.parse('{"constructor":"x","__proto__":"y"}') } }).metadata;
  assert.equal(JSON.stringify(labels), '{"a":"1","b":"2","constructor":"x","__proto__":"y"}');
});

test('a list without a strategy is replaced', () => {
  assert.deepEqual(patched({ spec: { args: ['3'] } }).spec.args, ['3']);
});

test('a list with a merge key is merged item by item, items of the patch in its order', () => {
  const { spec } = patched({
    spec: {
      containers: [
        { name: 'd', image: 'id' },
        { name: 'a', env: [{ name: 'B', value: '2' }] },
      ],
    },
  });
  assert.deepEqual(names(spec), ['d', 'a', 'b', 'c']);
  assert.deepEqual((spec.containers as JsonObject[])[1], {
    name: 'a',
    image: 'ia',
    env: [
      { name: 'B', value: '2' },
      { name: 'A', value: '1' },
    ],
  });
});

test('$patch: delete in a list takes the item with that key', () => {
  assert.deepEqual(names(patched({ spec: { containers: [{ name: 'b', $patch: 'delete' }] } }).spec), ['a', 'c']);
});

test('$patch: replace in a list keeps only the items of the patch', () => {
  assert.deepEqual(patched({ spec: { containers: [{ $patch: 'replace' }, { name: 'z' }] } }).spec.containers, [
    { name: 'z' },
  ]);
});

test('$patch: replace and delete work on maps', () => {
  assert.deepEqual(patched({ metadata: { labels: { $patch: 'replace', z: '9' } } }).metadata.labels, { z: '9' });
  assert.deepEqual(patched({ metadata: { labels: { $patch: 'delete' } } }).metadata.labels, {});
});

test('$retainKeys drops what it does not name', () => {
  const { spec } = patched({ spec: { strategy: { $retainKeys: ['type'], type: 'recreate' } } });
  assert.deepEqual(spec.strategy, { type: 'recreate' });
});

test('a list of scalars with the merge strategy is a set', () => {
  assert.deepEqual(patched({ metadata: { finalizers: ['x.y/c', 'x.y/a'] } }).metadata.finalizers, [
    'x.y/c',
    'x.y/a',
    'x.y/b',
  ]);
});

test('$deleteFromPrimitiveList takes scalars out', () => {
  assert.deepEqual(patched({ metadata: { '$deleteFromPrimitiveList/finalizers': ['x.y/a'] } }).metadata.finalizers, [
    'x.y/b',
  ]);
});

test('$setElementOrder orders a list, with or without changes to it', () => {
  const order = [{ name: 'c' }, { name: 'a' }, { name: 'b' }];
  assert.deepEqual(names(patched({ spec: { '$setElementOrder/containers': order } }).spec), ['c', 'a', 'b']);
  const added = patched({
    spec: { '$setElementOrder/containers': [{ name: 'c' }, { name: 'n' }], containers: [{ name: 'n', image: 'in' }] },
  });
  assert.deepEqual(names(added.spec), ['a', 'b', 'c', 'n']);
  assert.deepEqual(patched({ metadata: { '$setElementOrder/finalizers': ['x.y/b', 'x.y/a'] } }).metadata.finalizers, [
    'x.y/b',
    'x.y/a',
  ]);
});

test('an order completed after a deletion puts the rest before the new item', () => {
  const { spec } = patched({
    spec: {
      '$setElementOrder/containers': [{ name: 'n' }],
      containers: [
        { name: 'a', $patch: 'delete' },
        { name: 'n', image: 'in' },
      ],
    },
  });
  assert.deepEqual(names(spec), ['b', 'c', 'n']);
});

test('what is new is taken without its directives and nulls', () => {
  const { spec } = patched({ spec: { fresh: { a: null, b: { $patch: 'delete' }, c: 1 } } });
  assert.deepEqual(spec.fresh, { c: 1 });
});

const bad: { title: string; patch: JsonObject; code: number; message: string }[] = [
  {
    title: 'an item without its merge key',
    patch: { spec: { containers: [{ image: 'z' }] } },
    code: 500,
    message: 'map: map[image:z] does not contain declared merge key: name',
  },
  {
    title: 'an unknown directive',
    patch: { spec: { containers: [{ name: 'a', $patch: 'foo' }] } },
    code: 500,
    message: 'unknown patch type: foo in map: map[$patch:foo name:a]',
  },
  {
    title: 'merge as a directive in a list',
    patch: { spec: { containers: [{ name: 'a', $patch: 'merge' }] } },
    code: 500,
    message: 'merging lists cannot yet be specified in the patch',
  },
  {
    title: 'merge as a directive in a map',
    patch: { spec: { $patch: 'merge' } },
    code: 500,
    message: 'unknown patch type: merge in map: map[$patch:merge]',
  },
  {
    title: '$retainKeys that is no list',
    patch: { spec: { $retainKeys: 1 } },
    code: 400,
    message: 'invalid patch format of retainKeys',
  },
  {
    title: '$retainKeys that misses a key of the patch',
    patch: { spec: { $retainKeys: ['a'], b: 1 } },
    code: 400,
    message: 'invalid patch format of retainKeys',
  },
  {
    title: '$deleteFromPrimitiveList without a field',
    patch: { metadata: { $deleteFromPrimitiveList: ['a'] } },
    code: 400,
    message: 'invalid patch format of primitive list',
  },
  {
    title: '$setElementOrder without a field',
    patch: { metadata: { $setElementOrder: ['a'] } },
    code: 400,
    message: 'invalid patch format of setElementOrder list',
  },
  {
    title: '$setElementOrder that is no list',
    patch: { metadata: { '$setElementOrder/finalizers': 'x' } },
    code: 500,
    message: 'expected a []interface {}, but received a string',
  },
  {
    title: '$setElementOrder that misses an item',
    patch: { spec: { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'z' }] } },
    code: 500,
    message: "The order in patch list:\n[map[name:z]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
  },
  {
    title: 'items of different types',
    patch: { metadata: { finalizers: [1] } },
    code: 500,
    message: 'list element types are not identical: [[x.y/a x.y/b] [1]]',
  },
];
for (const { title, patch, code, message } of bad) {
  test(`a strategic merge patch with ${title} gets ${code}`, () => {
    assert.throws(
      () => patched(patch),
      (error) => error instanceof ApiError && error.code === code && error.message === message,
    );
  });
}

test('lists of maps without a merge key cannot be merged', () => {
  const live = { spec: { unmergeable: [{ a: 1 }] } };
  assert.throws(() => applyStrategicMergePatch(live, { spec: { unmergeable: [{ b: 1 }] } }, schema), {
    name: 'ApiError',
  });
});

test('a strategic merge patch changes neither the document nor the patch', () => {
  const patch: JsonObject = {
    spec: {
      containers: [{ name: 'a', image: 'new' }],
      '$setElementOrder/containers': [{ name: 'a' }],
      selector: { z: '1' },
    },
  };
  const before = JSON.stringify([doc, patch]);
  const result = patched(patch);
  (result.spec.selector as JsonObject).more = 'x';
  (result.spec.containers as JsonObject[])[0] = {};
  assert.equal(JSON.stringify([doc, patch]), before);
});
