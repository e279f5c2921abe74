import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from '../../../simulator/index.ts';
import type { JsonObject, WorkOutcome } from '../../engine/index.ts';
import { sleep } from '../../kube/index.ts';
import { flasherHandlers } from '../create-flasher.ts';
import { leaseWork, type StoredWork, storeWork } from '../testing/fake-work.ts';
import { type FlasherRig, startFlasherRig } from '../testing/flasher-rig.ts';
import { createMortal, Killed, type Mortal } from '../testing/mortal.ts';
import { flasherKinds } from './kinds.ts';
import type { InventoryReport } from './ports.ts';

function order(kind: string, parameters: JsonObject = {}): StoredWork {
  const checked = flasherKinds()
    .find((each) => each.kind === kind)
    ?.check(parameters);
  assert.deepEqual(checked?.problems, []);
  return storeWork({ kind, parameters: checked?.parameters ?? {} });
}

interface Handled {
  readonly end: WorkOutcome | { readonly outcome: 'killed' };
  readonly reports: readonly InventoryReport[];
}

async function handle(rig: FlasherRig, stored: StoredWork, mortal: Mortal = createMortal()): Promise<Handled> {
  const reports: InventoryReport[] = [];
  return rig.within(async (base) => {
    const inventorySink = { write: async (report: InventoryReport) => void reports.push(report) };
    const handler = flasherHandlers({ ...base, inventorySink })[stored.kind];
    assert.ok(handler, stored.kind);
    try {
      return { end: await handler(leaseWork(stored, { mortal, clock: base.clock })), reports };
    } catch (error) {
      if (error instanceof Killed || mortal.isDead) return { end: { outcome: 'killed' }, reports };
      throw error;
    }
  }, mortal);
}

function succeeded({ end }: Handled, rig: FlasherRig): JsonObject {
  assert.ok(end.outcome === 'succeeded', `${JSON.stringify(end)}\n${rig.machine.log.text()}`);
  return end.status ?? {};
}

const powerKinds = [
  { kind: 'powerOn', from: 'off', to: 'On' },
  { kind: 'powerOff', from: 'on', to: 'Off' },
  { kind: 'powerCycleHard', from: 'on', to: 'On' },
  { kind: 'powerCycleSoft', from: 'on', to: 'On' },
] as const;

for (const personality of personalityNames) {
  for (const { kind, from, to } of powerKinds) {
    test(`${personality}: ${kind} of a host that is ${from}`, async (context) => {
      const rig = await startFlasherRig(context, personality, { arePoweredOn: from === 'on' });
      const status = succeeded(await handle(rig, order(kind)), rig);
      assert.equal(rig.machine.power.state, to);
      assert.equal(String(status.power_after).toLowerCase(), to.toLowerCase());
      const isSent = rig.machine.log.events.some(({ event }) => event === 'power.reset');
      assert.ok(isSent);
    });
  }

  test(`${personality}: the inventory is read and handed on with the lease it was read under`, async (context) => {
    const rig = await startFlasherRig(context, personality);
    const handled = await handle(rig, order('inventoryOOB', { collect_bios_cfg: true }));
    const status = succeeded(handled, rig);
    const [report] = handled.reports;
    assert.ok(report);
    assert.equal(report.target, 'server/1');
    assert.deepEqual(report.lease, { conditionId: 'condition-1', token: 1 });
    assert.equal(report.inventory.system.model, rig.machine.hardware.model);
    assert.ok(Object.keys(report.biosSettings ?? {}).length > 0);
    assert.equal((status.counts as JsonObject).firmware, report.inventory.firmware.length);
  });
}

test('what is on already is not asked for', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const status = succeeded(await handle(rig, order('powerOn')), rig);
  assert.match(String(status.message), /already/);
  assert.ok(!rig.machine.log.events.some(({ event }) => event === 'power.reset'));
});

test('a hard power cycle whose worker was lost right after it is not done twice', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const stored = order('powerCycleHard');
  // The first moment is the stored intent, the second the answer of the BMC.
  const first = await handle(rig, stored, createMortal(1));
  assert.equal(first.end.outcome, 'killed');
  succeeded(await handle(rig, stored), rig);
  const resets = rig.machine.log.events.filter(({ event }) => event === 'power.reset');
  assert.equal(resets.length, 1, rig.machine.log.text());
});

test('a system that hangs in its shutdown is cut off once, also by the worker that goes on after a lost one', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const { timings, bios } = rig.machine.personality;
  const usual = timings.gracefulShutdownMs;
  Object.assign(timings, { gracefulShutdownMs: 10 * 60 * 60_000 });
  context.after(() => Object.assign(timings, { gracefulShutdownMs: usual }));
  const { name, values = [] } =
    bios.find((each) => each.isReadOnly !== true && (each.values?.length ?? 0) > 1) ?? assert.fail();
  const value = values.find((each) => each !== rig.machine.bios.current[name]) ?? '';
  const attributes = { [name]: value };
  const stored = order('biosControl', { action: 'set_config', attributes, grace_period_seconds: 180 });
  const first = await handle(
    rig,
    stored,
    createMortal((what) => what.endsWith('ComputerSystem.Reset')),
  );
  assert.equal(first.end.outcome, 'killed');
  assert.equal(rig.machine.power.state, 'PoweringOff');
  succeeded(await handle(rig, stored), rig);
  const resets = rig.machine.log.events.filter(({ event }) => event === 'power.reset');
  assert.deepEqual(
    resets.map(({ detail }) => /type=(\w+)/.exec(detail)?.[1]),
    ['GracefulShutdown', 'ForceOff', 'On'],
  );
});

/** Lets an install be given up once the BMC writes what it was sent. */
async function leaveWriting(rig: FlasherRig, component: 'bmc' | 'bios' = 'bmc'): Promise<void> {
  const mortal = createMortal((what) => what === 'stored following');
  const install = rig.order({ firmwares: [await rig.release(component)] });
  assert.equal((await rig.process(install, { mortal })).outcome, 'killed');
}

test('a host whose BMC writes firmware is not switched off or restarted before that has ended', async (context) => {
  const rig = await startFlasherRig(context, 'hpe-ilo5');
  await leaveWriting(rig);
  succeeded(await handle(rig, order('powerOff')), rig);
  const events = rig.machine.log.events.map(({ event }) => event);
  assert.ok(events.includes('update.done'), rig.machine.log.text());
  assert.ok(events.lastIndexOf('update.done') < events.indexOf('power.reset'), rig.machine.log.text());
});

test('a host without time to shut down is switched off hard, after what its BMC writes', async (context) => {
  const rig = await startFlasherRig(context, 'hpe-ilo5');
  await leaveWriting(rig);
  const { end } = await handle(rig, order('powerOff', { grace_period_seconds: 0 }));
  assert.ok(end.outcome === 'succeeded', JSON.stringify(end));
  assert.deepEqual(end.status?.sent, ['ForceOff']);
  const events = rig.machine.log.events.map(({ event }) => event);
  assert.ok(events.lastIndexOf('update.done') < events.indexOf('power.reset'), rig.machine.log.text());
});

test('an update that does not end keeps the power as it is, says so, and can be overruled', async (context) => {
  const rig = await startFlasherRig(context, 'hpe-ilo5');
  rig.setFaults([{ kind: 'flash-hangs' }]);
  await leaveWriting(rig);
  const { end } = await handle(rig, order('powerCycleHard'));
  assert.ok(end.outcome === 'failed' && end.reason.code === 'UpdateRunning', JSON.stringify(end));
  assert.ok(!rig.machine.log.events.some(({ event }) => event === 'power.reset'), rig.machine.log.text());
  succeeded(await handle(rig, order('powerOff', { force: true })), rig);
  assert.equal(rig.machine.power.state, 'Off');
});

test('a host that is off while its flash is written is not switched on before that has ended, unless by force', async (context) => {
  for (const force of [false, true]) {
    const rig = await startFlasherRig(context, 'openbmc', { arePoweredOn: false });
    await leaveWriting(rig, 'bios');
    await rig.within(({ clock }) => sleep(clock, 60_000));
    assert.equal(rig.machine.updates.all[0]?.phase, 'flashing', rig.machine.log.text());
    assert.equal(rig.machine.power.state, 'Off');
    succeeded(await handle(rig, order('powerOn', { force })), rig);
    assert.equal(rig.machine.power.state, 'On');
    const failed = rig.machine.log.events.filter(({ event }) => event === 'update.failed');
    assert.equal(failed.length, force ? 1 : 0, rig.machine.log.text());
  }
});

test('a host that is on already is not waited for', async (context) => {
  const rig = await startFlasherRig(context, 'openbmc');
  rig.setFaults([{ kind: 'flash-hangs' }]);
  await leaveWriting(rig);
  assert.match(String(succeeded(await handle(rig, order('powerOn')), rig).message), /already/);
});

/** What restarts a host or a BMC beside the kinds about power. */
const restarts = [
  { what: 'biosControl', event: 'power.reset', kind: 'biosControl', parameters: { action: 'reset_config' } },
  { what: 'pxe_boot_persistent', event: 'power.reset', kind: 'serverControl', parameters: {} },
  { what: 'power_cycle_bmc', event: 'manager.reset', kind: 'serverControl', parameters: {} },
] as const;

for (const { what, event, kind, parameters } of restarts) {
  const asked = { action: what, ...parameters };

  test(`${what} restarts nothing before firmware that the BMC writes has ended`, async (context) => {
    const rig = await startFlasherRig(context, 'hpe-ilo5');
    await leaveWriting(rig);
    succeeded(await handle(rig, order(kind, asked)), rig);
    const events = rig.machine.log.events.map((each) => each.event);
    assert.ok(events.includes('update.done') && events.includes(event), rig.machine.log.text());
    assert.ok(events.lastIndexOf('update.done') < events.indexOf(event), rig.machine.log.text());
    assert.ok(!events.includes('update.failed'), rig.machine.log.text());
  });

  test(`${what} beside an update that does not end restarts nothing, says so, and can be overruled`, async (context) => {
    const rig = await startFlasherRig(context, 'hpe-ilo5');
    rig.setFaults([{ kind: 'flash-hangs' }]);
    await leaveWriting(rig);
    const { end } = await handle(rig, order(kind, asked));
    assert.ok(end.outcome === 'failed' && end.reason.code === 'UpdateRunning', JSON.stringify(end));
    assert.ok(!rig.machine.log.events.some((each) => each.event === event), rig.machine.log.text());
    assert.equal(rig.machine.boot.enabled, 'Disabled');
    succeeded(await handle(rig, order(kind, { ...asked, force: true })), rig);
    assert.ok(
      rig.machine.log.events.some((each) => each.event === event),
      rig.machine.log.text(),
    );
  });
}

/** An attribute of the BIOS with another value that it can have. */
function otherValue(rig: FlasherRig): readonly [string, string] {
  const { current } = rig.machine.bios;
  for (const { name, values, isReadOnly } of rig.machine.personality.bios) {
    const other = isReadOnly ? undefined : values?.find((value) => value !== current[name]);
    if (other !== undefined) return [name, other];
  }
  throw new Error('no attribute can be changed');
}

for (const personality of personalityNames) {
  test(`${personality}: BIOS settings are staged, the host is restarted, and they are seen to be applied`, async (context) => {
    const rig = await startFlasherRig(context, personality);
    const [name, value] = otherValue(rig);
    const stored = order('biosControl', { action: 'set_config', attributes: { [name]: value } });
    succeeded(await handle(rig, stored), rig);
    const post = rig.machine.log.events.filter(({ event }) => event.startsWith('post.')).map(({ event }) => event);
    assert.deepEqual(post, ['post.begin', 'post.done'], 'it is over with the self-test, not before');
    const again = succeeded(await handle(rig, order('biosControl', stored.parameters)), rig);
    assert.match(String(again.message), /so already/);
    const applied = rig.machine.log.events.filter(({ event }) => event === 'bios.applied');
    assert.equal(applied.length, 1, rig.machine.log.text());
  });
}

test('settings of a host that is in its self-test already are over with the self-test that applied them', async (context) => {
  for (const personality of ['dell-idrac9', 'hpe-ilo5'] as const) {
    const rig = await startFlasherRig(context, personality);
    const { machine } = rig;
    machine.power.reset('ForceRestart');
    const [name, value] = otherValue(rig);
    const beganAt = machine.clock.elapsedMs();
    succeeded(await handle(rig, order('biosControl', { action: 'set_config', attributes: { [name]: value } })), rig);
    const events = machine.log.events.map(({ event }) => event);
    assert.ok(events.lastIndexOf('post.done') > events.lastIndexOf('bios.applied'), machine.log.text());
    const tookMs = machine.clock.elapsedMs() - beganAt;
    assert.ok(tookMs < 1.2 * machine.personality.timings.postMs + 30_000, `${personality} took ${tookMs} ms`);
  }
});

test('a change of BIOS settings is gone on with wherever its worker was lost, and applied once', async (context) => {
  for (let at = 0; at < 6; at += 1) {
    const rig = await startFlasherRig(context, 'hpe-ilo6');
    const [name, value] = otherValue(rig);
    const stored = order('biosControl', { action: 'set_config', attributes: { [name]: value } });
    await handle(rig, stored, createMortal(at));
    succeeded(await handle(rig, stored), rig);
    const applied = rig.machine.log.events.filter(({ event }) => event === 'bios.applied');
    assert.equal(applied.length, 1, `killed at ${at}\n${rig.machine.log.text()}`);
  }
});

test('BIOS settings that cannot be are refused with all reasons, and nothing is staged', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const attributes = { NoSuchThing: 'x', NorThis: 1 };
  const { end } = await handle(rig, order('biosControl', { action: 'set_config', attributes }));
  assert.ok(end.outcome === 'failed');
  assert.match(end.reason.message, /NoSuchThing.*NorThis/);
  assert.ok(!rig.machine.log.events.some(({ event }) => event === 'bios.staged' || event === 'power.reset'));
});

test('BIOS settings go back to those of the factory', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const status = succeeded(await handle(rig, order('biosControl', { action: 'reset_config' })), rig);
  assert.match(String(status.message), /factory/);
});

for (const personality of personalityNames) {
  test(`${personality}: power is told, the next boot is chosen and taken back, and the BMC is restarted`, async (context) => {
    const rig = await startFlasherRig(context, personality);
    const control = async (action: string, more: JsonObject = {}) =>
      succeeded(await handle(rig, order('serverControl', { action, ...more })), rig);
    assert.equal((await control('get_power_state')).power_state, 'on');
    await control('set_next_boot_device', { action_parameter: 'pxe' });
    const { boot } = rig.machine;
    assert.deepEqual([boot.enabled, boot.target], ['Once', 'Pxe']);
    await control('set_next_boot_device', { action_parameter: 'none' });
    assert.equal(boot.enabled, 'Disabled');
    await control('power_cycle_bmc');
    assert.ok(rig.machine.log.events.some(({ event }) => event === 'manager.reset'));
    assert.ok(!rig.machine.log.events.some(({ event }) => event === 'power.reset'));
  });
}

test('a host that is to boot from the network for good is restarted once, also when its worker dies', async (context) => {
  const rig = await startFlasherRig(context, 'dell-idrac9');
  const stored = order('serverControl', { action: 'pxe_boot_persistent' });
  const dying = createMortal((what) => what.startsWith('POST '));
  assert.equal((await handle(rig, stored, dying)).end.outcome, 'killed');
  const status = succeeded(await handle(rig, stored), rig);
  assert.match(String(status.message), /restarted before/);
  assert.deepEqual([rig.machine.boot.enabled, rig.machine.boot.target], ['Continuous', 'Pxe']);
  const restarts = rig.machine.log.events.filter(({ event }) => event === 'power.reset');
  assert.equal(restarts.length, 1, rig.machine.log.text());
});

test('a BMC is not told to fetch an image from where nothing may be fetched', async (context) => {
  const rig = await startFlasherRig(context, 'supermicro-x12');
  const image_uri = 'http://169.254.169.254/latest/meta-data';
  const { end } = await handle(rig, order('virtualMediaMount', { image_uri }));
  assert.ok(end.outcome === 'failed', JSON.stringify(end));
  assert.match(end.reason.message, /its host is none that may be connected to/);
  assert.equal(rig.machine.media.hasMedium, false);
});

test('an image is put into a virtual drive, its credentials beside it, and taken out again', async (context) => {
  const rig = await startFlasherRig(context, 'supermicro-x12');
  const image_uri = 'http://reader:s3cret@127.0.0.1:9/boot.iso';
  const mounted = await handle(rig, order('virtualMediaMount', { image_uri, media_type: 'iso', mount_method: 'url' }));
  const status = succeeded(mounted, rig);
  assert.doesNotMatch(JSON.stringify(status), /s3cret/);
  const drive = String(status.drive);
  assert.equal(rig.machine.media.get(drive)?.image, 'http://127.0.0.1:9/boot.iso');
  succeeded(await handle(rig, order('virtualMediaMount', { eject: true })), rig);
  assert.equal(rig.machine.media.hasMedium, false);
});
