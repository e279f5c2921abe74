import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { TimerHeap } from './timer-heap.ts';

test('timers come out by time, then party, then insertion, without those taken back', () => {
  const entry = fc.record({ at: fc.nat(20), party: fc.constantFrom('', 'a', 'b'), isCancelled: fc.boolean() });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 400 }), (entries) => {
      const heap = new TimerHeap();
      const made = entries.map((each, order) => ({
        ...each,
        order,
        timer: heap.add(each.at, each.party, () => undefined),
      }));
      for (const each of made) if (each.isCancelled) assert.equal(heap.cancel(each.timer), true);
      const expected = made
        .filter((each) => !each.isCancelled)
        .sort((a, b) => a.at - b.at || (a.party < b.party ? -1 : a.party > b.party ? 1 : a.order - b.order));
      assert.equal(heap.size, expected.length);
      const out: number[] = [];
      for (let due = heap.pop(); due !== undefined; due = heap.pop()) out.push(due.timer.order);
      assert.deepEqual(
        out,
        expected.map((each) => each.order),
      );
    }),
  );
});

test('a timer is taken back only once, and not after it fired', () => {
  const heap = new TimerHeap();
  const first = heap.add(1, '', () => undefined);
  const second = heap.add(2, '', () => undefined);
  assert.equal(heap.cancel(second), true);
  assert.equal(heap.cancel(second), false);
  heap.pop();
  assert.equal(heap.cancel(first), false);
  assert.equal(heap.size, 0);
});
