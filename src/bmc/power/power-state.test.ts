import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTime } from '../in-time.ts';
import { sampleTree } from '../testing/sample-tree.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { readPowerAndHealth } from './power-state.ts';

test('the health of a host is that of all its parts, where its BMC says it', async () => {
  for (const [status, health] of [
    [{ Health: 'OK', HealthRollup: 'Critical' }, 'Critical'],
    [{ Health: 'Warning' }, 'Warning'],
    [{ Health: 'ok' }, 'OK'],
    [{ Health: 'Unheard' }, undefined],
    [{}, undefined],
  ] as const) {
    const { bmc } = createScriptedBmc({ tree: sampleTree({ system: { PowerState: 'On', Status: status } }) });
    const read = await inTime(bmc, { withinMs: 1000, what: 'its power' }, readPowerAndHealth);
    assert.deepEqual([read.power.state, read.health], ['on', health]);
  }
});
