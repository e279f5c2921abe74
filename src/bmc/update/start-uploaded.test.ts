import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import type { StartedUpdate } from '../firmware-update.ts';
import type { JsonObject } from '../json.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { continueInstall } from './continue-install.ts';
import { collectionOf, supermicroTree } from './testing/vendor-trees.ts';

const tasks = '/redfish/v1/TaskService/Tasks';
const startTarget = '/redfish/v1/UpdateService/Actions/UpdateService.StartUpdate';
const post = `POST ${startTarget}`;

const uploaded: StartedUpdate = {
  via: 'multipart',
  taskUri: `${tasks}/5`,
  jobUri: undefined,
  startedAt: 0,
  component: 'bios',
  applyTime: 'OnStartUpdateRequest',
  startTarget,
  earlierTasks: [`${tasks}/1`, `${tasks}/5`],
};

const check: JsonObject = { Name: 'BIOS Verify', TaskState: 'Completed', TaskStatus: 'OK' };
const old: JsonObject = { Name: 'BIOS Update', TaskState: 'Completed', TaskStatus: 'OK' };

/** A BMC with these tasks, on which StartUpdate makes another. */
function withTasks(members: Readonly<Record<string, JsonObject>>) {
  const scripted = createScriptedBmc({ tree: supermicroTree });
  const { gate } = scripted;
  const put = (all: Readonly<Record<string, JsonObject>>) => {
    gate.tree.set(tasks, collectionOf(tasks, ...Object.keys(all)));
    for (const [id, body] of Object.entries(all)) {
      gate.tree.set(`${tasks}/${id}`, { '@odata.id': `${tasks}/${id}`, Id: id, ...body });
    }
  };
  put(members);
  gate.on(post, () => ({ status: 202, headers: { location: `${tasks}/9` } }));
  return { ...scripted, put, starts: () => gate.lines.filter((line) => line === post).length };
}

test('what is only uploaded is started once', async () => {
  const { bmc, starts } = withTasks({ 1: old, 5: check });
  const started = await continueInstall(bmc, uploaded);
  assert.deepEqual([started.taskUri, started.startTarget, started.earlierTasks], [`${tasks}/9`, undefined, undefined]);
  assert.equal(starts(), 1);
});

test('an update that runs, is over or has failed since the upload is followed, and not started again', async () => {
  for (const state of [
    { TaskState: 'New' },
    { TaskState: 'Running' },
    { TaskState: 'Completed', TaskStatus: 'OK' },
    { TaskState: 'Exception', TaskStatus: 'Critical' },
  ]) {
    const { bmc, starts } = withTasks({ 1: old, 5: check, 6: { Name: 'BIOS Update', ...state } });
    const started = await continueInstall(bmc, uploaded);
    assert.deepEqual([started.taskUri, started.startTarget, starts()], [`${tasks}/6`, undefined, 0]);
  }
});

test('without a list of earlier tasks the time of the check tells which update is newer', async () => {
  const { earlierTasks: _, ...plain } = uploaded;
  const at = (StartTime: string) => ({ StartTime });
  const seen = (time: string) =>
    withTasks({
      1: { ...old, ...at('2031-01-01T00:00:00Z') },
      5: { ...check, ...at('2031-01-02T00:00:00Z') },
      6: { ...old, ...at(time) },
    });
  const newer = seen('2031-01-02T00:01:00Z');
  assert.equal((await continueInstall(newer.bmc, plain)).taskUri, `${tasks}/6`);
  assert.equal(newer.starts(), 0);
  const older = seen('2031-01-01T23:00:00Z');
  assert.equal((await continueInstall(older.bmc, plain)).taskUri, `${tasks}/9`);
  assert.equal(older.starts(), 1);
  const untold = withTasks({ 1: old, 5: check });
  await assert.rejects(continueInstall(untold.bmc, plain), (error) => isBmcError(error, 'ambiguous'));
  assert.equal(untold.starts(), 0);
});

test('an update that shows up only at the second look is found', async () => {
  const { bmc, gate, put, starts } = withTasks({ 5: check });
  gate.once(`GET ${tasks}`, () => {
    const body = gate.tree.get(tasks) ?? {};
    put({ 5: check, 6: { Name: 'BIOS Update', TaskState: 'Running' } });
    return { body };
  });
  assert.equal((await continueInstall(bmc, uploaded)).taskUri, `${tasks}/6`);
  assert.equal(starts(), 0);
});

test('nothing is started while tasks cannot be read, or when the check is gone', async () => {
  const hidden = withTasks({ 5: check, 6: { Name: 'BIOS Update', TaskState: 'Running' } });
  hidden.gate.on(`GET ${tasks}/6`, () => ({ status: 500 }));
  await assert.rejects(continueInstall(hidden.bmc, uploaded), (error) => isBmcError(error, 'ambiguous'));
  assert.equal(hidden.starts(), 0);
  const gone = withTasks({});
  await assert.rejects(continueInstall(gone.bmc, uploaded), (error) => isBmcError(error, 'ambiguous'));
  assert.equal(gone.starts(), 0);
});

test('a task of the upload that does not say it is a check, and is over, was the update', async () => {
  const { bmc, starts } = withTasks({ 5: { ...check, Name: 'BIOS Update' } });
  const started = await continueInstall(bmc, uploaded);
  assert.deepEqual([started.taskUri, started.startTarget, starts()], [`${tasks}/5`, undefined, 0]);
});
