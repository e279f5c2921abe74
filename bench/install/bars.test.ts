import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FlashMeasure, type GrowthMeasure, growthOf, judgeBars } from './bars.ts';

const flash: FlashMeasure = { servers: 5000, succeeded: 5000, ratio: 1.1, needlessFlashes: 0 };
const small: GrowthMeasure = { servers: 500, succeeded: 500, workerCpuMs: 20, statements: 40, kibPerCondition: 30 };
const large: GrowthMeasure = { ...small, servers: 20_000, succeeded: 20_000 };

test('figures that stay within their limits hold every bar', () => {
  const bars = judgeBars({ flash, sizes: [large, small] });
  assert.equal(bars.length, 8);
  assert.deepEqual(
    bars.filter(({ holds }) => !holds),
    [],
  );
});

test('each bar fails by its own figure, and by one that could not be measured', () => {
  const rows: [Partial<FlashMeasure>, Partial<GrowthMeasure>, RegExp][] = [
    [{ succeeded: 4999 }, {}, /installs of 5000/],
    [{ ratio: 1.11 }, {}, /time to the ideal/],
    [{ ratio: Number.NaN }, {}, /time to the ideal/],
    [{ needlessFlashes: 1 }, {}, /without need/],
    [{}, { succeeded: 19_999 }, /installs of 20000/],
    [{}, { workerCpuMs: 25.1 }, /CPU a condition/],
    [{}, { statements: 51 }, /SQL statements/],
    [{}, { kibPerCondition: 38 }, /memory a condition/],
    [{}, { kibPerCondition: Number.NaN }, /memory a condition/],
  ];
  for (const [ofFlash, ofLarge, bar] of rows) {
    const failed = judgeBars({ flash: { ...flash, ...ofFlash }, sizes: [small, { ...large, ...ofLarge }] }).filter(
      ({ holds }) => !holds,
    );
    assert.equal(failed.length, 1);
    assert.match(failed[0]?.bar ?? '', bar);
  }
});

test('only what was measured is judged', () => {
  assert.deepEqual(judgeBars({ flash: undefined, sizes: [] }), []);
  assert.equal(growthOf([small]), undefined);
});
