import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { fc } from '#fast-check';
import { isSameJson } from './same-json.ts';

const leaf = fc.oneof(fc.boolean(), fc.integer(), fc.string({ maxLength: 2 }), fc.constantFrom(null, undefined));
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('tree'), { maxKeys: 3 }),
  ),
}));
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

test('two values are the same exactly when their JSON is', () => {
  const pair = fc.oneof(
    fc.tuple(tree, tree),
    tree.map((value) => [value, plain(value)] as const),
  );
  fc.assert(
    fc.property(pair, ([left, right]) => {
      assert.equal(isSameJson(left, right), isDeepStrictEqual(plain(left), plain(right)));
      assert.equal(isSameJson(right, left), isSameJson(left, right));
    }),
    { numRuns: 2000 },
  );
});

test('what has a form of its own in JSON is compared by that, and numbers without one are null', () => {
  const at = '2030-01-01T00:00:00.000Z';
  assert.ok(isSameJson({ at: new Date(at) }, { at: new Date(at) }));
  assert.ok(!isSameJson({ at: new Date(at) }, { at: new Date(0) }));
  assert.ok(isSameJson({ at: new Date(at) }, { at }));
  assert.ok(isSameJson([Number.NaN], [null]));
});
