import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CatalogContents, CatalogQuery, FirmwareEntry } from '../../catalogs/index.ts';
import { discoverFirmware } from './discover-firmware.ts';

function entry(component: string, version: string, more: Partial<FirmwareEntry> = {}): FirmwareEntry {
  return {
    component,
    name: component,
    manufacturer: 'Dell Inc.',
    version,
    models: ['PowerEdge R640'],
    softwareIds: [],
    line: component,
    fileName: `${component}-${version}.exe`,
    url: `https://example.test/${component}-${version}.exe`,
    sizeBytes: undefined,
    digests: [{ algorithm: 'sha256', hex: 'ab'.repeat(32) }],
    releaseDate: undefined,
    isRebootNeeded: undefined,
    ...more,
  };
}

const order = { manufacturer: 'Dell', model: 'R640', versionsToStore: 2 };
const sources = [
  { format: 'plain', location: 'https://one.test/' },
  { format: 'plain', location: 'https://two.test/' },
] as const;

function readerOf(...contents: readonly (readonly FirmwareEntry[])[]) {
  let at = 0;
  return {
    async read(): Promise<CatalogContents> {
      const entries = contents[at] ?? [];
      at += 1;
      return { entries, seen: entries.length, held: entries.length };
    },
  };
}

test('versions of all sources are put together, the newest are kept, the oldest of them first', async () => {
  const reader = readerOf(
    [entry('bios', '2.10.0'), entry('bios', '2.9.1'), entry('nic', '1.0', { manufacturer: 'Intel' })],
    [entry('bios', '2.2.0', { manufacturer: 'DELL' }), entry('bios', '2.11.0', { manufacturer: 'DELL' })],
  );
  const { firmwares, images } = await discoverFirmware({ reader, sources }, order);
  assert.deepEqual(firmwares, [
    { name: 'bios', manufacturer: 'Dell Inc.', versions: ['2.10.0', '2.11.0'] },
    { name: 'nic', manufacturer: 'Intel', versions: ['1.0'] },
  ]);
  assert.deepEqual(
    images
      .filter(({ isListed }) => isListed)
      .map(({ version }) => version)
      .sort(),
    ['1.0', '2.10.0', '2.11.0'],
  );
  // What the list has no room for can be installed as well.
  assert.deepEqual(
    images
      .filter(({ isListed }) => !isListed)
      .map(({ version }) => version)
      .sort(),
    ['2.2.0', '2.9.1'],
  );
  assert.deepEqual(images[0]?.models, ['PowerEdge R640', 'R640']);
  assert.equal(images[0]?.checksum, `sha256:${'ab'.repeat(32)}`);
});

test('every version goes into the catalogue, however few are listed', async () => {
  const versions = Array.from({ length: 30 }, (_, at) => `2.${at}.0`);
  for (const sourceCount of [1, 2]) {
    const all = versions.map((version) => entry('bios', version));
    // As a catalogue is read: the newest versions that are asked for.
    const read = async (_: unknown, { versionsToStore = all.length }: CatalogQuery): Promise<CatalogContents> => {
      const entries = all.toReversed().slice(0, versionsToStore);
      return { entries, seen: all.length, held: all.length };
    };
    const tools = { reader: { read }, sources: sources.slice(0, sourceCount) };
    const { firmwares, images } = await discoverFirmware(tools, order);
    assert.deepEqual(firmwares[0]?.versions, ['2.28.0', '2.29.0']);
    assert.deepEqual(new Set(images.map(({ version }) => version)), new Set(versions));
  }
});

test('of more images than a report may have the oldest of each product are left out', async () => {
  const old = Array.from({ length: 5000 }, (_, at) => entry('bios', `1.${at}.0`));
  const cards = ['1.0', '2.0', '3.0'].map((version) => entry('nic', version));
  const { images } = await discoverFirmware(
    { reader: readerOf([...old, ...cards]), sources: sources.slice(0, 1) },
    order,
  );
  assert.equal(images.length, 5000);
  const has = (component: string, version: string) =>
    images.some((one) => one.component === component && one.version === version);
  assert.deepEqual(
    [has('nic', '1.0'), has('nic', '3.0'), has('bios', '1.4999.0'), has('bios', '1.0.0')],
    [true, true, true, false],
  );
});

test('each product of one maker has its own list of versions', async () => {
  const cards = ['a', 'b', 'c', 'd', 'e'].map((line, at) =>
    entry('nic', `22.3${at}.6`, {
      manufacturer: 'Broadcom',
      name: `Card ${line}`,
      line,
      softwareIds: [line],
      fileName: `${line}.exe`,
    }),
  );
  for (const contents of [[cards], [cards.slice(0, 2), cards.slice(1)]]) {
    const tools = { reader: readerOf(...contents), sources: sources.slice(0, contents.length) };
    const { firmwares, images } = await discoverFirmware(tools, order);
    assert.deepEqual(
      firmwares,
      ['a', 'b', 'c', 'd', 'e'].map((line, at) => ({
        ...{ name: 'nic', manufacturer: 'Broadcom', model: `Card ${line}` },
        softwareIds: [line],
        versions: [`22.3${at}.6`],
      })),
    );
    assert.deepEqual(images.map(({ fileName }) => fileName).sort(), ['a.exe', 'b.exe', 'c.exe', 'd.exe', 'e.exe']);
  }
});

test('the same image in two catalogues is one, and one without a digest says so', async () => {
  const bare = entry('bmc', '7.0', { digests: [] });
  const first = entry('bios', '2.1.0', { softwareIds: ['159'], models: ['R740'] });
  const reader = readerOf([first, bare], [entry('bios', '2.1.0', { softwareIds: ['160', '159'] })]);
  const { images } = await discoverFirmware({ reader, sources }, order);
  assert.deepEqual(
    images.map(({ component, checksum }) => [component, checksum !== '']),
    [
      ['bios', true],
      ['bmc', false],
    ],
  );
  assert.deepEqual(images[0]?.softwareIds, ['159', '160']);
  assert.deepEqual(images[0]?.models, ['R740', 'R640', 'PowerEdge R640']);
});

test('a catalogue that cannot be read is no half of a list', async () => {
  const read = async () => Promise.reject(new Error('truncated'));
  await assert.rejects(discoverFirmware({ reader: { read }, sources }, order), /truncated/);
});

test('images found for a machine type are for the models of its servers, by which installs look for them', async () => {
  const reader = readerOf([entry('bios', '1.0', { models: ['7X21'] })]);
  const typed = { ...order, manufacturer: 'Lenovo', model: '7x21', otherModels: ['7X21', 'ThinkSystem SR530'] };
  const { images } = await discoverFirmware({ reader, sources: sources.slice(0, 1) }, typed);
  assert.deepEqual(images[0]?.models, ['7X21', '7x21', 'ThinkSystem SR530']);
});
