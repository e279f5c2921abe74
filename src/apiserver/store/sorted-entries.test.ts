import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { SortedEntries } from './sorted-entries.ts';

const path = fc.integer({ min: 0, max: 5000 }).map((n) => `n${n % 7}/${n}`);

test('entries come back in order, whatever was inserted and removed before', () => {
  fc.assert(
    fc.property(
      fc.array(path, { size: 'max', maxLength: 4000 }),
      fc.array(path),
      path,
      path,
      (inserted, removed, start, end) => {
        const sorted = new SortedEntries<{ path: string }>();
        const expected = new Set(inserted);
        for (const entry of expected) sorted.insert({ path: entry });
        for (const entry of [...removed, ...inserted.slice(0, inserted.length / 2)]) {
          sorted.remove(entry);
          expected.delete(entry);
        }
        const all = [...expected].sort();
        assert.equal(sorted.size, all.length);
        assert.deepEqual(
          [...sorted.range('', undefined)].map((entry) => entry.path),
          all,
        );
        const inside = all.filter((entry) => entry >= start && entry < end);
        assert.deepEqual(
          [...sorted.range(start, end)].map((entry) => entry.path),
          inside,
        );
        if (start <= end) assert.equal(sorted.countRange(start, end), inside.length);
      },
    ),
    { numRuns: 50 },
  );
});

test('thousands of entries inserted in order, in reverse and at random are split into chunks correctly', () => {
  const names = Array.from({ length: 5000 }, (_, n) => String(n).padStart(5, '0'));
  const shuffled = names.toSorted(
    (x, y) => Number(x.split('').reverse().join('')) - Number(y.split('').reverse().join('')),
  );
  for (const order of [names, names.toReversed(), shuffled]) {
    const sorted = new SortedEntries<{ path: string }>();
    for (const name of order) sorted.insert({ path: name });
    assert.deepEqual(
      [...sorted.range('', undefined)].map((entry) => entry.path),
      names,
    );
    assert.equal(sorted.countRange('01000', '04000'), 3000);
  }
});
