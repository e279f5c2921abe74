import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BareMetalHost } from '../../src/api/index.ts';
import { type DiscoveryMeasure, judgeBars } from './bars.ts';
import { hostNameOf, judgeHosts, machinesOf } from './scene.ts';

const few: DiscoveryMeasure = {
  ...{
    hosts: 100,
    seconds: 12,
    right: 100,
    wrong: 0,
    cpuMs: 4,
    apiserverCpuMs: 3,
    requests: 8,
    discoveryRequests: 2.1,
  },
};
const many: DiscoveryMeasure = { ...few, hosts: 1000, right: 1000 };

const failedOf = (measures: readonly DiscoveryMeasure[]) =>
  judgeBars(measures)
    .filter(({ holds }) => !holds)
    .map(({ bar }) => bar);

test('figures within their limits hold every bar', () => {
  assert.equal(judgeBars([few, many]).length, 8);
  assert.deepEqual(failedOf([many, few]), []);
  assert.deepEqual(judgeBars([]), []);
});

test('each bar fails by its own figure, and by one that could not be measured', () => {
  const rows: [Partial<DiscoveryMeasure>, RegExp][] = [
    [{ right: 999 }, /^1000 machines are hosts/],
    [{ wrong: 1 }, /^1000 machines are hosts/],
    [{ cpuMs: 5.1 }, /^CPU a host, from 100 to 1000/],
    [{ cpuMs: Number.NaN }, /^CPU a host/],
    [{ requests: 10.1 }, /^requests a host, from 100 to 1000/],
    [{ discoveryRequests: 2.6 }, /^requests of discovery a host, 1000/],
  ];
  for (const [change, bar] of rows) {
    const failed = failedOf([few, { ...many, ...change }]);
    assert.equal(failed.length, 1, failed.join());
    assert.match(failed[0] ?? '', bar);
  }
  assert.match(failedOf([{ ...few, requests: 12.1 }])[0] ?? '', /^requests a host until it is available, 100/);
});

test('a host counts where it has the name and the MAC of one machine; all others are wrong', () => {
  const machines = machinesOf('host', 3);
  assert.equal(new Set([...machines, ...machinesOf('warm', 3)].map(({ mac }) => mac)).size, 6);
  const hostOf = (name: string, bootMACAddress: string, state = 'available') =>
    ({ metadata: { name }, spec: { bootMACAddress }, status: { provisioning: { state } } }) as unknown as BareMetalHost;
  const right = machines.map((machine) => hostOf(hostNameOf(machine), machine.mac));
  assert.deepEqual(judgeHosts(machines, right), { right: 3, wrong: 0 });
  const [first] = machines;
  const second = hostOf('bench-other', first?.mac ?? '');
  const waiting = hostOf('bench-host-0', first?.mac ?? '', 'importing');
  assert.deepEqual(judgeHosts(machines, [...right, second]), { right: 3, wrong: 1 });
  assert.deepEqual(judgeHosts(machines, [waiting, ...right.slice(1)]), { right: 2, wrong: 1 });
});
