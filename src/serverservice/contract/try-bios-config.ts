import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenRig } from './inventory-contract.ts';

/** For tests: a set of BIOS settings. */
export function biosConfig(more: { readonly name?: string; readonly version?: string; readonly vendor?: string } = {}) {
  const { name = 'r750', version = '1.0', vendor = 'dell' } = more;
  const settings = [
    { key: 'BootMode', value: 'Uefi' },
    { key: 'ProcTurboMode', value: 'Enabled', raw: 'eyJ2IjoxfQ==' },
  ];
  const empty = { vendor: '', model: '', serial: '', settings: [] };
  return {
    ...{ name, version },
    components: [
      { ...empty, name: 'BIOS', vendor, model: 'r750', settings },
      { ...empty, name: 'NIC' },
    ],
  };
}

/** Sets of BIOS settings. */
export function tryBiosConfig(open: OpenRig): void {
  const path = '/server-bios-config-sets';

  test('a set is written, read as it was written, replaced and deleted', async (t) => {
    const { call, database } = await open(t);
    const { status, body, headers } = await call('POST', path, { body: biosConfig() });
    assert.equal(status, 201);
    const { record } = body;
    const one = `${path}/${record.id}`;
    assert.equal(headers.get('location'), `/api/v1${one}`);
    const read = (await call('GET', one)).body.record;
    assert.deepEqual(read, record);
    const [bios, nic] = read.components;
    assert.deepEqual([bios.name, bios.vendor, nic.name, nic.settings], ['BIOS', 'dell', 'NIC', []]);
    const shown = bios.settings.map(({ key, value, raw }: Record<string, string>) => [key, value, raw]);
    assert.deepEqual(shown, [
      ['BootMode', 'Uefi', undefined],
      ['ProcTurboMode', 'Enabled', 'eyJ2IjoxfQ=='],
    ]);
    const changed = await call('PUT', one, { body: { ...read, version: '2.0', components: [nic] } });
    assert.deepEqual([changed.status, changed.body.record.version], [200, '2.0']);
    assert.equal((await call('GET', one)).body.record.components.length, 1);
    assert.equal((await call('DELETE', one)).status, 200);
    assert.equal((await call('GET', one)).status, 404);
    const left = await database.read((tx) => tx.first('SELECT count(*) AS n FROM inventory_bios_config_components'));
    assert.equal(left?.n, 0);
  });

  test('names are unique, also when many take one at once, and a refused change changes nothing', async (t) => {
    const { call, service } = await open(t);
    const replies = await Promise.all(Array.from({ length: 10 }, () => call('POST', path, { body: biosConfig() })));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)]);
    const other = await service.biosConfigSets.create(biosConfig({ name: 'other' }));
    const renamed = await call('PUT', `${path}/${other.id}`, { body: biosConfig({ version: '9' }) });
    assert.equal(renamed.status, 409);
    assert.match(renamed.body.message, /the same name already: r750/);
    assert.deepEqual(await service.biosConfigSets.get(other.id), other);
  });

  test('a part or a setting that is named twice is refused with its name', async (t) => {
    const { call } = await open(t);
    const [bios] = biosConfig().components;
    const twice = await call('POST', path, { body: { ...biosConfig(), components: [bios, bios] } });
    assert.equal(twice.status, 400);
    assert.match(twice.body.error, /the component BIOS dell r750 is named twice/);
    const settings = [1, 2].map((value) => ({ key: 'BootMode', value: String(value) }));
    const again = await call('POST', path, { body: { ...biosConfig(), components: [{ name: 'BIOS', settings }] } });
    assert.match(again.body.error, /BIOS: the setting BootMode is named twice/);
    assert.equal((await call('GET', path)).body.total_record_count, 0);
  });

  test('sets are found by what they are for, and come in pages and in order', async (t) => {
    const { call, service } = await open(t);
    await service.biosConfigSets.create(biosConfig({ name: 'a', version: '2' }));
    await service.biosConfigSets.create(biosConfig({ name: 'b', version: '1', vendor: 'hp' }));
    const names = async (query: string) =>
      (await call('GET', `${path}?${query}`)).body.records.map((one: { name: string }) => one.name);
    assert.deepEqual(await names('orderby=-name'), ['b', 'a']);
    assert.deepEqual(await names('orderby=version'), ['b', 'a']);
    assert.deepEqual(await names('vendor=Dell'), ['a']);
    assert.deepEqual(await names('vendor=hp&model=R750&component=bios'), ['b']);
    assert.deepEqual(await names('vendor=hp&component=nic'), [], 'one part has all that is asked for');
    assert.deepEqual(await names('name=a&version=1'), []);
    assert.deepEqual(await names('orderby=name&limit=1&page=2'), ['b']);
  });
}
