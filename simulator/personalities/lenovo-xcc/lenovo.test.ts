import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  carryThrough,
  lastUpdate,
  multipart,
  newestImage,
  raw,
  slotOf,
  startVendorBmc,
} from '../testing/vendor-bmc.ts';

const service = '/redfish/v1/UpdateService';

test("a raw push wants the claim first, a PATCH wants If-Match, and the claim is one client's", async (t) => {
  const bmc = await startVendorBmc(t, 'lenovo-xcc');
  const image = newestImage(bmc.machine, 'bmc').bytes();
  assert.equal((await bmc.send('/fwupdate', raw(image))).status, 400);
  const bare = await bmc.send(service, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ HttpPushUriTargetsBusy: true }),
  });
  assert.equal(bare.status, 428);
  assert.equal((await bmc.patch(service, { HttpPushUriTargetsBusy: true })).status, 200);
  assert.equal((await bmc.patch(service, { HttpPushUriTargetsBusy: true })).status, 409);
  assert.equal((await bmc.send('/fwupdate', raw(image))).status, 202);
});

test('reading the monitor of a finished task throws the task away', async (t) => {
  const bmc = await startVendorBmc(t, 'lenovo-xcc');
  const answer = await bmc.send('/mfwupdate', multipart({}, newestImage(bmc.machine, 'psu').bytes()));
  const monitor = String(answer.headers.location);
  const task = answer.json['@odata.id'];
  assert.equal((await bmc.get(monitor)).status, 202);
  await carryThrough(bmc);
  assert.equal((await bmc.get(task)).json.TaskState, 'Completed');
  assert.equal((await bmc.get(monitor)).status, 200);
  assert.equal((await bmc.get(monitor)).status, 404);
  assert.equal((await bmc.get(task)).status, 404);
});

test('new BMC firmware is pending until somebody resets the BMC', async (t) => {
  const bmc = await startVendorBmc(t, 'lenovo-xcc');
  const image = newestImage(bmc.machine, 'bmc');
  const before = slotOf(bmc.machine, 'bmc').version;
  const answer = await bmc.send('/mfwupdate', multipart({}, image.bytes()));
  await bmc.clock.advance(60 * 60_000);
  const task = (await bmc.get(answer.json['@odata.id'])).json;
  assert.equal(task.TaskState, 'Completed');
  assert.ok(task.Messages.some((message: { MessageId: string }) => message.MessageId.endsWith('ResetRequired')));
  assert.equal((await bmc.get('/redfish/v1/Managers/1')).json.FirmwareVersion, before);
  const pending = `${service}/FirmwareInventory/BMC-Primary-Pending`;
  assert.equal((await bmc.get(pending)).json.Version, image.header.version);
  await carryThrough(bmc);
  assert.equal((await bmc.get('/redfish/v1/Managers/1')).json.FirmwareVersion, image.header.version);
  assert.equal((await bmc.get(pending)).json.Version, null);
  assert.equal((await bmc.get(`${service}/FirmwareInventory/BMC-Backup`)).json.Version, before);
});

test('a UEFI update goes on as a job that ends with the restart of the host', async (t) => {
  const bmc = await startVendorBmc(t, 'lenovo-xcc');
  const image = newestImage(bmc.machine, 'bios');
  const answer = await bmc.send('/mfwupdate', multipart({}, image.bytes()));
  await bmc.clock.advance(60 * 60_000);
  const task = (await bmc.get(answer.json['@odata.id'])).json;
  const [message] = task.Messages;
  assert.equal(message.MessageId, 'Update.1.0.OperationTransitionedToJob');
  const job = String(message.MessageArgs[0]);
  assert.equal((await bmc.get(job)).json.JobState, 'Pending');
  assert.equal((await bmc.get(`${service}/FirmwareInventory/UEFI-Pending`)).json.Version, image.header.version);
  assert.equal((await carryThrough(bmc)).phase, 'done');
  assert.equal((await bmc.get(job)).json.JobState, 'Completed');
});

test('BIOS settings at Bios/Pending are a job until the host restarts', async (t) => {
  const bmc = await startVendorBmc(t, 'lenovo-xcc');
  const patched = await bmc.patch('/redfish/v1/Systems/1/Bios/Pending', {
    Attributes: { Processors_TurboMode: 'Disabled' },
  });
  assert.ok(patched.status < 300, patched.text);
  const [member] = (await bmc.get('/redfish/v1/JobService/Jobs')).json.Members;
  assert.equal((await bmc.get(member['@odata.id'])).json.JobState, 'Pending');
  await bmc.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset', { ResetType: 'ForceRestart' });
  await bmc.clock.advance(20 * 60_000);
  assert.equal((await bmc.get(member['@odata.id'])).json.JobState, 'Completed');
  assert.equal((await bmc.get('/redfish/v1/Systems/1/Bios')).json.Attributes.Processors_TurboMode, 'Disabled');
});

test('a second update is told to come back later', async (t) => {
  const bmc = await startVendorBmc(t, 'lenovo-xcc');
  await bmc.send('/mfwupdate', multipart({}, newestImage(bmc.machine, 'bmc').bytes()));
  const second = await bmc.send('/mfwupdate', multipart({}, newestImage(bmc.machine, 'nic').bytes()));
  assert.equal(second.status, 503);
  assert.equal(lastUpdate(bmc.machine).id, '1');
});

test('an image larger than the BMC takes is refused by its length', async (t) => {
  const bmc = await startVendorBmc(t, 'lenovo-xcc');
  const image = newestImage(bmc.machine, 'bmc');
  const begun = bmc.machine.updates.begin({
    via: 'multipart',
    targets: [],
    file: { head: image.head, sizeBytes: 250_000_001, sha256: image.sha256 },
  });
  assert.ok('fault' in begun && begun.fault === 'too-large');
  assert.equal(
    bmc.machine.personality.answerRefusal(bmc.machine, begun as { fault: 'too-large'; detail: string }).status,
    413,
  );
});
