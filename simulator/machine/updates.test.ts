import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImageDownloader } from '../images/download-image.ts';
import type { UpdateRules } from './rules.ts';
import { createPlainMachine, type PlainImage, plainFile, plainPush } from './testing/plain-machine.ts';
import type { UpdateRequest } from './updates.ts';

const minute = 60_000;

test('a direct update is verified, written slot by slot, and active at its end', async () => {
  const { machine, clock, begin, versions } = createPlainMachine();
  const update = begin(plainPush({ component: 'nic' }));
  const task = machine.tasks.find(update.taskId);
  assert.ok(task !== undefined);
  assert.deepEqual([update.phase, task.state, task.percent], ['verifying', 'Running', 0]);
  await clock.advance(15_000);
  assert.equal(update.phase, 'flashing');
  const early = task.percent;
  await clock.advance(30_000);
  assert.ok(task.percent > early && task.percent < 95, `${early} ${task.percent}`);
  await clock.settle();
  assert.deepEqual([update.phase, task.state, task.status, task.percent], ['done', 'Completed', 'OK', 100]);
  assert.deepEqual(versions(), {
    BMC: '1.0.0',
    BIOS: '1.0.0',
    'Slot 1': '2.0.0',
    'Slot 2': '2.0.0',
    PSU1: '1.0.0',
    FPGA: '1.0.0',
  });
  assert.equal(machine.firmware.find((slot) => slot.slot === 'Slot 1')?.previousVersion, '1.0.0');
  const flashes = machine.log.events.filter(({ event }) => event.startsWith('update.flash'));
  assert.deepEqual(
    flashes.map(({ event, detail }) => `${event} ${detail}`),
    [
      'update.flash-begin slot="Slot 1" version=2.0.0 from=1.0.0 update=1',
      'update.flash-end slot="Slot 1" version=2.0.0 result=ok update=1',
      'update.flash-begin slot="Slot 2" version=2.0.0 from=1.0.0 update=1',
      'update.flash-end slot="Slot 2" version=2.0.0 result=ok update=1',
    ],
  );
});

test('targets choose among the slots an image fits, by path, inventory entry or slot', async () => {
  const { clock, begin, versions, machine } = createPlainMachine();
  begin({ ...plainPush({ component: 'nic' }), targets: ['/redfish/v1/UpdateService/FirmwareInventory/Slot_2'] });
  await clock.settle();
  assert.deepEqual([versions()['Slot 1'], versions()['Slot 2']], ['1.0.0', '2.0.0']);
  begin({ ...plainPush({ component: 'bmc' }), targets: ['/redfish/v1/Managers/bmc'] });
  await clock.settle();
  assert.equal(versions().BMC, '2.0.0');
  const astray = machine.updates.begin({
    ...plainPush({ component: 'nic' }),
    targets: ['/redfish/v1/Systems/system/Bios'],
  });
  assert.deepEqual(astray, { fault: 'wrong-target', detail: 'plain-nic' });
  const unknown = machine.updates.begin({ ...plainPush(), targets: ['/redfish/v1/Nowhere/7'] });
  assert.deepEqual(unknown, { fault: 'wrong-target', detail: '/redfish/v1/Nowhere/7' });
});

test('what cannot begin is refused with its reason', () => {
  const file = plainFile();
  const rows: [string, UpdateRequest][] = [
    ['missing-member', { via: 'pull', targets: [] }],
    ['missing-member', { via: 'push', targets: [] }],
    ['unsupported-apply-time', plainPush({}, 'OnTargetReset')],
    ['unsupported-apply-time', plainPush({}, 'Never')],
    ['not-an-image', { via: 'push', targets: [], file: { ...file, head: Buffer.from('no image') } }],
    ['too-large', { via: 'push', targets: [], file: { ...file, sizeBytes: 1_000_001 } }],
    ['wrong-target', plainPush({ component: 'other', softwareId: 'plain-fpga' })],
    ['wrong-target', plainPush({ component: 'bios', softwareId: 'plain-nic' })],
  ];
  for (const [fault, request] of rows) {
    const { machine } = createPlainMachine();
    const refusal = machine.updates.begin(request);
    assert.equal('phase' in refusal ? 'accepted' : refusal.fault, fault);
    assert.deepEqual(machine.tasks.all, []);
  }
});

test('an image that shows itself bad in verification fails its task, and nothing is written', async () => {
  const good = plainFile();
  const rows: [string, UpdateRequest][] = [
    ['wrong-model', plainPush({ models: ['Plain 2'] })],
    ['wrong-model', plainPush({ vendor: 'Other' })],
    ['truncated', { via: 'push', targets: [], file: { ...good, sizeBytes: good.sizeBytes - 1 } }],
    ['corrupt', { via: 'push', targets: [], file: { ...good, sha256: '0'.repeat(64) } }],
  ];
  for (const [fault, request] of rows) {
    const { machine, clock, begin, versions, events } = createPlainMachine();
    const update = begin(request);
    await clock.settle();
    const task = machine.tasks.find(update.taskId);
    assert.deepEqual(
      [update.phase, update.fault, task?.state, task?.status, task?.reason],
      ['failed', fault, 'Exception', 'Critical', fault],
    );
    assert.equal(versions()['Slot 1'], '1.0.0');
    assert.ok(!events().includes('update.flash-begin'));
  }
});

test('a BIOS image waits for a reset, is written in POST, and the host comes up with it', async () => {
  const { machine, clock, begin, versions } = createPlainMachine();
  const update = begin(plainPush({ component: 'bios' }));
  const task = machine.tasks.find(update.taskId);
  await clock.advance(60 * minute);
  assert.deepEqual([update.phase, update.waitsFor, task?.state], ['scheduled', 'reset', 'Pending']);
  assert.equal(machine.firmware.find((slot) => slot.slot === 'BIOS')?.pendingVersion, '2.0.0');
  assert.equal(versions().BIOS, '1.0.0');
  machine.power.reset('GracefulRestart');
  await clock.advance(2 * minute);
  assert.deepEqual([update.phase, machine.power.state], ['flashing', 'On']);
  assert.notEqual(machine.power.bootProgress, 'OSRunning');
  await clock.settle();
  assert.deepEqual([update.phase, task?.state, versions().BIOS], ['done', 'Completed', '2.0.0']);
  assert.deepEqual([machine.power.bootProgress, machine.firmware[1]?.pendingVersion], ['OSRunning', undefined]);
});

test('power lost in POST spoils what is being written, and what had not begun waits for the next POST', async () => {
  const { machine, clock, begin, versions } = createPlainMachine();
  const bios = begin(plainPush({ component: 'bios' }));
  await clock.settle();
  const psu = begin(plainPush({ component: 'psu' }, 'OnReset'));
  await clock.settle();
  machine.power.reset('ForceRestart');
  await clock.advance(2 * minute);
  assert.deepEqual([bios.phase, psu.phase], ['flashing', 'scheduled']);
  assert.equal(machine.power.reset('GracefulShutdown'), 'wrong-state');
  assert.equal(machine.power.reset('ForceOff'), 'ok');
  await clock.settle();
  assert.deepEqual([bios.phase, bios.fault, psu.phase, psu.waitsFor], ['failed', 'flash-failed', 'scheduled', 'reset']);
  assert.deepEqual([versions().BIOS, machine.power.state], ['1.0.0', 'Off']);
  machine.power.reset('On');
  await clock.settle();
  assert.deepEqual([psu.phase, versions().PSU1, machine.power.bootProgress], ['done', '2.0.0', 'OSRunning']);
});

test('the BMC is away while it starts its new firmware, with nobody logged in', async () => {
  const { machine, clock, begin, versions } = createPlainMachine();
  machine.sessions.open('admin');
  let cuts = 0;
  machine.manager.onAway(() => cuts++);
  const update = begin(plainPush({ component: 'bmc' }));
  await clock.advance(minute);
  assert.deepEqual([update.phase, machine.manager.isReachable, machine.manager.isUpdating], ['flashing', true, true]);
  await clock.advance(5.5 * minute);
  assert.deepEqual(
    [update.phase, machine.manager.isReachable, machine.manager.isUpdating],
    ['activating', false, true],
  );
  assert.deepEqual([machine.sessions.all.length, versions().BMC, cuts], [0, '1.0.0', 1]);
  await clock.settle();
  assert.deepEqual([update.phase, machine.manager.isReachable, machine.manager.isUpdating], ['done', true, false]);
  assert.equal(versions().BMC, '2.0.0');
  assert.equal(machine.tasks.find(update.taskId)?.state, 'Completed');
});

test('each vendor rule changes the course as it says', async () => {
  const run = async (updateRules: Partial<UpdateRules>, image: PlainImage, isPoweredOn = true) => {
    const made = createPlainMachine({ personality: { updateRules }, isPoweredOn });
    const update = made.begin(plainPush(image));
    await made.clock.settle();
    return { ...made, update, task: made.machine.tasks.find(update.taskId) };
  };
  const staged = await run({ stagesBios: true }, { component: 'bios' });
  assert.deepEqual(
    [staged.task?.state, staged.update.phase, staged.versions().BIOS],
    ['Completed', 'activating', '1.0.0'],
  );
  staged.machine.power.reset('ForceRestart');
  await staged.clock.settle();
  assert.deepEqual([staged.update.phase, staged.versions().BIOS], ['done', '2.0.0']);

  const resetting = await run({ bmcNeedsReset: true }, { component: 'bmc' });
  assert.deepEqual(
    [resetting.task?.state, resetting.update.phase, resetting.versions().BMC],
    ['Completed', 'activating', '1.0.0'],
  );
  resetting.machine.manager.reset('ForceRestart');
  await resetting.clock.settle();
  assert.deepEqual([resetting.update.phase, resetting.versions().BMC], ['done', '2.0.0']);

  const rebooting = await run({ doesImmediateReboot: true }, { component: 'bios' });
  assert.deepEqual([rebooting.update.phase, rebooting.versions().BIOS], ['done', '2.0.0']);

  const off = await run({ biosNeedsHostOff: true, flashesAtPost: [] }, { component: 'bios' }, false);
  assert.equal(off.versions().BIOS, '2.0.0');
  const on = createPlainMachine({ personality: { updateRules: { biosNeedsHostOff: true, flashesAtPost: [] } } });
  assert.deepEqual(on.machine.updates.begin(plainPush({ component: 'bios' })), {
    fault: 'host-must-be-off',
    detail: 'On',
  });

  const one = await run({ chooseSlots: (_machine, slots) => slots.slice(0, 1) }, { component: 'nic' });
  assert.deepEqual([one.versions()['Slot 1'], one.versions()['Slot 2']], ['2.0.0', '1.0.0']);
  const strict = createPlainMachine({ personality: { updateRules: { refusesAtOnce: ['wrong-model'] } } });
  assert.deepEqual(strict.machine.updates.begin(plainPush({ models: ['Plain 2'] })), {
    fault: 'wrong-model',
    detail: 'plain-nic',
  });
});

test('a task list that a restart empties says the end of a BMC update before it', async () => {
  const { machine, clock, begin, versions } = createPlainMachine({
    personality: { machineRules: { losesTasksOnReset: true } },
  });
  const update = begin(plainPush({ component: 'bmc' }));
  await clock.settle();
  assert.deepEqual([versions().BMC, update.phase, machine.tasks.all.length], ['2.0.0', 'done', 0]);
  assert.match(machine.log.text(), /task\.end id=1 state=Completed.*manager\.away/s);
});

test('an uploaded image waits for its start, which may make a task of its own', async () => {
  const { machine, clock, begin, versions } = createPlainMachine({
    personality: { updateRules: { hasVerifyTask: true } },
  });
  const update = begin(plainPush({ component: 'psu' }, 'OnStartUpdateRequest'));
  const verify = machine.tasks.find(update.taskId);
  await clock.settle();
  assert.deepEqual(
    [update.phase, update.waitsFor, verify?.stage, verify?.state],
    ['uploaded', 'start', 'verify', 'Completed'],
  );
  assert.equal(machine.updates.startUploaded(), 1);
  assert.equal(machine.updates.startUploaded(), 0);
  assert.notEqual(update.taskId, verify?.id);
  assert.equal(machine.tasks.find(update.taskId)?.stage, 'install');
  await clock.settle();
  assert.deepEqual([update.phase, versions().PSU1], ['done', '2.0.0']);
});

test('a second update is refused as busy, or queued where the vendor queues; one part never has two', async () => {
  const refusing = createPlainMachine();
  refusing.begin(plainPush({ component: 'nic' }));
  const busy = refusing.machine.updates.begin(plainPush({ component: 'psu' }));
  assert.equal('phase' in busy ? 'accepted' : busy.fault, 'busy');

  const queueing = createPlainMachine({ personality: { updateRules: { concurrency: 'queue' } } });
  const first = queueing.begin(plainPush({ component: 'nic' }));
  const second = queueing.begin(plainPush({ component: 'psu' }));
  const same = queueing.machine.updates.begin(plainPush({ component: 'nic', version: '3.0.0' }));
  assert.equal('phase' in same ? 'accepted' : same.fault, 'busy');
  await queueing.clock.advance(30_000);
  assert.deepEqual([first.phase, second.phase].sort(), ['flashing', 'scheduled']);
  assert.deepEqual([first.waitsFor ?? second.waitsFor], ['turn']);
  await queueing.clock.settle();
  assert.deepEqual([queueing.versions()['Slot 1'], queueing.versions().PSU1], ['2.0.0', '2.0.0']);

  const scheduled = createPlainMachine();
  scheduled.begin(plainPush({ component: 'bios' }));
  await scheduled.clock.settle();
  const again = scheduled.machine.updates.begin(plainPush({ component: 'bios', version: '3.0.0' }));
  assert.equal('phase' in again ? 'accepted' : again.fault, 'busy');
});

test('a queue is cleared of what waits, never of a flash in its course', async () => {
  const { machine, clock, begin, versions } = createPlainMachine({
    personality: { updateRules: { concurrency: 'queue' } },
  });
  const bios = begin(plainPush({ component: 'bios' }));
  const nic = begin(plainPush({ component: 'nic' }));
  machine.bios.stage({ Cores: 4 });
  await clock.advance(30_000);
  assert.deepEqual([bios.phase, nic.phase], ['scheduled', 'flashing']);
  assert.equal(machine.updates.clearQueue({ isForced: true }), 2);
  assert.equal(machine.tasks.find(bios.taskId)?.state, 'Cancelled');
  assert.deepEqual([machine.bios.pending, machine.firmware[1]?.pendingVersion], [{}, undefined]);
  await clock.settle();
  machine.power.reset('ForceRestart');
  await clock.settle();
  assert.deepEqual([versions()['Slot 1'], versions().BIOS, nic.phase], ['2.0.0', '1.0.0', 'done']);
});

test('a pull fetches its image first, and fails when that fails', async () => {
  const asked: [string, unknown][] = [];
  const download: ImageDownloader = async (uri, credentials) => {
    asked.push([uri, credentials]);
    return uri.endsWith('good') ? plainFile({ component: 'psu' }) : { failure: 'the file server answered 404' };
  };
  const { machine, clock, begin, versions } = createPlainMachine({ download });
  const credentials = { username: 'u', password: 'p' };
  const good = begin({ via: 'pull', targets: [], imageUri: 'http://u:hidden@files/good', credentials });
  assert.deepEqual([good.phase, good.header], ['downloading', undefined]);
  await clock.settle();
  assert.deepEqual([good.phase, good.header?.version, versions().PSU1], ['done', '2.0.0', '2.0.0']);
  const bad = begin({ via: 'pull', targets: [], imageUri: 'http://files/bad' });
  await clock.settle();
  assert.deepEqual([bad.phase, bad.fault], ['failed', 'download-failed']);
  assert.deepEqual(asked[0], ['http://u:hidden@files/good', credentials]);
  assert.doesNotMatch(machine.log.text(), /hidden/);
});

test('only so many finished tasks and updates are kept', async () => {
  const { machine, clock, begin } = createPlainMachine();
  for (let round = 1; round <= 7; round++) {
    begin(plainPush({ component: 'psu', version: `${round}.0.0` }));
    await clock.settle();
  }
  assert.deepEqual(
    machine.tasks.all.map((task) => task.id),
    ['4', '5', '6', '7'],
  );
  assert.deepEqual(
    machine.updates.all.map((update) => update.id),
    ['4', '5', '6', '7'],
  );
});
