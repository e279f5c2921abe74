import assert from 'node:assert/strict';
import { test } from 'node:test';
import { held, setUpEngine } from '../testing/rig.ts';
import { decideLeap } from './clock-watch.ts';

const hour = 3_600_000;

async function setUp(t: Parameters<typeof setUpEngine>[0]) {
  const rig = await setUpEngine(t);
  await rig.addMachine('m0');
  await rig.online('w1');
  await rig.online('w2');
  const { id } = await rig.create('server/m0', 'firmwareInstall');
  return { ...rig, id };
}

test('a leap is told from time that passed, however long an answer was on its way', () => {
  const last = { now: 1000, before: 100, after: 30_100 };
  const at = (now: number, before: number, after: number) => decideLeap(last, { now, before, after });
  assert.equal(at(36_000, 35_100, 35_101), 'none');
  assert.equal(at(6000, 35_100, 35_101), 'none');
  assert.equal(at(37_002, 35_100, 35_101), 'ahead');
  assert.equal(at(4999, 35_100, 35_101), 'back');
  assert.equal(at(-hour, 35_100, 95_100), 'back');
});

test('a clock that is set ahead takes no lease away and lets nobody at a device too early', async (t) => {
  const rig = await setUp(t);
  const lease = await rig.leaseOne('w1');
  await rig.engine.sweep();
  rig.clock.jumpWall(hour);
  assert.equal((await rig.engine.sweep()).expiredLeases, 0);
  await rig.engine.worker.check(held(lease));
  assert.equal((await rig.engine.worker.report(held(lease), {})).outcome, 'kept');
  await rig.engine.worker.offline('w1');
  rig.clock.jumpWall(hour);
  assert.deepEqual(await rig.lease('w2'), [], 'a request may still be on its way');
  rig.clock.advance(4999);
  assert.deepEqual(await rig.lease('w2'), []);
  rig.clock.advance(1);
  assert.equal((await rig.leaseOne('w2')).condition.id, rig.id);
});

test('a leap that could not be mended is mended at the next look', async (t) => {
  const rig = await setUp(t);
  const lease = await rig.leaseOne('w1');
  await rig.engine.sweep();
  rig.clock.jumpWall(hour);
  const { database } = rig;
  const write = database.write.bind(database);
  Object.assign(database, { write: () => Promise.reject(new Error('no route to host')) });
  await assert.rejects(rig.engine.sweep(), /no route/);
  Object.assign(database, { write });
  assert.equal((await rig.engine.sweep()).expiredLeases, 0);
  await rig.engine.worker.check(held(lease));
});

test('a clock that is set back keeps nobody waiting until it is there again', async (t) => {
  const rig = await setUp(t);
  await rig.leaseOne('w1');
  await rig.engine.sweep();
  rig.clock.jumpWall(-24 * hour);
  await rig.engine.sweep();
  rig.clock.advance(10_000);
  assert.equal((await rig.engine.sweep()).expiredLeases, 1);
  rig.clock.jumpWall(-24 * hour);
  await rig.engine.sweep();
  rig.clock.advance(15_000);
  assert.equal((await rig.leaseOne('w2')).condition.id, rig.id);
  rig.clock.advance(45_000);
  assert.deepEqual((await rig.engine.sweep()).lostControllers, ['w1', 'w2']);
});

test('work that was given back for a while is taken up after that while, wherever the clock went', async (t) => {
  const rig = await setUp(t);
  await rig.engine.worker.release(held(await rig.leaseOne('w1')), 'busy', { afterMs: 300_000 });
  rig.clock.jumpWall(-hour);
  await rig.engine.sweep();
  rig.clock.advance(299_999);
  assert.deepEqual(await rig.lease('w2'), []);
  await rig.engine.sweep();
  rig.clock.advance(1);
  assert.equal((await rig.leaseOne('w2')).condition.id, rig.id);
});

test('a clock that was set back while no process ran is noticed by the next one', async (t) => {
  const rig = await setUp(t);
  await rig.leaseOne('w1');
  rig.clock.jumpWall(-24 * hour);
  const next = await rig.another();
  await next.sweep();
  rig.clock.advance(10_000);
  assert.equal((await next.sweep()).expiredLeases, 1);
});

test('a process that was stopped for minutes gives up what its workers held', async (t) => {
  const rig = await setUp(t);
  const lease = await rig.leaseOne('w1');
  await rig.engine.sweep();
  rig.clock.advance(5 * 60_000);
  await assert.rejects(rig.engine.worker.check(held(lease)), { code: 'leaseLost' });
  assert.equal((await rig.engine.sweep()).expiredLeases, 1);
});
