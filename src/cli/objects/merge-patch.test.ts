import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { JsonObject } from '../../schema/index.ts';
import { applyMergePatch, mergePatchBetween, overlappingPaths } from './merge-patch.ts';

/** Objects of Kubernetes hold no nulls, which is what makes merge patches able to say everything. */
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.integer(),
    fc.string(),
    fc.boolean(),
    fc.array(fc.integer(), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { noNullPrototype: true }),
})).object as fc.Arbitrary<JsonObject>;

test('applying the patch between two objects gives the second', () => {
  fc.assert(
    fc.property(value, value, (before, after) => {
      const patch = mergePatchBetween(before, after);
      assert.deepEqual(patch === undefined ? before : applyMergePatch(before, patch), after);
    }),
  );
});

test('there is no patch between equal objects', () => {
  fc.assert(
    fc.property(value, (object) => assert.equal(mergePatchBetween(object, structuredClone(object)), undefined)),
  );
});

test('patches that overlap nowhere can be applied in either order', () => {
  fc.assert(
    fc.property(value, value, value, (base, mine, theirs) => {
      const [left, right] = [mergePatchBetween(base, mine) ?? {}, mergePatchBetween(base, theirs) ?? {}];
      fc.pre(overlappingPaths(left, right).length === 0);
      const oneWay = applyMergePatch(applyMergePatch(base, left), right);
      assert.deepEqual(oneWay, applyMergePatch(applyMergePatch(base, right), left));
    }),
  );
});

test('overlaps are named by path, and the server’s own bookkeeping is none', () => {
  const mine = { spec: { a: 1, b: 2 }, metadata: { resourceVersion: '1', labels: { x: 'y' } } };
  const theirs = { spec: { a: 3, b: 2 }, metadata: { resourceVersion: '2', labels: null } };
  assert.deepEqual(overlappingPaths(mine, theirs), ['spec.a', 'metadata.labels']);
});
