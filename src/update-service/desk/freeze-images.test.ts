import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createCatalogReader } from '../../catalogs/index.ts';
import { discoverFirmware } from '../../jobs/index.ts';
import type { FirmwareDraft } from '../../serverservice/index.ts';
import { isUpdateError } from '../errors.ts';
import { toCatalogue } from '../reports/catalogue-images.ts';
import { setUpUpdates, sha } from '../testing/update-rig.ts';

const serverC = '0c000000-0000-4000-8000-00000000000c';
const repositoryUrl = 'https://images.test/image.bin';

const sumOf = (digit: string): string => `sha256:${digit.repeat(64)}`;

interface Shown {
  readonly filename: string;
  readonly software_ids?: readonly string[];
}

/** A service that answers which files an update of server alpha would be done with. */
async function setUp(t: TestContext, vendor = 'dell') {
  const rig = await setUpUpdates(t);
  const server = vendor === 'dell' ? 'alpha' : 'gamma';
  if (vendor !== 'dell') {
    const machine = { id: serverC, name: server, facility: 'fc1', vendor, model: 'PowerEdge R640', serial: server };
    await rig.service.servers.create({ ...machine, bmcAddress: `https://${server}.test` });
  }
  /** What an inventory of the server saw: component, vendor and ids of each slot. */
  const see = async (...slots: readonly (readonly [component: string, vendor: string, ...ids: string[]])[]) => {
    const firmware = slots.map(([component, vendor, softwareId, ...otherSoftwareIds], at) => ({
      ...{ slot: `slot-${at}`, component, name: component, version: '1.0', vendor, otherSoftwareIds },
      ...(softwareId === undefined ? {} : { softwareId }),
    }));
    const inventory = { vendor, system: {}, firmware, drives: [], ports: [], gaps: [] };
    const result = { server, firmwares: [], inventoryJson: JSON.stringify({ inventory }), observedAt: 0 };
    await rig.desks.results.server({ user: 'test', mayReportUnfenced: true }, result);
  };
  const add = (filename: string, softwareIds: readonly string[], more: Partial<FirmwareDraft> = {}) => {
    const draft = { component: 'bmc', vendor: 'dell', version: '3.05', models: ['PowerEdge R640'], filename };
    return rig.service.firmware.create({ ...draft, repositoryUrl, softwareIds, checksums: [sha], ...more });
  };
  const ask = async (name: string, version: string, manufacturer = ''): Promise<readonly Shown[]> => {
    const firmwares = [{ name, manufacturer, version }];
    const { job } = await rig.desks.requests.update({ server, firmwares, client: 'c' });
    await rig.engine.cancel(job.id, { client: 'c', isForced: false, doesInsist: false });
    return job.parameters.firmwares as unknown as Shown[];
  };
  const files = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).map(({ filename }) => filename);
  const refused = async (reason: RegExp, ...asked: Parameters<typeof ask>) =>
    assert.rejects(ask(...asked), (error) => {
      assert.ok(isUpdateError(error, 'firmwareNotFound'), String(error));
      assert.match(error.message, reason);
      return true;
    });
  return { rig, see, add, ask, files, refused };
}

const lightsOut = (generation: number, version: string) => ({
  ...{ date: '20231205', description: `HPE Integrated Lights-Out ${generation}`, deviceclass: 'x' },
  ...{ minimum_active_version: 'null', reboot_required: 'no', target: [`t${generation}`], version },
});

test('a vendor’s index that names no models brings each server only what has its target', async (t) => {
  const { rig, see, ask, refused } = await setUp(t, 'hpe');
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-freeze-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const index = {
    'ilo4.bin': lightsOut(4, '2.82'),
    'ilo5.bin': lightsOut(5, '3.05'),
    'ilo6.bin': lightsOut(6, '1.62'),
  };
  await writeFile(join(folder, 'fwrepo.json'), JSON.stringify(index));
  const reader = createCatalogReader();
  t.after(() => reader.close());
  const order = { manufacturer: 'HPE', model: 'PowerEdge R640', versionsToStore: 3 };
  const { images } = await discoverFirmware({ reader, sources: [{ format: 'hpe', location: folder }] }, order);
  const found = images.map((image) => ({ ...image, checksum: sha }));
  await rig.service.firmware.putAll(toCatalogue(found, rig.service.firmware).drafts);
  await see(['bmc', 'HPE', 't0', 'T5']);
  const [image] = await ask('bmc', '3.05', 'HPE');
  assert.deepEqual([image?.filename, image?.software_ids], ['ilo5.bin', ['t5']]);
  await refused(/ilo6\.bin is for other hardware than this server has, which shows t0, t5/, 'bmc', '1.62', 'HPE');
});

test('of several images of one version that is chosen whose ids the server shows', async (t) => {
  const { see, add, files } = await setUp(t);
  for (const kind of ['4', '5', '6']) await add(`${kind}.bin`, [`t${kind}`, `x${kind}`]);
  await see(['bmc', 'Dell', 'x5'], ['bios', 'Dell', 'x6']);
  assert.deepEqual(await files('bmc', '3.05'), ['5.bin']);
});

test('while nothing tells which of several images fits there is no update; what was read then tells', async (t) => {
  const { see, add, files, refused } = await setUp(t);
  for (const kind of ['5', '6']) await add(`${kind}.bin`, [`t${kind}`]);
  await refused(/5\.bin, 6\.bin are for different hardware.*let the server be scanned/, 'bmc', '3.05');
  await see(['bmc', 'Dell', '0']);
  await refused(/does not tell which one fits/, 'bmc', '3.05');
  await see(['bmc', 'Dell', 't6']);
  assert.deepEqual(await files('bmc', '3.05'), ['6.bin']);
});

test('an image that names no hardware is taken where none does that fits', async (t) => {
  const { see, add, files } = await setUp(t);
  await add('any.bin', []);
  await see(['bmc', 'Dell', 't5']);
  assert.deepEqual(await files('bmc', '3.05'), ['any.bin']);
  await add('6.bin', ['t6']);
  assert.deepEqual(await files('bmc', '3.05'), ['any.bin']);
  await add('5.bin', ['t5']);
  assert.deepEqual(await files('bmc', '3.05'), ['5.bin']);
});

test('a file that names no hardware and is byte for byte one that does is that one, also where the server shows no ids', async (t) => {
  const { see, add, files, refused } = await setUp(t);
  await add('same.bin', []);
  await add('5.bin', ['t5']);
  assert.deepEqual(await files('bmc', '3.05'), ['5.bin']);
  await see(['bmc', 'Dell']);
  assert.deepEqual(await files('bmc', '3.05'), ['5.bin']);
  await add('other.bin', [], { checksums: [`sha256:${'0'.repeat(64)}`] });
  await refused(/does not tell which one fits/, 'bmc', '3.05');
});

test('files of one image count once, and always the same is taken', async (t) => {
  const { rig, files } = await setUp(t);
  const version = 'U32 v2.80 (04/20/2023)';
  const draft = { component: 'bios', vendor: 'hpe', version, models: ['PowerEdge R640'], repositoryUrl };
  const drafts = ['c', 'b', 'a', 'e', 'd'].map((filename) => ({ ...draft, filename, softwareIds: ['159'] }));
  await rig.service.firmware.putAll(drafts.map((one) => ({ ...one, checksums: [sha] })));
  assert.deepEqual(await files('bios', version, 'HPE'), ['a']);
  assert.deepEqual(await files('bios', '2.80', 'HPE'), ['a'], 'in another spelling of the version too');
});

test('a server with two kinds of cards gets the images of both, and of no third kind', async (t) => {
  const { see, add, files } = await setUp(t);
  const nic = { component: 'nic', vendor: 'broadcom', version: '22.31' };
  for (const kind of ['1', '2', '3']) {
    await add(`${kind}.exe`, [kind], nic);
    await add(`${kind}.sh`, [kind], nic);
  }
  await see(['nic', 'Broadcom', '1'], ['nic', 'Broadcom', '2']);
  assert.deepEqual((await files('nic', '22.31', 'Broadcom')).map((name) => name.charAt(0)).sort(), ['1', '2']);
  await see(['nic', 'Broadcom', '1'], ['nic', 'Broadcom', '0']);
  // One of them does not show what it is.
  assert.deepEqual(
    (await files('nic', '22.31', 'Broadcom')).map((name) => name.charAt(0)),
    ['1'],
  );
});

test('what the catalogue lacks is named, and the rest is installed', async (t) => {
  const { rig, see, add } = await setUp(t);
  await add('bios.bin', [], { component: 'bios', version: '2.10' });
  await see(['bios', 'Dell'], ['bmc', 'Dell']);
  const firmwares = [
    { name: 'bios', manufacturer: 'Dell Inc.', version: '2.10' },
    { name: 'bmc', manufacturer: 'Dell Inc.', version: '9.9' },
    { name: 'gpu', manufacturer: 'NVIDIA', version: '1' },
  ];
  const { job, resolved } = await rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' });
  assert.deepEqual(
    (job.parameters.firmwares as unknown as Shown[]).map(({ filename }) => filename),
    ['bios.bin'],
  );
  assert.deepEqual(
    resolved?.map(({ name, reason }) => [name, reason]),
    [
      ['bmc', 'FirmwareNotFound'],
      ['gpu', 'NotApplicable'],
    ],
  );
  assert.match(resolved?.[0]?.message ?? '', /there is no bmc 9\.9 of Dell Inc\./);
});

test('an image goes to the parts that it is for, and the answer names their slots', async (t) => {
  const { rig, see, add } = await setUp(t);
  const nic = { component: 'nic', version: '22.71' };
  await add('broadcom.bin', ['110217'], nic);
  await see(['nic', 'Broadcom', '110217'], ['nic', 'Mellanox', '110222'], ['nic', 'Broadcom', '110217']);
  const ask = async (manufacturer: string, more: { slot?: string } = {}) => {
    const firmwares = [{ name: 'nic', manufacturer, version: '22.71', ...more }];
    const { job, resolved = [] } = await rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' });
    await rig.engine.cancel(job.id, { client: 'c', isForced: false, doesInsist: false });
    const [image] = job.parameters.firmwares as unknown as { slots?: readonly string[] }[];
    return [image?.slots, resolved.map(({ slots }) => slots)];
  };
  assert.deepEqual(await ask('Dell Inc.'), [['slot-0', 'slot-2'], [['slot-0', 'slot-2']]]);
  assert.deepEqual(await ask('Broadcom'), [['slot-0', 'slot-2'], []]);
  assert.deepEqual(await ask('Dell', { slot: 'slot-2' }), [['slot-2'], []]);
  const wrong = {
    server: 'alpha',
    firmwares: [{ name: 'nic', manufacturer: 'Mellanox', version: '22.71' }],
    client: 'c',
  };
  await assert.rejects(rig.desks.requests.update(wrong), (error) => {
    assert.ok(isUpdateError(error, 'firmwareNotFound'));
    assert.equal(error.resolved?.[0]?.reason, 'NotApplicable');
    return true;
  });
});

test('of two images for one part that shows no ids neither is taken, and the rest is installed', async (t) => {
  const { rig, see, add } = await setUp(t);
  const psu = { component: 'psu', version: '1.4' };
  for (const kind of ['1', '2']) await add(`${kind}.bin`, [`PWS-${kind}`], { ...psu, checksums: [sumOf(kind)] });
  await add('bios.bin', [], { component: 'bios', version: '2.10' });
  await see(['psu', 'Dell'], ['psu', 'Dell'], ['bios', 'Dell']);
  const ask = async (...firmwares: readonly { name: string; version: string }[]) => {
    const asked = firmwares.map((one) => ({ ...one, manufacturer: 'Dell Inc.' }));
    const { job, resolved = [] } = await rig.desks.requests.update({ server: 'alpha', firmwares: asked, client: 'c' });
    await rig.engine.cancel(job.id, { client: 'c', isForced: false, doesInsist: false });
    return { files: (job.parameters.firmwares as unknown as Shown[]).map(({ filename }) => filename), resolved };
  };
  const { files, resolved } = await ask({ name: 'psu', version: '1.4' }, { name: 'bios', version: '2.10' });
  assert.deepEqual(files, ['bios.bin']);
  assert.deepEqual(
    resolved.map(({ name, reason, slots }) => [name, reason, slots]),
    [['psu', 'NotApplicable', []]],
  );
  const reason = /1\.bin, 2\.bin are for different hardware.*which one slot-0, slot-1 takes/;
  assert.match(resolved[0]?.message ?? '', reason);
  await see(['psu', 'Dell', 'PWS-2'], ['psu', 'Dell', 'PWS-2']);
  assert.deepEqual((await ask({ name: 'psu', version: '1.4' })).files, ['2.bin']);
});

test('an image that names the product of a part is taken before one for the server', async (t) => {
  const { rig, add } = await setUp(t);
  for (const kind of ['1', '2']) {
    const models = ['PowerEdge R640', `PWS-${kind}`];
    await add(`${kind}.bin`, [`PWS-${kind}`], { component: 'psu', version: '1.4', models, checksums: [sumOf(kind)] });
  }
  const psu = { slot: 'PowerSupply1', component: 'psu', name: 'PowerSupply1', vendor: 'Dell', version: '1.3' };
  const inventory = {
    vendor: 'dell',
    system: {},
    firmware: [{ ...psu, model: 'PWS-2' }],
    drives: [],
    ports: [],
    gaps: [],
  };
  const result = { server: 'alpha', firmwares: [], inventoryJson: JSON.stringify({ inventory }), observedAt: 0 };
  await rig.desks.results.server({ user: 'test', mayReportUnfenced: true }, result);
  const firmwares = [{ name: 'psu', manufacturer: 'Dell Inc.', version: '1.4' }];
  const { job } = await rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' });
  assert.deepEqual(
    (job.parameters.firmwares as unknown as Shown[]).map(({ filename }) => filename),
    ['2.bin'],
  );
});

interface Asked {
  readonly version: string;
  readonly manufacturer?: string;
  readonly model?: string;
  readonly excludedSlots?: readonly string[];
}

/** A server with three NICs of one kind and one of another, and images for both. */
async function setUpCards(t: TestContext) {
  const { rig, see, add } = await setUp(t);
  for (const [version, id, product] of [
    ['22.71', '110217', 'Adv. Dual 25Gb'],
    ['22.31', '110217', 'Adv. Dual 25Gb'],
    ['26.39', '110222', 'ConnectX-6 Lx'],
  ] as const) {
    await add(`${version}.bin`, [id], {
      component: 'nic',
      version,
      models: ['PowerEdge R640', product],
      checksums: [`sha256:${version.slice(3).repeat(32)}`],
    });
  }
  await see(['nic', 'Broadcom', '110217'], ['nic', 'Mellanox', '110222'], ['nic', 'Broadcom', '110217']);
  return async (...firmwares: readonly Asked[]) => {
    const asked = firmwares.map((each) => ({ name: 'nic', manufacturer: 'Dell Inc.', ...each }));
    const { job, resolved = [] } = await rig.desks.requests.update({ server: 'alpha', firmwares: asked, client: 'c' });
    await rig.engine.cancel(job.id, { client: 'c', isForced: false, doesInsist: false });
    const images = job.parameters.firmwares as unknown as { version: string; slots?: readonly string[] }[];
    return {
      images: images.map(({ version, slots = [] }) => [version, ...slots].join(' ')).toSorted(),
      resolved: resolved.map(({ version, slots, reason = 'part' }) => [version, reason, ...slots].join(' ')),
    };
  };
}

test('slots that another entry decides about are left as they are', async (t) => {
  const ask = await setUpCards(t);
  const found = await ask({ version: '22.71', manufacturer: 'Broadcom', excludedSlots: ['slot-2'] });
  assert.deepEqual(found, { images: ['22.71 slot-0'], resolved: [] });
});

test('a firmware names a product as the catalogue does', async (t) => {
  const ask = await setUpCards(t);
  const found = await ask(
    { version: '22.71', model: 'adv. dual 25gb', excludedSlots: ['slot-2'] },
    { version: '26.39', model: 'ConnectX-6 Lx' },
  );
  assert.deepEqual(found, { images: ['22.71 slot-0', '26.39 slot-1'], resolved: [] });
  for (const [model, version, message] of [
    ['Adv. Dual 25Gb', '26.39', /the catalogue has this version for other products than Adv\. Dual 25Gb/],
    ['E810', '26.39', /the catalogue has this version for other products than E810/],
    ['ConnectX-6 Lx', '99', /there is no nic ConnectX-6 Lx 99 of Dell Inc\. .* in the catalogue/],
  ] as const) {
    await assert.rejects(ask({ version, model }), message);
  }
});

test('versions that turn out to be for one part are left out and named, and the rest is installed', async (t) => {
  const ask = await setUpCards(t);
  const found = await ask(
    { version: '22.71' },
    { version: '22.31', manufacturer: 'Broadcom' },
    { version: '26.39', manufacturer: 'NVIDIA' },
  );
  assert.deepEqual(found, {
    images: ['26.39 slot-1'],
    resolved: ['22.71 ContradictoryEntries slot-0 slot-2', '22.31 ContradictoryEntries slot-0 slot-2'],
  });
});

test('a part of which the BMC tells no version is not said to be missing', async (t) => {
  const { rig, add } = await setUp(t);
  await add('nic.bin', ['110217'], { component: 'nic', version: '22.71' });
  const slot = { slot: 'NIC.1', component: 'nic', name: 'nic', version: '', vendor: 'Broadcom', otherSoftwareIds: [] };
  const inventory = { vendor: 'dell', system: {}, firmware: [slot], drives: [], ports: [], gaps: [] };
  const result = { server: 'alpha', firmwares: [], inventoryJson: JSON.stringify({ inventory }), observedAt: 0 };
  await rig.desks.results.server({ user: 'test', mayReportUnfenced: true }, result);
  const firmwares = [{ name: 'nic', manufacturer: 'Broadcom', version: '22.71' }];
  await assert.rejects(rig.desks.requests.update({ server: 'alpha', firmwares, client: 'c' }), (error) => {
    assert.ok(isUpdateError(error, 'firmwareNotFound'));
    assert.match(error.message, /the BMC tells no version of NIC\.1/);
    return true;
  });
});

test('a version that only the list of a discovery hides is installed; one that is nowhere is refused with what to do', async (t) => {
  const { rig, see, files, refused } = await setUp(t, 'hpe');
  const folder = await mkdtemp(join(tmpdir(), 'rackwright-freeze-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const releases = Array.from({ length: 30 }, (_, at) => `3.${10 + at}`);
  const index = Object.fromEntries(releases.map((version) => [`ilo5-${version}.bin`, lightsOut(5, version)]));
  await writeFile(join(folder, 'fwrepo.json'), JSON.stringify(index));
  const reader = createCatalogReader();
  t.after(() => reader.close());
  const order = { manufacturer: 'HPE', model: 'PowerEdge R640', versionsToStore: 1 };
  const tools = { reader, sources: [{ format: 'hpe', location: folder }] as const };
  const { firmwares, images } = await discoverFirmware(tools, order);
  assert.deepEqual(firmwares[0]?.versions, ['3.39']);
  const found = images.map((image) => ({ ...image, checksum: sha }));
  await rig.service.firmware.putAll(toCatalogue(found, rig.service.firmware).drafts);
  await see(['bmc', 'HPE', 't5']);
  assert.deepEqual(await files('bmc', '3.10', 'HPE'), ['ilo5-3.10.bin']);
  await refused(/there is no bmc 9\.9 of HPE .* --catalog .*spec\.versionsToStore .* limits only/, 'bmc', '9.9', 'HPE');
});
