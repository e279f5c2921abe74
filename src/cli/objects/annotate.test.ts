import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitChanges } from './annotate.ts';

test('what chooses objects stands before what changes them', () => {
  const { what, changes } = splitChanges(['bmh', 'host-1', 'a.b/c=d=e', 'gone-', 'empty=']);
  assert.deepEqual(what, ['bmh', 'host-1']);
  assert.deepEqual(
    [...changes],
    [
      ['a.b/c', 'd=e'],
      ['gone', null],
      ['empty', ''],
    ],
  );
  assert.deepEqual(splitChanges(['bmh/host-1', 'a.b/c-']).what, ['bmh/host-1']);
});

for (const [typed, message] of [
  [['bmh', 'x'], /say what to change/],
  [['bmh', 'x', 'a=1', 'y'], /objects are named before the changes/],
  [['bmh', 'x', 'a=1', 'a-'], /given twice/],
  [['bmh', 'x', '=1'], /the key is missing/],
] as [string[], RegExp][]) {
  test(`"${typed.join(' ')}" is refused`, () => {
    assert.throws(() => splitChanges(typed), message);
  });
}
