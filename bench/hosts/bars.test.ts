import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, comparePlanes, growthOf, type HostsMeasure, judgeBars } from './bars.ts';

const small: HostsMeasure = {
  plane: 'embedded',
  operator: 'rackwright',
  hosts: 100,
  seconds: 1,
  doneSeconds: 2,
  available: 100,
  complete: 100,
  operatorCpuMs: 4,
  requests: 14,
};
const large: HostsMeasure = { ...small, hosts: 5000, seconds: 50, doneSeconds: 100, available: 5000, complete: 5000 };
const other: HostsMeasure = { ...large, operator: 'other', seconds: 300, requests: 22, complete: 0 };
const written = { shared: { object: 'firmwareschemas/a', writes: 1 }, own: { object: 'baremetalhosts/a', writes: 4 } };

const failedOf = (measures: readonly HostsMeasure[], of = written) =>
  judgeBars(measures, of)
    .filter(({ holds }) => !holds)
    .map(({ bar }) => bar);

test('figures within their limits hold every bar, and another operator is held against none', () => {
  assert.equal(judgeBars([large, small, other], written).length, 10);
  assert.deepEqual(failedOf([large, small, other]), []);
});

test('each bar fails by its own figure, and by one that could not be measured', () => {
  const rows: [Partial<HostsMeasure>, RegExp][] = [
    [{ available: 4999 }, /^available of 5000, embedded/],
    [{ complete: 4999 }, /^with companions and events of 5000/],
    [{ requests: 18.1 }, /^requests a host of 5000/],
    [{ doneSeconds: 126 }, /^time a host until all is written, from 100 to 5000, embedded/],
    [{ doneSeconds: Number.NaN }, /^time a host until all is written/],
    [{ operatorCpuMs: 5.1 }, /^CPU a host, from 100 to 5000/],
    [{ operatorCpuMs: Number.NaN }, /^CPU a host/],
  ];
  for (const [change, bar] of rows) {
    const failed = failedOf([small, { ...large, ...change }]);
    assert.equal(failed.length, 1);
    assert.match(failed[0] ?? '', bar);
  }
  assert.match(failedOf([small, large, { ...other, seconds: 299 }])[0] ?? '', /^rate to that of the other operator/);
  const shared = { ...written, shared: { object: 'firmwareschemas/a', writes: 6 } };
  assert.match(failedOf([small], shared)[0] ?? '', /^writes to any object that is no host's own/);
});

test('every size is compared with the smallest on the same API server, and operators with as many hosts', () => {
  const real: HostsMeasure = { ...large, plane: 'real', doneSeconds: 500 };
  const middle: HostsMeasure = { ...small, hosts: 1000, doneSeconds: 40 };
  assert.deepEqual(
    growthOf([small, real, large, middle, other]).map(({ plane, from, to, time }) => ({ plane, from, to, time })),
    [
      { plane: 'embedded', from: 100, to: 1000, time: 2 },
      { plane: 'embedded', from: 100, to: 5000, time: 1 },
    ],
  );
  assert.deepEqual(compare([small, real, other]), []);
  assert.deepEqual(compare([large, other]), [{ plane: 'embedded', hosts: 5000, times: 3 }]);
});

test('the embedded API has to be three times as fast as a real one with as many hosts', () => {
  const real: HostsMeasure = { ...large, plane: 'real', doneSeconds: 300 };
  assert.deepEqual(comparePlanes([small, large, real]), [{ hosts: 5000, times: 3 }]);
  assert.deepEqual(failedOf([large, real]), []);
  assert.match(failedOf([large, { ...real, doneSeconds: 299 }])[0] ?? '', /^rate on the embedded API/);
  const few: HostsMeasure = { ...small, plane: 'real', doneSeconds: 5.9 };
  assert.deepEqual(failedOf([large, real, few, small]), [], 'only the most hosts are judged');
});

test('a real API server with 1,000 hosts is held against what metal3 came to', () => {
  const real: HostsMeasure = { ...small, plane: 'real', hosts: 1000, available: 1000, complete: 1000, doneSeconds: 35 };
  assert.deepEqual(failedOf([real]), []);
  assert.match(failedOf([{ ...real, doneSeconds: 36 }])[0] ?? '', /^hosts a second until all is written of 1000, real/);
});

test('only what was measured is judged', () => {
  assert.deepEqual(judgeBars([], undefined), []);
});
