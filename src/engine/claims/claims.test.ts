import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openExternalWork } from '../external-work/external-work.ts';
import { externalWork } from '../external-work/external-work-kind.ts';
import type { Alias } from '../machine.ts';
import { held, kind, kindsForTests, setUpEngine } from '../testing/rig.ts';

const owner = 'BareMetalHost ns/h';
const names: readonly Alias[] = [
  { kind: 'serial', value: 'serial-m0' },
  { kind: 'mac', value: 'AA:00:00:00:00:01' },
];
const inUse = { code: 'HostInUse', message: 'BareMetalHost ns/h is provisioned' };
const powerOn = kind('powerOn');
const allKinds = [...kindsForTests, powerOn, externalWork];

async function setUp(t: TestContext) {
  const rig = await setUpEngine(t, { kinds: allKinds });
  await rig.online('w1', { kinds: [...kindsForTests, powerOn].map((one) => one.kind) });
  const { claims } = rig.engine;
  const desk = openExternalWork({ engine: rig.engine, watcher: 'hosts', clock: rig.clock });
  const reason = async (id: string) => (await rig.get(id)).reason;
  /** The owner does what it is asked for. */
  const answer = async () => {
    for (const turn of await claims.due()) await claims.done(turn);
  };
  const { machines } = rig.engine;
  return { rig, claims, machines, desk, reason, answer };
}

describe('a machine that somebody outside owns', () => {
  test('is worked on once its owner has made way, and given back afterwards', async (t) => {
    const { rig, claims, desk, reason } = await setUp(t);
    await rig.addMachine('m0');
    await claims.put({ owner, names, use: undefined });
    assert.deepEqual(await claims.due(), []);
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    assert.deepEqual(await rig.lease('w1'), []);
    assert.deepEqual(
      [(await reason(id))?.code, /ns\/h has to make way/.test((await reason(id))?.message ?? '')],
      ['WaitsForTurn', true],
    );
    assert.deepEqual(await claims.due(), [{ owner, turn: 'asked' }]);
    // On the way neither side begins anything; what was asked for is told until it is done.
    assert.deepEqual(await claims.due(), [{ owner, turn: 'asked' }]);
    assert.deepEqual(await rig.lease('w1'), []);
    const order = { aliases: names, owner, what: 'provision' };
    assert.equal((await desk.hold(order)).kind, 'waits');
    await claims.done({ owner, turn: 'asked' });
    const lease = await rig.leaseOne('w1');
    assert.equal(lease.condition.id, id);
    assert.deepEqual(await claims.due(), []);
    await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    assert.equal((await desk.hold(order)).kind, 'waits');
    assert.deepEqual(await claims.due(), [{ owner, turn: 'over' }]);
    await claims.done({ owner, turn: 'over' });
    assert.deepEqual(await desk.hold(order), { kind: 'held' });
  });

  test('is claimed from the moment in which it becomes known, by whatever name', async (t) => {
    const { rig, claims, machines, reason } = await setUp(t);
    await claims.put({ owner, names, use: inUse });
    const record = { id: 'm5', facility: 'fc1', bmcId: 'b5', manufacturer: 'Dell', model: 'R750', hold: undefined };
    await machines.put(record, [{ kind: 'mac', value: 'aa:00:00:00:00:01' }]);
    const { id } = await rig.create('server/m5', 'firmwareInstall');
    assert.deepEqual(await rig.lease('w1'), []);
    assert.equal((await reason(id))?.message, inUse.message);
  });

  test('that loses the name of the claim is free again, and so is one whose owner is gone', async (t) => {
    const { rig, claims, machines } = await setUp(t);
    await rig.addMachine('m0');
    await rig.addMachine('m1');
    const serial = (value: string): Alias => ({ kind: 'serial', value });
    await claims.put({ owner, names, use: inUse });
    await claims.put({ owner: 'other', names: [serial('serial-m1')], use: inUse });
    await rig.create('server/m0', 'firmwareInstall');
    await rig.create('server/m1', 'firmwareInstall');
    const record = await machines.get('m0');
    assert.ok(record);
    await machines.put(record, [serial('another')]);
    await claims.remove('other');
    await claims.remove('other');
    assert.deepEqual((await rig.lease('w1')).map(({ condition }) => condition.target).sort(), [
      'server/m0',
      'server/m1',
    ]);
    assert.deepEqual(await claims.owners(), [owner]);
  });

  test('in use lets its owner change it, and nobody else with that, who asks for the same kind or with priority', async (t) => {
    const { rig, claims, answer, reason } = await setUp(t);
    await rig.addMachine('m0');
    await claims.put({ owner, names, use: inUse });
    const kinds = ['firmwareInstall', 'powerCycleHard'];
    const others = [];
    for (const each of kinds) others.push(await rig.create('server/m0', each, { priority: 9 }));
    const order = { target: 'server/m0', orders: [{ kind: 'firmwareInstall', parameters: {} }], client: owner };
    const stranger = await rig.engine.create({ ...order, owner: 'BareMetalHost ns/other' });
    assert.equal(stranger.outcome === 'created' && stranger.conditions[0]?.reason?.code, 'HostInUse');
    const own = await rig.engine.create({ ...order, owner });
    assert.ok(own.outcome === 'created');
    assert.deepEqual(await rig.engine.create({ ...order, owner }), { ...own, outcome: 'existing' });
    await answer();
    const lease = await rig.leaseOne('w1');
    assert.equal(lease.condition.id, own.conditions[0]?.id);
    assert.deepEqual(await rig.lease('w1'), []);
    await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    await answer();
    assert.deepEqual(await rig.lease('w1'), []);
    for (const { id } of others) assert.equal((await reason(id))?.code, 'HostInUse');
    assert.equal((await claims.get(owner))?.turn, 'theirs');
  });

  test('in use keeps disruptive work waiting and nothing else, until it is not in use any more (security.md: host-in-use)', async (t) => {
    const { rig, claims, reason, answer } = await setUp(t);
    await rig.addMachine('m0');
    await claims.put({ owner, names, use: inUse });
    const install = await rig.create('server/m0', 'firmwareInstall');
    const scan = await rig.create('server/m0', 'inventoryOOB');
    const on = await rig.create('server/m0', 'powerOn');
    assert.deepEqual([(await reason(install.id))?.code, (await reason(on.id))?.code], ['HostInUse', 'WaitsForTurn']);
    await answer();
    const leases = await rig.lease('w1');
    assert.deepEqual(
      leases.map(({ condition }) => condition.id),
      [scan.id],
    );
    for (const lease of leases) await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    const power = await rig.leaseOne('w1');
    assert.equal(power.condition.id, on.id);
    await rig.engine.worker.report(held(power), { state: 'succeeded' });
    await answer();
    assert.deepEqual(await rig.lease('w1'), []);
    await claims.put({ owner, names, use: undefined });
    await answer();
    await answer();
    assert.equal((await rig.leaseOne('w1')).condition.id, install.id);
  });

  test('has the hold of an operator beside: neither touches the other', async (t) => {
    const { rig, claims, machines, reason, answer } = await setUp(t);
    await rig.addMachine('m0');
    const byHand = { code: 'OnCall', message: 'do not touch, says Ana' };
    await machines.setHold('m0', byHand);
    await claims.put({ owner, names, use: inUse });
    const { id } = await rig.create('server/m0', 'firmwareInstall');
    assert.deepEqual((await reason(id))?.code, 'OnCall');
    await claims.put({ owner, names, use: undefined });
    await answer();
    assert.deepEqual((await machines.get('m0'))?.hold, byHand);
    assert.deepEqual([await rig.lease('w1'), (await reason(id))?.code], [[], 'OnCall']);
    await claims.put({ owner, names, use: inUse });
    await machines.setHold('m0', undefined);
    assert.deepEqual((await reason(id))?.code, 'HostInUse');
    // Who writes a machine back as it was read does not change what its owner says.
    const record = await machines.get('m0');
    assert.ok(record);
    await machines.put(record, names);
    assert.deepEqual([record.hold, (await reason(id))?.code], [undefined, 'HostInUse']);
  });

  test('lets work go on that had begun before it was claimed or in use, and says so to its owner', async (t) => {
    const { rig, claims, answer } = await setUp(t);
    await rig.addMachine('m0');
    await rig.create('server/m0', 'firmwareInstall');
    const lease = await rig.leaseOne('w1');
    await claims.put({ owner, names, use: inUse });
    assert.deepEqual(await claims.due(), [{ owner, turn: 'asked' }]);
    await answer();
    // Its worker dies: the next one goes on, in use or not.
    await rig.online('w1', { kinds: ['firmwareInstall'] });
    rig.clock.advance(5001);
    assert.deepEqual(await claims.due(), []);
    const next = await rig.leaseOne('w1');
    assert.equal(next.condition.id, lease.condition.id);
    await rig.engine.worker.report(held(next), { state: 'succeeded' });
    assert.deepEqual(await claims.due(), [{ owner, turn: 'over' }]);
  });

  test('is where it was after a restart, whatever the turn', async (t) => {
    const { rig, claims } = await setUp(t);
    await rig.addMachine('m0');
    await claims.put({ owner, names, use: undefined });
    await rig.create('server/m0', 'firmwareInstall');
    await claims.due();
    const second = await rig.another();
    assert.deepEqual(await second.claims.due(), [{ owner, turn: 'asked' }]);
    await second.claims.done({ owner, turn: 'asked' });
    await second.claims.put({ owner, names, use: undefined });
    assert.equal((await claims.get(owner))?.turn, 'ours');
    // An answer that comes twice, or late, changes nothing.
    await claims.done({ owner, turn: 'asked' });
    await claims.done({ owner, turn: 'over' });
    assert.equal((await second.claims.get(owner))?.turn, 'ours');
  });

  test('that went away in the middle of a turn is given back', async (t) => {
    const { rig, claims, machines, answer } = await setUp(t);
    await rig.addMachine('m0');
    await claims.put({ owner, names, use: undefined });
    await rig.create('server/m0', 'firmwareInstall');
    await answer();
    await machines.remove('m0');
    assert.deepEqual(await claims.due(), [{ owner, turn: 'over' }]);
    await answer();
    assert.equal((await claims.get(owner))?.turn, 'theirs');
  });

  test('claimed by two is not worked on until it is clear whose it is, and nobody makes way before', async (t) => {
    const { rig, claims, machines, desk, reason } = await setUp(t);
    const other = { owner: 'BareMetalHost ns/other', names: names.slice(0, 1), use: inUse };
    await rig.addMachine('m0');
    await claims.put({ owner, names, use: undefined });
    await claims.put(other);
    const on = await rig.create('server/m0', 'powerOn');
    const install = await rig.create('server/m0', 'firmwareInstall');
    const scan = await rig.create('server/m0', 'inventoryOOB');
    assert.deepEqual(await claims.due(), []);
    assert.deepEqual(
      [await reason(on.id), await reason(install.id)].map((one) => one?.code),
      ['ClaimedTwice', 'ClaimedTwice'],
    );
    assert.match((await reason(on.id))?.message ?? '', /BareMetalHost ns\/h and BareMetalHost ns\/other .* claim/);
    const leases = await rig.lease('w1');
    assert.deepEqual(
      leases.map(({ condition }) => condition.id),
      [scan.id],
    );
    for (const lease of leases) await rig.engine.worker.report(held(lease), { state: 'succeeded' });
    // Owners may go on: they take turns by the lock.
    assert.deepEqual(await desk.hold({ aliases: names, owner, what: 'provision' }), { kind: 'held' });
    await desk.release({ aliases: names, owner });
    // The first one is gone: it is the other's, who is in use.
    await claims.remove(owner);
    assert.equal((await reason(install.id))?.code, 'HostInUse');
    await claims.put({ owner, names, use: undefined });
    assert.equal((await reason(install.id))?.code, 'HostInUse');
    assert.equal((await reason(on.id))?.code, 'ClaimedTwice');
    // The machine gets a name that only one has.
    const record = await machines.get('m0');
    assert.ok(record);
    await machines.put(record, names.slice(1));
    assert.deepEqual([(await reason(on.id))?.code, (await reason(install.id))?.code], ['WaitsForTurn', 'WaitsForTurn']);
    assert.deepEqual(await claims.due(), [{ owner, turn: 'asked' }]);
  });

  test('is given back when a second one claims it before work has begun, and what has begun goes on', async (t) => {
    const other = { owner: 'BareMetalHost ns/other', names, use: inUse };
    for (const hasBegun of [false, true]) {
      const { rig, claims, answer } = await setUp(t);
      await rig.addMachine('m0');
      await claims.put({ owner, names, use: undefined });
      await rig.create('server/m0', 'firmwareInstall');
      await answer();
      if (hasBegun) await rig.leaseOne('w1');
      await claims.put(other);
      assert.deepEqual(await rig.lease('w1'), []);
      assert.deepEqual(await claims.due(), hasBegun ? [] : [{ owner, turn: 'over' }]);
    }
  });
});
