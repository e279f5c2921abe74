import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { isInventoryError } from '../errors.ts';
import { createServerservice } from '../serverservice.ts';
import { firstPage } from '../sql/select-page.ts';
import type { OpenRig } from './inventory-contract.ts';

/** Servers, and the machines they become. */
export function tryServers(open: OpenRig): void {
  test('a new server is a machine under all its names', async (t) => {
    const { call, machines } = await open(t);
    const { status, body, headers } = await call('POST', '/servers', {
      body: {
        facility_code: 'ams1',
        name: 'web-1',
        vendor: 'Dell',
        model: 'R750',
        serial: 'S1',
        bmc_address: 'BMC1.example',
        mac_addresses: ['02-00-5E-10-00-01'],
      },
    });
    assert.equal(status, 201);
    const id = body.record.uuid;
    assert.equal(headers.get('location'), `/api/v1/servers/${id}`);
    assert.deepEqual(machines.machines.get(id), {
      ...{ id, facility: 'ams1', bmcId: id, manufacturer: 'Dell', model: 'R750', hold: undefined },
    });
    assert.deepEqual([...machines.aliases.keys()].sort(), [
      'bmc-address bmc1.example:443',
      'mac 02:00:5e:10:00:01',
      'serial S1',
    ]);
    assert.equal((await call('GET', `/servers/${id.toUpperCase()}`)).body.record.name, 'web-1');
  });

  test('the host of a BMC has no case, the path of a system behind it does', async (t) => {
    const { call } = await open(t);
    for (const [given, kept] of [
      [
        'HTTPS://BMC1.example/redfish/v1/Systems/System.Embedded.1',
        'https://bmc1.example/redfish/v1/Systems/System.Embedded.1',
      ],
      ['BMC2.example/redfish/v1/Systems/A', 'https://bmc2.example/redfish/v1/Systems/A'],
    ]) {
      const { body } = await call('POST', '/servers', { body: { facility_code: 'a', bmc_address: given } });
      assert.equal((await call('GET', `/servers/${body.record.uuid}`)).body.record.bmc_address, kept);
    }
  });

  test('a server whose names another machine has is refused, naming who, and nothing is stored', async (t) => {
    const { call, machines, service } = await open(t);
    const first = await call('POST', '/servers', {
      body: { facility_code: 'a', bmc_address: '10.0.0.1', serial: 'S1' },
    });
    const holder = first.body.record.uuid;
    const attributes = [{ namespace: 'x', data: { a: 1 } }];
    const id = randomUUID();
    const second = await call('POST', '/servers', {
      body: { uuid: id, facility_code: 'a', bmc_address: '10.0.0.1', serial: 'S2', attributes },
    });
    assert.equal(second.status, 409);
    assert.match(
      second.body.message,
      new RegExp(`DuplicateMachine: bmc-address https://10\\.0\\.0\\.1 belongs to machine ${holder}`),
    );
    assert.deepEqual(second.body.record, { held_by: [holder] });
    assert.equal(machines.machines.size, 1);
    assert.equal((await service.servers.list({ isWithDeleted: true }, firstPage)).total, 1);
    assert.equal(await service.attributes.get({ kind: 'server', id }, 'x'), undefined);
  });

  test('serial numbers that vendors forgot to fill in name no machine', async (t) => {
    const { call } = await open(t);
    for (const address of ['10.0.0.1', '10.0.0.2']) {
      const body = { facility_code: 'a', bmc_address: address, serial: 'To Be Filled By O.E.M.' };
      assert.equal((await call('POST', '/servers', { body })).status, 201);
    }
  });

  test('a change keeps what other doors said of the machine, and gives names back that are not used any more', async (t) => {
    const { call, machines } = await open(t);
    const { body } = await call('POST', '/servers', { body: { facility_code: 'a', bmc_address: '10.0.0.1' } });
    const id = body.record.uuid;
    const hold = { code: 'HostInUse', message: 'somebody runs on it' };
    machines.machines.set(id, { ...(await machines.get(id)), hold } as never);
    machines.aliases.set('baremetalhost default/h1', id);
    const changed = await call('PUT', `/servers/${id}`, { body: { bmc_address: '10.0.0.9', facility_code: 'b' } });
    assert.equal(changed.status, 200);
    assert.deepEqual([...machines.aliases.keys()].sort(), ['baremetalhost default/h1', 'bmc-address 10.0.0.9:443']);
    const machine = await machines.get(id);
    assert.deepEqual([machine?.facility, machine?.hold], ['b', hold]);
  });

  test("a change that takes another machine's name is refused and changes nothing", async (t) => {
    const { call } = await open(t);
    await call('POST', '/servers', { body: { facility_code: 'a', bmc_address: '10.0.0.1' } });
    const { body } = await call('POST', '/servers', {
      body: { facility_code: 'a', bmc_address: '10.0.0.2', name: 'n' },
    });
    const path = `/servers/${body.record.uuid}`;
    assert.equal((await call('PUT', path, { body: { bmc_address: '10.0.0.1', name: 'm' } })).status, 409);
    const { record } = (await call('GET', path)).body;
    assert.deepEqual([record.bmc_address, record.name], ['https://10.0.0.2', 'n']);
  });

  test('a deleted server is gone from lists, comes back with its attributes, and its id is free again', async (t) => {
    const { call, machines } = await open(t);
    const { body } = await call('POST', '/servers', { body: { facility_code: 'a', bmc_address: '10.0.0.1' } });
    const { uuid } = body.record;
    await call('PUT', `/servers/${uuid}/attributes/x`, { body: { data: { a: 1 } } });
    await call('PUT', `/servers/${uuid}/credentials/bmc`, { body: { username: 'u', password: 'p' } });
    assert.equal((await call('DELETE', `/servers/${uuid}`)).status, 200);
    assert.equal(machines.machines.size, 0);
    assert.equal((await call('GET', `/servers/${uuid}`)).status, 404);
    assert.equal((await call('DELETE', `/servers/${uuid}`)).status, 404);
    assert.equal((await call('GET', '/servers')).body.total_record_count, 0);
    const listed = (await call('GET', '/servers?include-deleted=true')).body.records;
    assert.equal(listed.length, 1);
    assert.ok(Date.parse(listed[0].deleted_at) > 0);
    assert.equal((await call('GET', `/servers/${uuid}?include-deleted=true`)).status, 200);
    const again = await call('POST', '/servers', { body: { uuid, facility_code: 'b', bmc_address: '10.0.0.1' } });
    assert.equal(again.status, 201);
    const { record } = (await call('GET', `/servers/${uuid}`)).body;
    assert.deepEqual([record.facility_code, record.attributes[0].data], ['b', { a: 1 }]);
    assert.equal((await call('GET', `/servers/${uuid}/credentials/bmc`)).status, 404);
  });

  test('a server that is worked on cannot be deleted', async (t) => {
    const { call, machines } = await open(t);
    const { uuid } = (await call('POST', '/servers', { body: { facility_code: 'a' } })).body.record;
    machines.busy.add(uuid);
    const refused = await call('DELETE', `/servers/${uuid}`);
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, /firmwareInstall 1/);
    assert.equal((await call('GET', `/servers/${uuid}`)).status, 200);
  });

  test('a server whose machine was not made because of a crash becomes one at the next start', async (t) => {
    const { service, machines, database } = await open(t);
    machines.failNextPut = new Error('the power went out');
    const id = randomUUID();
    await assert.rejects(service.servers.create({ id, facility: 'a', bmcAddress: '10.0.0.1' }), /power went out/);
    assert.equal(machines.machines.size, 0);
    await createServerservice({ database, machines });
    assert.ok(machines.machines.has(id));
    assert.equal(await service.servers.reconcile(), 0);
  });

  test('a server that cannot become a machine at the next start says why', async (t) => {
    const { service, machines } = await open(t);
    machines.failNextPut = new Error('the power went out');
    const id = randomUUID();
    await assert.rejects(service.servers.create({ id, facility: 'a', bmcAddress: '10.0.0.1' }));
    machines.aliases.set('bmc-address 10.0.0.1:443', 'somebody-else');
    assert.equal(await service.servers.reconcile(), 1);
    assert.match((await service.servers.get(id)).machineProblem ?? '', /belongs to machine somebody-else/);
  });

  test('a change that a crash interrupted is made good at the next start', async (t) => {
    const { service, machines } = await open(t);
    const { id } = await service.servers.create({ facility: 'a', bmcAddress: '10.0.0.1' });
    machines.failNextPut = new Error('the power went out');
    await assert.rejects(service.servers.update(id, { bmcAddress: '10.0.0.2' }));
    assert.equal(await service.servers.reconcile(), 1);
    assert.ok(machines.aliases.has('bmc-address 10.0.0.1:443'));
  });

  test('the zero UUID and other words are no ids', async (t) => {
    const { service } = await open(t);
    for (const id of ['00000000-0000-0000-0000-000000000000', 'x', ''])
      await assert.rejects(service.servers.create({ id, facility: 'a' }), (error) =>
        isInventoryError(error, 'badValue'),
      );
  });

  test('lists come in pages that add up, in the order asked for', async (t) => {
    const { call, service } = await open(t);
    for (let n = 0; n < 7; n++) await service.servers.create({ facility: n < 5 ? 'a' : 'b', name: `s${n}` });
    const first = (await call('GET', '/servers?limit=3&orderby=-name&facility-code=a')).body;
    assert.deepEqual(
      first.records.map((one: { name: string }) => one.name),
      ['s4', 's3', 's2'],
    );
    const { page, page_size, page_count, total_pages, total_record_count } = first;
    assert.deepEqual(
      { page, page_size, page_count, total_pages, total_record_count },
      {
        ...{ page: 1, page_size: 3, page_count: 3, total_pages: 2, total_record_count: 5 },
      },
    );
    const next = (await call('GET', first._links.next.href.replace('/api/v1', ''))).body;
    assert.deepEqual(
      next.records.map((one: { name: string }) => one.name),
      ['s1', 's0'],
    );
    assert.deepEqual(Object.keys(next._links).sort(), ['first', 'last', 'previous', 'self']);
    assert.deepEqual((await call('GET', '/servers?page=99')).body.records, []);
  });
}
