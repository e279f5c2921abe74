import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/index.ts';
import type { OpenRig } from './inventory-contract.ts';

/** Attributes: plain, versioned, and those that show conditions. */
export function tryAttributes(open: OpenRig): void {
  const server = async (rig: Awaited<ReturnType<OpenRig>>) => (await rig.service.servers.create({ facility: 'a' })).id;

  test('an attribute is created once, put at any time, and removed', async (t) => {
    const rig = await open(t);
    const path = `/servers/${await server(rig)}/attributes`;
    const body = { namespace: 'my.ns', data: { b: [1, 2], a: { c: null } } };
    assert.equal((await rig.call('POST', path, { body })).status, 201);
    assert.equal((await rig.call('POST', path, { body })).status, 409);
    assert.deepEqual((await rig.call('GET', `${path}/my.ns`)).body.record.data, body.data);
    await rig.call('PUT', `${path}/my.ns`, { body: { data: { x: 'ü' } } });
    assert.deepEqual((await rig.call('GET', `${path}/my.ns`)).body.record.data, { x: 'ü' });
    assert.equal((await rig.call('DELETE', `${path}/my.ns`)).status, 200);
    assert.equal((await rig.call('DELETE', `${path}/my.ns`)).status, 404);
  });

  test('equal data is counted, other data is a new version, and nothing is lost', async (t) => {
    const rig = await open(t);
    const path = `/servers/${await server(rig)}/versioned-attributes`;
    const add = (data: JsonObject) => rig.call('POST', path, { body: { namespace: 'fw', data } });
    assert.equal((await add({ v: 1, w: 2 })).status, 201);
    assert.equal((await add({ w: 2, v: 1 })).status, 200);
    assert.equal((await add({ v: 1, w: 2 })).status, 200);
    assert.equal((await add({ v: 2 })).status, 201);
    assert.equal((await add({ v: 1, w: 2 })).status, 201);
    const shown = (records: { data: JsonObject; tally: number; version: number }[]) =>
      records.map(({ data, tally, version }) => [version, data.v, tally]);
    assert.deepEqual(shown((await rig.call('GET', `${path}/fw`)).body.records), [
      [3, 1, 0],
      [2, 2, 0],
      [1, 1, 2],
    ]);
    assert.deepEqual(shown((await rig.call('GET', path)).body.records), [[3, 1, 0]]);
    assert.deepEqual(shown((await rig.call('GET', `${path}/fw?orderby=version&limit=1`)).body.records), [[1, 1, 2]]);
  });

  test('conditions are shown as attributes with their lock, and changed elsewhere', async (t) => {
    const rig = await open(t);
    const id = await server(rig);
    const data = { kind: 'firmwareInstall', state: 'pending', lock: 'l-1' };
    rig.conditions.set(id, [{ kind: 'firmwareInstall', data, createdAt: 1, updatedAt: 2 }]);
    await rig.call('PUT', `/servers/${id}/attributes/a`, { body: { data: {} } });
    await rig.call('PUT', `/servers/${id}/attributes/b`, { body: { data: {} } });
    const list = (await rig.call('GET', `/servers/${id}/attributes`)).body;
    const names = (records: { namespace: string }[]) => records.map(({ namespace }) => namespace);
    assert.deepEqual(names(list.records), ['a', 'b', 'rackwright.io.condition.firmwareInstall']);
    const last = (await rig.call('GET', `/servers/${id}/attributes?limit=2&page=2`)).body;
    assert.deepEqual([names(last.records), last.total_record_count], [['rackwright.io.condition.firmwareInstall'], 3]);
    const path = `/servers/${id}/attributes/rackwright.io.condition.FirmwareInstall`;
    assert.equal((await rig.call('GET', path)).body.record.data.lock, 'l-1');
    const refused = await rig.call('PUT', path, { body: { data } });
    assert.deepEqual([refused.status, refused.body.code], [409, 'readOnly']);
    assert.equal((await rig.call('DELETE', path)).status, 409);
    const posted = { namespace: 'rackwright.io.condition.x', data };
    assert.equal((await rig.call('POST', `/servers/${id}/attributes`, { body: posted })).status, 409);
    assert.equal((await rig.call('GET', `/servers/${id}/attributes/rackwright.io.condition.none`)).status, 404);
  });

  test('the attributes by which older clients tell BMC and model change the server and its machine', async (t) => {
    const rig = await open(t);
    const id = await server(rig);
    const put = (namespace: string, data: JsonObject) =>
      rig.call('PUT', `/servers/${id}/attributes/${namespace}`, { body: { data } });
    await put('sh.hollow.bmc_info', { address: '10.0.0.5' });
    await put('sh.hollow.server_vendor_attributes', { vendor: 'dell', model: 'r750', serial: 'S9' });
    const { record } = (await rig.call('GET', `/servers/${id}`)).body;
    assert.deepEqual(
      [record.bmc_address, record.vendor, record.model, record.serial],
      ['https://10.0.0.5', 'dell', 'r750', 'S9'],
    );
    assert.deepEqual([...rig.machines.aliases.keys()].sort(), ['bmc-address 10.0.0.5:443', 'serial S9']);
    const other = await rig.service.servers.create({ facility: 'a' });
    const path = `/servers/${other.id}/attributes/sh.hollow.bmc_info`;
    assert.equal((await rig.call('PUT', path, { body: { data: { address: '10.0.0.5' } } })).status, 409);
    assert.equal((await rig.call('GET', path)).status, 404);
  });

  test('components are told apart by type and serial number, and keep their own attributes', async (t) => {
    const rig = await open(t);
    const path = `/servers/${await server(rig)}/components`;
    const part = (serial: string, version: string) => ({
      component_type_slug: 'drive',
      serial,
      model: 'PM1',
      versioned_attributes: [{ namespace: 'fw', data: { version } }],
    });
    assert.equal((await rig.call('POST', path, { body: [part('1', 'a'), part('2', 'a')] })).status, 201);
    const again = await rig.call('POST', path, { body: [part('3', 'a'), part('1', 'a')] });
    assert.equal(again.status, 409);
    assert.equal((await rig.call('GET', path)).body.total_record_count, 2);
    await rig.call('PUT', path, { body: [part('1', 'b'), part('3', 'b')] });
    const { records } = (await rig.call('GET', `${path}?orderby=serial`)).body;
    const shown = records.map(
      (one: { serial: string; versioned_attributes: { data: { version: string }; version: number }[] }) => [
        one.serial,
        one.versioned_attributes[0]?.data.version,
        one.versioned_attributes[0]?.version,
      ],
    );
    assert.deepEqual(shown, [
      ['1', 'b', 2],
      ['2', 'a', 1],
      ['3', 'b', 1],
    ]);
    assert.equal((await rig.call('GET', '/servers/components?serial=2')).body.total_record_count, 1);
    assert.equal((await rig.call('GET', '/servers/components?server-component-type=bios')).body.total_record_count, 0);
    const inventory = path.replace('/components', '').replace('/servers', '/inventory');
    await rig.call('PUT', inventory, { body: { components: [part('3', 'b'), part('4', 'c')] } });
    const left = (await rig.call('GET', inventory)).body.record.components;
    assert.deepEqual(
      left.map((one: { serial: string }) => one.serial),
      ['3', '4'],
    );
    assert.equal((await rig.call('DELETE', path)).status, 200);
    assert.equal((await rig.call('GET', path)).body.total_record_count, 0);
  });

  test('parts of unknown types, or the same one twice, are refused and none is stored', async (t) => {
    const rig = await open(t);
    const path = `/servers/${await server(rig)}/components`;
    const unknown = await rig.call('POST', path, {
      body: [
        { component_type_slug: 'drive', serial: '1' },
        { component_type_slug: 'flux-capacitor', serial: '1' },
      ],
    });
    assert.equal(unknown.status, 400);
    assert.match(unknown.body.error, /no component type "flux-capacitor"/);
    const twice = [1, 2].map(() => ({ component_type_slug: 'drive', serial: '1' }));
    assert.match((await rig.call('PUT', path, { body: twice })).body.error, /drive with serial "1" is named twice/);
    assert.equal((await rig.call('GET', path)).body.total_record_count, 0);
  });

  test('a page of many servers with all their parts is read', async (t) => {
    const rig = await open(t);
    for (let n = 0; n < 6; n++) {
      const id = await server(rig);
      const drives = Array.from({ length: 100 }, (_, serial) => ({ type: 'drive', serial: String(serial) }));
      await rig.service.components.put(id, drives);
    }
    const { records } = (await rig.call('GET', '/servers?preload=true')).body;
    assert.deepEqual(
      records.map((one: { components: unknown[] }) => one.components.length),
      Array(6).fill(100),
    );
  });
}
