import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAskedMachine } from '../redfish/resources/testing/ask.ts';
import { checkBodies, walkTree } from '../redfish/resources/testing/walk.ts';
import { allPersonalities } from './index.ts';

for (const personality of allPersonalities) {
  for (const isPoweredOn of [true, false]) {
    test(`${personality.name}: every link leads to a resource, with the host ${isPoweredOn ? 'on' : 'off'}`, async () => {
      const asked = createAskedMachine({ personality, isPoweredOn });
      const walk = await walkTree(asked);
      assert.deepEqual(walk.dead, []);
      checkBodies(walk);
      assert.ok(walk.bodies.size > 100, `${walk.bodies.size} resources`);
    });
  }
}
