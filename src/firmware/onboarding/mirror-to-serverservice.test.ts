import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { createEngine, createLocalBus, externalWork, openSqliteDatabase } from '../../engine/index.ts';
import { systemClock } from '../../kube/index.ts';
import { createServerservice } from '../../serverservice/index.ts';
import type { MirroredServer } from '../ports.ts';
import { createServerserviceMirror } from './mirror-to-serverservice.ts';

const { signal } = new AbortController();
const one: MirroredServer = {
  id: '38947555-7742-3448-3784-823347823834',
  name: 'b-system-0',
  manufacturer: 'Dell Inc.',
  model: 'R750',
  serialNumber: 'SN1',
  bmcId: 'b',
  bmcAddress: 'https://192.0.2.1:443/redfish/v1/Systems/1',
  macs: ['aa:00:00:00:00:01'],
  credentials: { username: 'admin', password: 'first' },
};

async function setUp(t: TestContext) {
  const database = await openSqliteDatabase({ path: ':memory:', clock: systemClock });
  const engine = await createEngine({ database, kinds: [externalWork], clock: systemClock, bus: createLocalBus({}) });
  t.after(async () => {
    await engine.close();
    await database.close();
  });
  const key = { id: 'k', secret: randomBytes(32) };
  const service = await createServerservice({ database, machines: engine.machines, credentialKeys: [key] });
  return { engine, service };
}

test('what somebody enrolled otherwise is never taken away, nor is what another cluster put there', async (t) => {
  const { engine, service } = await setUp(t);
  const mirror = createServerserviceMirror({ service, machines: engine.machines, facilityOf: () => 'fc1' });
  await service.servers.create({ id: one.id, name: 'by hand', facility: 'fc1', serial: one.serialNumber });
  assert.deepEqual(await mirror.put(one, signal), { kind: 'ok' });
  assert.deepEqual(await mirror.told?.(signal), []);
  await mirror.remove(one.id, one.name);
  assert.equal((await service.servers.get(one.id)).name, 'by hand');
  const two = { ...one, id: '11111111-7742-3448-3784-823347823834', name: 'two', serialNumber: 'SN2', macs: [] };
  const elsewhere = { ...two, bmcAddress: 'https://192.0.2.2' };
  const other = createServerserviceMirror({ service, facilityOf: () => 'fc1', origin: 'another cluster' });
  await other.put(elsewhere, signal);
  assert.deepEqual(
    [await mirror.told?.(signal), await other.told?.(signal)],
    [[], [{ id: two.id, name: 'two', duplicates: [] }]],
  );
  await mirror.remove(two.id, 'two');
  await service.servers.get(two.id);
  await other.remove(two.id, 'two');
  await assert.rejects(service.servers.get(two.id), { code: 'notFound' });
  // Enrolled by hand after that, it is somebody's who knows of no Server.
  await service.servers.create({ id: two.id, facility: 'fc1' });
  assert.deepEqual(await other.told?.(signal), []);
});

test('a server goes along when the facility for new servers is set right, with its work, unless somebody put it elsewhere', async (t) => {
  const { engine, service } = await setUp(t);
  const start = (facility: string) =>
    createServerserviceMirror({ service, machines: engine.machines, facilityOf: () => facility });
  const facilityOf = async () => (await service.servers.get(one.id)).facility;
  await start('default').put(one, signal);
  const asked = { client: 'c', orders: [{ kind: externalWork.kind, parameters: { owner: 'o' } }] };
  const created = await engine.create({ target: `server/${one.id}`, ...asked });
  assert.ok(created.outcome === 'created');
  await start('ams1').put(one, signal);
  assert.equal(await facilityOf(), 'ams1');
  assert.equal((await engine.get(created.conditions[0]?.id ?? ''))?.facility, 'ams1');
  await start('ams2').put(one, signal);
  assert.equal(await facilityOf(), 'ams2', 'as often as it is set');
  await service.servers.update(one.id, { facility: 'fra1' });
  await start('ams3').put(one, signal);
  assert.equal(await facilityOf(), 'fra1');
});

test('servers become machines of the inventory, changes follow, and names of another machine are told as a duplicate', async (t) => {
  const { engine, service } = await setUp(t);
  const mirror = createServerserviceMirror({ service, machines: engine.machines, facilityOf: () => 'fc1' });
  assert.deepEqual(await mirror.put(one, signal), { kind: 'ok' });
  assert.equal((await engine.machines.get(one.id))?.model, 'R750');
  assert.equal((await engine.machines.findByAlias({ kind: 'server', value: 'b-system-0' }))?.id, one.id);
  await service.servers.update(one.id, { name: 'renamed there' });
  await mirror.put({ ...one, model: 'R760', credentials: { username: 'admin', password: 'second' } }, signal);
  const { name, model } = await service.servers.get(one.id);
  assert.deepEqual([name, model], ['renamed there', 'R760']);
  assert.equal((await service.credentials.get(one.id, 'bmc')).password, 'second');
  const twin = {
    ...one,
    id: '11111111-7742-3448-3784-823347823834',
    name: 'c-system-0',
    bmcAddress: 'https://192.0.2.2',
  };
  const outcome = await mirror.put(twin, signal);
  assert.equal(outcome.kind, 'duplicate');
  await mirror.remove(one.id, one.name);
  await assert.rejects(service.servers.get(one.id), { code: 'notFound' });
  assert.deepEqual(await mirror.put(twin, signal), { kind: 'ok' });
});

test('all systems behind a BMC have its lock, also one that was enrolled without it, but none moves while it is worked on', async (t) => {
  const { engine, service } = await setUp(t);
  const mirror = createServerserviceMirror({ service, machines: engine.machines, facilityOf: () => 'fc1' });
  await service.servers.create({ id: one.id, name: 'by hand', facility: 'fc1', serial: one.serialNumber });
  const lockOf = async (id: string) => (await engine.machines.get(id))?.bmcId;
  const two = { ...one, id: '11111111-7742-3448-3784-823347823834', name: 'b-system-1', serialNumber: 'SN2', macs: [] };
  const sibling = { ...two, bmcAddress: 'https://192.0.2.1:443/redfish/v1/Systems/2' };
  for (const server of [one, sibling]) assert.deepEqual(await mirror.put(server, signal), { kind: 'ok' });
  assert.deepEqual([await lockOf(one.id), await lockOf(sibling.id)], ['b', 'b']);
  await engine.worker.online({ id: 'w', kinds: [externalWork.kind], facilities: ['fc1'] });
  const order = { kind: externalWork.kind, parameters: { owner: 'somebody' } };
  await engine.create({ target: `server/${one.id}`, orders: [order], client: 'test' });
  const [lease] = await engine.worker.lease('w', { max: 1, waitMs: 0 });
  const moved = { ...one, bmcId: 'other', bmcAddress: 'https://192.0.2.3/redfish/v1/Systems/1' };
  await assert.rejects(mirror.put(moved, signal), { code: 'busy' });
  assert.equal(await lockOf(one.id), 'b');
  assert.ok(lease !== undefined);
  await engine.worker.report({ conditionId: lease.condition.id, token: lease.token }, { state: 'succeeded' });
  assert.deepEqual(await mirror.put(moved, signal), { kind: 'ok' });
  assert.equal(await lockOf(one.id), 'other');
});

test('records whose BMC says that they are one machine are told as duplicates of each other (security.md: duplicate-machines)', async (t) => {
  const { engine, service } = await setUp(t);
  const mirror = createServerserviceMirror({ service, machines: engine.machines, facilityOf: () => 'fc1' });
  const id = '11111111-7742-3448-3784-823347823834';
  const bmcAddress = 'https://192.0.2.2/redfish/v1/Systems/1';
  const two = { ...one, id, name: 'c-system-0', serialNumber: 'SN2', macs: [], bmcId: 'c', bmcAddress };
  for (const server of [one, two]) assert.deepEqual(await mirror.put(server, signal), { kind: 'ok' });
  await engine.worker.online({ id: 'w', kinds: [externalWork.kind], facilities: ['fc1'] });
  const system = { uuid: '0a1b2c3d-1111-4222-8333-444455556666' };
  for (const server of [one, two]) {
    const order = { kind: externalWork.kind, parameters: { owner: 'somebody' } };
    await engine.create({ target: `server/${server.id}`, orders: [order], client: 'test' });
    const [lease] = await engine.worker.lease('w', { max: 1, waitMs: 0 });
    assert.ok(lease !== undefined);
    const held = { conditionId: lease.condition.id, token: lease.token };
    await engine.worker.report(held, { bmc: { system, systems: [system] } });
    await engine.worker.report(held, { state: 'succeeded' });
  }
  const told = await mirror.told?.(signal);
  assert.deepEqual(told?.map(({ name, duplicates }) => [name, duplicates]).sort(), [
    [one.name, [two.id]],
    [two.name, [one.id]],
  ]);
});
