import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Alias } from '../machine.ts';
import { held, kindsForTests, setUpEngine } from '../testing/rig.ts';
import { openExternalWork } from './external-work.ts';
import { externalWork } from './external-work-kind.ts';

const aliases: readonly Alias[] = [{ kind: 'serial', value: 'serial-m0' }];
const order = { aliases, owner: 'BareMetalHost ns/h', what: 'provisioning' };

async function setUp(t: TestContext) {
  const rig = await setUpEngine(t, { kinds: [...kindsForTests, externalWork] });
  await rig.addMachine('m0');
  await rig.online('w1', { kinds: kindsForTests.map(({ kind }) => kind) });
  const open = (engine = rig.engine) => openExternalWork({ engine, watcher: 'hosts', clock: rig.clock });
  const lockOf = async () => (await rig.engine.list({ kind: externalWork.kind, isWithHistory: true })).conditions;
  return { ...rig, rig, desk: open(), open, lockOf };
}

describe('work outside the engine', () => {
  test('keeps all work of the engine away from the machine until it is over', async (t) => {
    const { rig, desk } = await setUp(t);
    assert.deepEqual(await desk.hold(order), { kind: 'held' });
    await rig.create('server/m0', 'firmwareInstall', { priority: 9 });
    assert.deepEqual(await rig.lease('w1'), []);
    assert.deepEqual(await desk.hold(order), { kind: 'held' });
    await desk.release(order);
    assert.equal((await rig.leaseOne('w1')).condition.kind, 'firmwareInstall');
  });

  test('waits for work of the engine, and says for which', async (t) => {
    const { rig, desk } = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    const install = await rig.leaseOne('w1');
    const waiting = await desk.hold(order);
    assert.ok(waiting.kind === 'waits');
    assert.match(waiting.reason, new RegExp(`firmwareInstall ${install.condition.id}`));
    await rig.engine.worker.report(held(install), { state: 'succeeded' });
    assert.deepEqual(await desk.hold(order), { kind: 'held' });
  });

  test('is not in the way of machines that the engine does not know', async (t) => {
    const { desk, lockOf } = await setUp(t);
    const unknown = { ...order, aliases: [{ kind: 'mac', value: '00:00:5e:00:53:01' }] as const };
    assert.deepEqual(await desk.hold(unknown), { kind: 'free' });
    await desk.release(unknown);
    assert.deepEqual(await lockOf(), []);
  });

  test('keeps everybody away from a machine that becomes known in the middle of it, also after a crash', async (t) => {
    const { rig, desk, open } = await setUp(t);
    const late = { ...order, aliases: [{ kind: 'serial', value: 'serial-m7' }] as const };
    assert.deepEqual(await desk.hold(late), { kind: 'free' });
    await rig.addMachine('m7');
    await rig.create('server/m7', 'firmwareInstall', { priority: 9 });
    const read = await rig.create('server/m7', 'inventoryOOB');
    assert.deepEqual(await rig.lease('w1'), []);
    assert.match((await rig.get(read.id)).reason?.message ?? '', /BareMetalHost ns\/h has work done/);
    // Whoever watched it died; the next one finds the machine known and takes its lock.
    const next = open();
    assert.deepEqual(await rig.engine.claims.due(), []);
    assert.deepEqual(await next.hold(late), { kind: 'held' });
    assert.deepEqual(await rig.lease('w1'), []);
    await next.release(late);
    assert.deepEqual(await rig.engine.claims.due(), [{ owner: order.owner, turn: 'asked' }]);
    await rig.engine.claims.done({ owner: order.owner, turn: 'asked' });
    assert.equal((await rig.leaseOne('w1')).condition.kind, 'firmwareInstall');
  });

  test('on a machine that became known between two looks takes the lock at once', async (t) => {
    const { rig, open } = await setUp(t);
    const late = { ...order, aliases: [{ kind: 'serial', value: 'serial-m7' }] as const };
    const { machines } = rig.engine;
    const engine = {
      ...rig.engine,
      machines: {
        ...machines,
        async findByNames(names: readonly Alias[]) {
          const found = await machines.findByNames(names);
          if (found === undefined) await rig.addMachine('m7');
          return found;
        },
      },
    };
    assert.deepEqual(await open(engine).hold(late), { kind: 'held' });
    assert.equal((await rig.engine.claims.get(order.owner))?.work, undefined);
  });

  test('is shown to be watched in every facility, and nobody is taken for lost', async (t) => {
    const { rig, desk, clock } = await setUp(t);
    await rig.addMachine('m8', { facility: 'fc2' });
    await desk.hold(order);
    await desk.hold({ ...order, owner: 'other', aliases: [{ kind: 'serial', value: 'serial-m8' }] });
    const seen = async (): Promise<readonly number[]> =>
      (await rig.engine.controllers()).filter(({ id }) => id.startsWith('hosts/')).map(({ seenAt }) => seenAt);
    for (let beats = 0; beats < 6; beats++) {
      await clock.untilPending();
      clock.advance(20_000);
      while ((await seen()).some((at) => at < clock.now())) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal((await seen()).length, 2);
    const lost = (await rig.engine.sweep()).lostControllers;
    assert.deepEqual(
      lost.filter((id) => id.startsWith('hosts/')),
      [],
    );
    await desk.close();
    assert.equal(clock.pending, 0);
    assert.equal((await desk.hold(order)).kind, 'waits');
  });

  test('stays locked when its watcher dies, whatever is urgent, and the next one takes over', async (t) => {
    const { rig, desk, open, clock } = await setUp(t);
    assert.deepEqual(await desk.hold(order), { kind: 'held' });
    await rig.create('server/m0', 'powerCycleHard', { priority: 9 });
    clock.advance(externalWork.leaseMs + externalWork.requestDeadlineMs + 1);
    await rig.engine.sweep();
    assert.deepEqual(await rig.lease('w1'), []);
    const next = open();
    assert.deepEqual(await next.hold(order), { kind: 'held' });
    // The first one comes back from the dead: it has lost the lock, and must not get it back beside the other.
    assert.equal((await desk.hold(order)).kind, 'waits');
    await next.release(order);
    assert.equal((await rig.leaseOne('w1')).condition.kind, 'powerCycleHard');
  });

  test('is kept through a restart that was meant', async (t) => {
    const { rig, desk, open, clock } = await setUp(t);
    await desk.hold(order);
    await desk.close();
    await rig.create('server/m0', 'firmwareInstall', { priority: 9 });
    assert.deepEqual(await rig.lease('w1'), []);
    const next = open();
    await next.hold(order);
    clock.advance(externalWork.requestDeadlineMs + 1);
    assert.deepEqual(await next.hold(order), { kind: 'held' });
    assert.deepEqual(await rig.lease('w1'), []);
  });

  test('has one owner for each machine', async (t) => {
    const { desk } = await setUp(t);
    await desk.hold(order);
    const second = await desk.hold({ ...order, owner: 'BareMetalHost ns/other' });
    assert.ok(second.kind === 'waits');
    assert.match(second.reason, /BareMetalHost ns\/h has work done/);
    assert.deepEqual(await desk.hold(order), { kind: 'held' });
  });

  test('that nobody needs any more leaves the line', async (t) => {
    const { rig, desk, lockOf } = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    await rig.leaseOne('w1');
    await desk.hold(order);
    await desk.release(order);
    assert.deepEqual(
      (await lockOf()).map(({ state }) => state),
      ['failed'],
    );
    await desk.release(order);
  });

  test('is released when the inventory has another name for the machine meanwhile', async (t) => {
    const { rig, desk } = await setUp(t);
    await desk.hold(order);
    await rig.create('server/m0', 'firmwareInstall');
    await rig.addMachine('m0', { serial: 'another' });
    await desk.release(order);
    assert.deepEqual(await desk.owners(), []);
    assert.equal((await rig.leaseOne('w1')).condition.target, 'server/m0');
  });

  test('is released when the inventory has the name for another machine meanwhile, and so is that', async (t) => {
    for (const isAskedAgain of [false, true]) {
      const { rig, desk } = await setUp(t);
      await desk.hold(order);
      await rig.addMachine('m0', { serial: 'another' });
      await rig.addMachine('m1', { serial: 'serial-m0' });
      if (isAskedAgain) assert.deepEqual(await desk.hold(order), { kind: 'held' });
      assert.deepEqual(await desk.owners(), [order.owner]);
      await desk.release(order);
      assert.deepEqual(await desk.owners(), []);
    }
  });

  test('that is waited for leaves the line when nobody asks for it any more, also after a crash', async (t) => {
    for (const isAfterCrash of [false, true]) {
      const { rig, desk, open, clock, lockOf } = await setUp(t);
      await rig.create('server/m0', 'firmwareInstall');
      const install = await rig.leaseOne('w1');
      await desk.hold(order);
      if (isAfterCrash) {
        await desk.close();
        open();
      }
      await rig.engine.worker.report(held(install), { state: 'succeeded' });
      const { id } = await rig.create('server/m0', 'powerCycleHard');
      assert.equal((await rig.get(id)).reason?.code, 'WaitsForLock');
      // As if its host had been paused: it is not asked for again.
      while ((await lockOf()).some(({ state }) => state === 'pending')) {
        await new Promise((resolve) => setImmediate(resolve));
        if (clock.pending > 0) clock.advance(20_000);
      }
      await rig.online('w1', { kinds: kindsForTests.map(({ kind }) => kind) });
      assert.equal((await rig.leaseOne('w1')).condition.id, id);
    }
  });

  test('that is waited for keeps its place as long as it is asked for, and what is held is kept', async (t) => {
    const { rig, desk, clock, lockOf } = await setUp(t);
    await rig.addMachine('m1');
    const other = { ...order, owner: 'other', aliases: [{ kind: 'serial', value: 'serial-m1' }] as const };
    assert.deepEqual(await desk.hold(other), { kind: 'held' });
    await rig.create('server/m0', 'firmwareInstall');
    await rig.leaseOne('w1');
    for (let looks = 0; looks < 40; looks++) {
      assert.equal((await desk.hold(order)).kind, 'waits');
      await clock.untilPending();
      clock.advance(20_000);
    }
    assert.deepEqual((await lockOf()).map(({ state }) => state).sort(), ['active', 'pending']);
  });

  test('of an owner that is gone is released by its name, also by the next watcher', async (t) => {
    const { rig, desk, open, clock } = await setUp(t);
    await rig.addMachine('m1');
    await desk.hold(order);
    await desk.hold({ ...order, owner: 'BareMetalHost ns/other', aliases: [{ kind: 'serial', value: 'serial-m1' }] });
    const next = open();
    assert.deepEqual([...(await next.owners())].sort(), ['BareMetalHost ns/h', 'BareMetalHost ns/other']);
    await next.releaseOwner('BareMetalHost ns/h');
    await next.releaseOwner('BareMetalHost ns/h');
    assert.deepEqual(await next.owners(), ['BareMetalHost ns/other']);
    await rig.create('server/m0', 'firmwareInstall');
    await rig.create('server/m1', 'firmwareInstall');
    // The first watcher did not say goodbye: what it asked last may still be on its way.
    clock.advance(externalWork.requestDeadlineMs + 1);
    assert.equal((await rig.leaseOne('w1')).condition.target, 'server/m0');
    assert.deepEqual(await rig.lease('w1'), []);
  });

  test('of an owner that is gone leaves the line, too', async (t) => {
    const { rig, desk } = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    await rig.leaseOne('w1');
    await desk.hold(order);
    await desk.releaseOwner(order.owner);
    assert.deepEqual(await desk.owners(), []);
  });

  test('is only asked for with the name of its owner', () => {
    assert.deepEqual(externalWork.check({ owner: 'BareMetalHost a/b' }).problems, []);
    assert.equal(externalWork.check({}).problems.length, 1);
    assert.equal(externalWork.check({ owner: 'x', more: 1 }).problems.length, 1);
  });
});
