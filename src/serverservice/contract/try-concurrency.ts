import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Reply } from '../testing/rig.ts';
import type { OpenRig } from './inventory-contract.ts';
import { firmware } from './try-firmware.ts';

function statuses(replies: readonly Reply[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Many that want the same at the same time. */
export function tryConcurrency(open: OpenRig): void {
  const many = 20;
  const times = <T>(work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: many }, (_, n) => work(n)));

  test('of many sets with one name exactly one is created', async (t) => {
    const { call } = await open(t);
    const replies = await times(() => call('POST', '/server-component-firmware-sets', { body: { name: 'same' } }));
    assert.deepEqual(statuses(replies), { 201: 1, 409: many - 1 });
  });

  test('of many firmware versions with the same names exactly one is created', async (t) => {
    const { call } = await open(t);
    const replies = await times(() => call('POST', '/server-component-firmwares', { body: firmware() }));
    assert.deepEqual(statuses(replies), { 201: 1, 409: many - 1 });
  });

  test('of many servers with one id, or one BMC, exactly one is created', async (t) => {
    const { call } = await open(t);
    const uuid = randomUUID();
    const sameId = await times(() => call('POST', '/servers', { body: { uuid, facility_code: 'a' } }));
    assert.deepEqual(statuses(sameId), { 201: 1, 409: many - 1 });
    const sameBmc = await times(() =>
      call('POST', '/servers', { body: { facility_code: 'a', bmc_address: '10.0.0.1' } }),
    );
    assert.deepEqual(statuses(sameBmc), { 201: 1, 409: many - 1 });
    assert.equal((await call('GET', '/servers?include-deleted=true')).body.total_record_count, 2);
  });

  test('renaming many sets to one name succeeds once', async (t) => {
    const { call, service } = await open(t);
    const sets = await times((n) => service.firmwareSets.create({ name: `set-${n}` }));
    const replies = await Promise.all(
      sets.map(({ id }) => call('PUT', `/server-component-firmware-sets/${id}`, { body: { name: 'best' } })),
    );
    assert.deepEqual(statuses(replies), { 200: 1, 409: many - 1 });
  });

  test('no version and no tally of an attribute is lost', async (t) => {
    const { call, service } = await open(t);
    const { id } = await service.servers.create({ facility: 'a' });
    const path = `/servers/${id}/versioned-attributes`;
    await times((n) => call('POST', path, { body: { namespace: 'x', data: { n: n % 2 } } }));
    const { records } = (await call('GET', `${path}/x?limit=1000`)).body;
    const counted = records.reduce((sum: number, one: { tally: number }) => sum + 1 + one.tally, 0);
    assert.equal(counted, many);
    assert.deepEqual(
      records.map((one: { version: number }) => one.version),
      records.map((_: unknown, n: number) => records.length - n),
    );
  });

  test('of an attribute put many times at once one stands', async (t) => {
    const { call, service } = await open(t);
    const { id } = await service.servers.create({ facility: 'a' });
    const replies = await times((n) => call('PUT', `/servers/${id}/attributes/x`, { body: { data: { n } } }));
    assert.deepEqual(statuses(replies), { 200: many });
    assert.equal((await call('GET', `/servers/${id}/attributes`)).body.total_record_count, 1);
  });
}
