import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { Json, JsonObject } from '../../schema/index.ts';
import { liveOrderAfter, mergeLists } from './merge-lists.ts';

/** Items by key that count how often a key is looked at: a measure of the work that no clock is needed for. */
function countingItems(count: number, from: number, extra: JsonObject = {}): { items: JsonObject[]; looks(): number } {
  let looks = 0;
  const items = Array.from({ length: count }, (_, i) => {
    const item: JsonObject = { ...extra };
    Object.defineProperty(item, 'name', {
      enumerable: true,
      get: () => {
        looks++;
        return `n${from + i}`;
      },
    });
    return item;
  });
  return { items, looks: () => looks };
}

const count = 500;
const looksPerItem = 40;

const works: { title: string; live: ReturnType<typeof countingItems>; patch: ReturnType<typeof countingItems> }[] = [
  { title: 'new items', live: countingItems(count, 0), patch: countingItems(count, count) },
  { title: 'items that are there', live: countingItems(count, 0), patch: countingItems(count, 0) },
  { title: 'deletions', live: countingItems(count, 0), patch: countingItems(count, count, { $patch: 'delete' }) },
];

for (const { title, live, patch } of works) {
  test(`the work of merging grows with the lists, not with their product: ${title}`, () => {
    mergeLists(live.items, patch.items, { mergeKey: 'name', mergeItem: (item) => item });
    liveOrderAfter(live.items, patch.items, 'name');
    const looks = live.looks() + patch.looks();
    assert.ok(looks <= 2 * count * looksPerItem, `${looks} looks at ${2 * count} keys`);
  });
}

test('taking texts out of a list keeps the others in order', () => {
  const merging = { mergeKey: '', mergeItem: (item: JsonObject) => item, isDeletion: true };
  assert.deepEqual(mergeLists(['a', 'b', 'a', 'c'], ['a', 'x'], merging), ['b', 'c']);
});

test('the first of several items with one key is merged', () => {
  const live = [{ name: 'a', at: 1 }, { name: 'b' }, { name: 'a', at: 2 }];
  const merged = mergeLists(live, [{ name: 'a', at: 3 }, { name: 'c' }, { name: 'c', at: 4 }], {
    mergeKey: 'name',
    mergeItem: (item, patch) => ({ ...item, ...patch }),
  });
  assert.deepEqual(merged, [{ name: 'a', at: 3 }, { name: 'a', at: 2 }, { name: 'c', at: 4 }, { name: 'b' }]);
});

test('a merge that takes the key away leaves the next patch item to the next of that key', () => {
  const live: JsonObject[] = [
    { name: null, at: 1 },
    { name: null, at: 2 },
  ];
  const merged = mergeLists(live, [{ name: null }, { name: null }], {
    mergeKey: 'name',
    mergeItem: ({ at }) => ({ at: at ?? 0 }),
  });
  assert.deepEqual(merged, [{ at: 1 }, { at: 2 }]);
});

test('the live order is the one that editing the list in place leaves behind', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const live = fc.array(fc.record({ name, at: fc.nat(9) }), { maxLength: 7 });
  const patch = fc.array(fc.oneof(fc.record({ name }), fc.record({ name, $patch: fc.constant('delete') })));
  fc.assert(
    fc.property(live, patch, (items, changes) => {
      assert.deepEqual(liveOrderAfter(items, changes, 'name'), editedInPlace(items, changes));
    }),
  );
});

/** The same in the plainest words: one list, edited step by step. */
function editedInPlace(live: readonly JsonObject[], patch: readonly JsonObject[]): Json[] {
  const room = [...live];
  let length = room.length;
  const find = (item: JsonObject) => room.findIndex(({ name }, i) => i < length && name === item.name);
  for (const item of patch.filter(({ $patch }) => $patch === 'delete')) {
    for (let at = find(item); at >= 0; at = find(item)) room.copyWithin(at, at + 1, length--);
  }
  for (const item of patch.filter(({ $patch }) => $patch === undefined)) {
    if (length < room.length && find(item) < 0) room[length++] = item;
  }
  return room;
}
