import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthOf, judgeBars, type SizeMeasure } from './bars.ts';

const small: SizeMeasure = {
  servers: 1000,
  upToDate: 1000,
  elapsedMs: 5,
  controllersCpuMs: 2,
  apiserverCpuMs: 4,
  requests: 3.5,
  peakKiB: 100,
  settledKiB: 20,
};
const large: SizeMeasure = { ...small, servers: 10_000, upToDate: 10_000 };

test('figures that stay within their limits hold every bar', () => {
  const bars = judgeBars([large, small]);
  assert.equal(bars.length, 10);
  assert.deepEqual(
    bars.filter(({ holds }) => !holds),
    [],
  );
});

test('each bar fails by its own figure, and by one that could not be measured', () => {
  const rows: [Partial<SizeMeasure>, RegExp][] = [
    [{ upToDate: 9999 }, /up to date of 10000/],
    [{ requests: 4.1 }, /requests a server of 10000/],
    [{ elapsedMs: 6.6 }, /time a server/],
    [{ elapsedMs: Number.NaN }, /time a server/],
    [{ elapsedMs: -0.1 }, /time a server/],
    [{ controllersCpuMs: 2.7 }, /CPU of the controllers/],
    [{ controllersCpuMs: Number.NaN }, /CPU of the controllers/],
    [{ apiserverCpuMs: 5.3 }, /CPU of the API server/],
    [{ peakKiB: 106 }, /most memory/],
    [{ settledKiB: 21.1 }, /that stays/],
    [{ settledKiB: Number.NaN }, /that stays/],
  ];
  for (const [change, bar] of rows) {
    const failed = judgeBars([small, { ...large, ...change }]).filter(({ holds }) => !holds);
    assert.equal(failed.length, 1);
    assert.match(failed[0]?.bar ?? '', bar);
  }
  const fewer = judgeBars([{ ...small, requests: 2.6 }, large]).filter(({ holds }) => !holds);
  assert.match(fewer[0]?.bar ?? '', /requests a server, from 1000 to 10000/);
});

test('only what was measured is judged', () => {
  assert.deepEqual(judgeBars([]), []);
  assert.equal(growthOf([small]), undefined);
});
