import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { kind, kindsForTests, type Rig, setUpEngine } from '../testing/rig.ts';

const install = 'firmwareInstall';
const inUse = { code: 'HostInUse', message: 'BareMetalHost metal3/foo is in use' };

async function setUp(t: Parameters<typeof setUpEngine>[0], more: Parameters<typeof setUpEngine>[1] = {}): Promise<Rig> {
  const rig = await setUpEngine(t, { limits: { pending: 2 }, ...more });
  await rig.online('w1');
  for (const id of ['a1', 'a2', 'a3']) await rig.addMachine(id);
  for (const id of ['b1', 'b2', 'b3']) await rig.addMachine(id, { facility: 'fc9' });
  return rig;
}

describe('what cannot run', () => {
  test('for want of a worker takes no room in the queue, has a bound of its own, and runs once a worker comes', async (t) => {
    const rig = await setUp(t);
    for (const id of ['b1', 'b2']) await rig.create(`server/${id}`, install);
    await assert.rejects(rig.create('server/b3', install), {
      code: 'blockedQueueFull',
      message: /2 conditions wait for a worker that is not online or for hosts in use, and the limit of those is 2/,
    });
    for (const id of ['a1', 'a2']) await rig.create(`server/${id}`, install);
    await assert.rejects(rig.create('server/a3', install), { code: 'queueFull' });
    assert.equal((await rig.lease('w1')).length, 2);
    await rig.online('w9', { facilities: ['fc9'] });
    assert.equal((await rig.lease('w9')).length, 2);
  });

  test('on a host in use takes no room in the queue, neither of all nor of its kind', async (t) => {
    const limited = kindsForTests.map((one) => (one.kind === install ? { ...one, limits: { pending: 2 } } : one));
    const rig = await setUp(t, { kinds: limited, limits: { pending: 3 } });
    for (const id of ['c1', 'c2', 'c3']) {
      await rig.addMachine(id, { hold: inUse });
      await rig.create(`server/${id}`, install);
    }
    for (const id of ['a1', 'a2']) await rig.create(`server/${id}`, install);
    await assert.rejects(rig.create('server/a3', install), { code: 'kindQueueFull' });
    assert.equal((await rig.engine.list({ states: ['pending'] })).conditions.length, 5);
  });

  test('takes no room of what a lost worker left, which runs as soon as another is free', async (t) => {
    const rig = await setUp(t, { kinds: [kind(install, { leaseMs: 600_000 })] });
    await rig.online('w2', { isFencedByHeartbeats: true });
    await rig.create('server/a1', install);
    await rig.leaseOne('w2');
    for (let passed = 0; passed < 60_000; passed += 5000) {
      rig.clock.advance(5000);
      await rig.engine.worker.heartbeat('w1');
      await rig.engine.sweep();
    }
    assert.equal((await rig.engine.list({ states: ['pending'] })).conditions[0]?.reason?.code, 'WorkerLost');
    await rig.create('server/a2', install);
    await assert.rejects(rig.create('server/a3', install), { code: 'queueFull' });
  });

  test('without a limit of all is let in however much of its kind waits', async (t) => {
    const rig = await setUp(t, { kinds: [kind(install, { limits: { pending: 1 } })], limits: { pending: 0 } });
    for (const id of ['b1', 'b2', 'b3', 'a1']) await rig.create(`server/${id}`, install);
    await assert.rejects(rig.create('server/a2', install), { code: 'kindQueueFull' });
  });
});

describe('work whose facility has no worker', () => {
  test('says where workers are, and what to do', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/b1', install);
    const reason = async () => (await rig.get(id)).reason;
    assert.deepEqual(await reason(), {
      code: 'NoWorker',
      message:
        'no worker for firmwareInstall is online in facility fc9; workers are in fc1: start one with --facility fc9, or correct the facility of the server',
      since: (await rig.get(id)).updatedAt,
    });
    await rig.engine.worker.offline('w1');
    assert.match((await reason())?.message ?? '', /in facility fc9, nor in any other; start one with --facility fc9$/);
  });

  test('goes on once the facility of its server is corrected', async (t) => {
    const rig = await setUp(t);
    const { id } = await rig.create('server/b1', install);
    assert.deepEqual(await rig.lease('w1'), []);
    await rig.addMachine('b1');
    assert.equal((await rig.get(id)).reason, undefined);
    assert.equal((await rig.leaseOne('w1')).condition.id, id);
  });
});

test('a reached limit of a model names the model as it is written', async (t) => {
  const rig = await setUp(t, { limits: { activePerModel: 1 } });
  const model = { manufacturer: 'Lenovo', model: 'ThinkSystem SR670' };
  for (const id of ['d1', 'd2']) {
    await rig.addMachine(id, model);
    await rig.create(`server/${id}`, install);
  }
  await rig.leaseOne('w1');
  const { reason } = await rig.get((await rig.engine.list({ target: 'server/d2' })).conditions[0]?.id ?? '');
  assert.match(reason?.message ?? '', /^1 conditions are active on Lenovo ThinkSystem SR670, the limit of a model$/);
});
