import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CatalogContents, FirmwareEntry } from '../../catalogs/index.ts';
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
  assert.deepEqual(images.map(({ version }) => version).sort(), ['1.0', '2.10.0', '2.11.0']);
  assert.deepEqual(images[0]?.models, ['PowerEdge R640', 'R640']);
  assert.equal(images[0]?.checksum, `sha256:${'ab'.repeat(32)}`);
});

test('the same image in two catalogues is one, and one without a digest says so', async () => {
  const bare = entry('bmc', '7.0', { digests: [] });
  const reader = readerOf([entry('bios', '2.1.0'), bare], [entry('bios', '2.1.0')]);
  const { images } = await discoverFirmware({ reader, sources }, order);
  assert.deepEqual(
    images.map(({ component, checksum }) => [component, checksum !== '']),
    [
      ['bios', true],
      ['bmc', false],
    ],
  );
});

test('a catalogue that cannot be read is no half of a list', async () => {
  const read = async () => Promise.reject(new Error('truncated'));
  await assert.rejects(discoverFirmware({ reader: { read }, sources }, order), /truncated/);
});
