import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BareMetalHost, type BareMetalHostStatus, metal3ApiVersion } from '../../api/index.ts';
import { createTable, type KubeObject } from '../../kube/index.ts';
import { hostIndexers } from '../objects.ts';
import { deployed, statusIn } from '../testing/settled-status.ts';
import { createServicedHosts } from './serviced-hosts.ts';

const resting = statusIn('provisioned', deployed());
const open: BareMetalHostStatus = {
  ...resting,
  operationalStatus: 'servicing',
  operationHistory: { service: { start: '2025-01-01T00:00:00Z' } },
};

function host(name: string, status: BareMetalHostStatus): BareMetalHost & KubeObject {
  const bmc = { address: 'redfish://10.0.0.7/redfish/v1/Systems/1', credentialsName: 'bmc' };
  return {
    ...{ apiVersion: metal3ApiVersion, kind: 'BareMetalHost' },
    metadata: { namespace: 'fleet', name },
    spec: { online: true, bmc },
    status,
  };
}

/** Hosts as a watch has told of them and as they were written last. */
function setUp(cached: readonly (BareMetalHost & KubeObject)[], written = cached) {
  const newest = new Map(written.map((each) => [`fleet/${each.metadata.name}`, each]));
  let table = createTable(cached, hostIndexers);
  const hosts = createServicedHosts({ byIndex: (index, value) => [...table.byIndex(index, value)] }, newest);
  const named = () => hosts.list().map(({ name }) => name);
  const write = (one: BareMetalHost & KubeObject) => newest.set(`fleet/${one.metadata.name}`, one);
  const tell = (...all: readonly (BareMetalHost & KubeObject)[]) => {
    table = createTable(all, hostIndexers);
  };
  return { hosts, named, write, tell };
}

test('hosts count while their live update goes on, also with another error meanwhile, and not once it has failed', () => {
  const other: BareMetalHostStatus = { ...open, operationalStatus: 'error', errorType: 'power management error' };
  const failed: BareMetalHostStatus = { ...open, operationalStatus: 'error', errorType: 'servicing error' };
  const all = [host('a', open), host('b', other), host('c', failed), host('d', resting)];
  assert.deepEqual(setUp(all).named(), ['a', 'b']);
});

test('what we wrote ourselves counts before a watch tells of it', () => {
  assert.deepEqual(setUp([host('a', open)], [host('a', resting)]).named(), []);
  assert.deepEqual(setUp([host('a', open)], []).named(), []);
});

const letIn = { namespace: 'fleet', name: 'a', address: 'redfish://10.0.0.7/redfish/v1/Systems/1' };

test('a host that was let in counts until its round is over, and then by what was written, whatever a watch has told', () => {
  const { hosts, named, write, tell } = setUp([host('a', resting)]);
  hosts.letIn(letIn);
  assert.deepEqual(named(), ['a']);
  write(host('a', open));
  hosts.roundEnded('fleet/a');
  assert.deepEqual(named(), ['a']);
  tell(host('a', open));
  assert.deepEqual(named(), ['a']);
  write(host('a', resting));
  assert.deepEqual(named(), []);
  tell(host('a', resting));
  assert.deepEqual(named(), []);
});

test('a host that did not begin after all leaves its place', () => {
  const { hosts, named } = setUp([host('a', resting)]);
  hosts.letIn(letIn);
  hosts.roundEnded('fleet/a');
  assert.deepEqual(named(), []);
});

test('a host that was serviced and is done before a watch told that it began leaves its place', () => {
  const { hosts, named, write } = setUp([host('a', resting)]);
  hosts.letIn(letIn);
  write(host('a', open));
  hosts.roundEnded('fleet/a');
  write(host('a', resting));
  assert.deepEqual(named(), []);
});
