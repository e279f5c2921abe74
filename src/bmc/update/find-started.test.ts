import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstallOrder } from '../firmware-update.ts';
import type { JsonObject } from '../json.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import type { ScriptedGate } from '../testing/scripted-gate.ts';
import { findStartedUpdate } from './find-started.ts';
import { markBeforeInstall } from './install-mark.ts';
import { collectionOf, dellTree, hpeTree, openbmcTree, supermicroTree, type Tree } from './testing/vendor-trees.ts';

const tasks = '/redfish/v1/TaskService/Tasks';
const jobs = '/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/Jobs';
const inventory = '/redfish/v1/UpdateService/FirmwareInventory';
const order = (component: string, more: Partial<InstallOrder> = {}): InstallOrder => ({
  image: { path: '/nowhere/fw.bin', digest: { algorithm: 'sha256', hex: '00' } },
  served: { uri: 'http://files.example/fw.bin' },
  targets: [],
  component,
  ...more,
});

function put(gate: ScriptedGate, collection: string, members: Readonly<Record<string, JsonObject>>): void {
  const there = ((gate.tree.get(collection)?.Members ?? []) as JsonObject[]).map((member) =>
    String(member['@odata.id']),
  );
  const names = [...there.map((path) => path.slice(path.lastIndexOf('/') + 1)), ...Object.keys(members)];
  gate.tree.set(collection, collectionOf(collection, ...names));
  for (const [id, body] of Object.entries(members)) {
    gate.tree.set(`${collection}/${id}`, { '@odata.id': `${collection}/${id}`, Id: id, ...body });
  }
}

const scripted = (tree: Tree) => createScriptedBmc({ tree });

test('a task that came after the mark is the update, whatever the clock of the BMC says', async () => {
  const { bmc, gate } = scripted(openbmcTree);
  const old = {
    Name: 'Task 1',
    StartTime: '2031-01-01T00:00:00Z',
    TaskState: 'Completed',
    Payload: { TargetUri: '/redfish/v1/UpdateService/update' },
  };
  put(gate, tasks, { 1: old });
  const mark = await markBeforeInstall(bmc, order('bmc'));
  put(gate, tasks, { 2: { ...old, Name: 'Task 2', StartTime: '1970-01-01T00:00:00Z', TaskState: 'Running' } });
  const found = await findStartedUpdate(bmc, order('bmc'), mark);
  assert.equal(found.kind, 'started');
  assert.deepEqual(found.kind === 'started' && found.started, {
    via: 'multipart',
    component: 'bmc',
    startedAt: mark.at,
    applyTime: 'Immediate',
    taskUri: `${tasks}/2`,
    jobUri: undefined,
  });
});

test('without a trace after two looks it was not started, and nothing was sent', async () => {
  const { bmc, gate, clock } = scripted(openbmcTree);
  put(gate, tasks, { 1: { Name: 'Task 1', TaskState: 'Running' } });
  const mark = await markBeforeInstall(bmc, order('bmc'));
  const from = clock.monotonic();
  assert.equal((await findStartedUpdate(bmc, order('bmc'), mark)).kind, 'not-started');
  assert.ok(clock.monotonic() - from >= 10_000);
  assert.deepEqual(
    gate.sent.filter(({ method }) => method !== 'GET'),
    [],
  );
});

test('an update that shows up only at the second look is found', async () => {
  const { bmc, gate } = scripted(openbmcTree);
  const mark = await markBeforeInstall(bmc, order('bmc'));
  gate.once(`GET ${inventory}`, () => ({ body: collectionOf(inventory) }));
  let looks = 0;
  gate.on(`GET ${tasks}`, () => {
    looks += 1;
    if (looks === 2) put(gate, tasks, { 5: { Name: 'Firmware Update', TaskState: 'New' } });
    return { body: gate.tree.get(tasks) ?? {} };
  });
  const found = await findStartedUpdate(bmc, order('bmc'), mark);
  assert.equal(found.kind === 'started' && found.started.taskUri, `${tasks}/5`);
});

test('a Dell job whose task is already gone is found among the jobs', async () => {
  const { bmc, gate } = scripted(dellTree);
  put(gate, jobs, { JID_1: { Name: 'Firmware Update: BIOS', JobState: 'Completed', JobType: 'FirmwareUpdate' } });
  const mark = await markBeforeInstall(bmc, order('bios'));
  put(gate, jobs, {
    JID_2: { Name: 'Export', JobState: 'Completed', JobType: 'ExportConfiguration' },
    JID_3: { Name: 'Firmware Update: BIOS', JobState: 'Completed', JobType: 'FirmwareUpdate' },
  });
  const found = await findStartedUpdate(bmc, order('bios'), mark);
  assert.equal(found.kind === 'started' && found.started.taskUri, `${jobs}/JID_3`);
  const before = await findStartedUpdate(bmc, order('bios'), {
    ...mark,
    taskUris: [...mark.taskUris, `${jobs}/JID_3`],
  });
  assert.equal(before.kind, 'not-started');
});

test("an X12's check that waits for its start is found as uploaded, its update as started", async () => {
  const { bmc, gate } = scripted(supermicroTree);
  const mark = await markBeforeInstall(bmc, order('bios'));
  put(gate, tasks, {
    1: { Name: 'BIOS Verify', TaskState: 'Completed', TaskStatus: 'OK', StartTime: '2025-01-01T00:00:00Z' },
  });
  const uploaded = await findStartedUpdate(bmc, order('bios'), mark);
  assert.match((uploaded.kind === 'started' && uploaded.started.startTarget) || '', /StartUpdate$/);
  put(gate, tasks, {
    2: { Name: 'BIOS Update', TaskState: 'Running', TaskStatus: 'OK', StartTime: '2025-01-01T00:01:00Z' },
  });
  const started = await findStartedUpdate(bmc, order('bios'), mark);
  assert.deepEqual(started.kind === 'started' && [started.started.taskUri, started.started.startTarget], [
    `${tasks}/2`,
    undefined,
  ]);
});

test("an X12's update that waits for its turn is not taken for a check, also without a time", async () => {
  for (const TaskState of ['New', 'Pending', 'Suspended']) {
    for (const time of [{}, { StartTime: '2025-01-01T00:01:00Z' }]) {
      const { bmc, gate } = scripted(supermicroTree);
      const mark = await markBeforeInstall(bmc, order('bios'));
      put(gate, tasks, {
        1: { Name: 'BIOS Verify', TaskState: 'Completed', TaskStatus: 'OK', StartTime: '2025-01-01T00:00:00Z' },
        2: { Name: 'BIOS Update', TaskState, TaskStatus: 'OK', ...time },
      });
      const found = await findStartedUpdate(bmc, order('bios'), mark);
      assert.equal(found.kind, 'started');
      assert.deepEqual(found.kind === 'started' && [found.started.taskUri, found.started.startTarget], [
        `${tasks}/2`,
        undefined,
      ]);
    }
  }
});

test('a check beside a task that cannot be read leaves it unknown: that may be the update', async () => {
  const { bmc, gate } = scripted(supermicroTree);
  const mark = await markBeforeInstall(bmc, order('bios'));
  put(gate, tasks, {
    1: { Name: 'BIOS Verify', TaskState: 'Completed', TaskStatus: 'OK' },
    2: { Name: 'BIOS Update', TaskState: 'Running', TaskStatus: 'OK' },
  });
  gate.on(`GET ${tasks}/2`, () => ({ status: 500 }));
  assert.equal((await findStartedUpdate(bmc, order('bios'), mark)).kind, 'unknown');
});

test('an iLO without a task tells of its flasher', async () => {
  const { bmc, gate } = scripted(hpeTree);
  const mark = await markBeforeInstall(bmc, order('bmc'));
  gate.change('/redfish/v1/UpdateService', { Oem: { Hpe: { State: 'Writing', FlashProgressPercent: 3 } } });
  const found = await findStartedUpdate(bmc, order('bmc'), mark);
  assert.equal(found.kind === 'started' && found.started.taskUri, undefined);
  assert.equal(found.kind, 'started');
});

test('the new version in the inventory tells of an update without a task, unless it was there before', async () => {
  const { bmc, gate } = scripted(hpeTree);
  const wanted = order('bmc', { version: '3.01' });
  const mark = await markBeforeInstall(bmc, wanted);
  assert.equal(mark.wasThere, false);
  put(gate, inventory, { 1: { Name: 'iLO 5', Version: '3.01 Feb 01 2024', Updateable: true } });
  assert.equal((await findStartedUpdate(bmc, wanted, mark)).kind, 'started');
  const again = await markBeforeInstall(bmc, wanted);
  assert.equal(again.wasThere, true);
  assert.equal((await findStartedUpdate(bmc, wanted, again)).kind, 'not-started');
});

test('a BMC that cannot be asked, lists no tasks, or has tasks nobody understands leaves it unknown', async () => {
  const away = scripted(openbmcTree);
  const mark = await markBeforeInstall(away.bmc, order('bmc'));
  away.gate.on('GET /redfish/v1/UpdateService', () => 'unreachable');
  assert.equal((await findStartedUpdate(away.bmc, order('bmc'), mark)).kind, 'unknown');

  const { Tasks: _, ...root } = openbmcTree['/redfish/v1/'] ?? {};
  const silent = scripted({ ...openbmcTree, '/redfish/v1/': root, '/redfish/v1': root });
  assert.equal((await findStartedUpdate(silent.bmc, order('bmc'), mark)).kind, 'unknown');

  const strange = scripted(openbmcTree);
  put(strange.gate, tasks, { 9: { Name: 'Task 9', TaskState: 'Running' } });
  const found = await findStartedUpdate(strange.bmc, order('bmc'), mark);
  assert.equal(found.kind, 'unknown');
  assert.match(found.kind === 'unknown' ? found.message : '', /Tasks\/9 \(Task 9\)/);
});

test('tasks of other kinds do not count', async () => {
  const { bmc, gate } = scripted(openbmcTree);
  const mark = await markBeforeInstall(bmc, order('bmc'));
  put(gate, tasks, {
    3: { Name: 'Task 3', TaskState: 'Running', Payload: { TargetUri: '/redfish/v1/Systems/system/LogServices/Dump' } },
  });
  assert.equal((await findStartedUpdate(bmc, order('bmc'), mark)).kind, 'not-started');
});

test('by time alone old finished tasks are not taken for the update', async () => {
  const { bmc, gate } = scripted(openbmcTree);
  const at = Date.parse('2025-06-01T00:00:00Z');
  const task = (StartTime: string, TaskState: string) => ({ Name: 'Firmware Update', StartTime, TaskState });
  put(gate, tasks, { 1: task('2025-05-01T00:00:00Z', 'Completed') });
  assert.equal((await findStartedUpdate(bmc, order('bmc'), at)).kind, 'not-started');
  put(gate, tasks, { 2: task('2025-06-01T00:00:05Z', 'Completed') });
  const found = await findStartedUpdate(bmc, order('bmc'), at);
  assert.equal(found.kind === 'started' && found.started.taskUri, `${tasks}/2`);
});
