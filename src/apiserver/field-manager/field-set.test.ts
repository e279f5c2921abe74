import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import {
  difference,
  differenceWithSubtrees,
  eachPath,
  type FieldSet,
  intersection,
  isMember,
  SetBuilder,
  sortSet,
  union,
  withSelf,
} from './field-set.ts';
import { parseFieldSet, printPath, textOrder, valueOrder } from './path-element.ts';

const element = fc.constantFrom('f:a', 'f:b', 'f:c', 'k:{"name":"x"}', 'v:"y"', 'v:1');
const paths = fc.uniqueArray(fc.array(element, { minLength: 1, maxLength: 4 }), {
  maxLength: 12,
  selector: (path) => path.join(' '),
});

function setOf(from: readonly (readonly string[])[]): FieldSet {
  const builder = new SetBuilder();
  for (const path of from) builder.insert(path);
  return sortSet(builder.set, textOrder);
}

function pathsOf(set: FieldSet): Set<string> {
  const found = new Set<string>();
  eachPath(set, (path) => found.add(path.join(' ')));
  return found;
}

test('a set holds exactly the paths put into it', () => {
  fc.assert(
    fc.property(paths, (all) => {
      assert.deepEqual(pathsOf(setOf(all)), new Set(all.map((path) => path.join(' '))));
    }),
  );
});

test('union, intersection and difference do what they do for plain sets of paths', () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [setOf(left), setOf(right)];
      const [plainA, plainB] = [pathsOf(a), pathsOf(b)];
      assert.deepEqual(pathsOf(union(a, b, textOrder)), new Set([...plainA, ...plainB]));
      assert.deepEqual(pathsOf(intersection(a, b)), new Set([...plainA].filter((path) => plainB.has(path))));
      assert.deepEqual(pathsOf(difference(a, b)), new Set([...plainA].filter((path) => !plainB.has(path))));
    }),
  );
});

test('a difference with subtrees also takes what lies below a removed path', () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const gone = right.map((path) => path.join(' '));
      const kept = [...pathsOf(setOf(left))].filter(
        (path) => !gone.some((top) => path === top || path.startsWith(`${top} `)),
      );
      assert.deepEqual(pathsOf(differenceWithSubtrees(setOf(left), setOf(right))), new Set(kept));
    }),
  );
});

test('set operations never change their inputs and keep elements in order', () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [setOf(left), setOf(right)];
      const before = JSON.stringify([a, b]);
      const all = union(a, b, textOrder);
      intersection(a, b);
      difference(a, b);
      assert.equal(JSON.stringify([a, b]), before);
      assert.equal(JSON.stringify(all), JSON.stringify(sortSet(all, textOrder)));
    }),
  );
});

test('reading back what was written gives the same set', () => {
  fc.assert(
    fc.property(paths, (all) => {
      const set = setOf(all);
      assert.equal(JSON.stringify(parseFieldSet(JSON.parse(JSON.stringify(set)), textOrder)), JSON.stringify(set));
    }),
  );
});

test('a client set is put in order, its keys are sorted and unknown elements are left out', () => {
  const read = parseFieldSet(
    { 'f:b': {}, 'k:{"z":1, "a":"x"}': { '.': {} }, 'f:a': { 'q:?': {} }, '.': {} },
    textOrder,
  );
  assert.equal(JSON.stringify(read), '{"f:a":{},"f:b":{},"k:{\\"a\\":\\"x\\",\\"z\\":1}":{}}');
});

for (const key of ['x', 'nocolon', 'k:{', 'v:{']) {
  test(`a client set with the element ${key} is refused`, () => {
    assert.throws(() => parseFieldSet({ [key]: {} }, textOrder), { name: 'BadFieldSet' });
  });
}

test('a node is a member when it is empty or says so', () => {
  assert.equal(isMember({}), true);
  assert.equal(isMember({ '.': {}, 'f:a': {} }), true);
  assert.equal(isMember({ 'f:a': {} }), false);
  assert.deepEqual(withSelf({ 'f:a': {} }), { '.': {}, 'f:a': {} });
});

test('built-in kinds order numbers by size, custom resources by their text', () => {
  const keys = ['k:{"port":9}', 'k:{"port":443}', 'f:z', 'v:10', 'v:9', '.'];
  assert.deepEqual(valueOrder([...keys]), ['.', 'f:z', 'k:{"port":9}', 'k:{"port":443}', 'v:9', 'v:10']);
  assert.deepEqual(textOrder([...keys]), ['.', 'f:z', 'k:{"port":443}', 'k:{"port":9}', 'v:10', 'v:9']);
});

test('a path reads as clients know it from conflicts', () => {
  assert.equal(
    printPath(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:note']),
    '.spec.ports[port=80,protocol="TCP"].note',
  );
  assert.equal(printPath(['f:tags', 'v:"a\\u003cb"']), '.tags[="a<b"]');
});
