import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  carryThrough,
  foreignImage,
  multipart,
  newestImage,
  raw,
  slotOf,
  startVendorBmc,
} from '../testing/vendor-bmc.ts';

const push = '/redfish/v1/UpdateService/update';
const multipartPush = '/redfish/v1/UpdateService/update-multipart';
const immediate = { Targets: [], '@Redfish.OperationApplyTime': 'Immediate' };

test('an update is answered with the task and the address of its monitor below it', async (t) => {
  const bmc = await startVendorBmc(t, 'openbmc');
  const answer = await bmc.send(multipartPush, multipart(immediate, newestImage(bmc.machine, 'nic').bytes()));
  assert.equal(answer.status, 202);
  const monitor = String(answer.headers.location);
  assert.equal(monitor, `${answer.json['@odata.id']}/Monitor`);
  assert.equal(answer.json.TaskMonitor, monitor);
  assert.equal((await bmc.get(monitor)).status, 202);
  await carryThrough(bmc);
  assert.equal((await bmc.get(monitor)).status, 204);
  assert.equal((await bmc.get(answer.json['@odata.id'])).json.TaskState, 'Completed');
});

test('a raw push waits for a reset unless the applying time says otherwise', async (t) => {
  const bmc = await startVendorBmc(t, 'openbmc');
  const image = newestImage(bmc.machine, 'bmc');
  assert.equal((await bmc.send(push, raw(image.bytes()))).status, 202);
  await bmc.clock.advance(30 * 60_000);
  assert.equal(bmc.machine.updates.all[0]?.waitsFor, 'reset');
  await bmc.post('/redfish/v1/Managers/bmc/Actions/Manager.Reset', { ResetType: 'GracefulRestart' });
  await bmc.clock.advance(60 * 60_000);
  assert.equal((await bmc.get('/redfish/v1/Managers/bmc')).json.FirmwareVersion, image.header.version);
});

test('the host flash is written only while the host is off', async (t) => {
  const bmc = await startVendorBmc(t, 'openbmc');
  const order = multipart(immediate, newestImage(bmc.machine, 'bios').bytes());
  const refused = await bmc.send(multipartPush, order);
  assert.equal(refused.status, 400);
  await bmc.post('/redfish/v1/Systems/system/Actions/ComputerSystem.Reset', { ResetType: 'ForceOff' });
  await bmc.clock.advance(60_000);
  assert.equal((await bmc.send(multipartPush, order)).status, 202);
  assert.equal((await carryThrough(bmc)).phase, 'done');
});

test('a host that is switched on while its flash is written spoils it, and nothing keeps it from that', async (t) => {
  const bmc = await startVendorBmc(t, 'openbmc');
  const reset = '/redfish/v1/Systems/system/Actions/ComputerSystem.Reset';
  const { version } = slotOf(bmc.machine, 'bios');
  await bmc.post(reset, { ResetType: 'ForceOff' });
  await bmc.clock.advance(60_000);
  await bmc.send(multipartPush, multipart(immediate, newestImage(bmc.machine, 'bios').bytes()));
  await bmc.clock.advance(60_000);
  assert.equal(bmc.machine.updates.all[0]?.phase, 'flashing');
  assert.ok((await bmc.post(reset, { ResetType: 'On' })).status < 300);
  assert.equal((await carryThrough(bmc)).phase, 'failed');
  assert.match(bmc.machine.log.text(), /update.failed update=1 reason=interrupted/);
  assert.equal(slotOf(bmc.machine, 'bios').version, version);
});

test('the tasks are gone after the BMC was updated; the version says that it went well', async (t) => {
  const bmc = await startVendorBmc(t, 'openbmc');
  const image = newestImage(bmc.machine, 'bmc');
  const answer = await bmc.send(multipartPush, multipart(immediate, image.bytes()));
  await carryThrough(bmc);
  assert.equal((await bmc.get(answer.json['@odata.id'])).status, 404);
  assert.equal(slotOf(bmc.machine, 'bmc').version, image.header.version);
  const active = (await bmc.get('/redfish/v1/Managers/bmc')).json.Links.ActiveSoftwareImage['@odata.id'];
  assert.equal((await bmc.get(active)).json.Version, image.header.version);
});

test('there is no SimpleUpdate', async (t) => {
  const bmc = await startVendorBmc(t, 'openbmc');
  assert.equal((await bmc.get('/redfish/v1/UpdateService')).json.Actions?.['#UpdateService.SimpleUpdate'], undefined);
  const answer = await bmc.post('/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate', {
    ImageURI: 'http://127.0.0.1/x',
  });
  assert.equal(answer.status, 404);
});

test('an image for another machine fails in its task with the reason', async (t) => {
  const bmc = await startVendorBmc(t, 'openbmc');
  const answer = await bmc.send(multipartPush, multipart(immediate, foreignImage(bmc.machine, 'bmc').bytes()));
  assert.equal(answer.status, 202);
  await carryThrough(bmc);
  const task = (await bmc.get(answer.json['@odata.id'])).json;
  assert.deepEqual([task.TaskState, task.TaskStatus], ['Exception', 'Critical']);
  assert.ok(task.Messages.some(({ MessageId }: { MessageId: string }) => MessageId.includes('IncompatibleMachine')));
});
