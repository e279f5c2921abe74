import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlainMachine, plainPush } from './testing/plain-machine.ts';

const minute = 60_000;

test('a flash that hangs stands still until the BMC is reset, and then it has failed', async () => {
  const { machine, clock, begin, versions } = createPlainMachine({ faults: [{ kind: 'flash-hangs', times: 1 }] });
  const update = begin(plainPush({ component: 'psu' }));
  const task = machine.tasks.find(update.taskId);
  await clock.advance(600 * minute);
  assert.deepEqual([update.phase, task?.state], ['flashing', 'Running']);
  const percent = task?.percent;
  await clock.advance(600 * minute);
  assert.equal(task?.percent, percent);
  const refused = machine.updates.begin(plainPush({ component: 'nic' }));
  assert.equal('phase' in refused ? 'accepted' : refused.fault, 'busy');
  assert.equal(machine.updates.clearQueue({ isForced: false }), 0);
  machine.manager.reset('ForceRestart');
  await clock.settle();
  assert.deepEqual(
    [update.phase, update.fault, task?.state, versions().PSU1],
    ['failed', 'flash-failed', 'Exception', '1.0.0'],
  );
  begin(plainPush({ component: 'psu' }));
  await clock.settle();
  assert.equal(versions().PSU1, '2.0.0');
});

test('a hung flash also ends by a forced clearing of the queue, or after the time its rule gives', async () => {
  const forced = createPlainMachine({ faults: [{ kind: 'flash-hangs', component: 'psu' }] });
  const update = forced.begin(plainPush({ component: 'psu' }));
  await forced.clock.advance(minute);
  assert.equal(forced.machine.updates.clearQueue({ isForced: true }), 1);
  assert.equal(update.phase, 'failed');
  const timed = createPlainMachine({ faults: [{ kind: 'flash-hangs', durationMs: 30 * minute }] });
  const other = timed.begin(plainPush({ component: 'psu' }));
  await timed.clock.settle();
  assert.deepEqual([other.phase, other.fault], ['failed', 'flash-failed']);
  assert.ok(timed.clock.elapsedMs() > 30 * minute);
});

test('a task may say Completed and Critical: nothing was installed', async () => {
  const { machine, clock, begin, versions } = createPlainMachine({ faults: [{ kind: 'task-completed-critical' }] });
  const update = begin(plainPush({ component: 'psu' }));
  await clock.settle();
  const task = machine.tasks.find(update.taskId);
  assert.deepEqual(
    [task?.state, task?.status, update.phase, versions().PSU1],
    ['Completed', 'Critical', 'failed', '1.0.0'],
  );
});

test('slots that were written before another failed have the new version', async () => {
  const { clock, begin, versions, machine, faults } = createPlainMachine();
  begin(plainPush({ component: 'nic' }));
  await clock.advance(90_000);
  assert.match(machine.log.text(), /flash-begin slot="Slot 2"/);
  faults.replace([{ kind: 'task-completed-critical' }]);
  await clock.settle();
  assert.deepEqual([versions()['Slot 1'], versions()['Slot 2']], ['2.0.0', '1.0.0']);
});

test('a task may complete while the version stays', async () => {
  for (const component of ['psu', 'bmc', 'bios'] as const) {
    const { machine, clock, begin, versions } = createPlainMachine({ faults: [{ kind: 'version-stays' }] });
    const update = begin(plainPush({ component }));
    await clock.settle();
    machine.power.reset('ForceRestart');
    await clock.settle();
    assert.deepEqual([update.phase, machine.tasks.find(update.taskId)?.status], ['done', 'OK']);
    assert.ok(
      Object.values(versions()).every((version) => version === '1.0.0'),
      component,
    );
  }
});

test('a task may vanish while its update goes on', async () => {
  const { machine, clock, begin, versions } = createPlainMachine({ faults: [{ kind: 'task-vanishes' }] });
  const update = begin(plainPush({ component: 'psu' }));
  assert.notEqual(machine.tasks.find(update.taskId), undefined);
  await clock.advance(20_000);
  assert.deepEqual([update.phase, machine.tasks.find(update.taskId)], ['flashing', undefined]);
  await clock.settle();
  assert.equal(versions().PSU1, '2.0.0');
});

test('a BMC may be unreachable for long after a flash', async () => {
  const faults = [{ kind: 'unreachable-after-flash' as const, durationMs: 20 * minute }];
  for (const component of ['psu', 'bmc'] as const) {
    const { machine, clock, begin, versions } = createPlainMachine({ faults });
    begin(plainPush({ component }));
    await clock.advance(20 * minute);
    assert.equal(machine.manager.isReachable, false, component);
    await clock.settle();
    assert.equal(machine.manager.isReachable, true);
    assert.equal(versions()[component === 'psu' ? 'PSU1' : 'BMC'], '2.0.0');
  }
});

test('a download may fail', async () => {
  const download = () => assert.fail('the file server must not be asked');
  const { clock, begin } = createPlainMachine({ download, faults: [{ kind: 'image-download-fails' }] });
  const update = begin({ via: 'pull', targets: [], imageUri: 'http://files/x' });
  await clock.settle();
  assert.deepEqual([update.phase, update.fault], ['failed', 'download-failed']);
});

test('an inventory may be wrong in one place, and is right again when the fault is over', () => {
  const lies = new Set<string>();
  for (let seed = 0; seed < 40; seed++) {
    const { machine, faults } = createPlainMachine({ seed, faults: [{ kind: 'wrong-inventory' }] });
    const told = machine.reportedFirmware?.() ?? [];
    assert.deepEqual(machine.reportedFirmware?.(), told, 'the same lie each time');
    const truth = machine.firmware;
    const wrong = truth.filter((slot) => told.find((each) => each.slot === slot.slot)?.version !== slot.version);
    assert.equal(wrong.length, 1);
    lies.add(told.length < truth.length ? 'missing' : 'older');
    faults.replace([]);
    assert.equal(machine.reportedFirmware?.(), truth);
  }
  assert.deepEqual([...lies].sort(), ['missing', 'older']);
  const { machine } = createPlainMachine({ faults: [{ kind: 'wrong-inventory', component: 'bios' }] });
  const told = machine.reportedFirmware?.().find((slot) => slot.slot === 'BIOS');
  assert.notEqual(told?.version, '1.0.0');
});
