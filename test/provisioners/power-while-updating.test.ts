import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { PersonalityName } from '../../simulator/index.ts';
import { createDrive } from '../../src/provisioners/contract/drive.ts';
import type { PowerOrder } from '../../src/provisioners/index.ts';
import { type RedfishRigOptions, startRedfishRig } from './redfish-rig.ts';

const registration = {
  ...{ isRetry: false, haveCredentialsChanged: false, isExternallyProvisioned: true },
  ...({ bootMode: 'UEFI', cleaningMode: 'disabled' } as const),
};
const on: PowerOrder = { target: 'on', mode: 'hard', isForced: false, isRetry: false };
const disturbing: readonly PowerOrder[] = [
  { ...on, target: 'off' },
  { ...on, target: 'off', mode: 'soft' },
  { ...on, target: 'reboot' },
];
const drive = createDrive(() => delay(20));
const deprovisioning = { isRetry: false, cleaningMode: 'disabled' } as const;
/** How a host is switched off that is deleted. */
const leaving: PowerOrder = { ...on, target: 'off', isForced: true, isUpdateSpared: true };

/** A host that runs while its BMC writes another BIOS. */
async function startFlashing(context: TestContext, personality: PersonalityName, options: RedfishRigOptions = {}) {
  const rig = await startRedfishRig(personality, options);
  context.after(() => rig.close());
  const { id } = await drive.done(() => rig.provisioners.of(rig.host).register(registration));
  const host = rig.provisioners.of({ ...rig.host, id });
  await drive.done(() => host.setPower(on));
  const service = { ticket: 'bios', isSpecified: true, updates: [rig.update] };
  await host.service(service);
  const { machine } = rig.bmc;
  while (!machine.log.events.some(({ event }) => event === 'update.flash-begin')) await delay(1);
  // An OpenBMC writes the BIOS of a host that is off.
  assert.equal(machine.power.state, personality === 'openbmc' ? 'Off' : 'On');
  // A busy machine would be through with the update before it has asked for anything.
  rig.goSlowly(true);
  const finish = () => {
    rig.goSlowly(false);
    return drive.done(() => host.service(service));
  };
  return { rig, host, machine, finish };
}

for (const personality of ['dell-idrac9', 'hpe-ilo5', 'lenovo-xcc', 'supermicro-x12'] as const) {
  test(`a host whose BMC is at an update keeps its power until that has ended: ${personality}`, async (context) => {
    const { host, machine, finish } = await startFlashing(context, personality);
    const resets = () => machine.log.events.filter(({ event }) => event === 'power.reset').length;
    const before = resets();
    for (const order of disturbing) {
      const outcome = await host.setPower(order);
      assert.equal(outcome.kind, 'busy', machine.log.text());
      assert.match(
        'message' in outcome ? outcome.message : '',
        /the BMC is at an update, which is let end first: .*task/,
      );
    }
    assert.equal((await host.bootFromNetwork?.())?.kind, 'busy');
    assert.equal(resets(), before, machine.log.text());
    await finish();
    await drive.done(() => host.setPower({ ...on, target: 'reboot' }));
    while (resets() === before) await delay(1);
  });
}

test('a host that has to be off for its BIOS is not switched on while that is written, nor booted from the network', async (context) => {
  const { host, machine, finish } = await startFlashing(context, 'openbmc');
  for (const ask of [() => host.setPower(on), async () => host.bootFromNetwork?.()]) {
    const outcome = await ask();
    assert.ok(outcome?.kind === 'busy' && outcome.isUpdating === true, JSON.stringify(outcome));
  }
  assert.equal(machine.power.state, 'Off');
  await finish();
  assert.ok(!machine.log.text().includes('interrupted'), machine.log.text());
  await drive.done(() => host.setPower(on));
});

test('who forces it does not wait for an update', async (context) => {
  const { host, machine } = await startFlashing(context, 'hpe-ilo5');
  const before = machine.log.events.length;
  assert.equal((await host.setPower({ ...on, target: 'reboot', isForced: true })).kind, 'done');
  while (!machine.log.events.slice(before).some(({ event }) => event === 'power.reset')) await delay(1);
});

test('a host is not switched off in the middle of an update because it is deprovisioned or deleted', async (context) => {
  const { host, machine, finish } = await startFlashing(context, 'hpe-ilo5');
  const before = machine.log.events.length;
  for (const ask of [() => host.deprovision(deprovisioning), () => host.setPower(leaving)]) {
    const outcome = await ask();
    assert.ok(outcome.kind === 'busy' && outcome.isUpdating === true, JSON.stringify(outcome));
    assert.match(outcome.message, /the BMC is at an update, which is let end first: .*task/);
  }
  assert.ok(!machine.log.events.slice(before).some(({ event }) => event.startsWith('power.')), machine.log.text());
  await finish();
  await drive.done(() => host.deprovision(deprovisioning));
  assert.equal(machine.power.state, 'Off');
  await drive.done(() => host.setPower(leaving));
});

test('a host is not restarted into an image, nor gets it into its drive, in the middle of an update', async (context) => {
  const { rig, host, machine, finish } = await startFlashing(context, 'dell-idrac9');
  const image = { url: 'http://127.0.0.1:9/live.iso', format: 'live-iso' } as const;
  const deployment = { image, bootMode: 'UEFI' } as const;
  const provisioning = { isRetry: false, isForced: false, deployment, config: {} };
  const use = (to: 'deployed' | 'unused') => rig.records.change(rig.host, (now) => now && { ...now, use: to });
  await use('unused');
  const before = machine.log.events.length;
  const outcome = await host.provision(provisioning);
  assert.ok(outcome.kind === 'busy' && outcome.isUpdating === true, JSON.stringify(outcome));
  const deeds = machine.log.events.slice(before).filter(({ event }) => /^(power|media)\./.test(event));
  assert.deepEqual(deeds, [], machine.log.text());
  await use('deployed');
  await finish();
  await use('unused');
  await drive.done(() => host.provision(provisioning));
});

test('an update that does not end is a failure after a while, and the power is left alone all the same', async (context) => {
  const { host, machine, finish } = await startFlashing(context, 'hpe-ilo5', { updateWaitMs: 0 });
  for (const ask of [() => host.deprovision(deprovisioning), () => host.setPower(leaving)]) {
    const outcome = await ask();
    assert.equal(outcome.kind, 'failed', machine.log.text());
    assert.match('message' in outcome ? outcome.message : '', /power of the host was left alone .*look at the BMC/);
  }
  assert.equal(machine.power.state, 'On');
  await finish();
  await drive.done(() => host.deprovision(deprovisioning));
});

test('what a process has waited for an update counts in the next one', async (context) => {
  const { rig, host, finish } = await startFlashing(context, 'hpe-ilo5');
  assert.equal((await host.setPower(leaving)).kind, 'busy');
  const began = (await rig.records.read(rig.host))?.updateWait;
  assert.ok(began);
  const since = began.since - 3 * 3_600_000;
  await rig.records.change(rig.host, (now) => now && { ...now, updateWait: { ...began, since } });
  const later = rig.again().of(rig.host);
  assert.equal((await later.setPower(leaving)).kind, 'failed');
  await finish();
  await drive.done(() => later.setPower(leaving));
  assert.equal((await rig.records.read(rig.host))?.updateWait, undefined);
});
