import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDurationMs } from './duration.ts';

test('durations are read in the units people write', () => {
  assert.deepEqual(
    ['30', '30s', '5m', '1h30m', '1.5s', '250ms', '0'].map((text) => parseDurationMs(text, '--timeout')),
    [30_000, 30_000, 300_000, 5_400_000, 1500, 250, 0],
  );
});

for (const text of ['', 'soon', '-1s', '5d', '1s ']) {
  test(`"${text}" is no duration`, () => {
    assert.throws(() => parseDurationMs(text, '--timeout'), /--timeout .*: not a duration; write it like 30s/);
  });
}
