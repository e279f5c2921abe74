import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { BootProgress } from './machine.ts';
import { createPlainMachine } from './testing/plain-machine.ts';

test('a host that is switched on goes through POST to its operating system', async () => {
  const { machine, clock, events } = createPlainMachine({ isPoweredOn: false });
  const { power } = machine;
  assert.deepEqual([power.state, power.bootProgress, power.bootedFrom], ['Off', 'None', undefined]);
  assert.equal(power.reset('On'), 'ok');
  assert.equal(power.state, 'PoweringOn');
  const steps: BootProgress[] = [];
  for (let seconds = 0; seconds < 200; seconds++) {
    await clock.advance(1000);
    if (steps.at(-1) !== power.bootProgress) steps.push(power.bootProgress);
  }
  assert.deepEqual(steps, [
    'None',
    'PrimaryProcessorInitializationStarted',
    'MemoryInitializationStarted',
    'PCIResourceConfigStarted',
    'SystemHardwareInitializationComplete',
    'OSBootStarted',
    'OSRunning',
  ]);
  assert.deepEqual([power.state, power.bootedFrom], ['On', 'disk']);
  assert.deepEqual(events(), ['power.reset', 'power.on', 'post.begin', 'post.done', 'boot', 'os.running']);
});

test('each reset type does what it says, from off and from on', async () => {
  const rows: [string, boolean, 'ok' | 'wrong-state', 'On' | 'Off'][] = [
    ['On', false, 'ok', 'On'],
    ['On', true, 'wrong-state', 'On'],
    ['ForceOn', false, 'ok', 'On'],
    ['ForceOff', true, 'ok', 'Off'],
    ['ForceOff', false, 'wrong-state', 'Off'],
    ['GracefulShutdown', true, 'ok', 'Off'],
    ['GracefulShutdown', false, 'wrong-state', 'Off'],
    ['GracefulRestart', true, 'ok', 'On'],
    ['GracefulRestart', false, 'wrong-state', 'Off'],
    ['ForceRestart', true, 'ok', 'On'],
    ['ForceRestart', false, 'wrong-state', 'Off'],
    ['PowerCycle', true, 'ok', 'On'],
    ['Nmi', true, 'ok', 'On'],
    ['Nmi', false, 'wrong-state', 'Off'],
    ['PushPowerButton', true, 'ok', 'Off'],
    ['PushPowerButton', false, 'ok', 'On'],
  ];
  for (const [type, isPoweredOn, outcome, state] of rows) {
    const { machine, clock, events } = createPlainMachine({ isPoweredOn });
    assert.equal(machine.power.reset(type), outcome, type);
    await clock.settle();
    assert.equal(machine.power.state, state, type);
    const isRestart = type.endsWith('Restart') || type === 'PowerCycle';
    assert.equal(
      events().includes('post.begin'),
      state === 'On' && outcome === 'ok' && type !== 'Nmi' && (isRestart || !isPoweredOn),
      type,
    );
  }
  assert.equal(createPlainMachine().machine.power.reset('FullPowerCycle'), 'unsupported');
});

test('lenient vendors accept a reset to the state the host is in', async () => {
  const lenient = { machineRules: { hasLenientResets: true } };
  const on = createPlainMachine({ personality: lenient }).machine.power;
  assert.deepEqual([on.reset('On'), on.state], ['ok', 'On']);
  const off = createPlainMachine({ personality: lenient, isPoweredOn: false });
  assert.deepEqual([off.machine.power.reset('ForceOff'), off.machine.power.reset('ForceRestart')], ['ok', 'ok']);
  await off.clock.settle();
  assert.equal(off.machine.power.bootProgress, 'OSRunning');
});

test('the boot device is the override, which is used up by one boot unless it is continuous', async () => {
  const rows: [string, string, (string | undefined)[]][] = [
    ['Once', 'Pxe', ['pxe', 'disk']],
    ['Continuous', 'Pxe', ['pxe', 'pxe']],
    ['Disabled', 'Pxe', ['disk', 'disk']],
    ['Once', 'UefiHttp', ['http', 'disk']],
    ['Once', 'Cd', ['disk', 'disk']],
    ['Once', 'BiosSetup', ['bios', 'disk']],
  ];
  for (const [enabled, target, expected] of rows) {
    const { machine, clock } = createPlainMachine();
    assert.equal(machine.boot.set({ enabled, target }), 'ok');
    const heard: string[] = [];
    const stop = machine.power.onBoot((from) => heard.push(from));
    for (let boots = 0; boots < 2; boots++) {
      machine.power.reset('ForceRestart');
      await clock.settle();
    }
    assert.deepEqual(heard, expected, `${enabled} ${target}`);
    assert.equal(machine.boot.enabled, enabled === 'Once' ? 'Disabled' : enabled);
    stop();
    machine.power.reset('ForceRestart');
    await clock.settle();
    assert.equal(heard.length, 2);
  }
});

test('a host that was told to stop in its setup shows that', async () => {
  const { machine, clock } = createPlainMachine();
  machine.boot.set({ enabled: 'Once', target: 'BiosSetup' });
  machine.power.reset('ForceRestart');
  await clock.settle();
  assert.equal(machine.power.bootProgress, 'SetupEntered');
});

test('a host boots from the virtual drive once something is in it, and a restart tells what ran that it stops', async () => {
  const { machine, clock } = createPlainMachine();
  let stops = 0;
  machine.power.onOff(() => stops++);
  machine.media.insert('Cd', { image: 'http://user:pass@files/boot.iso?token=1', isWriteProtected: true });
  machine.boot.set({ enabled: 'Once', target: 'Cd' });
  machine.power.reset('GracefulRestart');
  assert.equal(stops, 0, 'it shuts down first');
  await clock.settle();
  assert.deepEqual([stops, machine.power.bootedFrom], [1, 'cd']);
  assert.match(machine.log.text(), /media\.insert id=Cd path=\/boot\.iso\n/);
  machine.power.reset('PowerCycle');
  await clock.settle();
  assert.equal(stops, 2);
  assert.equal(machine.media.eject('Cd'), true);
  assert.equal(machine.media.eject('Cd'), false);
});

test('boot settings that cannot be are refused by name, and change nothing', () => {
  const { machine } = createPlainMachine();
  assert.deepEqual(machine.boot.set({ enabled: 'Sometimes' }), { bad: 'BootSourceOverrideEnabled' });
  assert.deepEqual(machine.boot.set({ enabled: 'Once', target: 'Tape' }), { bad: 'BootSourceOverrideTarget' });
  assert.deepEqual(machine.boot.set({ mode: 'Both' }), { bad: 'BootSourceOverrideMode' });
  assert.deepEqual([machine.boot.enabled, machine.boot.target, machine.boot.mode], ['Disabled', 'None', 'UEFI']);
});

test('a host that stays down is off until it is switched on again, or the fault is over', async () => {
  const { machine, clock, faults } = createPlainMachine({ faults: [{ kind: 'host-stays-down', times: 1 }] });
  assert.equal(machine.power.reset('ForceRestart'), 'ok');
  await clock.settle();
  assert.equal(machine.power.state, 'Off');
  assert.equal(machine.power.reset('On'), 'ok');
  await clock.settle();
  assert.equal(machine.power.bootProgress, 'OSRunning');
  faults.replace([{ kind: 'host-stays-down', durationMs: 600_000 }]);
  machine.power.reset('ForceRestart');
  await clock.advance(599_000);
  assert.equal(machine.power.state, 'Off');
  await clock.settle();
  assert.equal(machine.power.bootProgress, 'OSRunning');
});

test('no walk over resets leaves a host in between, or running without power', async () => {
  const types = [
    'On',
    'ForceOff',
    'GracefulShutdown',
    'GracefulRestart',
    'ForceRestart',
    'PowerCycle',
    'ForceOn',
    'Nmi',
    'PushPowerButton',
  ];
  const step = fc.record({ type: fc.constantFrom(...types), waitMs: fc.nat(200_000) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.boolean(), async (steps, isPoweredOn) => {
      const { machine, clock } = createPlainMachine({ isPoweredOn, faults: [{ kind: 'host-stays-down', rate: 0.1 }] });
      for (const { type, waitMs } of steps) {
        const before = machine.power.state;
        const outcome = machine.power.reset(type);
        if (outcome === 'wrong-state') assert.equal(machine.power.state, before);
        assert.equal(machine.power.state !== 'On' && machine.power.bootProgress !== 'None', false);
        await clock.advance(waitMs);
      }
      await clock.settle();
      const end = `${machine.power.state} ${machine.power.bootProgress}`;
      assert.ok(end === 'Off None' || end === 'On OSRunning', end);
      assert.equal(clock.pending, 0);
    }),
    { numRuns: 60 },
  );
});
