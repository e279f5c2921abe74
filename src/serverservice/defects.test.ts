import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { openSqliteDatabase } from '../engine/index.ts';
import { createFakeClock } from '../kube/index.ts';
import { biosConfig } from './contract/try-bios-config.ts';
import { isInventoryError } from './errors.ts';
import { firstPage } from './sql/select-page.ts';
import { openRig } from './testing/rig.ts';

/** Defects of the service that shipped, each with what must be so here. */

async function started(t: TestContext) {
  const clock = createFakeClock();
  const database = await openSqliteDatabase({ path: ':memory:', clock });
  const rig = await openRig(t, database);
  t.after(() => database.close());
  return { ...rig, clock };
}

describe('defects that shipped', () => {
  test('1: what lists are ordered by never becomes SQL', async (t) => {
    const { call, service } = await started(t);
    await service.servers.create({ facility: 'a' });
    for (const order of ['id', 'created_at; DROP TABLE inventory_servers', '(SELECT 1)', 'name DESC', '--', ''])
      assert.equal((await call('GET', `/servers?orderby=${encodeURIComponent(order)}`)).status, 400, order);
    // Also by whoever calls without the API in between.
    const request = { ...firstPage, orderBy: 'created_at; DROP TABLE inventory_servers' };
    await assert.rejects(service.servers.list({}, request), (error) => isInventoryError(error, 'badFilter'));
    assert.equal((await call('GET', '/servers?orderby=-created_at')).body.total_record_count, 1);
  });

  test('2: lists of firmware sets come in the pages that were asked for', async (t) => {
    const { call, service } = await started(t);
    for (const name of ['a', 'b', 'c']) await service.firmwareSets.create({ name });
    const { body } = await call('GET', '/server-component-firmware-sets?limit=2&page=2&orderby=name');
    assert.deepEqual(
      [body.records.map((one: { name: string }) => one.name), body.page, body.total_pages, body.total_record_count],
      [['c'], 2, 2, 3],
    );
  });

  test('3: an event that is refused is not written all the same', async (t) => {
    const { call, service } = await started(t);
    const { id } = await service.servers.create({ facility: 'a' });
    const event = {
      ...{ type: 'firmwareInstall', target_server: id, final_state: 'succeeded' },
      ...{ event_start: '2026-01-01T00:00:00Z', event_end: '2026-01-01T00:10:00Z' },
    };
    const unit = randomUUID();
    for (const bad of [
      { ...event, event_end: '2025-01-01T00:00:00Z' },
      { ...event, final_state: 'active' },
      { ...event, target_server: randomUUID() },
      {},
    ]) {
      const { status } = await call('PUT', `/events/${unit}`, { body: bad });
      assert.ok(status === 400 || status === 404);
      assert.equal((await call('GET', `/events/${unit}`)).status, 404);
    }
  });

  test('4: conditions carry a lock, and cannot be written past it', async (t) => {
    const { call, service, conditions } = await started(t);
    const { id } = await service.servers.create({ facility: 'a' });
    const data = { kind: 'powerOn', state: 'pending', lock: 'l-1' };
    conditions.set(id, [{ kind: 'powerOn', data, createdAt: 1, updatedAt: 1 }]);
    const path = `/servers/${id}/attributes/rackwright.io.condition.powerOn`;
    assert.equal((await call('GET', path)).body.record.data.lock, 'l-1');
    for (const [method, body] of [
      ['PUT', { data: { ...data, state: 'succeeded' } }],
      ['DELETE', undefined],
    ] as const)
      assert.equal((await call(method, path, { body })).status, 409);
  });

  test('5: whoever may only read creates no set of BIOS settings', async (t) => {
    const { call } = await started(t);
    const path = '/server-bios-config-sets';
    assert.equal((await call('POST', path, { body: biosConfig(), token: 'reader' })).status, 403);
    assert.equal((await call('GET', path)).body.total_record_count, 0);
  });

  test('6: when a set of BIOS settings was changed is not when it was created', async (t) => {
    const { call, clock } = await started(t);
    const path = '/server-bios-config-sets';
    const { record } = (await call('POST', path, { body: biosConfig() })).body;
    clock.advance(60_000);
    const body = biosConfig({ version: '2' });
    const changed = (await call('PUT', `${path}/${record.id}`, { body })).body.record;
    assert.equal(changed.created_at, record.created_at);
    assert.equal(Date.parse(changed.updated_at) - Date.parse(record.updated_at), 60_000);
  });

  test('7: what is there already is 409 and not 400', async (t) => {
    const { call } = await started(t);
    const server = { uuid: randomUUID(), facility_code: 'a' };
    for (const [path, body] of [
      ['/servers', server],
      ['/server-component-types', { name: 'Toaster' }],
      ['/server-component-firmware-sets', { name: 's' }],
      ['/server-bios-config-sets', biosConfig()],
    ] as const) {
      assert.equal((await call('POST', path, { body })).status, 201, path);
      assert.equal((await call('POST', path, { body })).status, 409, path);
    }
  });
});
