import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBmcError } from '../errors.ts';
import type { StartedUpdate } from '../firmware-update.ts';
import { createScriptedBmc } from '../testing/scripted-bmc.ts';
import type { ScriptedAnswer } from '../testing/scripted-gate.ts';
import { followInstall, type InstallLook } from './follow-install.ts';
import { dellTree, hpeTree, lenovoTree, openbmcTree, supermicroTree } from './testing/vendor-trees.ts';

const task = '/redfish/v1/TaskService/Tasks/7';
const started = (more: Partial<StartedUpdate> = {}): StartedUpdate => ({
  via: 'multipart',
  taskUri: task,
  jobUri: undefined,
  startedAt: 0,
  component: 'bios',
  ...more,
});
const running = (percent?: number): ScriptedAnswer => ({
  body: { TaskState: 'Running', TaskStatus: 'OK', ...(percent === undefined ? {} : { PercentComplete: percent }) },
});
const completed: ScriptedAnswer = { body: { TaskState: 'Completed', TaskStatus: 'OK' } };
const hour = 3_600_000;

test('polls until the task completes and says what makes the firmware active', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: hpeTree });
  for (const percent of [0, 10, 60]) gate.once(`GET ${task}`, () => running(percent));
  gate.on(`GET ${task}`, () => completed);
  const seen: (number | undefined | string)[] = [];
  const outcome = await followInstall(bmc, started(), {
    deadlineMs: hour,
    onProgress: ({ progress }) => void seen.push(progress.kind === 'running' ? progress.percent : progress.kind),
  });
  assert.deepEqual(seen, [0, 10, 60, 'completed']);
  assert.equal(outcome.kind === 'completed' && outcome.activation.reset, 'host');
});

test('the time between looks grows while nothing changes, up to its bound', async () => {
  const { bmc, gate, clock } = createScriptedBmc({ tree: hpeTree });
  const times: number[] = [];
  gate.on(`GET ${task}`, () => {
    times.push(clock.monotonic());
    return times.length < 12 ? running(5) : completed;
  });
  await followInstall(bmc, started(), { deadlineMs: hour });
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  assert.deepEqual(
    gaps,
    gaps.toSorted((a, b) => a - b),
  );
  assert.ok((gaps[0] ?? 0) <= 1000);
  assert.ok((gaps.at(-1) ?? 0) <= 30_000 && (gaps.at(-1) ?? 0) >= 15_000);
});

test('a BMC that is away or refuses good credentials while it is written is waited for', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
  let outages = 0;
  gate.once(`GET ${task}`, () => running(90));
  for (const code of ['unreachable', 'credentials', 'busy', 'timeout', 'malformed'] as const) {
    gate.once(`GET ${task}`, () => {
      outages = gate.outages;
      return code;
    });
  }
  gate.on(`GET ${task}`, () => ({ status: 404 }));
  const outcome = await followInstall(bmc, started({ component: 'bmc' }), { deadlineMs: hour });
  assert.equal(outcome.kind, 'gone');
  assert.equal(outages, 1);
  assert.equal(gate.outages, 0);
});

test('refused credentials while another part is written are meant', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  gate.on(`GET ${task}`, () => 'credentials');
  await assert.rejects(followInstall(bmc, started(), { deadlineMs: hour }), (error) =>
    isBmcError(error, 'credentials'),
  );
});

test('what is not over at its deadline is told with what was seen last, and that it stalled', async () => {
  const { bmc, gate, clock } = createScriptedBmc({ tree: dellTree });
  gate.on(`GET ${task}`, () => running(33));
  const from = clock.monotonic();
  const looks: InstallLook[] = [];
  const outcome = await followInstall(bmc, started(), {
    deadlineMs: hour,
    stallMs: 600_000,
    onProgress: (look) => void looks.push(look),
  });
  assert.equal(outcome.kind, 'deadline');
  assert.match(outcome.kind === 'deadline' ? outcome.message : '', /not over after 3600 s.*nothing has moved for/);
  assert.equal(clock.monotonic() - from, hour);
  const first = looks.findIndex(({ isStalled }) => isStalled);
  assert.ok(first > 0 && (looks[first]?.unchangedMs ?? 0) >= 600_000 && (looks[first - 1]?.unchangedMs ?? 0) < 600_000);
});

test('whoever looks on may end the following of an update that stalls', async () => {
  const { bmc, gate, clock } = createScriptedBmc({ tree: dellTree });
  gate.on(`GET ${task}`, () => running(33));
  const outcome = await followInstall(bmc, started(), {
    deadlineMs: hour,
    stallMs: 60_000,
    onProgress: ({ isStalled }) => (isStalled ? 'stop' : undefined),
  });
  assert.equal(outcome.kind === 'stopped' && outcome.last.isStalled, true);
  assert.ok(clock.monotonic() < hour);
});

test('a BMC that is unreachable past the deadline ends the following, not the program', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
  gate.on(`GET ${task}`, () => 'unreachable');
  const outcome = await followInstall(bmc, started({ component: 'bmc' }), { deadlineMs: 300_000 });
  assert.equal(outcome.kind === 'deadline' && outcome.last.progress.kind, 'unreachable');
  assert.equal(gate.outages, 0);
});

test('a Scheduled job waits for the host at once on reset, and only after half a minute when immediate', async () => {
  const scheduled = { Oem: { Dell: { JobState: 'Scheduled', JobType: 'FirmwareUpdate' } }, TaskState: 'Starting' };
  for (const [applyTime, leastMs] of [
    ['OnReset', 0],
    ['Immediate', 30_000],
  ] as const) {
    const { bmc, clock } = createScriptedBmc({ tree: { ...dellTree, [task]: scheduled } });
    const from = clock.monotonic();
    const outcome = await followInstall(bmc, started({ applyTime, component: 'nic' }), { deadlineMs: hour });
    assert.deepEqual(outcome.kind === 'waits-for-reset' && outcome.reset, 'host');
    const took = clock.monotonic() - from;
    assert.ok(took >= leastMs && took <= leastMs + 30_000, `${applyTime}: ${took}`);
  }
});

test('an immediate job that was Scheduled only for a moment is followed to its end', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  const dell = (JobState: string) => ({
    body: { Oem: { Dell: { JobState, JobType: 'FirmwareUpdate' } }, TaskState: 'Starting' },
  });
  for (const state of ['Scheduled', 'Scheduled', 'Running']) gate.once(`GET ${task}`, () => dell(state));
  gate.on(`GET ${task}`, () => dell('Completed'));
  const outcome = await followInstall(bmc, started({ applyTime: 'Immediate', component: 'nic' }), { deadlineMs: hour });
  assert.equal(outcome.kind, 'completed');
});

test("an XCC's own update completes and needs a reset of the BMC", async () => {
  const { bmc, gate } = createScriptedBmc({ tree: lenovoTree });
  gate.on(`GET ${task}`, () => completed);
  const outcome = await followInstall(bmc, started({ component: 'bmc' }), { deadlineMs: hour });
  assert.equal(outcome.kind === 'completed' && outcome.activation.reset, 'bmc');
});

test('a completion with a warning is what the caller takes it for', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  gate.on(`GET ${task}`, () => ({ body: { TaskState: 'Completed', TaskStatus: 'Warning' } }));
  const taken = await followInstall(bmc, started(), { deadlineMs: hour });
  assert.equal(taken.kind === 'completed' && taken.hasWarning, true);
  const failed = await followInstall(bmc, started(), { deadlineMs: hour, isWarningFailure: true });
  assert.equal(failed.kind, 'failed');
});

test('a suspended task is reported and followed on', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: dellTree });
  gate.once(`GET ${task}`, () => ({ body: { TaskState: 'Suspended', TaskStatus: 'OK' } }));
  gate.on(`GET ${task}`, () => completed);
  const kinds: string[] = [];
  await followInstall(bmc, started(), {
    deadlineMs: hour,
    onProgress: ({ progress }) => void kinds.push(progress.kind),
  });
  assert.deepEqual(kinds, ['suspended', 'completed']);
});

test('an update that is only uploaded ends with the wish to be continued', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: supermicroTree });
  gate.on(`GET ${task}`, () => completed);
  const outcome = await followInstall(bmc, started({ startTarget: '/start' }), { deadlineMs: hour });
  assert.equal(outcome.kind, 'waits-for-start');
});

test('a cancelled following throws, and expects no outage any more', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: openbmcTree });
  const cancel = new AbortController();
  gate.on(`GET ${task}`, () => {
    cancel.abort();
    return running(1);
  });
  const following = followInstall(bmc, started({ component: 'bmc' }), { deadlineMs: hour, signal: cancel.signal });
  await assert.rejects(following, (error) => isBmcError(error, 'cancelled'));
  assert.equal(gate.outages, 0);
});

test('what was stored as JSON can be followed', async () => {
  const { bmc, gate } = createScriptedBmc({ tree: hpeTree });
  gate.on(`GET ${task}`, () => completed);
  const stored = JSON.parse(JSON.stringify(started({ taskUri: task, jobUri: undefined }))) as StartedUpdate;
  assert.equal((await followInstall(bmc, stored, { deadlineMs: hour })).kind, 'completed');
});

test('a hint that something changed ends a wait', async () => {
  const { bmc, gate, clock } = createScriptedBmc({ tree: hpeTree });
  let wake: (() => void) | undefined;
  let looks = 0;
  gate.on(`GET ${task}`, () => {
    looks += 1;
    // What is heard while it is looked is not lost.
    if (looks === 3) wake?.();
    return looks < 4 ? running(5) : completed;
  });
  const outcome = await followInstall(bmc, started(), {
    deadlineMs: hour,
    pollMs: { first: 100_000, most: 100_000 },
    listen: (listener) => {
      wake = listener;
      return () => {
        wake = undefined;
      };
    },
    onProgress: () => {
      if (looks < 3) wake?.();
      return undefined;
    },
  });
  assert.equal(outcome.kind, 'completed');
  assert.equal(clock.monotonic(), 0);
  assert.equal(wake, undefined, 'it listens no more');
});

test('a queued update of host firmware waits for the host as soon as the patience is over that was given', async () => {
  const { bmc, gate, clock } = createScriptedBmc({ tree: hpeTree });
  gate.on(`GET ${task}`, () => ({ body: { TaskState: 'Pending', TaskStatus: 'OK' } }));
  const outcome = await followInstall(bmc, started(), { deadlineMs: 20_000, startPatienceMs: 2000 });
  assert.deepEqual([outcome.kind, outcome.kind === 'waits-for-reset' && outcome.reset], ['waits-for-reset', 'host']);
  assert.ok(clock.monotonic() < 10_000);
});
