import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { firmwareForTests } from './testing/fake-inventory.ts';
import { imageA, type OrcRig, serverA, serverB, setA, startOrc } from './testing/orc-rig.ts';

/** Defects of the service that shipped, each with what must be so here. */

const path = `/servers/${serverA}/condition`;
const worker = { id: 'w1', kinds: ['firmwareInstall', 'inventoryOOB', 'powerOn'], facilities: ['fc1'] };

async function started(t: TestContext): Promise<OrcRig> {
  const rig = await startOrc(t);
  await rig.addMachine(serverA);
  await rig.engine.worker.online(worker);
  rig.inventory.sets.set(setA, [firmwareForTests(imageA)]);
  return rig;
}

async function leaseOne(rig: OrcRig) {
  const [lease] = await rig.engine.worker.lease('w1', { max: 1, waitMs: 0 });
  assert.ok(lease);
  return { lease, held: { conditionId: lease.condition.id, token: lease.token } };
}

describe('defects that shipped', () => {
  test('1: two creations or two updates that race never both win', async (t) => {
    const rig = await started(t);
    const orders = Array.from({ length: 50 }, (_, n) => ({ kind: 'biosControl', parameters: { action: `a${n % 2}` } }));
    const created = await Promise.all(orders.map((order) => rig.call('POST', path, order)));
    const ids = new Set(created.map(({ record }) => record.id));
    assert.equal(ids.size, 1);
    assert.equal(created.filter(({ body }) => body.message === 'condition set').length, 1);
    const [id = ''] = ids;
    const { lock } = (await rig.call('GET', `/conditions/${id}`)).record;
    const changes = await Promise.all([
      rig.call('PUT', `/conditions/${id}`, { lock, priority: 1 }),
      rig.call('PUT', `/conditions/${id}`, { lock, status: { msg: 'x' } }),
    ]);
    assert.deepEqual(changes.map(({ status }) => status).toSorted(), [200, 409]);
  });

  test('2: what is not there is 404, and a store that fails is not taken for that', async (t) => {
    const rig = await started(t);
    assert.equal((await rig.call('GET', `${path}?kind=powerOn`)).status, 404);
    await rig.database.close();
    const away = await rig.call('GET', `${path}?kind=powerOn`);
    assert.equal(away.status, 503);
    assert.equal(away.headers.get('retry-after'), '5');
  });

  test('3: news of one condition never reach another of the same kind', async (t) => {
    const rig = await started(t);
    await rig.call('POST', path, { kind: 'powerOn' });
    const old = await leaseOne(rig);
    await rig.engine.worker.report(old.held, { state: 'failed' });
    const second = await rig.call('POST', path, { kind: 'powerOn' });
    assert.notEqual(second.record.id, old.held.conditionId);
    const late = await rig.engine.worker.report(old.held, { state: 'succeeded', status: { msg: 'late' } });
    assert.equal(late.outcome, 'lost');
    const { state, status } = (await rig.call('GET', `${path}?kind=powerOn`)).record;
    assert.deepEqual([state, status], ['pending', {}]);
    const twice = { target: `server/${serverA}`, client: 't', orders: [order('inventoryOOB'), order('inventoryOOB')] };
    await assert.rejects(rig.engine.create(twice), /asked for twice/);
  });

  test('4: a unit whose first part is only ever seen succeeded has not succeeded', async (t) => {
    const rig = await started(t);
    await rig.call('POST', '/validateFirmware', { server_id: serverA, firmware_set_id: setA });
    const { held } = await leaseOne(rig);
    await rig.engine.worker.report(held, { state: 'succeeded' });
    const { body, conditions } = await rig.call('GET', `/servers/${serverA}/status`);
    assert.equal((body.records as { state: string }).state, 'active');
    assert.deepEqual(
      conditions.map(({ kind, state }) => [kind, state]),
      [
        ['firmwareInstall', 'succeeded'],
        ['firmwareValidation', 'pending'],
      ],
    );
  });

  test('5: what the sweeps write about a condition is there to be read', async (t) => {
    const rig = await started(t);
    const { record } = await rig.call('POST', path, { kind: 'powerOn' });
    await leaseOne(rig);
    rig.clock.advance(10_001);
    await rig.engine.sweep();
    const { reason } = (await rig.call('GET', `/conditions/${record.id}`)).record;
    assert.match(String(reason?.message), /the lease of w1 ended without progress/);
  });

  test('6: work that was begun and crashed is given out again, from where it was', async (t) => {
    const rig = await started(t);
    await rig.call('POST', path, { kind: 'powerOn' });
    const { held } = await leaseOne(rig);
    await rig.engine.worker.report(held, { status: { msg: 'begun' }, progress: { step: 1 } });
    rig.clock.advance(10_001);
    await rig.engine.sweep();
    rig.clock.advance(5000);
    const again = await leaseOne(rig);
    assert.equal(again.lease.condition.id, held.conditionId);
    assert.deepEqual(again.lease.condition.progress, { step: 1 });
  });

  test('7: what is in the way is 409 on every path', async (t) => {
    const rig = await started(t);
    rig.inventory.sets.set(serverB, [firmwareForTests(imageA, { version: '9' })]);
    assert.equal((await rig.call('POST', path, { kind: 'firmwareInstall', firmware_set_id: setA })).status, 200);
    const other = { firmware_set_id: serverB };
    for (const answer of [
      await rig.call('POST', path, { kind: 'firmwareInstall', ...other }),
      await rig.call('POST', `${path}/firmwareInstall`, { parameters: other }),
      await rig.call('POST', `/servers/${serverA}/firmwareInstall`, other),
    ]) {
      assert.equal(answer.status, 409);
      assert.equal(answer.record.kind, 'firmwareInstall');
    }
  });
});

function order(kind: string) {
  return { kind, parameters: {} };
}

test('a body of 10 MiB is refused by its announced length, before it is sent', async (t) => {
  const rig = await started(t);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const asking = request(`${rig.url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer all',
        'content-type': 'application/json',
        'content-length': String(10 * 1024 * 1024),
      },
    });
    asking.once('error', reject);
    asking.once('response', (response) => {
      resolve(response.statusCode);
      asking.destroy();
    });
    asking.write('{"kind":"biosControl","parameters":{"action":"');
  });
  assert.equal(status, 413);
  assert.equal((await rig.engine.list({})).conditions.length, 0);
});
