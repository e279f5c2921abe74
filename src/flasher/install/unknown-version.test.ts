import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../../simulator/index.ts';
import type { JsonObject } from '../../engine/index.ts';
import type { FirmwareComponent } from '../../parts/index.ts';
import { type FlasherRig, startFlasherRig } from '../testing/flasher-rig.ts';

/** An image of which nothing is known but its address, its hash and the component that it is for. */
async function link(rig: FlasherRig, component: FirmwareComponent, change: { readonly version?: string } = {}) {
  const { softwareIds: _, version, ...image } = await rig.release(component, change);
  return { version, firmware: { ...image, version: '', models: [] } };
}

for (const personality of personalityNames) {
  for (const component of ['bios', 'bmc'] as const) {
    test(`${personality}: a ${component} image of unknown version is installed once, and its version is told`, async (context) => {
      const rig = await startFlasherRig(context, personality);
      const { version, firmware } = await link(rig, component);
      const end = await rig.process(rig.order({ firmwares: [firmware] }));
      assert.equal(end.outcome, 'succeeded', JSON.stringify(end));
      assert.equal(rig.versionOf(component), version);
      assert.equal(rig.flashes().length, 1, rig.flashes().join());
      const [action] = ('status' in end ? (end.status?.actions as JsonObject[]) : undefined) ?? [];
      assert.deepEqual([action?.state, action?.version], ['succeeded', version]);
    });
  }
}

test('an image that brings the version that runs already is installed once, with a warning', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const before = rig.versionOf('bios') ?? '';
  const { firmware } = await link(rig, 'bios', { version: before });
  const end = await rig.process(rig.order({ firmwares: [firmware] }));
  assert.equal(end.outcome, 'succeeded', JSON.stringify(end));
  assert.equal(rig.flashes().length, 1);
  const [action] = ('status' in end ? (end.status?.actions as JsonObject[]) : undefined) ?? [];
  assert.equal(action?.version, before);
  assert.match(String(action?.warnings), /the version is the one from before/);
});

test('an image of unknown version that the BMC refuses has failed', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const { firmware } = await link(rig, 'bios');
  const before = rig.versionOf('bios');
  rig.setFaults([{ kind: 'task-completed-critical' }]);
  const end = await rig.process(rig.order({ firmwares: [firmware] }));
  assert.equal(end.outcome, 'failed');
  assert.equal(rig.versionOf('bios'), before);
});

for (const diesAfterMs of [20_000, 60_000, 180_000, 400_000]) {
  test(`an image of unknown version is written once where its worker dies after ${diesAfterMs / 1000} s`, async (context) => {
    const rig = await startFlasherRig(context, 'dell-idrac9');
    const { version, firmware } = await link(rig, 'bios');
    const order = rig.order({ firmwares: [firmware] });
    await rig.process(order, { diesAfterMs });
    const end = await rig.process(order);
    assert.equal(end.outcome, 'succeeded', JSON.stringify(end));
    assert.equal(rig.versionOf('bios'), version);
    assert.equal(rig.flashes().length, 1, rig.flashes().join());
  });
}
