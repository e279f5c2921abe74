import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdmissionRequest } from '../../kube/index.ts';
import { machinePortsAnnotation } from '../resources.ts';
import { admitHost, isAboutPorts } from './admit-host.ts';

test('a host that is being deleted is not plugged in where it could not be otherwise', () => {
  const ports = [{ mac: '52:54:00:aa:00:01', port: { name: 'leaf-1', namespace: 'infra' } }];
  const metadata = { name: 'red-1', namespace: 'red', deletionTimestamp: '2026-01-01T00:00:00Z' };
  const request = {
    operation: 'UPDATE',
    userInfo: { username: 'red' },
    object: { metadata, spec: { ports } },
    oldObject: { metadata, spec: {} },
  } as unknown as AdmissionRequest;
  const holdersOf = () => [{ name: 'blue-1', namespace: 'blue' }];
  const verdict = admitHost(request, { notInfra: ['infra'], holdersOf });
  assert.equal(verdict.kind, 'denied');
  assert.match(JSON.stringify(verdict), /red may not/);
  assert.doesNotMatch(JSON.stringify(verdict), /blue/, 'whose port it is is told to the infra team only');
  const told = admitHost(request, { notInfra: [], holdersOf });
  assert.match(JSON.stringify(told), /blue\/blue-1 is plugged into it already/);
});

test('what a machine records of the ports that it set goes with them, or with the machine', () => {
  const mac = '52:54:00:aa:00:01';
  const entry = { mac, port: { name: 'leaf-1', namespace: 'infra' } };
  const ten = { ...entry, configuration: { name: 'ten' } };
  const metadata = { name: 'red-1', namespace: 'red' };
  const recorded = { ...metadata, annotations: { [machinePortsAnnotation]: `${mac}=red/ten` } };
  const consumerRef = { kind: 'Metal3Machine', name: 'm1', namespace: 'red' };
  const verdictOf = (object: object) => {
    const oldObject = { metadata: recorded, spec: { ports: [ten], consumerRef } };
    const request = { operation: 'UPDATE', userInfo: { username: 'red' }, object, oldObject } as never;
    assert.ok(isAboutPorts(request));
    return admitHost(request, { notInfra: [], holdersOf: () => [] });
  };
  const forgotten = verdictOf({ metadata, spec: { ports: [ten], consumerRef } });
  assert.match(JSON.stringify(forgotten), /the Metal3Machine red\/m1 records there what it has set on 52:54/);
  assert.equal(verdictOf({ metadata, spec: { ports: [entry], consumerRef } }).kind, 'allowed');
  assert.equal(verdictOf({ metadata, spec: { ports: [ten] } }).kind, 'allowed');
});
