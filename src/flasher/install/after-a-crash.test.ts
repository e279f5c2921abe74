import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../../simulator/index.ts';
import { type FlasherRig, startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';

const stride = 5;
/** Only steps become durable, no percentages: so that each moment of a kill is another one. */
const quiet = { tellEveryMs: 240 * 3_600_000 };

async function installWithKills(rig: FlasherRig, order: ReturnType<FlasherRig['order']>, first: number) {
  const lives: string[] = [];
  for (let at = first; ; at = stride) {
    const mortal = createMortal(at);
    const end = await rig.process(order, { mortal, settings: quiet });
    lives.push(`${mortal.moments.at(-1)} -> ${end.outcome}`);
    if (end.outcome !== 'killed') return { end, lives };
    assert.ok(lives.length < 40, `it does not come to an end:\n${lives.join('\n')}`);
  }
}

for (const personality of personalityNames) {
  for (let first = 0; first < stride; first += 1) {
    test(`${personality}: killed at every fifth moment from ${first} on, each image is still written once`, async (context) => {
      const rig = await startFlasherRig(context, personality, { arePoweredOn: first % 2 === 0 });
      const firmwares = [await rig.release('bmc'), await rig.release('bios'), await rig.release('nic')];
      const { end, lives } = await installWithKills(rig, rig.order({ firmwares }), first);
      const story = `${lives.join('\n')}\n${JSON.stringify(end, null, 1)}\n${rig.machine.log.text()}`;
      assert.equal(end.outcome, 'succeeded', story);
      for (const { component, version } of firmwares) assert.equal(rig.versionOf(component), version, story);
      const counts = Map.groupBy(rig.flashes(), (slot) => slot);
      const twice = [...counts].filter(([, { length }]) => length > 1);
      assert.deepEqual(twice, [], story);
    });
  }
}
