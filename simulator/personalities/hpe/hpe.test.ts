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

const uploadPath = '/cgi-bin/uploadFile';
const service = '/redfish/v1/UpdateService';

test('iLO 5 answers an upload with a message that says success, and shows progress in UpdateService', async (t) => {
  const bmc = await startVendorBmc(t, 'hpe-ilo5');
  const state = async () => (await bmc.get(service)).json.Oem.Hpe.State;
  assert.equal(await state(), 'Idle');
  const answer = await bmc.send(uploadPath, raw(newestImage(bmc.machine, 'nic').bytes()));
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.location, undefined);
  assert.deepEqual(answer.json.error['@Message.ExtendedInfo'], [{ MessageId: 'Base.1.4.Success' }]);
  await bmc.clock.advance(20_000);
  assert.equal(await state(), 'Updating');
  await carryThrough(bmc);
  assert.equal(await state(), 'Complete');
});

test('iLO names the monitor in the body only, and the monitor vanishes soon after the end', async (t) => {
  const bmc = await startVendorBmc(t, 'hpe-ilo6');
  const answer = await bmc.send(uploadPath, multipart({}, newestImage(bmc.machine, 'storage-controller').bytes()));
  assert.equal(answer.status, 202);
  assert.equal(answer.headers.location, undefined);
  const monitor = String(answer.json.TaskMonitor);
  assert.equal((await bmc.get(monitor)).status, 202);
  await carryThrough(bmc);
  assert.equal((await bmc.get(monitor)).status, 404);
  assert.equal((await bmc.get(`/redfish/v1/TaskService/Tasks/${lastUpdate(bmc.machine).taskId}`)).status, 404);
});

test('a ROM update is completed when it is staged; the version follows with the restart, the old one in the redundant ROM', async (t) => {
  const bmc = await startVendorBmc(t, 'hpe-ilo6');
  const rom = slotOf(bmc.machine, 'bios');
  const before = rom.version;
  const image = newestImage(bmc.machine, 'bios');
  await bmc.send(uploadPath, multipart({}, image.bytes()));
  await bmc.clock.advance(20 * 60_000);
  const update = lastUpdate(bmc.machine);
  assert.deepEqual([bmc.machine.tasks.find(update.taskId)?.state, update.waitsFor], ['Completed', 'reset']);
  assert.equal((await bmc.get('/redfish/v1/Systems/1')).json.BiosVersion, before);
  await carryThrough(bmc);
  assert.equal((await bmc.get('/redfish/v1/Systems/1')).json.BiosVersion, image.header.version);
  const entries = bmc.machine.personality.listFirmware(bmc.machine);
  assert.equal(entries.find((entry) => entry.name === 'Redundant System ROM')?.version, before);
});

test('adapters are not listed before the end of POST, and the 400 goes away by itself', async (t) => {
  const bmc = await startVendorBmc(t, 'hpe-ilo5');
  const adapters = '/redfish/v1/Chassis/1/NetworkAdapters';
  assert.equal((await bmc.get(adapters)).status, 200);
  await bmc.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset', { ResetType: 'ForceRestart' });
  await bmc.clock.advance(30_000);
  const early = await bmc.get(adapters);
  assert.equal(early.status, 400);
  assert.match(early.json.error['@Message.ExtendedInfo'][0].MessageId, /^iLO\.\d.*\.InvalidOperationForSystemState$/);
  assert.equal((await bmc.get('/redfish/v1/Systems/1')).json.Oem.Hpe.PostState, 'InPost');
  const states = new Set<string>();
  for (let at = 0; at < 100; at += 1) {
    await bmc.clock.advance(6000);
    states.add((await bmc.get('/redfish/v1/Systems/1')).json.Oem.Hpe.PostState);
  }
  assert.deepEqual([...states], ['InPost', 'InPostDiscoveryComplete', 'FinishedPost']);
  assert.equal((await bmc.get(adapters)).json['Members@odata.count'], 2);
  assert.equal((await bmc.get('/redfish/v1/Systems/1')).json.Oem.Hpe.PostState, 'FinishedPost');
});

test('a component that is kept in the repository is started through the queue', async (t) => {
  const bmc = await startVendorBmc(t, 'hpe-ilo6');
  const kept = await bmc.send(uploadPath, multipart({ UpdateTarget: false }, newestImage(bmc.machine, 'bmc').bytes()));
  assert.ok(kept.status < 300);
  const [member] = (await bmc.get(`${service}/ComponentRepository`)).json.Members;
  const { Filename } = (await bmc.get(member['@odata.id'])).json;
  assert.equal((await bmc.post(`${service}/UpdateTaskQueue`, { Command: 'ApplyUpdate', Filename })).status, 400);
  await bmc.clock.advance(2 * 60_000);
  assert.equal((await bmc.post(`${service}/UpdateTaskQueue`, { Filename: 'other.fwpkg' })).status, 400);
  const queued = await bmc.post(`${service}/UpdateTaskQueue`, { Command: 'ApplyUpdate', Filename });
  assert.equal(queued.status, 201);
  assert.equal((await carryThrough(bmc)).phase, 'done');
  assert.equal((await bmc.get(String(queued.headers.location))).json.State, 'Complete');
});

test('a second update is refused while one runs', async (t) => {
  const bmc = await startVendorBmc(t, 'hpe-ilo5');
  await bmc.send(uploadPath, raw(newestImage(bmc.machine, 'bmc').bytes()));
  const second = await bmc.send(uploadPath, raw(newestImage(bmc.machine, 'nic').bytes()));
  assert.equal(second.status, 400);
  assert.match(second.json.error['@Message.ExtendedInfo'][0].MessageId, /UpdateTemporarilyUnavailable$/);
});

test('the manager tells its version as a product', async (t) => {
  for (const [name, product] of [
    ['hpe-ilo5', 'iLO 5'],
    ['hpe-ilo6', 'iLO 6'],
  ] as const) {
    const bmc = await startVendorBmc(t, name);
    const short = slotOf(bmc.machine, 'bmc').version.split(' ')[0];
    assert.equal((await bmc.get('/redfish/v1/Managers/1')).json.FirmwareVersion, `${product} v${short}`);
  }
});

test('iLO offers no applying times and no StartUpdate', async (t) => {
  const bmc = await startVendorBmc(t, 'hpe-ilo5');
  const body = (await bmc.get(service)).json;
  assert.deepEqual(Object.keys(body.Actions), ['#UpdateService.SimpleUpdate']);
  assert.equal(body.Actions['#UpdateService.SimpleUpdate']['@Redfish.OperationApplyTimeSupport'], undefined);
  assert.equal(body.HttpPushUriOptions, undefined);
});
