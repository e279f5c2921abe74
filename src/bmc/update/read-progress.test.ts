import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { type BmcErrorCode, bmcErrors, isBmcError } from '../errors.ts';
import type { StartedUpdate, UpdateProgress } from '../firmware-update.ts';
import type { JsonObject } from '../json.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import { readProgress } from './read-progress.ts';
import { dellTree, hpeTree, lenovoTree, openbmcTree, supermicroTree, type Tree } from './testing/vendor-trees.ts';

const task = '/redfish/v1/TaskService/Tasks/7';
const monitor = '/redfish/v1/TaskService/TaskMonitors/7';
const jobs = '/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/Jobs';
const started = (more: Partial<StartedUpdate> = {}): StartedUpdate => ({
  via: 'multipart',
  taskUri: task,
  jobUri: undefined,
  startedAt: 0,
  component: 'bios',
  ...more,
});

async function progressIn(
  tree: Tree,
  more: Partial<StartedUpdate> = {},
): Promise<{ progress: UpdateProgress; lines: readonly string[] }> {
  const { bmc, gate } = createScriptedBmc({ tree });
  return { progress: await readProgress(bmc, started(more)), lines: gate.lines };
}

test('a Dell task that was thrown away is followed by its job', async () => {
  const job = (body: JsonObject) => ({
    ...dellTree,
    [`${jobs}/JID_7`]: { '@odata.type': '#DellJob.v1_4_0.DellJob', ...body },
  });
  const jobUri = `${jobs}/JID_7`;
  const done = await progressIn(job({ JobState: 'Completed', JobType: 'FirmwareUpdate', PercentComplete: 100 }), {
    jobUri,
  });
  assert.equal(done.progress.kind, 'completed');
  const failed = await progressIn(
    job({ JobState: 'CompletedWithErrors', JobType: 'FirmwareUpdate', MessageId: 'RED007', Message: 'no' }),
    { jobUri },
  );
  assert.equal(failed.progress.kind, 'failed');
  assert.match(failed.progress.message, /signature.*RED007/);
});

test('a task without a job that is gone leaves it to the version', async () => {
  const { progress } = await progressIn(dellTree);
  assert.equal(progress.kind, 'gone');
  const without = await progressIn(dellTree, { taskUri: undefined });
  assert.match(without.progress.message, /gave no task/);
});

test("an iLO's monitor answers with an error that means success", async () => {
  const body = {
    error: { code: 'iLO.0.10.ExtendedInfo', '@Message.ExtendedInfo': [{ MessageId: 'Base.1.4.Success' }] },
  };
  const { progress } = await progressIn({ ...hpeTree, [monitor]: body }, { monitorUri: monitor });
  assert.deepEqual(progress.kind, 'completed');
  const bad = { error: { '@Message.ExtendedInfo': [{ MessageId: 'iLO.2.15.UpdateInvalidFile', MessageArgs: [] }] } };
  const failed = await progressIn({ ...hpeTree, [monitor]: bad }, { monitorUri: monitor });
  assert.deepEqual(failed.progress, {
    kind: 'failed',
    message: 'the file is not a firmware image that the iLO knows (iLO.2.15.UpdateInvalidFile)',
    messageIds: ['iLO.2.15.UpdateInvalidFile'],
  });
});

test("an iLO's task may answer the same in its own place", async () => {
  const body = { error: { '@Message.ExtendedInfo': [{ MessageId: 'iLO.2.14.Success' }] } };
  assert.equal((await progressIn({ ...hpeTree, [task]: body })).progress.kind, 'completed');
});

test('an iLO whose monitor vanished still tells of its flasher', async () => {
  const service = (hpe: JsonObject) => ({
    ...hpeTree,
    '/redfish/v1/UpdateService': { ...hpeTree['/redfish/v1/UpdateService'], Oem: { Hpe: hpe } },
  });
  const running = await progressIn(service({ State: 'Updating', FlashProgressPercent: 42 }), { monitorUri: monitor });
  assert.deepEqual(running.progress, { kind: 'running', percent: 42, message: "the iLO's updater is Updating" });
  const failed = await progressIn(service({ State: 'Error', Result: { MessageId: 'iLO.2.15.UpdateInterrupted' } }));
  assert.equal(failed.progress.kind, 'failed');
  assert.equal((await progressIn(service({ State: 'Complete' }))).progress.kind, 'gone');
  assert.equal((await progressIn(service({ State: 'Idle' }))).progress.kind, 'gone');
});

test('a monitor answers 202 while it runs', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
  gate.on(`GET ${monitor}`, () => ({ status: 202 }));
  assert.equal((await readProgress(bmc, started({ monitorUri: monitor }))).kind, 'running');
  gate.on(`GET ${monitor}`, () => ({ status: 410 }));
  assert.equal((await readProgress(bmc, started({ monitorUri: monitor }))).kind, 'gone');
});

test("an XCC's monitor is never read, since that deletes the task", async () => {
  const { progress, lines } = await progressIn(lenovoTree, { monitorUri: '/redfish/v1/TaskService/x' });
  assert.equal(progress.kind, 'gone');
  assert.ok(!lines.includes('GET /redfish/v1/TaskService/x'));
});

test("an XCC's task that handed over to a job is followed there", async () => {
  const job = '/redfish/v1/JobService/Jobs/JobR000001-Update';
  const tree = (body: JsonObject) => ({
    ...lenovoTree,
    [task]: {
      TaskState: 'Completed',
      TaskStatus: 'OK',
      Messages: [{ MessageId: 'Update.1.0.OperationTransitionedToJob', MessageArgs: [job] }],
    },
    [job]: body,
  });
  const running = await progressIn(tree({ JobState: 'Running', JobStatus: 'OK', PercentComplete: 30 }));
  assert.deepEqual(running.progress.kind === 'running' && running.progress.percent, 30);
  const done = await progressIn(tree({ JobState: 'Completed', JobStatus: 'OK' }));
  assert.equal(done.progress.kind, 'completed');
  const failed = await progressIn(tree({ JobState: 'Exception', JobStatus: 'Critical' }));
  assert.equal(failed.progress.kind, 'failed');
});

test('the end of the check of an uploaded image is not the end of the update', async () => {
  const startTarget = '/redfish/v1/UpdateService/Actions/UpdateService.StartUpdate';
  const body = { Name: 'BIOS Verify', TaskState: 'Completed', TaskStatus: 'OK' };
  const checked = await progressIn({ ...supermicroTree, [task]: body }, { startTarget });
  assert.equal(checked.progress.kind, 'waits-for-start');
  const updated = await progressIn({ ...supermicroTree, [task]: { ...body, Name: 'BIOS Update' } });
  assert.equal(updated.progress.kind, 'completed');
});

test('errors of a BMC that restarts are progress; those that are no answer are thrown', async () => {
  const waited: readonly BmcErrorCode[] = [
    'unreachable',
    'timeout',
    'busy',
    'malformed',
    'sessionsExhausted',
    'credentials',
  ];
  for (const code of Object.keys(bmcErrors) as BmcErrorCode[]) {
    const { bmc, gate } = createScriptedBmc({ tree: dellTree });
    gate.on(`GET ${task}`, () => code);
    if (waited.includes(code)) {
      const progress = await readProgress(bmc, started());
      assert.deepEqual([progress.kind, progress.kind === 'unreachable' && progress.code], ['unreachable', code]);
    } else {
      await assert.rejects(readProgress(bmc, started()), (error) => isBmcError(error, code));
    }
  }
});

test('a 401 to a session that is good is waited out', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  gate.on(`GET ${task}`, () => ({ status: 401 }));
  assert.equal((await readProgress(bmc, started())).kind, 'unreachable');
});

test('answers changed in any way never throw anything but a BmcError', async () => {
  const bodies: readonly JsonObject[] = [
    {
      TaskState: 'Completed',
      TaskStatus: 'OK',
      Messages: [{ MessageId: 'Update.1.0.OperationTransitionedToJob', MessageArgs: [task] }],
    },
    { TaskState: 'Running', Oem: { Dell: { JobState: 'Scheduled', JobType: 'FirmwareUpdate', Message: 'x' } } },
    { error: { '@Message.ExtendedInfo': [{ MessageId: 'Base.1.4.Success', Severity: 'OK' }] } },
    { JobState: 'Failed', JobType: 'FirmwareUpdate', PercentComplete: '7', MessageId: 'RED007' },
    { Oem: { Hpe: { State: 'Error', Result: { MessageId: 'x' } } } },
  ];
  const trees = [dellTree, hpeTree, lenovoTree, supermicroTree, openbmcTree];
  const mutated = fc
    .tuple(fc.constantFrom(...bodies), fc.array(fc.tuple(fc.nat(), fc.jsonValue()), { maxLength: 3 }))
    .map(([body, changes]) => changes.reduce<JsonObject>((now, [at, value]) => mutate(now, at, value), body));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...trees),
      mutated,
      fc.constantFrom(200, 202, 204, 400, 404, 410, 500),
      async (tree, body, status) => {
        const { bmc, gate } = createScriptedBmc({ tree });
        gate.change('/redfish/v1/UpdateService', body);
        for (const path of [task, monitor, `${jobs}/7`]) gate.on(`GET ${path}`, () => ({ status, body }));
        const more = { monitorUri: monitor, jobUri: `${jobs}/7` };
        await readProgress(bmc, started(more)).then(
          (progress) => assert.ok(progress.message.length > 0),
          (error) => assert.ok(isBmcError(error), String(error)),
        );
      },
    ),
    { numRuns: 2500 },
  );
});

/** Puts a value in the place of one member somewhere in the body. */
function mutate(body: JsonObject, at: number, value: unknown): JsonObject {
  const copy = structuredClone(body) as Record<string, unknown>;
  const places: (() => unknown)[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push(() => Object.assign(node, { [key]: value }));
      walk((node as Record<string, unknown>)[key]);
    }
  };
  walk(copy);
  places[at % places.length]?.();
  return copy as JsonObject;
}
