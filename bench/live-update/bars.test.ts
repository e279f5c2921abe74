import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeBars, type LiveMeasure } from './bars.ts';

const good: LiveMeasure = {
  ...{ hosts: 1000, parallel: 100, ratio: 1.1, ended: 1000, apiRequests: 8, bmcRequests: 40 },
  ...{ mostServicing: 100, mostWorkedOn: 99, needlessRestarts: 0 },
};

const failedOf = (measure: LiveMeasure) =>
  judgeBars(measure)
    .filter(({ holds }) => !holds)
    .map(({ bar }) => bar);

test('figures within their limits hold every bar', () => {
  assert.equal(judgeBars(good).length, 7);
  assert.deepEqual(failedOf(good), []);
});

test('each bar fails by its own figure, and by one that could not be measured', () => {
  const rows: [Partial<LiveMeasure>, RegExp][] = [
    [{ ended: 999 }, /^hosts that end OK: all 1000/],
    [{ ratio: 1.3 }, /^time over ideal/],
    [{ ratio: Number.NaN }, /^time over ideal/],
    [{ apiRequests: 11 }, /^requests to the API server/],
    [{ bmcRequests: 61 }, /^requests to its BMC/],
    [{ mostServicing: 101 }, /^hosts in servicing at once: at most 100/],
    [{ mostWorkedOn: 101 }, /^machines worked on at once/],
    [{ needlessRestarts: 1 }, /^needless restarts/],
  ];
  for (const [change, bar] of rows) {
    const failed = failedOf({ ...good, ...change });
    assert.equal(failed.length, 1, failed.join());
    assert.match(failed[0] ?? '', bar);
  }
});
