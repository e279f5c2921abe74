import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServerservice } from '../serverservice.ts';
import { newKey } from '../testing/rig.ts';
import type { OpenRig } from './inventory-contract.ts';

/** Credentials, and what else holds secrets. */
export function tryCredentials(open: OpenRig): void {
  const password = 'correct horse battery staple';

  test('a credential is encrypted in the store and read with its own permission only (security.md: attacker-with-database, inventory-credentials)', async (t) => {
    const { call, service, database } = await open(t);
    const { id } = await service.servers.create({ facility: 'a' });
    const path = `/servers/${id}/credentials/bmc`;
    assert.equal((await call('GET', path)).status, 404);
    assert.equal((await call('PUT', path, { body: { username: 'root', password } })).body.message, 'resource created');
    assert.equal((await call('PUT', path, { body: { username: 'root', password } })).body.message, 'resource updated');
    const { record } = (await call('GET', path)).body;
    assert.deepEqual([record.username, record.password, record.secret_type], ['root', password, 'bmc']);
    const rows = await database.read((tx) => tx.all('SELECT * FROM inventory_credentials'));
    assert.equal(rows.length, 1);
    assert.doesNotMatch(JSON.stringify(rows), /horse|root/);
    for (const token of ['reader', 'writer', 'none']) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, body } = await call(method, path, {
          token,
          ...(method === 'PUT' ? { body: { password } } : {}),
        });
        assert.equal(status, 403);
        assert.match(body.message, /lacks the scope (read|write):server:credentials$/);
      }
    }
    assert.doesNotMatch(JSON.stringify((await call('GET', `/servers/${id}`)).body), /horse/);
    assert.equal((await call('DELETE', path)).status, 200);
    assert.equal((await call('DELETE', path)).status, 404);
  });

  test('the address that a credential is sent to is changed by those who may read the credential (security.md: credential-destinations, role-rest-admin)', async (t) => {
    const { call, service } = await open(t);
    const { id } = await service.servers.create({ facility: 'a', bmcAddress: 'https://10.0.0.7' });
    await service.credentials.put(id, 'bmc', { username: 'root', password });
    const path = `/servers/${id}`;
    for (const address of ['https://10.6.6.6', 'http://10.0.0.7', 'https://10.0.0.7:8443', 'evil.example', '']) {
      const { status, body } = await call('PUT', path, { body: { bmc_address: address }, token: 'writer' });
      assert.equal(status, 403, address);
      assert.match(body.message, /lacks the scope read:server:credentials$/);
    }
    assert.equal((await service.servers.get(id)).bmcAddress, 'https://10.0.0.7');
    const same = { bmc_address: 'https://10.0.0.7:443/', name: 'n' };
    assert.equal((await call('PUT', path, { body: same, token: 'writer' })).status, 200);
    assert.equal((await call('PUT', path, { body: { bmc_address: 'https://10.0.0.8' } })).status, 200);
  });

  test('a credential moved to another server does not open (security.md: inventory-credentials)', async (t) => {
    const { service, database } = await open(t);
    const [one, two] = [
      await service.servers.create({ facility: 'a' }),
      await service.servers.create({ facility: 'a' }),
    ];
    await service.credentials.put(one.id, 'bmc', { username: 'u', password });
    await database.write((tx) => tx.run('UPDATE inventory_credentials SET server_id = ?', two.id));
    await assert.rejects(service.credentials.get(two.id, 'bmc'), /was changed or moved/);
  });

  test('a new key seals again what an old one sealed, and then the old one can go', async (t) => {
    const [old, next] = [newKey(), newKey()];
    const { service, database } = await open(t, { credentialKeys: [old] });
    const { id } = await service.servers.create({ facility: 'a' });
    await service.credentials.put(id, 'bmc', { username: 'u', password });
    const bill = { aocMacs: [], bmcMacs: [], numDefiPmi: '', metro: '' };
    await service.billsOfMaterials.putAll([
      { ...bill, serial: 'S1', numDefPwd: password },
      { ...bill, serial: 'S2', numDefPwd: '' },
    ]);
    const image = { component: 'bios', vendor: 'dell', filename: 'a', version: '1', checksums: ['ab'.repeat(32)] };
    const repositoryUrl = 'https://user:s3cret@images.example/a';
    const firmware = await service.firmware.create({ ...image, models: [], repositoryUrl });
    const ready = await createServerservice({ database, credentialKeys: [old, next] });
    assert.equal((await service.credentials.get(id, 'bmc')).password, password, 'the first key seals');
    assert.equal(await ready.credentials.reseal(), 0);
    const both = await createServerservice({ database, credentialKeys: [next, old] });
    assert.equal((await both.credentials.get(id, 'bmc')).password, password);
    assert.equal(await both.credentials.reseal(), 0, 'all was done at the start');
    const alone = await createServerservice({ database, credentialKeys: [next] });
    assert.equal((await alone.credentials.get(id, 'bmc')).password, password);
    assert.equal(await alone.billsOfMaterials.readPassword('S1'), password);
    assert.equal((await alone.firmware.get(firmware.id)).repositoryUrl, repositoryUrl);
    await assert.rejects(service.credentials.get(id, 'bmc'), new RegExp(`encrypted with key ${next.id}`));
  });

  test('more secrets than fit into one transaction are sealed again, and one that does not open stops nothing', async (t) => {
    const [old, next] = [newKey(), newKey()];
    const { service, database } = await open(t, { credentialKeys: [old] });
    const bill = { aocMacs: [], bmcMacs: [], numDefiPmi: '', metro: '' };
    const serials = Array.from({ length: 450 }, (_, n) => `S${String(n).padStart(3, '0')}`);
    await service.billsOfMaterials.putAll(serials.map((serial) => ({ ...bill, serial, numDefPwd: password })));
    await database.write((tx) => tx.run(`UPDATE inventory_boms SET num_def_pwd = 'v1.x.y' WHERE serial = 'S007'`));
    await createServerservice({ database, credentialKeys: [next, old] });
    const alone = await createServerservice({ database, credentialKeys: [next] });
    assert.equal(await alone.credentials.reseal(), 0);
    for (const serial of ['S000', 'S199', 'S200', 'S449'])
      assert.equal(await alone.billsOfMaterials.readPassword(serial), password);
    await assert.rejects(alone.billsOfMaterials.readPassword('S007'), /cannot be read/);
  });

  test('without a key file nothing is kept in clear text: it is refused', async (t) => {
    const { call, service } = await open(t, { credentialKeys: undefined });
    const { id } = await service.servers.create({ facility: 'a' });
    const { status, body } = await call('PUT', `/servers/${id}/credentials/bmc`, { body: { password } });
    assert.equal(status, 503);
    assert.match(body.message, /without a key file; name one with --credential-keys/);
    const image = { vendor: 'v', component: 'bios', version: '1', filename: 'a', checksum: 'ab'.repeat(32) };
    const withUrl = (repository_url: string) =>
      call('POST', '/server-component-firmwares', { body: { ...image, model: [], repository_url } });
    assert.equal((await withUrl('https://user:s3cret@images.example/a')).status, 503);
    assert.equal((await withUrl('https://images.example/a')).status, 201);
  });

  test('types are listed, added once, and needed', async (t) => {
    const { call, service } = await open(t);
    const { id } = await service.servers.create({ facility: 'a' });
    assert.equal((await call('PUT', `/servers/${id}/credentials/ssh`, { body: { password } })).status, 404);
    const body = { name: 'SSH' };
    assert.equal((await call('POST', '/server-credential-types', { body })).body.record.slug, 'ssh');
    assert.equal((await call('POST', '/server-credential-types', { body })).status, 409);
    assert.equal((await call('PUT', `/servers/${id}/credentials/ssh`, { body: { password } })).status, 200);
    const { records } = (await call('GET', '/server-credential-types?orderby=slug')).body;
    const slugs = records.map((one: { slug: string; builtin: boolean }) => [one.slug, one.builtin]);
    assert.deepEqual(slugs, [
      ['bmc', true],
      ['ssh', false],
    ]);
  });

  test('bills of materials are found by MAC and never show the first password', async (t) => {
    const { call, service, database } = await open(t);
    const bill = {
      serial_num: 'S1',
      aoc_mac_address: '02:00:00:00:00:01,02:00:00:00:00:02',
      bmc_mac_address: '02-00-00-00-00-03',
      num_def_pwd: password,
    };
    assert.equal((await call('POST', '/bill-of-materials/batch-upload', { body: [bill] })).status, 200);
    const found = await call('GET', '/bill-of-materials/bmc-mac-address/02:00:00:00:00:03');
    assert.equal(found.body.record.serial_num, 'S1');
    assert.doesNotMatch(JSON.stringify(found.body), /horse/);
    assert.equal(await service.billsOfMaterials.readPassword('S1'), password);
    const bare = await createServerservice({ database });
    assert.equal((await bare.billsOfMaterials.findByMac('aoc', '02:00:00:00:00:02')).serial, 'S1');
    const rows = await database.read((tx) => tx.all('SELECT * FROM inventory_boms'));
    assert.doesNotMatch(JSON.stringify(rows), /horse/);
    assert.equal((await call('GET', '/bill-of-materials/aoc-mac-address/02:00:00:00:00:03')).status, 404);
    const other = [{ serial_num: 'S0' }, { ...bill, serial_num: 'S2' }];
    assert.equal((await call('POST', '/bill-of-materials/batch-upload', { body: other })).status, 409);
    const wrong = await call('POST', '/bill-of-materials/batch-upload', { body: [{ ...bill, bmc_mac_address: 'x' }] });
    assert.match(
      wrong.body.error,
      /body\.0\.bmc_mac_address: must match pattern .* MACs of the BMC, with commas between/,
    );
  });
}
