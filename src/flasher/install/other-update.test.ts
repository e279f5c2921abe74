import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../../simulator/index.ts';
import type { Condition, JsonObject } from '../../engine/index.ts';
import { sleep } from '../../kube/index.ts';
import type { Firmware } from '../plan/firmware.ts';
import { type FlasherRig, type ProcessEnd, startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';

type Order = ReturnType<FlasherRig['order']>;

/** Lets somebody send an image and go away for good once the BMC has it. */
async function leaveRunning(rig: FlasherRig, firmware: Firmware): Promise<Order> {
  const order = rig.order({ firmwares: [firmware] });
  const mortal = createMortal((what) => what === 'stored following');
  assert.equal((await rig.process(order, { mortal })).outcome, 'killed');
  return order;
}

/** The events of its updates that count here. */
function updates(rig: FlasherRig): readonly string[] {
  return rig.machine.log.events
    .map(({ event }) => event)
    .filter((event) => ['update.accepted', 'update.refused', 'update.done', 'update.failed'].includes(event));
}

function told(order: Order): string {
  return order.statuses
    .flatMap(({ records }) => records as JsonObject[])
    .map(({ msg }) => msg)
    .join('\n');
}

function story(end: ProcessEnd, rig: FlasherRig): string {
  return `${JSON.stringify(end, null, 1)}\n${rig.machine.log.text()}`;
}

for (const personality of personalityNames) {
  test(`${personality}: an update that somebody began is let end, and what it wrote is not written again`, async (context) => {
    const rig = await startFlasherRig(context, personality);
    const firmware = await rig.release('bmc');
    await leaveRunning(rig, firmware);
    const order = rig.order({ firmwares: [firmware] });
    const end = await rig.process(order);
    assert.equal(end.outcome, 'succeeded', story(end, rig));
    assert.equal(rig.versionOf('bmc'), firmware.version, story(end, rig));
    assert.deepEqual(updates(rig), ['update.accepted', 'update.done'], story(end, rig));
    assert.match(told(order), /the BMC is at another update, which is let end before anything is sent: \S/);
  });

  test(`${personality}: an image of another part is sent once that update has ended`, async (context) => {
    const rig = await startFlasherRig(context, personality);
    await leaveRunning(rig, await rig.release('bmc'));
    const firmware = await rig.release('bios');
    const end = await rig.process(rig.order({ firmwares: [firmware] }));
    assert.equal(end.outcome, 'succeeded', story(end, rig));
    assert.equal(rig.versionOf('bios'), firmware.version, story(end, rig));
    const seen = updates(rig).filter((event) => event !== 'update.done');
    assert.deepEqual(seen, ['update.accepted', 'update.accepted'], story(end, rig));
    assert.equal(rig.flashes().length, 2, story(end, rig));
    if (end.outcome === 'succeeded') {
      const [action] = (end.status?.actions ?? []) as JsonObject[];
      assert.equal(action?.attempts, 1, 'to wait is no attempt');
    }
  });
}

test('an update that does not end is told of after its time, nothing is sent beside it, and the host is left alone', async (context) => {
  const rig = await startFlasherRig(context, 'hpe-ilo5', { arePoweredOn: false });
  rig.setFaults([{ kind: 'flash-hangs' }]);
  const order = await leaveRunning(rig, await rig.release('bmc'));
  assert.equal(rig.machine.power.state, 'On');
  const end = await rig.process(rig.order({ firmwares: [await rig.release('bios')] }));
  assert.ok(end.outcome === 'failed', story(end, rig));
  assert.equal(end.reason.code, 'OtherUpdate');
  assert.match(end.reason.message, /did not end within 120 minutes, and nothing was sent beside it .*look at the BMC/);
  assert.deepEqual(updates(rig), ['update.accepted'], story(end, rig));
  assert.equal(rig.machine.power.state, 'On');
  assert.equal(order.progress.state, 'following');
});

const cancel: Condition['cancel'] = { at: 0, isForced: false, by: 'operator' };

test('a cancel while another update is let end is heard, and the host is not switched off under it', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  await leaveRunning(rig, await rig.release('bmc'));
  // Off, so that it has to be switched on for this, and off again in the end.
  await rig.within(({ clock }) => {
    rig.machine.power.reset('ForceOff');
    return sleep(clock, 30_000);
  });
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  const { moment, ...mortal } = createMortal();
  const watched = {
    ...mortal,
    moment(what: string) {
      if (what === 'stored awaiting-other') order.cancel = cancel;
      moment(what);
    },
  };
  const end = await rig.process(order, { mortal: watched });
  assert.ok(end.outcome === 'failed', story(end, rig));
  assert.equal(end.reason.code, 'Cancelled');
  assert.equal(order.progress.powerBefore, 'off');
  assert.equal(rig.machine.power.state, 'On', story(end, rig));
  assert.deepEqual(updates(rig), ['update.accepted'], story(end, rig));
});

test('a host that has to be off for an image is not switched off before another update has ended', async (context) => {
  const rig = await startFlasherRig(context, 'openbmc');
  await leaveRunning(rig, await rig.release('bmc'));
  const firmware = await rig.release('bios');
  const end = await rig.process(rig.order({ firmwares: [firmware] }));
  assert.equal(end.outcome, 'succeeded', story(end, rig));
  const order = rig.machine.log.events
    .map(({ event }) => event)
    .filter((event) => event === 'update.done' || event === 'power.off');
  assert.equal(order[0], 'update.done', story(end, rig));
});

/** Lets an install of a BIOS be given up by its deadline: the BMC writes it, and the host is off for that. */
async function leaveOff(rig: FlasherRig): Promise<void> {
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  const end = await rig.process(order, { settings: { followMs: 60_000 } });
  assert.ok(end.outcome === 'failed' && end.reason.code === 'Timeout', story(end, rig));
  assert.equal(rig.machine.power.state, 'Off', story(end, rig));
  assert.deepEqual(updates(rig), ['update.accepted'], story(end, rig));
}

test('a host that is off while its flash is written is not switched on for another install before that has ended', async (context) => {
  const rig = await startFlasherRig(context, 'openbmc');
  await leaveOff(rig);
  const firmware = await rig.release('bmc');
  const order = rig.order({ firmwares: [firmware] });
  const end = await rig.process(order);
  assert.equal(end.outcome, 'succeeded', story(end, rig));
  assert.equal(rig.versionOf('bmc'), firmware.version, story(end, rig));
  assert.equal(rig.versionOf('bios'), (await rig.release('bios')).version, story(end, rig));
  assert.equal(updates(rig).includes('update.failed'), false, story(end, rig));
  assert.match(told(order), /at another update, which is let end before the host is switched on: \S/);
});

test('a flash that does not end keeps its host off, nothing is sent beside it, and a cancel is heard', async (context) => {
  const rig = await startFlasherRig(context, 'openbmc');
  rig.setFaults([{ kind: 'flash-hangs' }]);
  await leaveOff(rig);
  const order = rig.order({ firmwares: [await rig.release('bmc')] });
  const end = await rig.process(order);
  assert.ok(end.outcome === 'failed' && end.reason.code === 'OtherUpdate', story(end, rig));
  const cancelled = rig.order(order.install);
  const mortal = createMortal((what) => {
    if (what === 'stored keeping-off') cancelled.cancel = cancel;
    return false;
  });
  const second = await rig.process(cancelled, { mortal });
  assert.ok(second.outcome === 'failed' && second.reason.code === 'Cancelled', story(second, rig));
  assert.deepEqual(updates(rig), ['update.accepted'], story(second, rig));
  assert.equal(rig.machine.power.state, 'Off', story(second, rig));
});

test('what is staged already gets its restart once an update of another part has ended', async (context) => {
  const rig = await startFlasherRig(context, 'lenovo-xcc');
  const firmware = await rig.release('bios');
  await leaveRunning(rig, firmware);
  await rig.within(({ clock }) => sleep(clock, 20 * 60_000));
  assert.equal(rig.machine.updates.all[0]?.waitsFor, 'reset', rig.machine.log.text());
  await leaveRunning(rig, await rig.release('bmc'));
  const end = await rig.process(rig.order({ firmwares: [firmware] }));
  assert.equal(end.outcome, 'succeeded', story(end, rig));
  assert.equal(rig.versionOf('bios'), firmware.version, story(end, rig));
  const { events } = rig.machine.log;
  const written = events.findIndex(({ event, detail }) => event === 'update.flash-end' && / update=2$/.test(detail));
  const restarted = events.findIndex(({ event }) => event === 'power.reset');
  assert.ok(written >= 0 && written < restarted, story(end, rig));
  assert.equal(updates(rig).filter((event) => event === 'update.accepted').length, 2, story(end, rig));
});

test('an install with nothing to do leaves a host that is off alone under an update of somebody else', async (context) => {
  const rig = await startFlasherRig(context, 'hpe-ilo5', { arePoweredOn: false });
  await leaveRunning(rig, await rig.release('bmc'));
  await rig.within(({ clock }) => {
    rig.machine.power.reset('ForceOff');
    return sleep(clock, 30_000);
  });
  const order = rig.order({ firmwares: [await rig.release('bios', { version: rig.versionOf('bios') ?? '' })] });
  const end = await rig.process(order);
  assert.ok(end.outcome === 'succeeded', story(end, rig));
  assert.equal(end.status?.result, 'already-installed');
  assert.deepEqual(updates(rig), ['update.accepted'], 'it is still being written');
  assert.equal(rig.machine.power.state, 'Off', story(end, rig));
});

/** Where an install is left: before the request, once the BMC has answered, while it is written. */
const leftAt: Readonly<Record<string, (what: string) => boolean>> = {
  'before the image was sent': (what) => what === 'stored sending',
  'when the BMC had it': (what) => what.startsWith('POST '),
  'while it was followed': (what) => what === 'stored following',
};

function goOn(rig: FlasherRig, left: Order): Order {
  return { ...rig.order(left.install), progress: structuredClone(left.progress), isCancelUnsafe: true };
}

for (const personality of personalityNames) {
  for (const [where, isEnd] of Object.entries(leftAt)) {
    test(`${personality}: an install that was left ${where} is gone on with by a later one, and its image is written once`, async (context) => {
      const rig = await startFlasherRig(context, personality);
      const firmware = await rig.release('bios');
      const left = rig.order({ firmwares: [firmware] });
      assert.equal((await rig.process(left, { mortal: createMortal(isEnd) })).outcome, 'killed');
      // By then an iLO shows nothing any more of a ROM that waits for the host.
      await rig.within(({ clock }) => sleep(clock, 6 * 3_600_000));
      const order = goOn(rig, left);
      const end = await rig.process(order);
      assert.equal(end.outcome, 'succeeded', story(end, rig));
      assert.equal(rig.versionOf('bios'), firmware.version, story(end, rig));
      assert.equal(updates(rig).filter((event) => event === 'update.accepted').length, 1, story(end, rig));
      assert.equal(updates(rig).includes('update.refused'), false, story(end, rig));
      assert.equal(rig.flashes().length, 1, story(end, rig));
      assert.match(told(order), /an earlier install of the same was left in the middle; this one goes on at/);
    });
  }
}

test('what another kind of worker left in the middle is nothing to go on with: the install begins', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const firmware = await rig.release('bios');
  const order = { ...rig.order({ firmwares: [firmware] }), progress: { at: 0, isBegun: true }, isCancelUnsafe: true };
  const end = await rig.process(order);
  assert.equal(end.outcome, 'succeeded', story(end, rig));
  assert.equal(rig.versionOf('bios'), firmware.version, story(end, rig));
});

test('an install that is gone on with has the tries of a new one, though the one before had used all of its own', async (context) => {
  const rig = await startFlasherRig(context, 'lenovo-xcc');
  const firmware = await rig.release('bios');
  const left = rig.order({ firmwares: [firmware] });
  const beforeSending = (): ReturnType<typeof createMortal> => createMortal((what) => what === 'stored sending');
  for (let sends = 1; sends <= 3; sends += 1) {
    assert.equal((await rig.process(left, { mortal: beforeSending() })).outcome, 'killed');
  }
  const end = await rig.process(goOn(rig, left));
  assert.equal(end.outcome, 'succeeded', story(end, rig));
  assert.equal(rig.versionOf('bios'), firmware.version, story(end, rig));
});
