import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createFakeClock } from '../../src/kube/index.ts';
import { type DataCentre, type DataCentreOptions, startDataCentre } from '../data-centre.ts';
import { personalityNames } from '../personalities/personality.ts';
import { parkedPort } from '../switches/switch-port.ts';
import { createSteppedClock } from '../time/stepped-clock.ts';
import { SnapshotError } from './errors.ts';
import { keepState } from './keep-state.ts';
import { readSnapshot } from './snapshot-file.ts';
import { takeSnapshot } from './take-snapshot.ts';

const order = { seed: 5, servers: 6, isPlain: true, addressing: 'port' } as const;

async function start(context: TestContext, options: Partial<DataCentreOptions> = {}): Promise<DataCentre> {
  const dataCentre = await startDataCentre({ ...order, clock: createSteppedClock(), ...options });
  context.after(() => dataCentre.close());
  return dataCentre;
}

function temporaryFile(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rackwright-snapshot-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'state.json');
}

/** Does something to every part that is kept. */
async function disturb({ bmcs, fabric, clock }: DataCentre): Promise<void> {
  for (const { machine } of bmcs) {
    machine.power.reset('On');
    machine.accounts.change(machine.accounts.username, { password: `other-${machine.name}` });
    const slot = machine.firmware.find(({ component }) => component === 'nic');
    assert.ok(slot);
    slot.previousVersion = slot.version;
    slot.version = '99.1';
  }
  if ('settle' in clock) await (clock as ReturnType<typeof createSteppedClock>).settle();
  const [first, second] = fabric.switches[0]?.ports ?? [];
  assert.ok(first?.nic && second?.nic);
  const [a, b] = [first, second].map(({ name }) => ({ switchName: 'tor-r01-a', port: name }));
  assert.ok(a && b);
  const acl = [{ type: 'ipv4', action: 'deny', des: '10.0.0.0/8' }] as const;
  assert.equal(fabric.configure(a, { ...parkedPort, untaggedVlan: 7, taggedVlans: [8, 9], acl }), 'ok');
  fabric.plug(first.nic, undefined);
  fabric.plug(second.nic, a);
  fabric.plug(first.nic, b);
}

test('a data centre of the same fleet goes on from a snapshot', async (t) => {
  const before = await start(t);
  await disturb(before);
  const snapshot = takeSnapshot(before);
  const after = await start(t, { snapshot: JSON.parse(JSON.stringify(snapshot)) });
  assert.deepEqual({ ...takeSnapshot(after), simulatedAt: 0 }, { ...snapshot, simulatedAt: 0 });
  for (const [index, { machine, password }] of after.bmcs.entries()) {
    assert.equal(password, `other-${machine.name}`);
    assert.deepEqual([machine.power.state, machine.power.bootedFrom], ['On', 'disk']);
    assert.deepEqual(machine.firmware, before.bmcs[index]?.machine.firmware);
    assert.equal(after.hosts[index]?.running, 'empty disk');
  }
  for (const each of before.fabric.switches) assert.deepEqual(after.fabric.find(each.name)?.ports, each.ports);
});

test('slots have names of their own on every kind of server, so that a snapshot can tell them apart', async (t) => {
  const { bmcs } = await start(t, { servers: 30 });
  assert.equal(new Set(bmcs.map(({ machine }) => machine.personality.name)).size, personalityNames.length);
  for (const { machine } of bmcs) {
    const names = machine.firmware.map(({ slot }) => slot);
    assert.equal(new Set(names).size, names.length, machine.hardware.model);
  }
});

test('simulated time goes on from where it was, and never back behind real time', async (t) => {
  const before = await start(t);
  const later = { ...takeSnapshot(before), simulatedAt: Date.now() + 86_400_000 };
  const after = await startDataCentre({ ...order, snapshot: later });
  t.after(() => after.close());
  assert.ok(after.clock.now() >= later.simulatedAt);
  const fresh = await startDataCentre({ ...order, snapshot: { ...later, simulatedAt: 0 } });
  t.after(() => fresh.close());
  assert.ok(fresh.clock.now() > Date.now() - 60_000);
});

for (const [name, change, difference] of [
  ['seed', { seed: 6 }, /seed 5, not 6/],
  ['size', { servers: 7 }, /servers 6, not 7/],
  ['racks', { racks: 2 }, /racks 1, not 2/],
  ['kinds of BMC', { personalities: ['openbmc'] }, /personalities dell-idrac9,.*, not openbmc/],
] satisfies [string, Partial<DataCentreOptions>, RegExp][]) {
  test(`a snapshot of a fleet with other ${name} is refused with what differs`, async (t) => {
    const snapshot = takeSnapshot(await start(t));
    await assert.rejects(start(t, { ...change, snapshot }), (error: SnapshotError) => {
      assert.equal(error.code, 'OtherFleet');
      assert.match(error.message, difference);
      return true;
    });
  });
}

test('a deployed disk outlives the simulator, and an agent that ran starts again', async (t) => {
  const before = await start(t, { agent: { kind: 'rackwright', url: 'http://127.0.0.1:1', token: 'none' } });
  const [host] = before.hosts;
  assert.ok(host);
  const disk = { url: 'http://files/os.raw', sizeBytes: 3, sha256: 'ab', hasConfigDrive: true };
  host.resume(disk);
  host.machine.boot.set({ enabled: 'Once', target: 'Pxe' });
  host.machine.power.reset('On');
  await (before.clock as ReturnType<typeof createSteppedClock>).advance(20 * 60_000);
  assert.equal(host.running, 'agent');
  const clock = createSteppedClock();
  const after = await start(t, {
    clock,
    snapshot: takeSnapshot(before),
    agent: { kind: 'rackwright', url: 'http://127.0.0.1:1', token: 'none' },
  });
  assert.deepEqual(after.hosts[0]?.disk, disk);
  await clock.advance(2 * 60_000);
  assert.equal(after.hosts[0]?.running, 'agent');
});

test('the keeper writes what changed, for the owner only, and leaves the file alone otherwise', async (t) => {
  const dataCentre = await start(t);
  const file = temporaryFile(t);
  const clock = createFakeClock();
  const keeper = keepState({ dataCentre, file, clock, everyMs: 1000, onError: assert.ifError });
  await disturb(dataCentre);
  await keeper.save();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const first = statSync(file).ino;
  assert.deepEqual(await readSnapshot(file), JSON.parse(JSON.stringify(takeSnapshot(dataCentre))));
  await keeper.save();
  assert.equal(statSync(file).ino, first, 'nothing has changed');
  dataCentre.bmcs[2]?.machine.power.reset('ForceOff');
  await keeper.close();
  assert.notEqual(statSync(file).ino, first);
  assert.deepEqual(await readSnapshot(file), JSON.parse(JSON.stringify(takeSnapshot(dataCentre))));
  assert.equal(clock.pending, 0);
});

test('the keeper looks at intervals, and goes on after it could not write', async (t) => {
  const dataCentre = await start(t);
  const file = temporaryFile(t);
  const clock = createFakeClock();
  const told = Promise.withResolvers<unknown>();
  const broken = keepState({ dataCentre, file: join(file, 'nowhere'), clock, everyMs: 1000, onError: told.resolve });
  clock.advance(1000);
  assert.match(String(await told.promise), /ENOENT|ENOTDIR/);
  await assert.rejects(broken.close());
  const keeper = keepState({ dataCentre, file, clock, everyMs: 1000, onError: assert.ifError });
  clock.advance(1000);
  await keeper.save();
  assert.deepEqual((await readSnapshot(file))?.fleet, dataCentre.fleet);
  await keeper.close();
});

test('a file that is none of ours, damaged or newer is refused without a word of its content', async (t) => {
  const file = temporaryFile(t);
  assert.equal(await readSnapshot(file), undefined);
  const good = takeSnapshot(await start(t));
  for (const [text, code] of [
    ['{"password": "open sesame', 'Damaged'],
    ['{"format": 1}', 'Damaged'],
    ['[]', 'Damaged'],
    [JSON.stringify({ ...good, servers: { 'r01-s01': { machine: { password: 'open sesame' } } } }), 'Damaged'],
    [JSON.stringify({ ...good, format: 2 }), 'NewerFormat'],
  ] as const) {
    writeFileSync(file, text);
    await assert.rejects(readSnapshot(file), (error: unknown) => {
      assert.ok(error instanceof SnapshotError);
      assert.equal(error.code, code);
      assert.ok(error.message.includes(file));
      assert.doesNotMatch(error.message, /sesame/);
      return true;
    });
  }
  assert.doesNotMatch(readFileSync(file, 'utf8'), /sesame/);
});
