import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MachineEvent } from './machine.ts';
import { createPlainMachine, plainPush } from './testing/plain-machine.ts';

test('a reset takes the BMC away for a while; work in hand is lost, scheduled work is kept', async () => {
  const { machine, clock, begin, events } = createPlainMachine();
  const scheduled = begin(plainPush({ component: 'bios' }));
  await clock.settle();
  const verifying = begin(plainPush({ component: 'psu' }));
  let cuts = 0;
  machine.manager.onAway(() => cuts++);
  assert.equal(machine.manager.reset('PowerCycle'), 'unsupported');
  assert.equal(machine.manager.reset('GracefulRestart'), 'ok');
  assert.deepEqual([machine.manager.isReachable, cuts], [false, 1]);
  await clock.advance(100_000);
  assert.equal(machine.manager.isReachable, false);
  await clock.settle();
  assert.equal(machine.manager.isReachable, true);
  assert.deepEqual([scheduled.phase, verifying.phase], ['scheduled', 'failed']);
  assert.ok(events().includes('manager.back'));
});

test('two absences at once last as long as the longer', async () => {
  const { machine, clock } = createPlainMachine();
  machine.manager.reset('ForceRestart');
  await clock.advance(60_000);
  machine.manager.reset('ForceRestart');
  await clock.advance(80_000);
  assert.equal(machine.manager.isReachable, false);
  await clock.settle();
  assert.equal(machine.manager.isReachable, true);
});

test('the clock may be years off until it is set, and again after a restart', async () => {
  const { machine, clock } = createPlainMachine({ faults: [{ kind: 'clock-off', times: 2 }] });
  const year = () => new Date(machine.manager.now()).getUTCFullYear();
  assert.equal(year(), 2006);
  machine.manager.setClock(clock.now());
  assert.equal(machine.manager.now(), clock.now());
  await clock.advance(1000);
  assert.equal(machine.manager.now(), clock.now());
  machine.manager.reset('ForceRestart');
  await clock.settle();
  assert.equal(year(), 2006);
  const ahead = createPlainMachine({ faults: [{ kind: 'clock-off', durationMs: 5000 }] });
  assert.equal(ahead.machine.manager.now(), ahead.clock.now() + 5000);
});

test('the certificate changes once when the fault strikes, and again with new rules', () => {
  const { machine, faults } = createPlainMachine();
  assert.equal(machine.manager.certificateGeneration, 0);
  faults.replace([{ kind: 'certificate-changed' }]);
  assert.deepEqual([machine.manager.certificateGeneration, machine.manager.certificateGeneration], [1, 1]);
  faults.replace([{ kind: 'certificate-changed' }]);
  assert.equal(machine.manager.certificateGeneration, 2);
});

test('the indicator takes only states there are', () => {
  const { manager } = createPlainMachine().machine;
  assert.deepEqual([manager.setIndicator('Blinking'), manager.indicator], [true, 'Blinking']);
  assert.deepEqual([manager.setIndicator('Pink'), manager.indicator], [false, 'Blinking']);
});

test('listeners hear events with times and ids, and subscriptions are few', async () => {
  const { machine, clock, begin } = createPlainMachine();
  const heard: MachineEvent[] = [];
  const stop = machine.events.listen((event) => heard.push(event));
  begin(plainPush({ component: 'psu' }));
  await clock.settle();
  assert.deepEqual(
    heard.map((event) => event.messageId),
    ['TaskEvent.1.0.TaskStarted', 'TaskEvent.1.0.TaskCompletedOK'],
  );
  assert.deepEqual(
    heard.map((event) => event.at - clock.now() + clock.elapsedMs()),
    [0, clock.elapsedMs()],
  );
  assert.equal(new Set(heard.map((event) => event.id)).size, 2);
  stop();
  machine.power.reset('ForceOff');
  await clock.settle();
  assert.equal(heard.length, 2);
  const order = { destination: 'http://listener/', context: 'c' };
  const first = machine.events.subscribe(order);
  assert.ok(first !== 'exhausted');
  machine.events.subscribe(order);
  assert.equal(machine.events.subscribe(order), 'exhausted');
  assert.deepEqual([machine.events.unsubscribe(first.id), machine.events.unsubscribe(first.id)], [true, false]);
  assert.equal(machine.events.subscriptions.length, 1);
});

test('neighbours and notes are there', () => {
  const { machine } = createPlainMachine();
  assert.equal(machine.neighbour('02:00:00:00:00:02'), undefined);
  machine.notes.set('AssetTag', 'x');
  assert.equal(machine.notes.get('AssetTag'), 'x');
});
