import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goOnWaiting } from './update-waits.ts';

const minute = 60_000;

test('how long an update was waited for is counted from the first look, also in another process', () => {
  let wait = goOnWaiting(undefined, 0);
  for (const now of [2, 20, 45, 70]) {
    wait = JSON.parse(JSON.stringify(goOnWaiting(wait, now * minute)));
    assert.equal(wait.since, 0);
  }
});

test('a look soon after another leaves nothing to store', () => {
  const wait = goOnWaiting(undefined, 0);
  assert.equal(goOnWaiting(wait, 4 * minute), wait);
  assert.deepEqual(goOnWaiting(wait, 5 * minute), { since: 0, seenAt: 5 * minute });
});

test('another update is waited for anew where nobody has looked for long', () => {
  const wait = goOnWaiting(undefined, 0);
  assert.deepEqual(goOnWaiting(wait, 31 * minute), { since: 31 * minute, seenAt: 31 * minute });
});
