import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { createPace, readRetryAfter } from './pace.ts';
import { defaultGateSettings } from './settings.ts';

test('a busy BMC is asked half as often at once, and more often little by little', () => {
  const pace = createPace(defaultGateSettings);
  assert.equal(pace.waitMs(0), 0);
  pace.slowDown(0, undefined);
  pace.slowDown(0, undefined);
  assert.equal(pace.spacingMs, 200);
  pace.note(0);
  assert.equal(pace.waitMs(50), 150);
  for (let i = 0; i < 4; i += 1) pace.speedUp();
  assert.equal(pace.spacingMs, 0);
  assert.equal(pace.waitMs(50), 0);
});

test('one that is busy now and then is not asked ever more slowly, one that mostly is is', () => {
  const { firstSpacingMs, maxSpacingMs } = defaultGateSettings;
  const after = (isBusy: (at: number) => boolean): number => {
    const pace = createPace(defaultGateSettings);
    for (let at = 1; at <= 300; at++) {
      if (isBusy(at)) pace.slowDown(0, undefined);
      else pace.speedUp();
    }
    return pace.spacingMs;
  };
  assert.ok(after((at) => at <= 20 || at % 7 === 0) <= 2 * firstSpacingMs);
  assert.ok(after((at) => at % 3 !== 0) >= maxSpacingMs / 2);
});

test('a Retry-After is kept, but not for ever', () => {
  const pace = createPace(defaultGateSettings);
  pace.slowDown(0, 5_000);
  assert.equal(pace.waitMs(0), 5_000);
  pace.slowDown(0, 86_400_000);
  assert.equal(pace.waitMs(0), 60_000);
});

test('spacing stays within its bounds', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (signs) => {
      const pace = createPace(defaultGateSettings);
      for (const isBusy of signs) {
        if (isBusy) pace.slowDown(0, undefined);
        else pace.speedUp();
        assert.ok(pace.spacingMs >= 0 && pace.spacingMs <= defaultGateSettings.maxSpacingMs);
      }
    }),
  );
});

test('Retry-After is read as seconds and as a date', () => {
  const nowMs = Date.UTC(2025, 0, 1);
  assert.equal(readRetryAfter('7', nowMs), 7_000);
  assert.equal(readRetryAfter('Wed, 01 Jan 2025 00:00:09 GMT', nowMs), 9_000);
  assert.equal(readRetryAfter('Wed, 01 Jan 2020 00:00:09 GMT', nowMs), 0);
  assert.equal(readRetryAfter('soon', nowMs), undefined);
  assert.equal(readRetryAfter(undefined, nowMs), undefined);
});
