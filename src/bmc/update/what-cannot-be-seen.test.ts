import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import type { InstallOrder } from '../firmware-update.ts';
import type { JsonObject } from '../json.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import type { ScriptedAnswer, ScriptedGate } from '../testing/scripted-gate.ts';
import { waysOf } from '../vendors/index.ts';
import { findStartedUpdate } from './find-started.ts';
import { markBeforeInstall } from './install-mark.ts';
import { collectionOf, dellTree, openbmcTree, supermicroTree } from './testing/vendor-trees.ts';

const tasks = '/redfish/v1/TaskService/Tasks';
const jobs = '/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/Jobs';
const inventory = '/redfish/v1/UpdateService/FirmwareInventory';
const broken = (): ScriptedAnswer => ({ status: 500 });

const order = (component: string, more: Partial<InstallOrder> = {}): InstallOrder => ({
  image: { path: '/nowhere/fw.bin', digest: { algorithm: 'sha256', hex: '00' } },
  served: { uri: 'http://files.example/fw.bin' },
  targets: [],
  component,
  ...more,
});

function list(gate: ScriptedGate, collection: string, members: Readonly<Record<string, JsonObject>>): void {
  gate.tree.set(collection, collectionOf(collection, ...Object.keys(members)));
  for (const [id, body] of Object.entries(members)) {
    gate.tree.set(`${collection}/${id}`, { '@odata.id': `${collection}/${id}`, Id: id, ...body });
  }
}

const update = { Name: 'Firmware Update', TaskState: 'Running' };

test('a task that is listed and cannot be read leaves it unknown whether the update began', async () => {
  for (const answer of [broken, () => 'malformed' as const, () => ({ status: 403 }), () => ({ status: 404 })]) {
    const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
    const mark = await markBeforeInstall(bmc, order('bmc'));
    list(gate, tasks, { 7: update });
    gate.on(`GET ${tasks}/7`, answer);
    const found = await findStartedUpdate(bmc, order('bmc'), mark);
    assert.equal(found.kind, 'unknown');
    assert.match(found.kind === 'unknown' ? found.message : '', /Tasks\/7/);
  }
});

test('a list of tasks that is short, or none, leaves it unknown', async () => {
  const bodies: readonly JsonObject[] = [
    { ...collectionOf(tasks), 'Members@odata.count': 1 },
    { '@odata.id': tasks },
    { ...collectionOf(tasks), Members: [{ Name: 'no path' }] },
  ];
  for (const body of bodies) {
    const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
    const mark = await markBeforeInstall(bmc, order('bmc'));
    gate.tree.set(tasks, body);
    assert.equal((await findStartedUpdate(bmc, order('bmc'), mark)).kind, 'unknown', JSON.stringify(body));
  }
});

test('an inventory that cannot be read leaves it unknown, as a part of it does', async () => {
  for (const path of [inventory, `${inventory}/other`]) {
    const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
    list(gate, inventory, { other: { Name: 'Host image', Version: '1' } });
    const wanted = order('bmc', { version: '2.0' });
    const mark = await markBeforeInstall(bmc, wanted);
    gate.on(`GET ${path}`, broken);
    const found = await findStartedUpdate(bmc, wanted, mark);
    assert.equal(found.kind, 'unknown', path);
  }
});

test('jobs of an iDRAC that cannot be read leave it unknown; a queue that it does not have is none', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  const mark = await markBeforeInstall(bmc, order('bios'));
  list(gate, jobs, { JID_1: { Name: 'Firmware Update: BIOS', JobState: 'Running', JobType: 'FirmwareUpdate' } });
  gate.on(`GET ${jobs}/JID_1`, broken);
  assert.equal((await findStartedUpdate(bmc, order('bios'), mark)).kind, 'unknown');
  gate.on(`GET ${jobs}`, broken);
  assert.equal((await findStartedUpdate(bmc, order('bios'), mark)).kind, 'unknown');
  gate.on(`GET ${jobs}`, () => ({ status: 404 }));
  assert.equal((await findStartedUpdate(bmc, order('bios'), mark)).kind, 'not-started');
});

test('a mark that could not see the tasks says so, and an update that is found later may have been there before', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
  list(gate, tasks, { 1: update });
  gate.once(`GET ${tasks}`, broken);
  const mark = await markBeforeInstall(bmc, order('bmc'));
  assert.equal(mark.unseenTasks?.[0]?.path, tasks);
  const found = await findStartedUpdate(bmc, order('bmc'), mark);
  assert.equal(found.kind, 'unknown');
  assert.match(found.kind === 'unknown' ? found.message : '', /Tasks\/1/);
});

test('a mark that could not see the firmware says so, and a version that is found later may have been there before', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
  const wanted = order('bmc', { version: '2.0' });
  gate.once(`GET ${inventory}`, broken);
  const mark = await markBeforeInstall(bmc, wanted);
  assert.equal(mark.unseenFirmware?.length, 1);
  gate.change('/redfish/v1/Managers/bmc', { FirmwareVersion: '2.0', ManagerType: 'BMC' });
  assert.equal((await findStartedUpdate(bmc, wanted, mark)).kind, 'unknown');
  assert.equal((await findStartedUpdate(bmc, wanted, { at: mark.at, taskUris: [], wasThere: false })).kind, 'started');
});

test('a mark that saw everything says nothing of it', async () => {
  const { bmc } = createScriptedBmc({ tree: openbmcTree });
  const mark = await markBeforeInstall(bmc, order('bmc'));
  assert.deepEqual(Object.keys(mark).toSorted(), ['at', 'taskUris', 'wasThere']);
});

for (const [vendor, tree] of [
  ['dell', dellTree],
  ['supermicro', supermicroTree],
] as const) {
  test(`${vendor}: nothing is begun beside a task that cannot be read; one that is gone does not count`, async () => {
    const { bmc, gate } = createScriptedBmc({ tree });
    list(gate, tasks, { 7: update });
    const { checkBefore } = waysOf(vendor);
    gate.on(`GET ${tasks}/7`, broken);
    const isBlocked = (error: unknown) => isBmcError(error, 'blocked') && /Tasks\/7/.test(error.message);
    await assert.rejects(checkBefore(bmc, order('bios')), isBlocked);
    gate.on(`GET ${tasks}/7`, () => ({ status: 404 }));
    await checkBefore(bmc, order('bios'));
    gate.on(`GET ${tasks}`, broken);
    await assert.rejects(checkBefore(bmc, order('bios')), (error) => isBmcError(error, 'blocked'));
    gate.on(`GET ${tasks}`, () => ({ status: 404 }));
    await checkBefore(bmc, order('bios'));
  });
}
