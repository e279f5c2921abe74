import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '../../kube/index.ts';
import { createUpdateWaits } from './update-waits.ts';

const minute = 60_000;

test('how long an update was waited for is counted from the first look, for each host', () => {
  const clock = createFakeClock();
  const waits = createUpdateWaits(clock);
  assert.equal(waits.wait('a/b'), 0);
  clock.advance(20 * minute);
  assert.deepEqual([waits.wait('a/b'), waits.wait('a/c')], [20 * minute, 0]);
  clock.advance(20 * minute);
  assert.deepEqual([waits.wait('a/b'), waits.wait('a/c')], [40 * minute, 20 * minute]);
});

test('another update is waited for anew: the last one ended, or nobody has looked for long', () => {
  const clock = createFakeClock();
  const waits = createUpdateWaits(clock);
  waits.wait('a/b');
  clock.advance(minute);
  waits.end('a/b');
  assert.equal(waits.wait('a/b'), 0);
  clock.advance(31 * minute);
  assert.equal(waits.wait('a/b'), 0);
});
