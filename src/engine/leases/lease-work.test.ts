import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EngineOptions } from '../create-engine.ts';
import { StoreError } from '../store/index.ts';
import { held, type Rig, setUpEngine } from '../testing/rig.ts';
import type { Lease } from '../worker/worker-port.ts';

async function setUp(
  t: Parameters<typeof setUpEngine>[0],
  options: Omit<Partial<EngineOptions>, 'clock'> & { readonly machines?: number } = {},
): Promise<Rig> {
  const { machines = 3, ...more } = options;
  const rig = await setUpEngine(t, more);
  for (let index = 0; index < machines; index++) await rig.addMachine(`m${index}`);
  await rig.online('w1');
  return rig;
}

function shown(leases: readonly Lease[]): string[] {
  return leases.map(({ condition }) => `${condition.kind} ${condition.target}`).sort();
}

describe('leasing', () => {
  test('gives exclusive work of one BMC one after the other, by priority and age, also of systems that share the BMC', async (t) => {
    const rig = await setUp(t, { machines: 0 });
    await rig.addMachine('a', { bmcId: 'shared' });
    await rig.addMachine('b', { bmcId: 'shared' });
    const first = await rig.create('server/a', 'firmwareInstall');
    await rig.create('server/b', 'firmwareInstall');
    const urgent = await rig.create('server/b', 'powerCycleHard', { priority: 5 });
    assert.equal((await rig.get(first.id)).reason?.code, 'WaitsForLock');
    const order: string[] = [];
    for (let leases = await rig.lease('w1'); leases.length > 0; leases = await rig.lease('w1')) {
      assert.equal(leases.length, 1);
      for (const lease of leases) {
        order.push(...shown([lease]));
        await rig.engine.worker.report(held(lease), { state: 'succeeded' });
      }
    }
    assert.deepEqual(order, ['powerCycleHard server/b', 'firmwareInstall server/a', 'firmwareInstall server/b']);
    assert.equal(urgent.reason, undefined);
  });

  test('gives shared work together, and passive work beside anything', async (t) => {
    const rig = await setUp(t, { machines: 1 });
    await rig.create('server/m0', 'inventoryOOB');
    await rig.create('server/m0', 'sensorRead');
    assert.deepEqual(shown(await rig.lease('w1')), ['inventoryOOB server/m0', 'sensorRead server/m0']);
    const waiting = await rig.create('server/m0', 'firmwareInstall');
    await rig.create('server/m0', 'catalogueLookup');
    assert.deepEqual(shown(await rig.lease('w1')), ['catalogueLookup server/m0']);
    assert.equal((await rig.get(waiting.id)).reason?.code, 'WaitsForLock');
  });

  test('does not let newer shared work overtake exclusive work that waits', async (t) => {
    const rig = await setUp(t, { machines: 1 });
    await rig.create('server/m0', 'inventoryOOB');
    const reading = await rig.leaseOne('w1');
    await rig.create('server/m0', 'firmwareInstall');
    await rig.create('server/m0', 'sensorRead');
    assert.deepEqual(await rig.lease('w1'), []);
    await rig.engine.worker.report(held(reading), { state: 'succeeded' });
    const installing = await rig.lease('w1');
    assert.deepEqual(shown(installing), ['firmwareInstall server/m0']);
    assert.deepEqual(await rig.lease('w1'), []);
    for (const lease of installing) await rig.engine.worker.report(held(lease), { state: 'failed' });
    assert.deepEqual(shown(await rig.lease('w1')), ['sensorRead server/m0']);
  });

  test('keeps to the kinds and facilities of the worker, and work without a facility is for all', async (t) => {
    const rig = await setUp(t);
    await rig.addMachine('far', { facility: 'fc2' });
    await rig.create('server/far', 'inventoryOOB');
    await rig.create('server/m0', 'firmwareInstall');
    await rig.create('server/m1', 'inventoryOOB');
    await rig.create('model/x', 'catalogueLookup');
    await rig.online('w2', { facilities: ['fc2'], kinds: ['INVENTORYoob', 'unheardOf'] });
    assert.deepEqual(shown(await rig.lease('w2')), ['inventoryOOB server/far']);
    assert.deepEqual(shown(await rig.lease('w1')), [
      'catalogueLookup model/x',
      'firmwareInstall server/m0',
      'inventoryOOB server/m1',
    ]);
  });

  test('keeps to the limits of all, of a facility and of a model, without one full model hiding the rest', async (t) => {
    const rig = await setUp(t, { machines: 0, limits: { activePerModel: 2 } });
    for (let index = 0; index < 30; index++) await rig.addMachine(`dell${index}`);
    for (let index = 0; index < 3; index++)
      await rig.addMachine(`hp${index}`, { manufacturer: 'HPE', facility: 'fc2' });
    await rig.online('w2', { facilities: ['fc1', 'fc2'] });
    for (let index = 0; index < 30; index++) await rig.create(`server/dell${index}`, 'firmwareInstall');
    for (let index = 0; index < 3; index++) await rig.create(`server/hp${index}`, 'firmwareInstall');
    const leases = await rig.lease('w2', 10);
    assert.deepEqual(shown(leases), [
      'firmwareInstall server/dell0',
      'firmwareInstall server/dell1',
      'firmwareInstall server/hp0',
      'firmwareInstall server/hp1',
    ]);
    const waiting = (await rig.engine.list({ target: 'server/dell9' })).conditions[0];
    assert.equal(waiting?.reason?.code, 'LimitReached');
    rig.engine.setLimits({ activePerModel: 0, active: 5 });
    assert.equal((await rig.lease('w2', 10)).length, 1);
    rig.engine.setLimits({ active: 0, activePerFacility: 4 });
    const more = await rig.lease('w2', 10);
    assert.deepEqual(shown(more), ['firmwareInstall server/dell3', 'firmwareInstall server/hp2']);
    await rig.engine.worker.report(held(leases[0] ?? assert.fail()), { state: 'failed' });
    assert.equal((await rig.lease('w2', 10)).length, 1);
  });

  test('leaves disruptive work pending with the reason while a host is in use, and nothing else (security.md: host-in-use)', async (t) => {
    const rig = await setUp(t);
    await rig.engine.machines.setHold('m0', { code: 'HostInUse', message: 'host h0 is provisioned' });
    const held0 = await rig.create('server/m0', 'firmwareInstall');
    assert.deepEqual([held0.reason?.code, held0.reason?.message], ['HostInUse', 'host h0 is provisioned']);
    await rig.create('server/m0', 'inventoryOOB');
    const later = await rig.create('server/m1', 'firmwareInstall');
    await rig.engine.machines.setHold('m1', { code: 'HostInUse', message: 'host h1 is provisioned' });
    assert.equal((await rig.get(later.id)).reason?.code, 'HostInUse');
    assert.deepEqual(shown(await rig.lease('w1')), ['inventoryOOB server/m0']);
    await rig.engine.machines.setHold('m1', undefined);
    assert.deepEqual(shown(await rig.lease('w1')), ['firmwareInstall server/m1']);
  });

  test('waits for work and is woken by it', async (t) => {
    const rig = await setUp(t);
    const waiting = rig.engine.worker.lease('w1', { max: 1, waitMs: 60_000 });
    await rig.clock.untilPending();
    await rig.create('server/m0', 'inventoryOOB');
    assert.deepEqual(shown(await waiting), ['inventoryOOB server/m0']);
  });

  test('finds work by itself when no hint comes, and gives up when its time is over', async (t) => {
    const rig = await setUp(t, { settings: { pollMs: 1000 } });
    const silent = await rig.another();
    const waiting = rig.engine.worker.lease('w1', { max: 1, waitMs: 60_000 });
    await rig.clock.untilPending();
    await silent.create({ target: 'server/m0', client: 'c', orders: [{ kind: 'inventoryOOB', parameters: {} }] });
    rig.clock.advance(1000);
    assert.deepEqual(shown(await waiting), ['inventoryOOB server/m0']);
    let isOver = false;
    const idle = rig.engine.worker.lease('w1', { max: 1, waitMs: 3500 }).then((leases) => {
      isOver = true;
      assert.deepEqual(leases, []);
    });
    while (!isOver) {
      await Promise.race([rig.clock.untilPending(), idle]);
      rig.clock.advance(500);
    }
    await idle;
  });

  test('is refused to a worker that is not online', async (t) => {
    const rig = await setUp(t);
    await assert.rejects(rig.lease('nobody'), { code: 'unknownWorker' });
    await rig.engine.worker.offline('w1');
    await assert.rejects(rig.lease('w1'), { code: 'unknownWorker' });
    await assert.rejects(rig.engine.worker.heartbeat('w1'), { code: 'unknownWorker' });
  });

  test('by eight workers of four engines at once gives everything exactly once', async (t) => {
    const rig = await setUp(t, { machines: 60 });
    const engines = [rig.engine, await rig.another(), await rig.another(), await rig.another()];
    for (let index = 0; index < 60; index++) {
      await rig.create(`server/m${index}`, 'firmwareInstall');
      await rig.create(`server/m${index}`, 'inventoryOOB');
    }
    const seen: Lease[] = [];
    const work = async (name: string, index: number): Promise<void> => {
      const engine = engines[index % engines.length] ?? rig.engine;
      await engine.worker.online({ id: name, kinds: ['firmwareInstall', 'inventoryOOB'], facilities: ['fc1'] });
      for (;;) {
        const leases = await engine.worker.lease(name, { max: 3, waitMs: 0 });
        if (leases.length === 0) return;
        seen.push(...leases);
        for (const lease of leases)
          assert.equal((await engine.worker.report(held(lease), { state: 'succeeded' })).outcome, 'kept');
      }
    };
    for (let left = 120; left > 0; left = 120 - seen.length) {
      await Promise.all(Array.from({ length: 8 }, (_, index) => work(`worker-${index}`, index)));
    }
    assert.equal(seen.length, 120);
    assert.equal(new Set(seen.map((one) => one.condition.id)).size, 120);
    const tokens = Map.groupBy(seen, (one) => one.condition.lockKey);
    for (const ones of tokens.values()) assert.deepEqual(ones.map((one) => one.token).sort(), [1, 2]);
  });
});

test('thousands are leased with one call, since a worker may have room for them', async (t) => {
  const rig = await setUpEngine(t);
  await rig.online('w1');
  const many = 4000;
  const create = (n: number) => rig.create(`model/${n}`, 'firmwareInstall');
  await Promise.all(Array.from({ length: many }, (_, n) => create(n)));
  const leases = await rig.lease('w1', many + 1);
  assert.equal(new Set(leases.map((one) => one.condition.id)).size, many);
});

test('leases whose storing got no answer are found again, and none is made up', async (t) => {
  const rig = await setUpEngine(t);
  await rig.online('w1');
  const { id } = await rig.create('model/x', 'firmwareInstall');
  await rig.engine.sweep();
  const { database } = rig;
  const write = database.write.bind(database);
  t.after(() => Object.assign(database, { write }));
  let isStored = false;
  let lost = 1;
  Object.assign(database, {
    async write(work: Parameters<typeof write>[0]) {
      if (lost > 1) return await write(work);
      lost += 1;
      if (isStored) await write(work);
      throw new StoreError('outcomeUnknown', { where: 'a test', detail: 'the connection broke' });
    },
  });
  assert.deepEqual(
    (await rig.lease('w1')).map((one) => one.condition.id),
    [id],
    'what was not stored is claimed again',
  );
  const second = await rig.create('model/y', 'firmwareInstall');
  [isStored, lost] = [true, 1];
  const [lease] = await rig.lease('w1');
  assert.deepEqual([lease?.condition.id, lease?.token, lease?.condition.leases], [second.id, 1, 1]);
  await rig.engine.worker.check(held(lease ?? assert.fail()));
});
