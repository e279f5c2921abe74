import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, JsonObject } from '../../engine/index.ts';
import { isEngineError } from '../../engine/index.ts';
import { type FlasherRig, startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal } from '../testing/mortal.ts';

const cancel: Condition['cancel'] = { at: 0, isForced: false, by: 'operator' };

/** Cancels when a state becomes durable; `sending`: when something of it does that comes after its begin. */
function cancelAt(order: ReturnType<FlasherRig['order']>, state: string) {
  let left = state === 'sending' ? 2 : 1;
  const mortal = createMortal();
  const { moment } = mortal;
  const watched = {
    ...mortal,
    get isDead() {
      return mortal.isDead;
    },
    moment(what: string) {
      if (what === `stored ${state}`) left -= 1;
      if (left === 0) order.cancel = cancel;
      moment(what);
    },
  };
  return watched;
}

test('a cancel before anything was sent ends the install, leaves the host as it was, and says so of each image', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9', { arePoweredOn: false });
  const order = rig.order({ firmwares: [await rig.release('bmc'), await rig.release('bios')] });
  const end = await rig.process(order, { mortal: cancelAt(order, 'fetching') });
  assert.ok(end.outcome === 'failed');
  assert.equal(end.reason.code, 'Cancelled');
  assert.match(end.reason.message, /operator/);
  assert.deepEqual(rig.flashes(), []);
  assert.equal(rig.machine.power.state, 'Off');
  const actions = (end.status as JsonObject).actions as JsonObject[];
  assert.deepEqual(
    actions.map(({ state }) => state),
    ['not-started', 'not-started'],
  );
});

for (const state of ['sending', 'following', 'activating', 'verifying']) {
  test(`a cancel while it is ${state} waits until the image is installed, and nothing more is begun`, async (context) => {
    const rig = await startFlasherRig(context, 'lenovo-xcc');
    const order = rig.order({ firmwares: [await rig.release('bios'), await rig.release('nic')] });
    const end = await rig.process(order, { mortal: cancelAt(order, state) });
    assert.ok(end.outcome === 'failed', JSON.stringify(end));
    assert.equal(end.reason.code, 'Cancelled');
    const actions = (end.status as JsonObject).actions as JsonObject[];
    assert.deepEqual(
      actions.map((action) => action.state),
      ['succeeded', 'not-started'],
    );
    assert.deepEqual(rig.flashes(), ['UEFI']);
  });
}

for (const arePoweredOn of [true, false]) {
  test(`a cancel during the last image comes too late: it is installed, and the host is ${arePoweredOn ? 'on' : 'off'} again`, async (context) => {
    // The one whose host has to be off for it.
    const rig = await startFlasherRig(context, 'openbmc', { arePoweredOn });
    const firmware = await rig.release('bios');
    const order = rig.order({ firmwares: [firmware] });
    const end = await rig.process(order, { mortal: cancelAt(order, 'verifying') });
    assert.equal(rig.versionOf('bios'), firmware.version);
    assert.equal(rig.machine.power.state, arePoweredOn ? 'On' : 'Off', rig.machine.log.text());
    assert.equal(end.outcome, 'succeeded', JSON.stringify(end));
  });
}

test('a cancel during a last image that fails leaves the host as it was, and says what failed', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9', { arePoweredOn: false });
  rig.setFaults([{ kind: 'task-completed-critical', machines: '*', times: 9 }]);
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  const settings = { maxAttempts: 1 };
  const end = await rig.process(order, { mortal: cancelAt(order, 'following'), settings });
  assert.ok(end.outcome === 'failed', JSON.stringify(end));
  assert.notEqual(end.reason.code, 'Cancelled');
  assert.equal(rig.machine.power.state, 'Off', rig.machine.log.text());
});

test('a cancel that is heard while the host is switched off again changes nothing any more', async (context) => {
  const rig = await startFlasherRig(context, 'lenovo-xcc', { arePoweredOn: false });
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  const end = await rig.process(order, { mortal: cancelAt(order, 'restoring-power') });
  assert.equal(rig.machine.power.state, 'Off', rig.machine.log.text());
  assert.equal(end.outcome, 'succeeded', JSON.stringify(end));
});

test('a worker that stops hands a running update over, and the next one follows it', async (context) => {
  const rig = await startFlasherRig(context, 'supermicro-x12');
  const firmware = await rig.release('bios');
  const order = rig.order({ firmwares: [firmware] });
  const mortal = createMortal();
  const { moment } = mortal;
  let stop = (): void => {};
  const watched = {
    ...mortal,
    moment(what: string) {
      moment(what);
      if (what === 'stored following') stop();
    },
  };
  const stopped = rig.process(order, {
    mortal: watched,
    onLease: (work) => {
      stop = () => work.stop();
    },
  });
  await assert.rejects(stopped, (error) => isEngineError(error, 'stopping'));
  assert.equal(order.progress.state, 'following');
  const end = await rig.process(order);
  assert.equal(end.outcome, 'succeeded');
  assert.equal(rig.flashes().length, 1);
});

test('whoever lost its lease sends nothing more, and its session is ended', async (context) => {
  const rig = await startFlasherRig(context, 'hpe-ilo5');
  const firmware = await rig.release('bios');
  const order = rig.order({ firmwares: [firmware] });
  const mortal = createMortal();
  const { moment } = mortal;
  const watched = {
    ...mortal,
    moment(what: string) {
      moment(what);
      // Somebody else gets it while this one prepares to send.
      if (what === 'stored sending') order.leases += 1;
    },
  };
  await assert.rejects(rig.process(order, { mortal: watched }), (error) =>
    /leaseLost/.test(String((error as { code?: string }).code)),
  );
  assert.ok(order.sessionUri);
  assert.deepEqual(rig.flashes(), []);
  const end = await rig.process(order);
  assert.equal(end.outcome, 'succeeded', JSON.stringify(end, null, 1));
  assert.equal(rig.flashes().length, 1);
  const closed = rig.machine.log.events.filter(({ event }) => event.startsWith('session.')).map(({ event }) => event);
  assert.ok(closed.includes('session.close'), closed.join());
});

test('a stale process whose session was ended cannot follow with a request of its own', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const order = rig.order({ firmwares: [await rig.release('bios')] });
  const end = await rig.process(order, { mortal: createMortal(4) });
  assert.equal(end.outcome, 'killed');
  const before = order.sessionUri;
  assert.ok(before);
  assert.equal((await rig.process(order)).outcome, 'succeeded');
  const deleted = rig.machine.log.events.some(
    ({ event, detail }) => event === 'request' && detail.includes(`DELETE ${before}`),
  );
  assert.ok(deleted, rig.machine.log.text());
});

for (const [arePoweredOn, boot, expected] of [
  [false, 'auto', true],
  [true, 'auto', false],
  [true, 'pxe', true],
  [false, 'as-configured', false],
] as const) {
  const was = arePoweredOn ? 'on' : 'off';
  test(`a host that was ${was} with boot ${boot} ${expected ? 'is' : 'is not'} led away from its disk once`, async (context) => {
    const rig = await startFlasherRig(context, 'dell-idrac9', { arePoweredOn });
    const end = await rig.process(rig.order({ firmwares: [await rig.release('bios')], boot }));
    assert.equal(end.outcome, 'succeeded');
    const isSet = rig.machine.log.events.some(({ event }) => event === 'boot.set');
    assert.equal(isSet, expected, rig.machine.log.text());
  });
}
