import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  carryThrough,
  lastUpdate,
  multipart,
  newestImage,
  startVendorBmc,
  type VendorBmc,
} from '../testing/vendor-bmc.ts';

const uploadPath = '/redfish/v1/UpdateService/upload';
const start = '/redfish/v1/UpdateService/Actions/UpdateService.StartUpdate';
const bios = {
  Targets: ['/redfish/v1/Systems/1/Bios'],
  '@Redfish.OperationApplyTime': 'OnStartUpdateRequest',
  Oem: { Supermicro: { BIOS: { Preserve: { ME: false, NVRAM: false, SMBIOS: true, BOOTCONF: true } } } },
};
const manager = { Targets: ['/redfish/v1/Managers/1'], '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' };

function upload(bmc: VendorBmc, parameters: object, bytes: Buffer) {
  return bmc.send(uploadPath, multipart(parameters, bytes));
}

function acceptedTask(json: { Accepted: { '@Message.ExtendedInfo': { MessageArgs: string[] }[] } }): string {
  return json.Accepted['@Message.ExtendedInfo'][0]?.MessageArgs[0] ?? '';
}

test('an upload is verified in one task and installed in another', async (t) => {
  const bmc = await startVendorBmc(t, 'supermicro-x12');
  const uploaded = await upload(bmc, bios, newestImage(bmc.machine, 'bios').bytes());
  assert.equal(uploaded.status, 202);
  const verify = acceptedTask(uploaded.json);
  assert.equal((await bmc.get(verify)).json.Name, 'BIOS Verify');
  await bmc.clock.advance(5 * 60_000);
  assert.equal((await bmc.get(verify)).json.TaskState, 'Completed');
  const started = await bmc.post(start);
  const install = acceptedTask(started.json);
  assert.notEqual(install, verify);
  const task = (await bmc.get(install)).json;
  assert.equal(task.Name, 'BIOS Update');
  assert.match(task.TaskMonitor, /^\/redfish\/v1\/TaskMonitor\//);
  assert.equal((await carryThrough(bmc)).phase, 'done');
});

test('nothing to start is an error', async (t) => {
  const bmc = await startVendorBmc(t, 'supermicro-x12');
  assert.equal((await bmc.post(start)).status, 400);
});

test('an image that fails verification leaves the BMC in update mode until it is reset', async (t) => {
  const bmc = await startVendorBmc(t, 'supermicro-x12');
  const good = newestImage(bmc.machine, 'bmc').bytes();
  const bad = Buffer.from(good);
  bad[bad.length - 1] = (bad.at(-1) ?? 0) ^ 1;
  const accepted = await upload(bmc, manager, bad);
  assert.equal(accepted.status, 202);
  await bmc.clock.advance(5 * 60_000);
  const task = (await bmc.get(acceptedTask(accepted.json))).json;
  assert.deepEqual([task.Name, task.TaskState, task.TaskStatus], ['BMC Verify', 'Exception', 'Critical']);
  const stuck = await upload(bmc, manager, good);
  assert.equal(stuck.status, 405);
  const [message] = stuck.json.error['@Message.ExtendedInfo'];
  assert.equal(message.MessageId, 'SMC.1.0.OemFirmwareAlreadyInUpdateMode');
  assert.deepEqual(message.MessageArgs, ['BMC']);
  await bmc.post('/redfish/v1/Managers/1/Actions/Manager.Reset', { ResetType: 'GracefulRestart' });
  await bmc.clock.advance(10 * 60_000);
  assert.equal((await upload(bmc, manager, good)).status, 202);
});

test('an upload that was never started blocks others until the BMC is reset, and is gone then', async (t) => {
  const bmc = await startVendorBmc(t, 'supermicro-x12');
  await upload(bmc, bios, newestImage(bmc.machine, 'bios').bytes());
  await bmc.clock.advance(5 * 60_000);
  const image = newestImage(bmc.machine, 'bmc').bytes();
  assert.equal((await upload(bmc, manager, image)).status, 405);
  await bmc.post('/redfish/v1/Managers/1/Actions/Manager.Reset', { ResetType: 'GracefulRestart' });
  await bmc.clock.advance(10 * 60_000);
  assert.equal((await upload(bmc, manager, image)).status, 202);
  assert.equal(bmc.machine.updates.all[0]?.phase, 'failed');
  assert.equal(lastUpdate(bmc.machine).slots[0]?.component, 'bmc');
});

test('a BIOS update needs the licence, a BMC update does not', async (t) => {
  const bmc = await startVendorBmc(t, 'supermicro-x12');
  const licences = '/redfish/v1/Managers/1/LicenseManager';
  assert.deepEqual((await bmc.get(`${licences}/QueryLicense`)).json.Licenses, ['SFT-DCMS-SINGLE']);
  await bmc.post(`${licences}/Actions/LicenseManager.ClearLicense`);
  const image = newestImage(bmc.machine, 'bios').bytes();
  const refused = await upload(bmc, bios, image);
  assert.equal(refused.status, 405);
  assert.equal(refused.json.error['@Message.ExtendedInfo'][0].MessageId, 'SMC.1.0.OemLicenseNotPassed');
  const pull = { ImageURI: 'http://127.0.0.1:9/x', TransferProtocol: 'HTTP', Targets: bios.Targets };
  assert.equal((await bmc.post('/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate', pull)).status, 405);
  assert.equal((await upload(bmc, manager, image)).status, 400);
  await bmc.post(`${licences}/Actions/LicenseManager.ActivateLicense`);
  assert.equal((await upload(bmc, bios, image)).status, 202);
});

test('an upload without targets, or with switches that are none, is refused', async (t) => {
  const bmc = await startVendorBmc(t, 'supermicro-x12');
  const image = newestImage(bmc.machine, 'bios').bytes();
  assert.equal((await upload(bmc, {}, image)).status, 400);
  const odd = { ...bios, Oem: { Supermicro: { BIOS: { Preserve: { NVRAM: 'yes' } } } } };
  assert.equal((await upload(bmc, odd, image)).status, 400);
  assert.equal(bmc.machine.updates.all.length, 0);
});
