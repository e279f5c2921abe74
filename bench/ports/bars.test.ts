import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthOf, judgeBars, type PortsMeasure } from './bars.ts';
import { spreadPorts } from './scene.ts';

const small: PortsMeasure = {
  backend: 'fixture',
  ports: 100,
  step: 'configured',
  portsPerSecond: 500,
  cpuMs: 4,
  requests: 3,
  calls: 1.2,
};
const large: PortsMeasure = { ...small, ports: 1000, calls: 0.5 };

const failedOf = (measures: readonly PortsMeasure[]) =>
  judgeBars(measures)
    .filter(({ holds }) => !holds)
    .map(({ bar }) => bar);

test('figures within their limits hold every bar', () => {
  assert.equal(judgeBars([small, large]).length, 6);
  assert.deepEqual(failedOf([large, small]), []);
  assert.deepEqual(judgeBars([]), []);
});

test('each bar fails by its own figure, and by one that could not be measured', () => {
  const rows: [Partial<PortsMeasure>, RegExp][] = [
    [{ cpuMs: 5.1 }, /^CPU for a port, from 100 to 1000, fixture/],
    [{ cpuMs: Number.NaN }, /^CPU for a port/],
    [{ requests: 3.8 }, /^requests for a port, from 100 to 1000/],
    [{ calls: 1.1 }, /^calls to switches for a port that is configured, 1000 ports/],
  ];
  for (const [change, bar] of rows) {
    const failed = failedOf([small, { ...large, ...change }]);
    assert.equal(failed.length, 1, failed.join());
    assert.match(failed[0] ?? '', bar);
  }
  assert.match(failedOf([{ ...small, requests: 4.1 }])[0] ?? '', /^requests for a port that is configured, 100 ports/);
  assert.match(failedOf([{ ...small, calls: 0.3 }, large])[0] ?? '', /^calls to switches for a port, from 100/);
});

test('kinds of switches are compared with themselves only, over all steps', () => {
  const other: PortsMeasure = { ...large, backend: 'ovsdb', cpuMs: 100 };
  const cleaned: PortsMeasure = { ...small, step: 'cleaned', cpuMs: 2 };
  const [growth, ...more] = growthOf([small, cleaned, large, { ...large, step: 'cleaned', cpuMs: 8 }, other]);
  assert.deepEqual(more, []);
  assert.equal(growth?.cpu, 2);
});

test('ports are spread evenly over switches', () => {
  assert.deepEqual(
    spreadPorts(7, 3).map((ports) => ports.length),
    [3, 2, 2],
  );
  assert.deepEqual(spreadPorts(2, 1), [['eth1', 'eth2']]);
});
