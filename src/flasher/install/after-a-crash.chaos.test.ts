import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../../simulator/index.ts';
import { startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';

const quiet = { tellEveryMs: 240 * 3_600_000 };

for (const personality of personalityNames) {
  test(`${personality}: killed once at any moment, each image is still written once`, async (context) => {
    for (let at = 0, isLast = false; !isLast; at += 1) {
      await context.test(`killed at moment ${at}`, async (inner) => {
        const rig = await startFlasherRig(inner, personality, { arePoweredOn: at % 2 === 0, seed: 100 + at });
        const firmwares = [await rig.release('bmc'), await rig.release('bios'), await rig.release('nic')];
        const order = rig.order({ firmwares });
        const mortal = createMortal(at);
        const first = await rig.process(order, { mortal, settings: quiet });
        isLast = first.outcome !== 'killed';
        const end = isLast ? first : await rig.process(order, { settings: quiet });
        const story = `${mortal.moments.at(-1)}\n${JSON.stringify(end, null, 1)}\n${rig.machine.log.text()}`;
        assert.equal(end.outcome, 'succeeded', story);
        for (const { component, version } of firmwares) assert.equal(rig.versionOf(component), version, story);
        assert.equal(new Set(rig.flashes()).size, rig.flashes().length, story);
        assert.equal(rig.machine.power.state, at % 2 === 0 ? 'On' : 'Off', story);
      });
    }
  });
}
