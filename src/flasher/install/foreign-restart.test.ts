import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';

// An iDRAC writes a BIOS in the self-test of the host: another restart there would cut the write short.
test('a host that somebody restarts first is left to its self-test, and not restarted once more', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  let restarts = 0;
  const mortal = createMortal((what) => {
    if (what === 'stored activating' && restarts === 0) {
      restarts += 1;
      rig.machine.power.reset('ForceRestart');
    }
    return false;
  });
  const end = await rig.process(order, { mortal });
  const log = rig.machine.log.text();
  assert.equal(end.outcome, 'succeeded', `${JSON.stringify(end)}\n${log}`);
  assert.equal(restarts, 1);
  const events = rig.machine.log.events.map(({ event }) => event);
  assert.equal(events.filter((event) => event === 'update.flash-begin').length, 1, log);
  assert.equal(events.filter((event) => event === 'power.reset').length, 1, log);
});
