import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlainMachine } from './testing/plain-machine.ts';

test('settings are pending until a reset, and their task ends when they are applied', async () => {
  const { machine, clock } = createPlainMachine();
  const { bios, power, tasks } = machine;
  assert.equal(bios.stage({ Cores: 4, BootMode: 'Bios' }), 'ok');
  assert.equal(bios.stage({ Cores: 6 }), 'ok');
  assert.deepEqual(bios.pending, { Cores: 6, BootMode: 'Bios' });
  assert.equal(bios.current.Cores, 8);
  assert.deepEqual(
    tasks.all.map((task) => [task.kind, task.state]),
    [['bios', 'Pending']],
  );
  await clock.advance(3_600_000);
  assert.equal(bios.current.Cores, 8, 'nothing happens without a reset');
  power.reset('ForceRestart');
  await clock.settle();
  assert.deepEqual(bios.current, { BootMode: 'Bios', Cores: 6, AssetTag: '', Turbo: true, SystemModel: 'Plain 1' });
  assert.deepEqual(bios.pending, {});
  assert.equal(bios.applied?.messageId, 'Base.1.8.Success');
  assert.deepEqual(
    tasks.all.map((task) => [task.state, task.status, task.percent]),
    [['Completed', 'OK', 100]],
  );
});

test('a request with anything wrong in it changes nothing and says all that is wrong', () => {
  const { bios } = createPlainMachine().machine;
  const asked = {
    Turbo: 'yes',
    Cores: 65,
    BootMode: 'Dual',
    AssetTag: 'far too long',
    SystemModel: 'Other',
    Colour: 'red',
  };
  assert.deepEqual(bios.stage({ ...asked }), [
    { attribute: 'Turbo', problem: 'bad-type' },
    { attribute: 'Cores', problem: 'bad-value' },
    { attribute: 'BootMode', problem: 'bad-value' },
    { attribute: 'AssetTag', problem: 'bad-value' },
    { attribute: 'SystemModel', problem: 'read-only' },
    { attribute: 'Colour', problem: 'unknown' },
  ]);
  assert.deepEqual(bios.stage({ Cores: 1.5, Turbo: false }), [{ attribute: 'Cores', problem: 'bad-type' }]);
  assert.deepEqual(bios.pending, {});
});

test('defaults come back after a reset to defaults, and pending settings can be dropped', async () => {
  const { machine, clock } = createPlainMachine();
  machine.bios.stage({ Cores: 4, Turbo: false });
  machine.power.reset('ForceRestart');
  await clock.settle();
  machine.bios.stage({ AssetTag: 'x' });
  machine.bios.stageDefaults();
  assert.deepEqual(machine.bios.pending, { Cores: 8, Turbo: true });
  assert.equal(machine.bios.clearPending(), true);
  assert.equal(machine.bios.clearPending(), false);
  assert.equal(machine.tasks.all.at(-1)?.state, 'Cancelled');
  machine.bios.stageDefaults();
  machine.power.reset('PowerCycle');
  await clock.settle();
  assert.equal(machine.bios.current.Cores, 8);
});

test('vendors without BIOS tasks have none', () => {
  const { machine } = createPlainMachine({ personality: { machineRules: { hasBiosTasks: false } } });
  machine.bios.stage({ Cores: 4 });
  assert.deepEqual(machine.tasks.all, []);
});
