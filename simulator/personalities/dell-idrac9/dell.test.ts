import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFaultSets } from '../../faults/fault-sets.ts';
import { createMachine } from '../../machine/create-machine.ts';
import { createSteppedClock } from '../../time/stepped-clock.ts';
import {
  carryThrough,
  foreignImage,
  lastUpdate,
  multipart,
  newestImage,
  raw,
  startVendorBmc,
} from '../testing/vendor-bmc.ts';
import { dellIdrac9 } from './personality.ts';

const upload = '/redfish/v1/UpdateService/MultipartUpload';
const jobs = '/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/Jobs';
const clearQueue =
  '/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/DellJobService/Actions/DellJobService.DeleteJobQueue';

test('an accepted update has no body: the task is in Location and is named like its job', async (t) => {
  const bmc = await startVendorBmc(t, 'dell-idrac9');
  const answer = await bmc.send(upload, multipart({ Targets: [] }, newestImage(bmc.machine, 'bmc').bytes()));
  assert.equal(answer.status, 202);
  assert.equal(answer.text, '');
  assert.match(String(answer.headers.location), /^\/redfish\/v1\/TaskService\/Tasks\/JID_\d{12}$/);
  const job = await bmc.get(String(answer.headers.location).replace(/.*\//, `${jobs}/`));
  assert.equal(job.json.JobType, 'FirmwareUpdate');
  assert.equal(job.json.Name, 'Firmware Update: iDRAC with Lifecycle Controller');
});

test('the task is purged after success while the job stays Completed', async (t) => {
  const bmc = await startVendorBmc(t, 'dell-idrac9');
  const answer = await bmc.send(upload, multipart({}, newestImage(bmc.machine, 'bmc').bytes()));
  const task = String(answer.headers.location);
  const { taskId } = await carryThrough(bmc);
  await bmc.clock.advance(10 * 60_000);
  assert.equal((await bmc.get(task)).status, 404);
  const job = await bmc.get(`${jobs}/${taskId}`);
  assert.deepEqual([job.json.JobState, job.json.PercentComplete, job.json.MessageId], ['Completed', 100, 'RED001']);
  assert.equal((await bmc.get(jobs)).json['Members@odata.count'], 1);
});

test('an update on reset is a Scheduled job until the host restarts, and can be thrown away', async (t) => {
  const bmc = await startVendorBmc(t, 'dell-idrac9');
  const order = { '@Redfish.OperationApplyTime': 'OnReset' };
  await bmc.send(upload, multipart(order, newestImage(bmc.machine, 'bios').bytes()));
  await bmc.clock.advance(10 * 60_000);
  const { taskId } = lastUpdate(bmc.machine);
  assert.equal((await bmc.get(`${jobs}/${taskId}`)).json.JobState, 'Scheduled');
  assert.equal((await bmc.post(clearQueue, { JobID: 'JID_CLEARALL' })).status, 200);
  assert.equal(lastUpdate(bmc.machine).phase, 'failed');
  assert.equal((await bmc.get(jobs)).json['Members@odata.count'], 0);
});

test('a second package for a part that is being updated finds the Lifecycle Controller in use', async (t) => {
  const bmc = await startVendorBmc(t, 'dell-idrac9');
  const image = newestImage(bmc.machine, 'bios').bytes();
  assert.equal((await bmc.send(upload, multipart({}, image))).status, 202);
  const second = await bmc.send(upload, multipart({}, image));
  assert.equal(second.status, 503);
  assert.match(second.json.error['@Message.ExtendedInfo'][0].MessageId, /^IDRAC\.\d\.\d\.SYS518$/);
});

test('packages for different parts are queued', async (t) => {
  const bmc = await startVendorBmc(t, 'dell-idrac9');
  for (const component of ['bios', 'nic', 'cpld'] as const) {
    assert.equal((await bmc.send(upload, multipart({}, newestImage(bmc.machine, component).bytes()))).status, 202);
  }
  await bmc.clock.advance(2 * 3600_000);
  assert.deepEqual(
    bmc.machine.updates.all.map((update) => update.phase),
    ['done', 'done', 'done'],
  );
});

test('a package with a bad signature is refused with RED007, one for another model fails in its job with RED030', async (t) => {
  const bmc = await startVendorBmc(t, 'dell-idrac9');
  const refused = await bmc.send(upload, multipart({}, Buffer.alloc(5000, 1)));
  assert.equal(refused.status, 400);
  assert.match(refused.json.error['@Message.ExtendedInfo'][0].MessageId, /RED007$/);
  const accepted = await bmc.send(upload, multipart({}, foreignImage(bmc.machine, 'bmc').bytes()));
  assert.equal(accepted.status, 202);
  const { taskId } = await carryThrough(bmc);
  const job = await bmc.get(`${jobs}/${taskId}`);
  assert.deepEqual([job.json.JobState, job.json.MessageId], ['Failed', 'RED030']);
});

test('what is pushed becomes an Available entry that Install takes once it was checked', async (t) => {
  const bmc = await startVendorBmc(t, 'dell-idrac9');
  const image = newestImage(bmc.machine, 'bmc');
  const pushed = await bmc.send('/redfish/v1/UpdateService/FirmwareInventory', raw(image.bytes()));
  assert.equal(pushed.status, 201);
  const entry = String(pushed.headers.location);
  assert.match(entry, /\/Available-25227-[\d.]+$/);
  assert.equal((await bmc.get(entry)).json.Version, image.header.version);
  const install = '/redfish/v1/UpdateService/Actions/Oem/DellUpdateService.Install';
  const order = { SoftwareIdentityURIs: [entry], InstallUpon: 'Now' };
  assert.equal((await bmc.post(install, order)).status, 503);
  await bmc.clock.advance(2 * 60_000);
  const started = await bmc.post(install, order);
  assert.equal(started.status, 202);
  assert.equal((await carryThrough(bmc)).phase, 'done');
  assert.equal((await bmc.get(entry)).status, 404);
  assert.equal((await bmc.post(install, { ...order, InstallUpon: 'Later' })).status, 400);
});

test('BIOS settings become a job that POST to Jobs hands out', async (t) => {
  const bmc = await startVendorBmc(t, 'dell-idrac9');
  const settings = '/redfish/v1/Systems/System.Embedded.1/Bios/Settings';
  assert.equal((await bmc.post(jobs, { TargetSettingsURI: settings })).status, 400);
  const patched = await bmc.patch(settings, { Attributes: { ProcTurboMode: 'Disabled' } });
  assert.ok(patched.status < 300, patched.text);
  const created = await bmc.post(jobs, { TargetSettingsURI: settings });
  assert.equal(created.status, 200);
  const job = await bmc.get(String(created.headers.location));
  assert.deepEqual([job.json.JobType, job.json.JobState], ['BIOSConfiguration', 'Scheduled']);
});

test('a job that completes as critical says JCP052', async () => {
  const clock = createSteppedClock();
  const hardware = dellIdrac9.describe({ model: 'PowerEdge R750', index: 1, random: () => 0.1 });
  const faults = createFaultSets([{ kind: 'task-completed-critical' }], 1);
  const machine = createMachine({
    name: 'm',
    personality: dellIdrac9,
    hardware,
    clock,
    seed: 1,
    password: 'x',
    faults,
    isPoweredOn: true,
  });
  const image = newestImage(machine, 'bmc');
  machine.updates.begin({
    via: 'push',
    targets: [],
    file: { head: image.head, sizeBytes: image.lengthBytes, sha256: image.sha256 },
  });
  await clock.advance(3600_000);
  const [task] = machine.tasks.all;
  assert.deepEqual([task?.state, task?.status], ['Completed', 'Critical']);
  const [message] = dellIdrac9.describeTask(machine, task ?? assert.fail()).messages;
  assert.match(String(message?.MessageId), /JCP052$/);
});

test('the Lifecycle Controller says when it is in use', async (t) => {
  const bmc = await startVendorBmc(t, 'dell-idrac9');
  const status =
    '/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/DellLCService/Actions/DellLCService.GetRemoteServicesAPIStatus';
  assert.equal((await bmc.post(status)).json.LCStatus, 'Ready');
  assert.equal((await bmc.post(status)).json.ServerStatus, 'OutOfPOST');
  await bmc.send(upload, multipart({}, newestImage(bmc.machine, 'bmc').bytes()));
  await bmc.clock.advance(3 * 60_000);
  assert.equal((await bmc.post(status)).json.LCStatus, 'InUse');
});
