import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Server } from '../../api/index.ts';
import type { SystemReading } from '../ports.ts';
import { describeServer } from './describe-server.ts';

const now = Date.UTC(2030, 0, 1);
const system = { path: '/redfish/v1/Systems/1', id: 'a', model: '7x21', biosVersion: '1.0' } as SystemReading;

test('a power state that a BMC no longer tells is no longer shown, and the rest stays', () => {
  const server = { metadata: {}, spec: {} } as Server;
  const on = describeServer(server, { ...system, powerState: 'On' }, { now });
  assert.equal(on?.powerState, 'On');
  for (const powerState of [undefined, 'Unknown']) {
    const after = describeServer({ ...server, status: on }, { ...system, powerState }, { now });
    assert.ok(after !== undefined && 'powerState' in after, 'it is named, so that it is taken away');
    assert.deepEqual([after.powerState, after.model, after.biosVersion], [undefined, '7x21', '1.0']);
    const { powerState: _, ...stored } = after;
    assert.equal(describeServer({ ...server, status: stored }, { ...system, powerState }, { now }), undefined);
  }
});
