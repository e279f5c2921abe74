import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTable } from '../../kube/index.ts';
import type { NetworkTables } from '../../network/index.ts';
import { aHost } from '../testing/objects.ts';
import { createSwitchPortNetwork } from './switch-port-network.ts';

const nothing = createTable([]) as never;
const tables: NetworkTables = {
  switches: nothing,
  ports: nothing,
  configurations: nothing,
  limits: nothing,
  hosts: nothing,
  providers: nothing,
};

test('a host without the right ports is left out, and one that asks for none is not', () => {
  const network = createSwitchPortNetwork(tables);
  const wanted = [{ ConfigurationRef: { name: 'nc1' } }];
  assert.match(network.filter(wanted, aHost('h1')) ?? '', /nc1: inspection has found no interfaces yet/);
  assert.equal(network.filter([], aHost('h1')), undefined);
  assert.deepEqual(network.configureNetwork([], aHost('h1')), { kind: 'fits', ports: undefined });
  assert.equal(network.configureNetwork(wanted, aHost('h1')).kind, 'unfit');
});

test('what a machine asked for is taken away again', () => {
  const entry = { mac: '52:54:00:00:00:01', port: { name: 'p1' } };
  const host = aHost('h1', { spec: { ports: [{ ...entry, configuration: { name: 'nc1' } }] } });
  assert.deepEqual(createSwitchPortNetwork(tables).deconfigureNetwork(host), [entry]);
});
