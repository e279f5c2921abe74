import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { UpdateProgress } from '../firmware-update.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { type ProgressContext, parseTask, progressOfTask } from './index.ts';

const uri = '/redfish/v1/TaskService/Tasks/1';
const progressOf = (body: JsonObject, context: ProgressContext = {}): UpdateProgress =>
  progressOfTask(parseTask(uri, body), context);

const standard: readonly (readonly [string, string, UpdateProgress['kind']])[] = [
  ['New', 'OK', 'running'],
  ['Starting', 'OK', 'running'],
  ['Running', 'OK', 'running'],
  ['Pending', 'OK', 'running'],
  ['Stopping', 'OK', 'running'],
  ['Service', '', 'running'],
  ['Suspended', 'OK', 'suspended'],
  ['UserIntervention', 'OK', 'suspended'],
  ['Completed', 'OK', 'completed'],
  ['Completed', '', 'completed'],
  ['Completed', 'Warning', 'completed'],
  ['Completed', 'Critical', 'failed'],
  ['Exception', 'Critical', 'failed'],
  ['Exception', 'OK', 'failed'],
  ['Killed', 'Warning', 'failed'],
  ['Cancelled', 'OK', 'failed'],
  ['Interrupted', 'OK', 'failed'],
  ['completed', 'ok', 'completed'],
  ['Rebooting the moon', 'OK', 'running'],
];

for (const [state, status, kind] of standard) {
  test(`a task that is ${state} with status "${status}" is ${kind}`, () => {
    assert.equal(progressOf({ TaskState: state, TaskStatus: status }).kind, kind);
    assert.equal(progressOf({ JobState: state, JobStatus: status }).kind, kind);
  });
}

const dell: readonly (readonly [string, UpdateProgress['kind']])[] = [
  ['New', 'running'],
  ['Scheduling', 'running'],
  ['Scheduled', 'waits-for-host-reset'],
  ['Downloading', 'running'],
  ['Downloaded', 'running'],
  ['ReadyForExecution', 'running'],
  ['Waiting', 'running'],
  ['PendingActivation', 'waits-for-host-reset'],
  ['Running', 'running'],
  ['Paused', 'suspended'],
  ['RebootPending', 'running'],
  ['RebootCompleted', 'completed'],
  ['RebootFailed', 'failed'],
  ['Completed', 'completed'],
  ['CompletedWithErrors', 'failed'],
  ['Failed', 'failed'],
  ['Unknown', 'running'],
  ['SomethingOfNextYear', 'running'],
];

for (const [state, kind] of dell) {
  test(`a Dell job that is ${state} is ${kind}, as a job and within a task`, () => {
    const job = { '@odata.type': '#DellJob.v1_4_0.DellJob', JobState: state, JobType: 'FirmwareUpdate', Message: 'so' };
    assert.equal(progressOf(job, { component: 'bios' }).kind, kind);
    assert.equal(progressOf({ TaskState: 'Starting', TaskStatus: 'OK', Oem: { Dell: job } }, {}).kind, kind);
  });
}

test("the iDRAC's own update does not wait for the host while it is Scheduled", () => {
  const job = { JobState: 'Scheduled', JobType: 'FirmwareUpdate' };
  assert.equal(progressOf(job, { component: 'bmc' }).kind, 'running');
});

test('a Scheduled job that could not be initialised failed: it never starts', () => {
  const job = { JobState: 'Scheduled', JobType: 'FirmwareUpdate', Message: 'Job processing initialization failure.' };
  assert.equal(progressOf(job, { component: 'nic' }).kind, 'failed');
});

test('a purged-looking Dell task that is Completed and Critical failed, whatever its job says', () => {
  const body = { TaskState: 'Completed', TaskStatus: 'Critical', Oem: { Dell: { JobState: 'Completed' } } };
  assert.equal(progressOf(body).kind, 'failed');
});

test('says in clear words why a job failed, with the ids of the messages', () => {
  const body = {
    Name: 'Firmware Update: BIOS',
    TaskState: 'Completed',
    TaskStatus: 'Critical',
    Messages: [{ MessageId: 'IDRAC.2.8.JCP052', Message: 'Unable to run the job.', Severity: 'Critical' }],
  };
  const progress = progressOf(body);
  assert.equal(progress.kind, 'failed');
  assert.deepEqual(progress.kind === 'failed' && progress.messageIds, ['IDRAC.2.8.JCP052']);
  assert.match(progress.message, /Firmware Update: BIOS.*Completed\/Critical.*reset the BMC.*Unable to run the job/);
});

test('a pending task of an update on reset waits for the host, and of one at once only runs', () => {
  const body = { TaskState: 'Pending', TaskStatus: 'OK' };
  assert.equal(progressOf(body, { component: 'nic', applyTime: 'OnReset' }).kind, 'waits-for-host-reset');
  assert.equal(progressOf(body, { component: 'nic', applyTime: 'Immediate' }).kind, 'running');
  assert.equal(progressOf(body, { component: 'bmc', applyTime: 'OnReset' }).kind, 'running');
});

test('a finished task may ask for a reset of host or BMC', () => {
  const done = (MessageId: string, MessageArgs: string[]) => ({
    TaskState: 'Completed',
    TaskStatus: 'OK',
    Messages: [{ MessageId, MessageArgs }],
  });
  const bmc = done('Base.1.13.ResetRequired', ['/redfish/v1/Managers/1', 'GracefulRestart']);
  const host = done('Base.1.13.ResetRequired', ['/redfish/v1/Systems/1', 'GracefulRestart']);
  assert.equal(progressOf(bmc).kind, 'waits-for-bmc-reset');
  assert.equal(progressOf(host).kind, 'waits-for-host-reset');
  assert.equal(progressOf(done('Update.1.0.AwaitToActivate', ['/x', 'BIOS'])).kind, 'waits-for-host-reset');
});

test('percentages are taken as they come, also as text, and never past their bounds', () => {
  const percentOf = (value: JsonValue) => {
    const progress = progressOf({ TaskState: 'Running', PercentComplete: value });
    return progress.kind === 'running' ? progress.percent : 'not running';
  };
  assert.equal(percentOf(40), 40);
  assert.equal(percentOf('40'), 40);
  assert.equal(percentOf(140), 100);
  assert.equal(percentOf(-1), undefined);
  assert.equal(percentOf('soon'), undefined);
  assert.equal(percentOf(null), undefined);
});

test('every body whatever has an answer, and only a completion claims to be one', () => {
  const names = [
    'TaskState',
    'TaskStatus',
    'JobState',
    'JobStatus',
    'Messages',
    'Oem',
    'PercentComplete',
    'Name',
    'error',
  ];
  const states = [...standard.map(([state]) => state), ...dell.map(([state]) => state), '__proto__', 'constructor'];
  const value = fc.oneof(fc.constantFrom(...states), fc.jsonValue());
  const body = fc.dictionary(fc.constantFrom(...names), value);
  const context = fc.record(
    { component: fc.constantFrom('bmc', 'bios', 'nic'), applyTime: fc.constantFrom('Immediate', 'OnReset') },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(body, context, (given, about) => {
      const progress = progressOf(given as JsonObject, about);
      assert.ok(progress.message.length > 0);
      if (progress.kind !== 'completed') return;
      assert.match(JSON.stringify(given), /completed/i);
      assert.doesNotMatch(String(given.TaskStatus), /^critical$/i);
    }),
    { numRuns: 3000 },
  );
});
