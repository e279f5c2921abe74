import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlainMachine, type PlainMachine, type PlainOrder, plainPush } from './testing/plain-machine.ts';

const minute = 60_000;

/** The same machine in another run: saved, written, read and made again. */
function again(before: PlainMachine, order: PlainOrder = {}): PlainMachine {
  const after = createPlainMachine({ isPoweredOn: false, ...order });
  const saved = before.machine.save();
  if (saved !== undefined) after.machine.restore(JSON.parse(JSON.stringify(saved)));
  after.machine.resume();
  return after;
}

test('a machine to which nothing happened has nothing to save', () => {
  assert.equal(createPlainMachine().machine.save(), undefined);
});

test('versions, settings, media, notes and the password are kept', async () => {
  const before = createPlainMachine();
  before.begin(plainPush({ component: 'nic' }));
  before.machine.bios.stage({ Cores: 12 });
  before.machine.power.reset('ForceRestart');
  await before.clock.settle();
  before.machine.bios.stage({ Cores: 8 });
  before.machine.boot.set({ enabled: 'Continuous', target: 'Pxe' });
  before.machine.media.insert('1', { image: 'http://files/boot.iso', isWriteProtected: true });
  before.machine.notes.set('AssetTag', 'row 7');
  before.machine.accounts.change('admin', { password: 'changed' });
  before.machine.manager.setIndicator('Lit');
  before.machine.manager.setClock(before.machine.clock.now() + minute);
  before.machine.events.subscribe({ destination: 'http://192.0.2.1/', context: 'rack 1' });
  const { machine, versions } = again(before);
  assert.deepEqual(versions(), before.versions());
  assert.equal(machine.firmware.find((slot) => slot.slot === 'Slot 1')?.previousVersion, '1.0.0');
  assert.equal(machine.bios.current.Cores, 12);
  assert.deepEqual(machine.bios.pending, { Cores: 8 });
  assert.deepEqual(machine.bios.applied, before.machine.bios.applied);
  assert.deepEqual([machine.boot.enabled, machine.boot.target], ['Continuous', 'Pxe']);
  assert.deepEqual(machine.media.get('1'), { image: 'http://files/boot.iso', isWriteProtected: true });
  assert.equal(machine.notes.get('AssetTag'), 'row 7');
  assert.equal(machine.accounts.check('admin', 'changed'), 'ok');
  assert.equal(machine.accounts.check('admin', 'secret'), 'refused');
  assert.equal(machine.manager.indicator, 'Lit');
  assert.equal(machine.manager.now() - machine.clock.now(), minute);
  assert.deepEqual(machine.events.subscriptions, before.machine.events.subscriptions);
});

test('what was as it came out of the box is not saved', () => {
  const { machine } = createPlainMachine({ isPoweredOn: false });
  machine.power.reset('On');
  assert.deepEqual(machine.save(), {
    power: { state: 'starting' },
    counts: { tasks: 0, updates: 0, sessions: 0, subscriptions: 0 },
  });
});

test('a host that was on is on, one in POST starts over, one that was off stays off', async () => {
  const before = createPlainMachine();
  before.machine.sessions.open('admin');
  assert.deepEqual([again(before).machine.power.state, again(before).machine.power.bootedFrom], ['On', 'disk']);
  before.machine.power.reset('ForceRestart');
  const inPost = again(before);
  assert.equal(inPost.machine.power.state, 'PoweringOn');
  await inPost.clock.settle();
  assert.equal(inPost.machine.power.bootProgress, 'OSRunning');
  await before.clock.settle();
  before.machine.power.reset('PowerCycle');
  const inCycle = again(before);
  await inCycle.clock.settle();
  assert.equal(inCycle.machine.power.state, 'On', 'a power cycle that was cut short still ends on');
  await before.clock.settle();
  before.machine.power.reset('ForceOff');
  assert.equal(again(before).machine.power.state, 'Off');
});

test('a flash in its course counts as interrupted: the version is as before and the task is gone', async () => {
  const before = createPlainMachine();
  const update = before.begin(plainPush({ component: 'nic' }));
  await before.clock.advance(45_000);
  assert.equal(update.phase, 'flashing');
  const after = again(before);
  assert.deepEqual(after.versions(), createPlainMachine().versions());
  assert.equal(after.machine.tasks.find(update.taskId), undefined);
  assert.ok(after.machine.firmware.every((slot) => slot.pendingVersion === undefined));
  const next = after.begin(plainPush({ component: 'nic' }));
  assert.notEqual(next.taskId, update.taskId, 'an id that a client knows is not given to another task');
  assert.notEqual(next.id, update.id);
});

test('an update that waits for a reset still waits, with its task, and is done at the next', async () => {
  const before = createPlainMachine();
  const { taskId } = before.begin(plainPush({ component: 'bios' }, 'OnReset'));
  await before.clock.settle();
  const after = again(before);
  const task = after.machine.tasks.find(taskId);
  assert.equal(task?.state, 'Pending');
  assert.equal(after.machine.firmware.find((slot) => slot.slot === 'BIOS')?.pendingVersion, '2.0.0');
  after.machine.power.reset('ForceRestart');
  await after.clock.settle();
  assert.equal(after.versions().BIOS, '2.0.0');
  assert.equal(task?.state, 'Completed');
});

test('staged firmware becomes active after the restart that it waited for', async () => {
  const personality = { updateRules: { stagesBios: true, bmcNeedsReset: true } };
  const before = createPlainMachine({ personality });
  for (const component of ['bios', 'bmc'] as const) {
    before.begin(plainPush({ component }));
    await before.clock.settle();
  }
  assert.deepEqual([before.versions().BIOS, before.versions().BMC], ['1.0.0', '1.0.0']);
  const after = again(before, { personality });
  after.machine.power.reset('ForceRestart');
  await after.clock.settle();
  after.machine.manager.reset('ForceRestart');
  await after.clock.settle();
  assert.deepEqual([after.versions().BIOS, after.versions().BMC], ['2.0.0', '2.0.0']);
});

test('pending BIOS settings are applied at the next POST, and their task ends then', async () => {
  const before = createPlainMachine();
  before.machine.bios.stage({ Cores: 8 });
  const [waiting] = before.machine.tasks.all;
  const after = again(before);
  after.machine.power.reset('ForceRestart');
  await after.clock.settle();
  assert.equal(after.machine.bios.current.Cores, 8);
  assert.equal(after.machine.tasks.find(waiting?.id ?? '')?.state, 'Completed');
});

test('sessions do not outlive the simulator, and a token of an earlier run opens nothing', () => {
  const before = createPlainMachine();
  const old = before.machine.sessions.open('admin');
  const { machine } = again(before);
  assert.deepEqual(machine.sessions.all, []);
  const fresh = machine.sessions.open('admin');
  assert.ok(old !== 'exhausted' && fresh !== 'exhausted');
  assert.notEqual(fresh.id, old.id);
  assert.equal(machine.sessions.find(old.token), undefined);
});

test('no password is in the log of a machine that was restored', () => {
  const before = createPlainMachine();
  before.machine.accounts.change('admin', { password: 'changed-one' });
  assert.doesNotMatch(again(before).machine.log.text() + before.machine.log.text(), /changed-one|secret/);
});
