import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdmissionRequest } from '../../kube/index.ts';
import { admitHost } from './admit-host.ts';

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
