import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRequestInfo } from '../http/request-info.ts';
import { laneOf } from './flow.ts';

const alice = { username: 'alice', groups: ['system:authenticated'] };
const root = { username: 'root', groups: ['system:masters', 'system:authenticated'] };
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

const rows: readonly (readonly [method: string, url: string, lane: string])[] = [
  ['GET', '/livez', 'exempt'],
  ['GET', '/readyz/store', 'exempt'],
  ['GET', '/readyzed', 'read'],
  ['GET', '/version', 'read'],
  ['GET', '/api/v1/namespaces/default/secrets', 'read'],
  ['GET', '/api/v1/namespaces/default/secrets?watch=1', 'read'],
  ['POST', '/api/v1/namespaces/default/secrets', 'write'],
  ['DELETE', '/api/v1/namespaces/default/secrets/x', 'write'],
  ['GET', `${leases}/x`, 'lease'],
  ['POST', leases, 'lease'],
  ['PUT', `${leases}/x`, 'lease'],
  ['PATCH', `${leases}/x`, 'lease'],
  ['GET', leases, 'read'],
  ['DELETE', `${leases}/x`, 'write'],
  ['DELETE', leases, 'write'],
];

for (const [method, url, lane] of rows) {
  test(`${method} ${url} is in the lane ${lane}`, () => {
    const info = readRequestInfo({ method, url });
    assert.equal(laneOf(info, alice), lane);
    assert.equal(laneOf(info, root), 'exempt');
  });
}
