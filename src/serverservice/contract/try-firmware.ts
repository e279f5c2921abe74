import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createServerservice } from '../serverservice.ts';
import { newKey, type Rig } from '../testing/rig.ts';
import type { OpenRig } from './inventory-contract.ts';

const sha256 = 'ab'.repeat(32);
const sha512 = 'cd'.repeat(64);
const md5 = 'ef'.repeat(16);

/** A firmware that can be written. */
export function firmware(more: Record<string, unknown> = {}) {
  return {
    component: 'BIOS',
    vendor: 'Dell',
    model: ['R750', 'r760'],
    filename: 'bios.exe',
    version: '2.1.0',
    checksum: `sha256:${sha256}`,
    repository_url: 'https://fw.example/bios.exe',
    ...more,
  };
}

async function create(rig: Rig, more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await rig.call('POST', '/server-component-firmwares', { body: firmware(more) });
  assert.equal(status, 201, JSON.stringify(body));
  return body.record.uuid;
}

/** Firmware versions and sets. */
export function tryFirmware(open: OpenRig): void {
  test('vendor and component are kept in small letters, models are found in any', async (t) => {
    const rig = await open(t);
    const uuid = await create(rig);
    const { record } = (await rig.call('GET', `/server-component-firmwares/${uuid}`)).body;
    assert.deepEqual([record.vendor, record.component, record.model], ['dell', 'bios', ['R750', 'r760']]);
    const found = async (query: string) =>
      (await rig.call('GET', `/server-component-firmwares?${query}`)).body.total_record_count;
    for (const query of [
      'vendor=DELL',
      'model=r750',
      'model=R760',
      'component=Bios',
      'version=2.1.0',
      'filename=bios.exe',
      `checksum=${sha256}`,
      `checksum=sha256:${sha256}`,
      'repository_url=https://fw.example/bios.exe',
      'install_inband=false',
      'oem=false',
    ])
      assert.equal(await found(query), 1, query);
    for (const query of ['vendor=hp', 'model=R75', 'version=2.1', `checksum=${md5}`, 'install_inband=true', 'oem=true'])
      assert.equal(await found(query), 0, query);
  });

  const checksums: [string, Record<string, unknown>, string, boolean][] = [
    ['SHA-256 bare', { checksum: sha256.toUpperCase() }, `sha256:${sha256}`, false],
    ['SHA-512', { checksum: `sha-512: ${sha512}` }, `sha512:${sha512}`, false],
    ['MD5 of a legacy set', { checksum: `md5sum:${md5}` }, `md5:${md5}`, true],
    ['several', { checksum: undefined, checksums: { sha256, md5 } }, `sha256:${sha256}`, false],
    ['one in two forms', { checksum: sha256, checksums: { sha256 } }, `sha256:${sha256}`, false],
  ];
  test('checksums are told apart, the best is shown, and MD5 alone is warned of', async (t) => {
    const rig = await open(t);
    for (const [name, more, best, isWarned] of checksums) {
      const uuid = await create(rig, { ...more, filename: name });
      const { record } = (await rig.call('GET', `/server-component-firmwares/${uuid}`)).body;
      assert.equal(record.checksum, best, name);
      assert.equal(record.warnings !== undefined, isWarned, name);
    }
  });

  const bad: [string, Record<string, unknown>, RegExp][] = [
    ['no checksum', { checksum: undefined }, /has no checksum; give sha256/],
    ['an empty one', { checksum: '' }, /has no checksum/],
    ['what is no checksum', { checksum: 'xyz' }, /"xyz" is no SHA-256/],
    ['a wrong name', { checksum: `sha256:${md5}` }, /is no SHA-256/],
    [
      'two different ones',
      { checksum: `sha256:${sha256}`, checksums: { sha256: 'cd'.repeat(32) } },
      /two different sha256/,
    ],
    ['a strange URL', { repository_url: 'ftp://x/y' }, /body\.repository_url/],
    ['no URL at all', { repository_url: 'http://' }, /repository_url is not an http/],
    ['an empty version', { version: '' }, /body\.version/],
    ['a blank version', { version: ' ' }, /version is empty/],
    ['a wrong type', { install_inband: 'yes' }, /body\.install_inband: must be boolean/],
  ];
  test('firmware that cannot be used is refused with the reason', async (t) => {
    const { call } = await open(t);
    for (const [name, more, reason] of bad) {
      const { status, body } = await call('POST', '/server-component-firmwares', { body: firmware(more) });
      assert.equal(status, 400, name);
      assert.match(body.error, reason);
    }
    assert.equal((await call('GET', '/server-component-firmwares')).body.total_record_count, 0);
  });

  test('a setting takes firmware without a checksum, with a warning', async (t) => {
    const { call } = await open(t, { isChecksumOptional: true });
    const { status, body } = await call('POST', '/server-component-firmwares', {
      body: firmware({ checksum: undefined }),
    });
    assert.equal(status, 201);
    assert.match(body.record.warnings[0], /no checksum/);
  });

  test('vendor, component, version and filename are there once, also after a change', async (t) => {
    const rig = await open(t);
    const uuid = await create(rig);
    const twice = await rig.call('POST', '/server-component-firmwares', { body: firmware({ vendor: 'DELL' }) });
    assert.deepEqual([twice.status, twice.body.record], [409, { uuid }]);
    const other = await create(rig, { version: '3' });
    const path = `/server-component-firmwares/${other}`;
    assert.equal((await rig.call('PUT', path, { body: firmware() })).status, 409);
    assert.equal((await rig.call('PUT', path, { body: firmware({ version: '4', model: 'X' }) })).status, 200);
    const { record } = (await rig.call('GET', path)).body;
    assert.deepEqual([record.version, record.model], ['4', ['X']]);
    assert.equal(
      (await rig.call('PUT', path, { body: { ...record, version: '5' } })).status,
      200,
      'what was read can be sent back',
    );
    assert.equal(
      (await rig.call('POST', '/server-component-firmwares', { body: firmware({ uuid: other, version: '9' }) })).status,
      409,
    );
  });

  test('log-ins of URLs are sealed at rest, and firmware is found by its URL as it is shown (security.md: image-log-ins)', async (t) => {
    const rig = await open(t);
    const secret = 's3cret'.repeat(3);
    const urls = {
      upstream_url: `https://${secret}@vendor.example/a`,
      repository_url: `https://user:${secret}@images.example/a?X-Amz-Signature=${secret}`,
    };
    const uuid = await create(rig, urls);
    const everything = await rig.database.read((tx) => tx.all('SELECT * FROM inventory_firmware'));
    assert.ok(!JSON.stringify(everything).includes(secret));
    const { url, upstreamUrl } = await rig.service.firmware.get(uuid);
    assert.deepEqual([url, upstreamUrl], [urls.repository_url, urls.upstream_url]);
    const shown = 'https://images.example/a?X-Amz-Signature=[redacted]';
    for (const filter of [shown, urls.repository_url]) {
      const query = new URLSearchParams({ repository_url: filter });
      const { body } = await rig.call('GET', `/server-component-firmwares?${query}`);
      assert.deepEqual(
        body.records.map((one: { uuid: string; repository_url: string }) => [one.uuid, one.repository_url]),
        [[uuid, shown]],
      );
    }
  });

  test('URLs with log-ins that are stored in clear text are sealed at the start', async (t) => {
    const rig = await open(t);
    const key = newKey();
    const before = await createServerservice({ database: rig.database, credentialKeys: [key] });
    const clear = { upstream: '', repository: 'https://user:s3cret@images.example/a' };
    const uuid = await create(rig);
    const plain = await create(rig, { filename: 'other', repository_url: 'https://images.example/a?version=2' });
    await rig.database.write((tx) =>
      tx.run('UPDATE inventory_firmware SET repository_url = ? WHERE id = ?', clear.repository, uuid),
    );
    assert.equal((await before.firmware.get(uuid)).repositoryUrl, clear.repository);
    const after = await createServerservice({ database: rig.database, credentialKeys: [key] });
    const rows = await rig.database.read((tx) => tx.all('SELECT * FROM inventory_firmware'));
    assert.ok(!JSON.stringify(rows).includes('s3cret'));
    assert.equal((await after.firmware.get(uuid)).repositoryUrl, clear.repository);
    assert.equal((await after.firmware.get(plain)).repositoryUrl, 'https://images.example/a?version=2');
  });

  test('log-ins of URLs are shown to nobody, and stay when what was read is sent back', async (t) => {
    const rig = await open(t);
    const urls = {
      upstream_url: 'https://s3cret-token@vendor.example/a',
      repository_url: 'https://user:s3cret@images.example/a?sv=1&sig=s3cret',
    };
    const uuid = await create(rig, urls);
    const set = { name: 'r750', component_firmware_uuids: [uuid] };
    const made = await rig.call('POST', '/server-component-firmware-sets', { body: set });
    const path = `/server-component-firmwares/${uuid}`;
    const { body } = await rig.call('GET', path);
    const many = await rig.call('GET', '/server-component-firmwares');
    const sets = await rig.call('GET', `/server-component-firmware-sets/${made.body.record.uuid}`);
    for (const answer of [body, many.body, made.body, sets.body]) assert.doesNotMatch(JSON.stringify(answer), /s3cret/);
    assert.equal(body.record.upstream_url, 'https://vendor.example/a');
    assert.equal(body.record.repository_url, 'https://images.example/a?sv=1&sig=[redacted]');
    const stored = async () => {
      const {
        upstreamUrl: upstream_url,
        repositoryUrl: repository_url,
        version,
      } = await rig.service.firmware.get(uuid);
      return { upstream_url, repository_url, version };
    };
    assert.equal((await rig.call('PUT', path, { body: { ...body.record, version: '5' } })).status, 200);
    assert.deepEqual(await stored(), { ...urls, version: '5' });
    const moved = { repository_url: 'https://images.example/b', upstream_url: '' };
    assert.equal((await rig.call('PUT', path, { body: { ...body.record, ...moved } })).status, 200);
    assert.deepEqual(await stored(), { ...moved, version: body.record.version });
  });

  test('the catalogue says from which file a version is installed, and discovery may write it often', async (t) => {
    const { service } = await open(t);
    const draft = { component: 'bios', vendor: 'dell', filename: 'a', version: '2.1', checksums: [sha256] };
    const any = await service.firmware.put(draft);
    const again = await service.firmware.put({ ...draft, upstreamUrl: 'https://vendor.example/a' });
    assert.deepEqual([again.id, again.url], [any.id, 'https://vendor.example/a']);
    const exact = await service.firmware.put({ ...draft, filename: 'b', models: ['R750'] });
    await service.firmware.put({ ...draft, filename: 'c', models: ['R640'] });
    const wanted = { vendor: 'Dell', model: 'r750', component: 'BIOS', version: '2.1' };
    assert.deepEqual(
      (await service.firmware.resolve(wanted)).map(({ id }) => id),
      [exact.id, any.id],
    );
    assert.deepEqual(await service.firmware.resolve({ ...wanted, version: '2.2' }), []);
  });

  test('a discovery that brings another checksum for a known file changes nothing (security.md: attacker-with-catalogue)', async (t) => {
    const { service } = await open(t);
    const draft = { component: 'bios', vendor: 'dell', filename: 'a', version: '2.1', checksums: [sha256] };
    const known = await service.firmware.put(draft);
    const other = { ...draft, filename: 'b' };
    const forged = { ...draft, checksums: ['ba'.repeat(32)] };
    const putting = service.firmware.putAll([other, forged], undefined, { areChecksumsFixed: true });
    await assert.rejects(putting, { code: 'checksumChanged' });
    assert.deepEqual(
      await service.firmware.resolve({ vendor: 'dell', model: 'any', component: 'bios', version: '2.1' }),
      [known],
    );
  });

  test('the ids of what firmware is for are kept, and who does not know them takes none away', async (t) => {
    const rig = await open(t);
    const uuid = await create(rig, { software_ids: ['159', ' 160 ', '159', ''] });
    const path = `/server-component-firmwares/${uuid}`;
    const shown = async () => (await rig.call('GET', path)).body.record;
    assert.deepEqual((await shown()).software_ids, ['159', '160']);
    const { record } = (await rig.call('GET', path)).body;
    assert.equal((await rig.call('PUT', path, { body: { ...record, version: '5' } })).status, 200);
    assert.deepEqual((await shown()).software_ids, ['159', '160'], 'what was read can be sent back');
    const bare = { component: 'bios', vendor: 'dell', filename: 'bios.exe', version: '5', checksums: [sha256] };
    const find = (softwareIds?: readonly string[]) =>
      rig.service.firmware.putAll([{ ...bare, softwareIds }], undefined, { areChecksumsFixed: true });
    await find();
    assert.deepEqual((await shown()).software_ids, ['159', '160']);
    await find(['161']);
    assert.deepEqual((await shown()).software_ids, ['161']);
    assert.equal((await rig.call('PUT', path, { body: firmware() })).status, 200);
    assert.deepEqual((await shown()).software_ids, [], 'replacing it replaces them');
    const many = Array.from({ length: 1001 }, (_, at) => `${at}`);
    for (const software_ids of [many, ['x'.repeat(256)], '159']) {
      assert.equal((await rig.call('PUT', path, { body: firmware({ software_ids }) })).status, 400);
    }
    await assert.rejects(find(many), /more than 1000 software ids/);
  });

  test('what fits equally well comes in one order, whatever its id', async (t) => {
    const { service } = await open(t);
    const draft = { component: 'bios', vendor: 'dell', version: '2.1', checksums: [sha256] };
    const names = ['c', 'a', 'e', 'b', 'd'];
    await service.firmware.putAll(names.map((filename) => ({ ...draft, filename })));
    const found = await service.firmware.resolve({ vendor: 'dell', model: 'r750', component: 'bios', version: '2.1' });
    assert.deepEqual(
      found.map(({ filename }) => filename),
      names.toSorted(),
    );
  });

  test('a set has a name, labels and firmware; firmware in a set cannot be deleted', async (t) => {
    const rig = await open(t);
    const [bios, bmc] = [await create(rig), await create(rig, { component: 'bmc' })];
    const { status, body } = await rig.call('POST', '/server-component-firmware-sets', {
      body: { name: 'r750', labels: { vendor: 'dell', model: 'r750' }, component_firmware_uuids: [bios] },
    });
    assert.equal(status, 201);
    const path = `/server-component-firmware-sets/${body.record.uuid}`;
    const refused = await rig.call('DELETE', `/server-component-firmwares/${bios}`);
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, /in the sets r750/);
    await rig.call('PUT', path, { body: { component_firmware_uuids: [bmc, bios], labels: { default: 'true' } } });
    const ids = async (at = path) =>
      (await rig.call('GET', at)).body.record.component_firmware.map((one: { uuid: string }) => one.uuid);
    assert.deepEqual(new Set(await ids()), new Set([bios, bmc]));
    assert.deepEqual((await rig.call('GET', path)).body.record.labels, { default: 'true' });
    const none = await rig.call('POST', `${path}/remove-firmware`, {
      body: { component_firmware_uuids: [bios, randomUUID()] },
    });
    assert.equal(none.status, 400);
    assert.equal((await ids()).length, 2);
    await rig.call('POST', `${path}/remove-firmware`, { body: { component_firmware_uuids: [bios] } });
    assert.deepEqual(await ids(), [bmc]);
    assert.deepEqual(await ids(`/firmware-set/${body.record.uuid}`), [bmc]);
    assert.equal((await rig.call('DELETE', `/server-component-firmwares/${bios}`)).status, 200);
    assert.equal((await rig.call('DELETE', path)).status, 200);
    assert.equal((await rig.call('GET', path)).status, 404);
    assert.equal((await rig.call('DELETE', `/server-component-firmwares/${bmc}`)).status, 200);
  });

  test('sets are refused for a taken name, unknown firmware, or one version of a component twice', async (t) => {
    const rig = await open(t);
    const post = (body: object) => rig.call('POST', '/server-component-firmware-sets', { body });
    const same = [await create(rig), await create(rig, { filename: 'other.exe' })];
    assert.equal((await post({ name: 'a' })).status, 201);
    assert.equal((await post({ name: 'a' })).status, 409);
    const missing = randomUUID();
    assert.match(
      (await post({ name: 'b', component_firmware_uuids: [missing] })).body.error,
      new RegExp(`no firmware ${missing}`),
    );
    assert.match(
      (await post({ name: 'b', component_firmware_uuids: same })).body.error,
      /dell bios 2\.1\.0 would be in it twice/,
    );
    assert.match((await post({ name: ' ' })).body.error, /1 to 255/);
    assert.equal((await rig.call('GET', '/server-component-firmware-sets')).body.total_record_count, 1);
    const other = (await post({ name: 'c' })).body.record.uuid;
    assert.equal(
      (await rig.call('PUT', `/server-component-firmware-sets/${other}`, { body: { name: 'a' } })).status,
      409,
    );
  });

  test('sets are found by name and labels; vendor and model alone mean the default one', async (t) => {
    const rig = await open(t);
    const post = (name: string, labels: Record<string, string>) =>
      rig.call('POST', '/server-component-firmware-sets', {
        body: { name, attributes: [{ namespace: 'sh.hollow.firmware_set.labels', data: labels }] },
      });
    await post('old', { vendor: 'dell', model: 'R750', default: 'true' });
    await post('new', { vendor: 'dell', model: 'R750', latest: 'true' });
    const names = async (query: string, path = '/server-component-firmware-sets') =>
      (await rig.call('GET', `${path}?orderby=name&${query}`)).body.records?.map((one: { name: string }) => one.name);
    assert.deepEqual(await names(''), ['new', 'old']);
    assert.deepEqual(await names('name=new'), ['new']);
    assert.deepEqual(await names('vendor=Dell&model=r750'), ['old']);
    assert.deepEqual(await names('vendor=dell&model=r750&labels=latest%3Dtrue'), ['new']);
    assert.deepEqual(await names('labels=latest%3Dtrue', '/firmware-set'), ['new']);
    assert.deepEqual(await names('labels=latest%3Dtrue,default%3Dtrue'), []);
    assert.deepEqual(await names('limit=1&page=2'), ['old'], 'sets come in pages too');
    const half = await rig.call('GET', '/server-component-firmware-sets?vendor=dell');
    assert.equal(half.status, 400);
    assert.match(half.body.error, /both or neither/);
    assert.equal((await rig.call('GET', '/firmware-set?labels=x')).status, 400);
  });

  test('that a set was found good on a server is noted', async (t) => {
    const rig = await open(t);
    const { id } = await rig.service.servers.create({ facility: 'a' });
    const set = await rig.service.firmwareSets.create({ name: 's' });
    const body = { firmware_set: set.id, target_server: id, performed_on: '2026-01-01T00:00:00Z' };
    const path = '/server-component-firmware-sets/validate-firmware-set';
    assert.equal((await rig.call('POST', path, { body })).status, 200);
    assert.equal((await rig.call('POST', path, { body: { ...body, target_server: randomUUID() } })).status, 404);
    await rig.call('POST', path, { body: { ...body, performed_on: '2026-02-01T00:00:00Z' } });
    const facts = (await rig.call('GET', `/server-component-firmware-sets/${set.id}/validations`)).body;
    assert.deepEqual(
      facts.records.map((one: { target_server: string; performed_on: string }) => [
        one.target_server,
        one.performed_on,
      ]),
      [
        [id, '2026-02-01T00:00:00.000Z'],
        [id, '2026-01-01T00:00:00.000Z'],
      ],
    );
  });
}
