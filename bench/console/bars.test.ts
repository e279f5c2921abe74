import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConsoleMeasure, judgeBars } from './bars.ts';

const good: ConsoleMeasure = {
  hosts: 5000,
  firstPaintMs: 400,
  firstHostMs: 900,
  allHostsMs: 4000,
  changes: 20_000,
  shownChanges: 20_000,
  heapBeforeMiB: 20,
  heapAfterMiB: 23.9,
};

test('a page that paints in time and keeps its heap holds every bar', () => {
  assert.deepEqual(
    judgeBars(good).map(({ holds }) => holds),
    [true, true, true, true],
  );
});

test('each bar fails by its own figure, and by one that could not be measured', () => {
  const rows: [Partial<ConsoleMeasure>, RegExp][] = [
    [{ firstPaintMs: 2001 }, /^first paint/],
    [{ firstHostMs: Number.NaN }, /^first host/],
    [{ shownChanges: 0 }, /^changes shown/],
    [{ shownChanges: 19_999 }, /^changes shown/],
    [{ shownChanges: Number.NaN }, /^changes shown/],
    [{ changes: 0, shownChanges: 0 }, /^changes shown/],
    [{ heapAfterMiB: 24.1 }, /^heap/],
    [{ heapBeforeMiB: Number.NaN }, /^heap/],
  ];
  for (const [change, bar] of rows) {
    const failed = judgeBars({ ...good, ...change }).filter(({ holds }) => !holds);
    assert.equal(failed.length, 1);
    assert.match(failed[0]?.bar ?? '', bar);
  }
});
