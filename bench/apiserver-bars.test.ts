import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GrowthMeasure, growthOf, judgeBars } from './apiserver-bars.ts';

const timesBetter = {
  createsPerSecond: 4,
  statusPatchesPerSecond: 4,
  getsPerSecond: 3,
  listP50Ms: 2,
  readyMs: 2,
  heldMiB: 3,
};
const few: GrowthMeasure = { objects: 1000, createCpuMs: 1, createMs: 1, patchCpuMs: 1, patchMs: 1 };
const many: GrowthMeasure = { objects: 50_000, createCpuMs: 1.4, createMs: 1.4, patchCpuMs: 1.4, patchMs: 1.4 };

test('figures that stay within their limits hold every bar', () => {
  const bars = judgeBars({ timesBetter, sizes: [many, few], livezP99Ms: 99 });
  assert.equal(bars.length, 11);
  assert.deepEqual(
    bars.filter(({ holds }) => !holds),
    [],
  );
});

test('each bar fails by its own figure, and by one that could not be measured', () => {
  for (const key of Object.keys(timesBetter) as (keyof typeof timesBetter)[]) {
    for (const value of [timesBetter[key] - 0.01, Number.NaN]) {
      const bars = judgeBars({ timesBetter: { ...timesBetter, [key]: value }, sizes: [few, many] });
      assert.equal(bars.filter(({ holds }) => !holds).length, 1, `${key} at ${value}`);
    }
  }
  for (const key of ['createCpuMs', 'createMs', 'patchCpuMs', 'patchMs'] as const) {
    for (const value of [1.5, Number.NaN]) {
      const bars = judgeBars({ timesBetter, sizes: [few, { ...many, [key]: value }] });
      assert.equal(bars.filter(({ holds }) => !holds).length, 1, `${key} at ${value}`);
    }
  }
});

test('/livez has to be quick while all else is measured', () => {
  for (const livezP99Ms of [100, Number.NaN])
    assert.deepEqual(
      judgeBars({ timesBetter: {}, sizes: [], livezP99Ms }).map(({ holds }) => holds),
      [false],
    );
});

test('only what was measured is judged', () => {
  assert.deepEqual(judgeBars({ timesBetter: {}, sizes: [few] }), []);
  assert.equal(growthOf([few]), undefined);
  assert.equal(growthOf([few, { ...many, objects: 500 }])?.from, 500);
});
