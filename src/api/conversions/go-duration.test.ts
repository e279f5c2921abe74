import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fc } from '#fast-check';
import { goDurationToSeconds, parseGoDuration, secondsToGoDuration } from './go-duration.ts';

it('reads durations as Go does', () => {
  const cases: [string, bigint | undefined][] = [
    ['0', 0n],
    ['0s', 0n],
    ['1h30m', 5_400_000_000_000n],
    ['1.5s', 1_500_000_000n],
    ['2us3ns', 2_003n],
    ['2µs', 2_000n],
    ['', undefined],
    ['10', undefined],
    ['10m ', undefined],
    ['m', undefined],
    ['1d', undefined],
  ];
  for (const [text, ns] of cases) assert.equal(parseGoDuration(text), ns, text);
});

it('cuts to whole seconds of 32 bits', () => {
  assert.equal(goDurationToSeconds('1999ms'), 1);
  assert.equal(goDurationToSeconds('9999999h'), 2_147_483_647);
  assert.equal(goDurationToSeconds('soon'), undefined);
});

it('prints seconds as Go does', () => {
  const cases: [number, string][] = [
    [0, '0s'],
    [59, '59s'],
    [60, '1m0s'],
    [3600, '1h0m0s'],
    [5430, '1h30m30s'],
  ];
  for (const [seconds, text] of cases) assert.equal(secondsToGoDuration(seconds), text);
});

it('reads back what it printed', () => {
  fc.assert(fc.property(fc.nat(2 ** 31 - 1), (n) => assert.equal(goDurationToSeconds(secondsToGoDuration(n)), n)));
});
