import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../../simulator/index.ts';
import { startFlasherRig } from '../testing/flasher-rig.ts';

for (const personality of personalityNames) {
  test(`${personality}: BMC, BIOS and NIC are installed once each, in order, and verified`, async (context) => {
    const rig = await startFlasherRig(context, personality);
    const firmwares = [await rig.release('nic'), await rig.release('bios'), await rig.release('bmc')];
    const order = rig.order({ firmwares });
    const end = await rig.process(order);
    assert.equal(end.outcome, 'succeeded', JSON.stringify(end, null, 1));
    console.log(rig.flashes(), order.statuses.length, rig.machine.log.events.length);
  });
}
