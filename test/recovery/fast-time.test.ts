import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFastClock, fastTimeOf } from './fast-time.ts';

test('time of day goes faster from the epoch of the run on, and is whole', () => {
  assert.equal(fastTimeOf({ speed: 40, epochMs: 1000 }, 1000), 1000);
  assert.equal(fastTimeOf({ speed: 40, epochMs: 1000 }, 1001), 1040);
});

test('a clock that stood still does not notice, nor do its timers', async () => {
  const clock = createFastClock({ speed: 1000, epochMs: Date.now() });
  const before = clock.monotonic();
  const rang = new Promise<number>((resolve) => clock.after(20_000, () => resolve(clock.monotonic())));
  // Longer than the machine itself may stand still between two lines.
  clock.stoodStill(600_000);
  assert.ok(clock.monotonic() < before);
  clock.stoodStill(-599_970);
  assert.ok((await rang) >= before + 20_000);
});
