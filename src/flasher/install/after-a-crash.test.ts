import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../../simulator/index.ts';
import { sleep } from '../../kube/index.ts';
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

/** A process that ends while it sends its second image: before the request, or when the BMC has answered. */
function whileSending(when: 'before' | 'after') {
  let sendings = 0;
  return createMortal((what) => {
    if (what === 'stored sending') sendings += 1;
    return sendings === 2 && (when === 'before' || what.startsWith('POST '));
  });
}

for (const personality of personalityNames) {
  for (const when of ['before', 'after'] as const) {
    test(`${personality}: killed right ${when} the BIOS image is sent, and gone on with an hour later, it is written once`, async (context) => {
      const rig = await startFlasherRig(context, personality);
      const firmwares = [await rig.release('bmc'), await rig.release('bios')];
      const order = rig.order({ firmwares });
      const first = await rig.process(order, { mortal: whileSending(when), settings: quiet });
      assert.equal(first.outcome, 'killed');
      await rig.within(({ clock }) => sleep(clock, 3_600_000));
      const end = await rig.process(order, { settings: quiet });
      const story = `${JSON.stringify(end, null, 1)}\n${rig.machine.log.text()}`;
      assert.equal(end.outcome, 'succeeded', story);
      for (const { component, version } of firmwares) assert.equal(rig.versionOf(component), version, story);
      const sent = rig.machine.log.events.filter(
        ({ event }) => event === 'update.accepted' || event === 'update.refused',
      );
      assert.equal(sent.length, 2, story);
      assert.equal(new Set(rig.flashes()).size, rig.flashes().length, story);
    });
  }
}
