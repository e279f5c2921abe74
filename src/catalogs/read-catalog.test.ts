import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { defaultCatalogLimits } from './limits.ts';
import { readCatalog } from './read-catalog.ts';
import {
  dellCatalog,
  dellPackages,
  hashOf,
  hpeIndex,
  lenovoIndex,
  lenovoXml,
  plainCatalog,
} from './testing/fixtures.ts';
import { folderWith, inShort, utf16 } from './testing/read-text.ts';

const r640 = { manufacturer: 'Dell Inc.', model: 'PowerEdge R640' };
const text = dellCatalog(dellPackages);

const encodings: readonly (readonly [string, string, Uint8Array | string])[] = [
  ['UTF-16, little end first', 'Catalog.xml', utf16(text)],
  ['UTF-16, big end first', 'Catalog.xml', utf16(text, { isBig: true })],
  ['UTF-16 without a mark', 'Catalog.xml', Buffer.from(text, 'utf16le')],
  ['UTF-8 that says it is UTF-16', 'Catalog.xml', text],
  ['UTF-8 with a mark', 'Catalog.xml', `\uFEFF${text}`],
  ['UTF-16, packed', 'Catalog.xml.gz', gzipSync(utf16(text))],
];

for (const [encoding, name, bytes] of encodings) {
  test(`Dell's catalogue is read in ${encoding}`, async (context) => {
    const location = await folderWith(context, { [name]: bytes });
    const { entries, seen } = await readCatalog({ format: 'dell', location }, r640);
    assert.equal(seen, dellPackages.length);
    assert.deepEqual(inShort(entries), [
      'bios Dell 2.21.2',
      'bios Dell 2.19.1',
      'bios Dell 2.9.1',
      'bmc Dell 7.00.00.00',
      'nic Broadcom 22.31.6',
    ]);
  });
}

test("an entry of Dell's catalogue has all that is needed to fetch and install it", async (context) => {
  const location = await folderWith(context, { 'Catalog.xml': text });
  const { entries } = await readCatalog({ format: 'dell', location }, { ...r640, versionsToStore: 2 });
  assert.deepEqual(entries[1], {
    component: 'bios',
    name: 'BIOS',
    manufacturer: 'Dell',
    version: '2.19.1',
    models: ['PowerEdge R640'],
    softwareIds: ['159'],
    line: '159',
    fileName: 'BIOS_2.19.1.EXE',
    url: 'https://downloads.dell.com/FOLDER01/1/BIOS_2.19.1.EXE',
    sizeBytes: 31_457_280,
    digests: [
      { algorithm: 'sha256', hex: hashOf('sha256', 'a') },
      { algorithm: 'md5', hex: hashOf('md5', 'FOLDER01/1/BIOS_2.19.1.EXE') },
    ],
    releaseDate: '2023-06-22',
    isRebootNeeded: true,
  });
  assert.deepEqual(
    entries.filter(({ component }) => component === 'bios').map(({ version }) => version),
    ['2.21.2', '2.19.1'],
    'only so many versions of each are kept',
  );
});

test('images of a copy are where the copy is', async (context) => {
  const copy = await folderWith(context, { 'Catalog.xml': dellCatalog(dellPackages, '') });
  const beside = await readCatalog({ format: 'dell', location: copy }, r640);
  assert.equal(beside.entries[0]?.url, `file://${copy}/FOLDER02/1/BIOS_2.21.2.EXE`);
  const moved = { format: 'dell', location: copy, baseUrl: 'http://firmware.example/dell' } as const;
  const elsewhere = await readCatalog(moved, r640);
  assert.equal(elsewhere.entries[0]?.url, 'http://firmware.example/dell/FOLDER02/1/BIOS_2.21.2.EXE');
});

test('a model is found by its own name, with its brand or without, and no other one is', async (context) => {
  const location = await folderWith(context, { 'Catalog.xml': text });
  const count = async (model: string): Promise<number> =>
    (await readCatalog({ format: 'dell', location }, { manufacturer: 'DELL', model })).entries.length;
  assert.deepEqual(
    await Promise.all(['R640', 'poweredge r640', 'PowerEdge R750', 'R640xd', 'R64', '640'].map(count)),
    [5, 5, 1, 0, 0, 0],
  );
  const hpe = await readCatalog({ format: 'dell', location }, { manufacturer: 'HPE', model: 'R640' });
  assert.deepEqual(hpe.entries, []);
});

const packings: readonly (readonly [packageType: string, fileName: string, isTaken: boolean])[] = [
  ['LW64', 'a.EXE', true],
  ['LWXP', 'a.EXE', true],
  ['LW32', 'a.exe', true],
  ['LW64', 'a.bin', true],
  ['', 'a.EXE', true],
  ['', 'firmimg.d9', true],
  ['SOME', 'a.EXE', true],
  ['LLXP', 'a.BIN', false],
  ['LLX6', 'a.BIN', false],
  ['llxp', 'a.bin', false],
  ['LLXP', 'a', false],
  ['', 'a.BIN', false],
  ['SOME', 'a.bin', false],
];
for (const [packageType, fileName, isTaken] of packings) {
  const what = `a package ${fileName} of ${packageType === '' ? 'no type' : `the type ${packageType}`}`;
  test(`${what} is ${isTaken ? 'taken' : 'left out: no BMC takes it'}`, async (context) => {
    const one = { path: `FOLDER01/1/${fileName}`, version: '2.19.1', packageType };
    const location = await folderWith(context, { 'Catalog.xml': dellCatalog([one]) });
    const { entries, seen } = await readCatalog({ format: 'dell', location }, r640);
    assert.deepEqual([entries.length, seen], [isTaken ? 1 : 0, 1]);
  });
}

test('a PowerEdge is found also where its brand is shown as Enterprise Servers', async (context) => {
  const one = { path: 'FOLDER01/1/a.EXE', version: '1.5.0', brand: 'Enterprise Servers', model: 'XR5610' };
  const location = await folderWith(context, { 'Catalog.xml': dellCatalog([one]) });
  const count = async (model: string): Promise<number> =>
    (await readCatalog({ format: 'dell', location }, { manufacturer: 'Dell', model })).entries.length;
  const models = ['PowerEdge XR5610', 'XR5610', 'PowerEdge XR5610t', 'PowerEdge R5610', 'PowerVault XR5610'];
  assert.deepEqual(await Promise.all(models.map(count)), [1, 1, 0, 0, 0]);
});

test("Dell's SATA drives are drives, and what controls them is not", async (context) => {
  const sata = { type: 'FRMW', category: 'Serial ATA', version: 'MA8F' };
  const location = await folderWith(context, {
    'Catalog.xml': dellCatalog([
      {
        ...sata,
        path: 'F/1/Serial-ATA_MA8F.EXE',
        name: 'Seagate MA8F for model number(s) ST6000NM0024',
        device: 'Makara',
      },
      { ...sata, path: 'F/2/BOSS.EXE', name: 'Dell BOSS-S1', device: 'BOSS-S1', componentId: '2' },
    ]),
  });
  const { entries } = await readCatalog({ format: 'dell', location }, r640);
  assert.deepEqual(inShort(entries), ['drive Seagate MA8F', 'storage-controller Dell MA8F']);
});

test("the index of HPE's repositories is read, with what its descriptions tell of models", async (context) => {
  const location = await folderWith(context, { 'fwrepodata/fwrepo.json': JSON.stringify(hpeIndex) });
  const query = { manufacturer: 'Hewlett Packard Enterprise', model: 'ProLiant DL360 Gen10' };
  const { entries } = await readCatalog({ format: 'hpe', location }, query);
  assert.deepEqual(inShort(entries), [
    'bios HPE 2.80_04-20-2023',
    'bios HPE 2.68_07-14-2022',
    'bmc HPE 2.99',
    'nic Mellanox 22.41.1000',
  ]);
  const [newest, , ilo] = entries;
  assert.equal(newest?.url, `file://${location}/U32_2.80_04_20_2023.fwpkg`);
  assert.deepEqual(newest?.models, ['ProLiant DL360 Gen10', 'ProLiant DL380 Gen10']);
  assert.equal(newest?.releaseDate, '2023-05-11');
  assert.equal(newest?.isRebootNeeded, true);
  assert.deepEqual(newest?.digests, [], 'the index has none');
  assert.deepEqual([ilo?.models, ilo?.isRebootNeeded], [[], false]);
});

test("Lenovo's indexes and older XML files are read from one folder", async (context) => {
  const location = await folderWith(context, {
    'lnvgy_bundle_svcpack_index.json': JSON.stringify(lenovoIndex),
    'lnvgy_fw_xcc_afbt58b-5.90_anyos_noarch.xml': lenovoXml(),
    'Onecli-update-compare.xml': '<not read',
  });
  const read = async (model: string, otherModels: readonly string[] = []) =>
    inShort(
      (await readCatalog({ format: 'lenovo', location }, { manufacturer: 'Lenovo', model, otherModels })).entries,
    );
  assert.deepEqual(await read('7D75'), ['bmc Lenovo QGX330D-5.10', 'nic Broadcom 227.1.115.0']);
  assert.deepEqual(await read('7D76CTO1WW'), ['bmc Lenovo QGX330D-5.10', 'nic Broadcom 227.1.115.0']);
  assert.deepEqual(await read('ThinkSystem SR650 V3', ['7D75']), [
    'bmc Lenovo QGX330D-5.10',
    'nic Broadcom 227.1.115.0',
  ]);
  assert.deepEqual(await read('ThinkSystem SR650'), ['bmc Lenovo AFBT58B-5.90']);
  assert.deepEqual(await read('7X06'), ['bmc Lenovo AFBT58B-5.90']);
});

for (const [name, content] of [
  ['catalog.json', JSON.stringify(plainCatalog)],
  ['catalog.yaml', stringify(plainCatalog)],
  ['catalog.json.gz', gzipSync(JSON.stringify(plainCatalog))],
] as const) {
  test(`our own catalogue is read from ${name}`, async (context) => {
    const location = await folderWith(context, { [name]: content });
    const { entries, seen } = await readCatalog({ format: 'plain', location }, r640);
    assert.deepEqual(inShort(entries), [
      'bios Dell Inc. 2.21.2',
      'bios Dell Inc. 2.19.1',
      'nic Mellanox Technologies 16.35.2000',
    ]);
    assert.equal(seen, 4);
    assert.deepEqual(
      entries.map(({ url }) => url),
      [
        'https://images.example/bios-2.21.2.bin',
        `file://${location}/images/bios-2.19.1.bin`,
        `file://${location}/images/cx5.bin`,
      ],
    );
  });
}

test('several files in a folder are one catalogue', async (context) => {
  const [first, ...others] = plainCatalog.firmware;
  const part = (firmware: unknown) => JSON.stringify({ ...plainCatalog, firmware });
  const location = await folderWith(context, { 'a.json': part([first]), 'b.json': part(others) });
  assert.equal((await readCatalog({ format: 'plain', location }, r640)).entries.length, 3);
});

test('images of one version count once when versions are counted', async (context) => {
  const twice = [...dellPackages, { path: 'FOLDER09/1/BIOS_2.21.2_other.EXE', version: '2.21.2', date: '2024-03-05' }];
  const location = await folderWith(context, { 'Catalog.xml': dellCatalog(twice) });
  const { entries } = await readCatalog({ format: 'dell', location }, { ...r640, versionsToStore: 1 });
  const files = entries.filter(({ component }) => component === 'bios').map(({ fileName }) => fileName);
  assert.deepEqual(files.sort(), ['BIOS_2.21.2.EXE', 'BIOS_2.21.2_other.EXE']);
});

test('YAML may begin as its documents do, after words for people', async (context) => {
  const text = `# What we released.\n\n--- # all of it\n${stringify(plainCatalog)}...\n`;
  const location = await folderWith(context, { 'a.yaml': text });
  const query = { manufacturer: 'Dell', model: 'PowerEdge R640' };
  assert.equal((await readCatalog({ format: 'plain', location }, query)).entries.length, 3);
});

test('thousands of versions of one firmware are sorted out in one go', { timeout: 300_000 }, async (context) => {
  const [first] = plainCatalog.firmware;
  const firmware = Array.from({ length: defaultCatalogLimits.maxMatches }, (_, at) => ({
    ...first,
    version: `1.${at % 10_000}.0`,
    url: `images/${at}.bin`,
  }));
  const location = await folderWith(context, { 'a.json': JSON.stringify({ ...plainCatalog, firmware }) });
  const query = { manufacturer: 'Dell', model: 'PowerEdge R640' };
  const { entries } = await readCatalog({ format: 'plain', location }, query);
  assert.equal(entries.length, firmware.length);
  const newest = await readCatalog({ format: 'plain', location }, { ...query, versionsToStore: 100 });
  assert.equal(newest.entries.length, 200, 'each version has two images');
});
