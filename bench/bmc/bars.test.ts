import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FleetMeasure, growthOf, judgeBars } from './bars.ts';

const small: FleetMeasure = {
  servers: 100,
  cpuMsPerBmc: 10,
  clientKiBPerBmc: 100,
  simulatorKiBPerBmc: 200,
  simulatorMiB: 150,
};
const large: FleetMeasure = { ...small, servers: 5000, simulatorMiB: 1100 };

test('figures that do not grow and stay below the limits hold every bar', () => {
  const bars = judgeBars({ scaling: [large, small], tlsRatio: 0.33 });
  assert.equal(bars.length, 5);
  assert.deepEqual(
    bars.filter(({ holds }) => !holds),
    [],
  );
});

test('each bar fails by its own figure, and by one that could not be measured', () => {
  const rows: [Partial<FleetMeasure>, RegExp][] = [
    [{ simulatorMiB: 1536 }, /simulator with 5000 BMCs/],
    [{ cpuMsPerBmc: 11.1 }, /CPU a BMC/],
    [{ clientKiBPerBmc: 111 }, /client memory/],
    [{ simulatorKiBPerBmc: 221 }, /simulator memory/],
    [{ simulatorKiBPerBmc: Number.NaN }, /simulator memory/],
  ];
  for (const [change, bar] of rows) {
    const failed = judgeBars({ scaling: [small, { ...large, ...change }], tlsRatio: 0.2 }).filter(
      ({ holds }) => !holds,
    );
    assert.equal(failed.length, 1);
    assert.match(failed[0]?.bar ?? '', bar);
  }
  assert.match(judgeBars({ scaling: [], tlsRatio: 0.34 }).find(({ holds }) => !holds)?.bar ?? '', /sushy/);
});

test('only what was measured is judged', () => {
  assert.deepEqual(judgeBars({ scaling: [small], tlsRatio: undefined }), []);
  assert.equal(growthOf([small]), undefined);
});
