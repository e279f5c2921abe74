import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComponentType } from '../images/component-type.ts';
import type { Machine } from '../machine/machine.ts';
import { personalityNames, personalityOf } from './index.ts';
import {
  carryThrough,
  foreignImage,
  lastUpdate,
  multipart,
  newestImage,
  raw,
  readInventory,
  slotOf,
  startVendorBmc,
  type VendorBmc,
} from './testing/vendor-bmc.ts';

const updateService = '/redfish/v1/UpdateService';
const simpleUpdate = `${updateService}/Actions/UpdateService.SimpleUpdate`;

type Way = 'multipart' | 'push' | 'pull';

/** The ways a vendor offers; Lenovo pulls only by protocols that nothing here speaks. */
function waysOf(name: (typeof personalityNames)[number]): Way[] {
  const { multipartPushUri, pushUri, simpleUpdate: pull } = personalityOf(name).update;
  return [
    ...(multipartPushUri === undefined ? [] : (['multipart'] as const)),
    ...(pushUri === undefined ? [] : (['push'] as const)),
    ...(pull?.protocols.includes('HTTP') ? (['pull'] as const) : []),
  ];
}

/** What a target is called where the vendor wants one. */
function targetsOf(machine: Machine, component: ComponentType): string[] {
  const { ids } = machine.personality;
  if (component === 'bmc') return [`/redfish/v1/Managers/${ids.manager}`];
  if (component === 'bios') return [`/redfish/v1/Systems/${ids.system}/${ids.bios}`];
  const slot = slotOf(machine, component);
  const entry = machine.personality.listFirmware(machine).find((each) => each.slot === slot.slot && each.isUpdateable);
  return [`${updateService}/FirmwareInventory/${entry?.id}`];
}

/** Sends an image the vendor's way, and starts it where the vendor wants that. */
async function sendImage(bmc: VendorBmc, way: Way, image: { component: ComponentType; bytes: Buffer }) {
  const { machine, send, post, patch, publish, clock } = bmc;
  const { update, updateRules } = machine.personality;
  const targets = targetsOf(machine, image.component);
  if (way === 'pull')
    return post(simpleUpdate, { ImageURI: await publish(image.bytes), TransferProtocol: 'HTTP', Targets: targets });
  if (way === 'multipart') {
    const needsStart = updateRules?.hasVerifyTask === true;
    const applyTime = needsStart ? 'OnStartUpdateRequest' : 'Immediate';
    const answer = await send(
      update.multipartPushUri ?? '',
      multipart({ Targets: targets, '@Redfish.OperationApplyTime': applyTime }, image.bytes),
    );
    if (!needsStart || answer.status !== 202) return answer;
    await clock.advance(machine.personality.timings.verifyMs * 2);
    return post(`${updateService}/Actions/UpdateService.StartUpdate`);
  }
  if (update.hasBusyClaim) {
    assert.equal((await patch(updateService, { HttpPushUriTargetsBusy: true, HttpPushUriTargets: [] })).status, 200);
  }
  if (machine.personality.name === 'openbmc') {
    const options = { HttpPushUriOptions: { HttpPushUriApplyTime: { ApplyTime: 'Immediate' } } };
    assert.equal((await patch(updateService, options)).status, 200);
  }
  const answer = await send(update.pushUri ?? '', raw(image.bytes));
  if (machine.personality.name !== 'dell-idrac9' || answer.status !== 201) return answer;
  await clock.advance(machine.personality.timings.verifyMs * 2);
  return post(simpleUpdate, { ImageURI: String(answer.headers.location) });
}

/** Ways in which an image can be bad. */
const damages: readonly (readonly [string, (machine: Machine) => Buffer])[] = [
  ['for another model', (machine) => foreignImage(machine, 'bmc').bytes()],
  [
    'corrupt',
    (machine) => {
      const bytes = newestImage(machine, 'bmc').bytes();
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 0xff;
      return bytes;
    },
  ],
  ['cut short', (machine) => newestImage(machine, 'bmc').bytes().subarray(0, -500)],
  ['no image at all', () => Buffer.alloc(9000, 7)],
];

async function prepare(bmc: VendorBmc, component: ComponentType): Promise<void> {
  if (component !== 'bios' || bmc.machine.personality.updateRules?.biosNeedsHostOff !== true) return;
  const path = `/redfish/v1/Systems/${bmc.machine.personality.ids.system}/Actions/ComputerSystem.Reset`;
  assert.ok((await bmc.post(path, { ResetType: 'ForceOff' })).status < 300);
  await bmc.clock.advance(60_000);
}

for (const name of personalityNames) {
  for (const way of waysOf(name)) {
    for (const component of ['bmc', 'bios', 'nic'] as const) {
      test(`${name}: the ${component} goes to the newest version by ${way}, and the inventory says so`, async (t) => {
        const bmc = await startVendorBmc(t, name);
        const image = newestImage(bmc.machine, component);
        const slot = slotOf(bmc.machine, component);
        assert.notEqual(slot.version, image.header.version);
        await prepare(bmc, component);
        const answer = await sendImage(bmc, way, { component, bytes: image.bytes() });
        assert.ok(answer.status >= 200 && answer.status < 300, `${answer.status} ${answer.text}`);
        const update = await carryThrough(bmc);
        assert.equal(update.phase, 'done', update.fault);
        assert.equal(slot.version, image.header.version);
        const entry = bmc.machine.personality
          .listFirmware(bmc.machine)
          .find((each) => each.slot === slot.slot && each.version === slot.version);
        assert.equal((await readInventory(bmc))[entry?.id ?? ''], image.header.version);
      });
    }
  }

  for (const [damage, spoil] of damages) {
    test(`${name}: an image that is ${damage} is refused or fails in its task, and changes nothing`, async (t) => {
      const bmc = await startVendorBmc(t, name);
      const before = bmc.machine.firmware.map((slot) => slot.version);
      const bytes = spoil(bmc.machine);
      const way = waysOf(name)[0] ?? 'multipart';
      const { multipartPushUri, pushUri } = bmc.machine.personality.update;
      const targets = targetsOf(bmc.machine, 'bmc');
      const order = way === 'multipart' ? multipart({ Targets: targets }, bytes) : raw(bytes);
      const answer = await bmc.send((way === 'multipart' ? multipartPushUri : pushUri) ?? '', order);
      if (answer.status >= 400) {
        const [message] = answer.json.error['@Message.ExtendedInfo'];
        assert.match(message.MessageId, /\w+\.\d[\w.]*\.\w+/);
      } else {
        const update = await carryThrough(bmc);
        assert.equal(update.phase, 'failed');
        const task = bmc.machine.tasks.find(lastUpdate(bmc.machine).taskId);
        assert.deepEqual([task?.state, task?.status], ['Exception', 'Critical']);
        const said = bmc.machine.personality.describeTask(bmc.machine, task ?? assert.fail());
        assert.ok(said.messages.some((message) => message.Severity === 'Critical'));
      }
      assert.deepEqual(
        bmc.machine.firmware.map((slot) => slot.version),
        before,
      );
    });
  }
}
