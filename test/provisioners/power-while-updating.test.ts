import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { PersonalityName } from '../../simulator/index.ts';
import { createDrive } from '../../src/provisioners/contract/drive.ts';
import type { PowerOrder } from '../../src/provisioners/index.ts';
import { startRedfishRig } from './redfish-rig.ts';

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

/** A host that runs while its BMC writes another BIOS. */
async function startFlashing(context: TestContext, personality: PersonalityName) {
  const rig = await startRedfishRig(personality);
  context.after(() => rig.close());
  const { id } = await drive.done(() => rig.provisioners.of(rig.host).register(registration));
  const host = rig.provisioners.of({ ...rig.host, id });
  await drive.done(() => host.setPower(on));
  const service = { ticket: 'bios', isSpecified: true, updates: [rig.update] };
  await host.service(service);
  const { machine } = rig.bmc;
  while (!machine.log.events.some(({ event }) => event === 'update.flash-begin')) await delay(1);
  assert.equal(machine.power.state, 'On');
  return { host, machine, finish: () => drive.done(() => host.service(service)) };
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

test('who forces it does not wait for an update', async (context) => {
  const { host, machine } = await startFlashing(context, 'hpe-ilo5');
  const before = machine.log.events.length;
  assert.equal((await host.setPower({ ...on, target: 'reboot', isForced: true })).kind, 'done');
  while (!machine.log.events.slice(before).some(({ event }) => event === 'power.reset')) await delay(1);
});
