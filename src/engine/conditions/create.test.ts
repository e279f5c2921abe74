import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CreateOrder } from '../engine.ts';
import { isEngineError } from '../errors.ts';
import { held, type Rig, setUpEngine } from '../testing/rig.ts';

async function setUp(
  t: Parameters<typeof setUpEngine>[0],
  options: Parameters<typeof setUpEngine>[1] = {},
): Promise<Rig> {
  const rig = await setUpEngine(t, options);
  await rig.addMachine('m0');
  await rig.online('w1');
  return rig;
}

const install = (parameters = {}): CreateOrder => ({
  target: 'server/m0',
  client: 'test',
  orders: [{ kind: 'firmwareInstall', parameters }],
});

async function stored(rig: Rig): Promise<number> {
  return (await rig.engine.list({})).conditions.length;
}

describe('creating a condition', () => {
  test('twice with equal parameters gives the one that is there, whatever the order of their members', async (t) => {
    const rig = await setUp(t);
    const first = await rig.engine.create(install({ set: 'a', nested: { x: 1, y: [1, 2] } }));
    const second = await rig.engine.create(install({ nested: { y: [1, 2], x: 1 }, set: 'a' }));
    assert.equal(second.outcome, 'existing');
    assert.deepEqual(second, { ...first, outcome: 'existing' });
    assert.equal(await stored(rig), 1);
  });

  test('with other parameters is a conflict that shows the current one', async (t) => {
    const rig = await setUp(t);
    const current = await rig.create('server/m0', 'firmwareInstall');
    const outcome = await rig.engine.create(install({ set: 'b' }));
    assert.deepEqual(outcome, { outcome: 'conflict', current });
    assert.equal(await stored(rig), 1);
  });

  test('again is possible once the one before is final', async (t) => {
    const rig = await setUp(t);
    await rig.create('server/m0', 'firmwareInstall');
    await rig.engine.worker.report(held(await rig.leaseOne('w1')), { state: 'failed' });
    assert.equal((await rig.engine.create(install())).outcome, 'created');
    assert.equal(await stored(rig), 2);
  });

  test('fifty times at once creates exactly one', async (t) => {
    const rig = await setUp(t);
    const second = await rig.another();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? rig.engine : second).create(install({ n: 1 }))),
    );
    assert.equal(outcomes.filter((one) => one.outcome === 'created').length, 1);
    assert.equal(outcomes.filter((one) => one.outcome === 'existing').length, 49);
    assert.equal(await stored(rig), 1);
  });

  test('of an unknown kind or with bad parameters is refused with reasons, and nothing is stored', async (t) => {
    const rig = await setUp(t);
    const orders = [{ kind: 'dance', parameters: {} }];
    await assert.rejects(rig.engine.create({ ...install(), orders }), (error) => {
      assert.ok(isEngineError(error, 'unknownKind'));
      assert.match(error.message, /dance.*firmwareInstall, powerCycleHard/);
      return true;
    });
    await assert.rejects(rig.engine.create(install({ bad: 1 })), (error) => {
      assert.ok(isEngineError(error, 'badParameters'));
      assert.deepEqual(error.problems, ['bad must not be there', 'it is bad']);
      return true;
    });
    for (const more of [{ priority: 1.5 }, { priority: 1e9 }, { deadlineMs: -1 }, { deadlineMs: Number.NaN }]) {
      const odd = [{ kind: 'firmwareInstall', parameters: {}, ...more }];
      await assert.rejects(rig.engine.create({ ...install(), orders: odd }), { code: 'badParameters' });
    }
    assert.equal(await stored(rig), 0);
  });

  test('for nothing, for too much or for one kind twice is refused', async (t) => {
    const rig = await setUp(t);
    const twice = [...install().orders, { kind: 'FIRMWAREINSTALL', parameters: {} }];
    const many = Array.from({ length: 33 }, () => install().orders[0] ?? assert.fail());
    for (const orders of [[], twice, many]) {
      await assert.rejects(rig.engine.create({ ...install(), orders }), { code: 'badOrder' });
    }
    await assert.rejects(rig.engine.create({ ...install(), target: '' }), { code: 'badOrder' });
    assert.equal(await stored(rig), 0);
  });

  test('on an unknown server is not found, and any other key is a target of its own', async (t) => {
    const rig = await setUp(t);
    await assert.rejects(rig.create('server/m9', 'inventoryOOB'), { code: 'unknownMachine', status: 404 });
    const created = await rig.create('model/Dell/R750', 'catalogueLookup');
    assert.equal(created.lockKey, 'model/Dell/R750');
    assert.equal(created.facility, '');
  });

  test('past the queue limit is refused as exhausted; nothing is stored and nothing is lost', async (t) => {
    const rig = await setUp(t, { limits: { pending: 2 } });
    await rig.create('model/a', 'catalogueLookup');
    const unit = ['inventoryOOB', 'sensorRead'].map((kind) => ({ kind, parameters: {} }));
    await assert.rejects(rig.engine.create({ target: 'model/b', client: 'c', orders: unit }), { code: 'queueFull' });
    assert.equal(await stored(rig), 1);
    await rig.create('model/b', 'catalogueLookup');
    await assert.rejects(rig.create('model/c', 'catalogueLookup'), { code: 'queueFull', status: 429 });
    const again = await rig.engine.create({
      target: 'model/a',
      client: 'c',
      orders: [{ kind: 'catalogueLookup', parameters: {} }],
    });
    assert.equal(again.outcome, 'existing');
    await rig.lease('w1');
    assert.equal((await rig.create('model/c', 'catalogueLookup')).state, 'pending');
    rig.engine.setLimits({ pending: 0 });
    for (const one of ['d', 'e', 'f']) await rig.create(`model/${one}`, 'catalogueLookup');
  });

  test('takes SQL for what it is, in every member', async (t) => {
    const rig = await setUp(t);
    const evil = `'; DROP TABLE conditions; --`;
    const outcome = await rig.engine.create({
      target: `model/${evil}`,
      client: evil,
      facility: evil,
      orders: [{ kind: 'catalogueLookup', parameters: { [evil]: evil } }],
    });
    assert.ok(outcome.outcome === 'created');
    const [created] = outcome.conditions;
    assert.deepEqual(await rig.engine.get(created?.id ?? ''), {
      ...created,
      reason: (await rig.get(created?.id ?? '')).reason,
    });
    for (const query of [
      { target: evil },
      { kind: evil },
      { facility: `x${evil}` },
      { controller: evil },
      { unit: evil },
    ]) {
      assert.deepEqual(await rig.engine.list({ ...query, isWithHistory: true }), { conditions: [], next: undefined });
    }
    assert.equal(await stored(rig), 1);
  });
});

describe('a unit of several conditions', () => {
  const unit = (...kinds: string[]): CreateOrder => ({
    target: 'server/m0',
    client: 'test',
    orders: kinds.map((kind) => ({ kind, parameters: {} })),
  });

  test('runs in order, one after the other', async (t) => {
    const rig = await setUp(t);
    const outcome = await rig.engine.create(unit('inventoryOOB', 'firmwareInstall', 'sensorRead'));
    assert.ok(outcome.outcome === 'created');
    const [first, second] = outcome.conditions;
    assert.deepEqual(
      outcome.conditions.map((one) => one.unit),
      Array(3).fill(first?.id),
    );
    assert.equal(second?.reason?.code, 'WaitsForUnit');
    const ran: string[] = [];
    for (let leases = await rig.lease('w1'); leases.length > 0; leases = await rig.lease('w1')) {
      assert.equal(leases.length, 1);
      for (const lease of leases) {
        ran.push(lease.condition.kind);
        await rig.engine.worker.report(held(lease), { state: 'succeeded' });
      }
    }
    assert.deepEqual(ran, ['inventoryOOB', 'firmwareInstall', 'sensorRead']);
  });

  test('fails as a whole when one fails, and says why', async (t) => {
    const rig = await setUp(t);
    await rig.engine.create(unit('inventoryOOB', 'firmwareInstall', 'sensorRead'));
    const reason = { code: 'NoRoute', message: 'the BMC is unplugged' };
    await rig.engine.worker.report(held(await rig.leaseOne('w1')), { state: 'failed', reason });
    const { conditions } = await rig.engine.list({ target: 'server/m0' });
    assert.deepEqual(
      conditions.map((one) => one.state),
      ['failed', 'failed', 'failed'],
    );
    const codes = conditions.map((one) => one.reason?.code);
    assert.deepEqual(codes.sort(), ['NoRoute', 'UnitFailed', 'UnitFailed']);
    assert.ok(conditions.every((one) => one.reason?.message.includes('the BMC is unplugged')));
    assert.deepEqual(await rig.lease('w1'), []);
  });

  test('asked for again is the same unit; asked for in part of its kinds it is in the way', async (t) => {
    const rig = await setUp(t);
    const first = await rig.engine.create(unit('inventoryOOB', 'firmwareInstall'));
    const again = await rig.engine.create(unit('inventoryOOB', 'firmwareInstall'));
    assert.deepEqual(again, { ...first, outcome: 'existing' });
    assert.equal((await rig.engine.create(unit('firmwareInstall', 'sensorRead'))).outcome, 'conflict');
    assert.equal((await rig.engine.create(unit('firmwareInstall'))).outcome, 'existing');
    assert.equal(await stored(rig), 2);
  });
});
