import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { type FieldSet, intersection, LEAF, SetBuilder, union, unionAll } from './field-set.ts';
import { SetIndex } from './set-index.ts';

const inOrder = (keys: string[]): string[] => keys.sort();
const element = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 60 });

function setOf(inserted: readonly string[][]): FieldSet {
  const builder = new SetBuilder();
  for (const path of inserted) builder.insert(path);
  return builder.set;
}

test('an indexed set gives the same intersections as a plain one', () => {
  fc.assert(
    fc.property(paths, paths, (a, b) => {
      assert.deepEqual(new SetIndex(setOf(b)).within(setOf(a)), intersection(setOf(a), setOf(b)));
    }),
  );
});

test('the union of many sets is the union of one after the other', () => {
  fc.assert(
    fc.property(fc.array(paths, { maxLength: 7 }), (many) => {
      const sets = many.map(setOf);
      const expected = sets.reduce((all, set) => union(all, set, inOrder), LEAF);
      assert.deepEqual(unionAll(sets, inOrder), expected);
    }),
  );
});

test('a path below a set that was inserted as a whole leaves that set as it is', () => {
  const whole = setOf([['x']]);
  const builder = new SetBuilder();
  builder.insert(['a'], whole);
  builder.insert(['a', 'y']);
  assert.deepEqual(builder.set, { a: { x: {}, y: {} } });
  assert.deepEqual(whole, { x: {} });
});
