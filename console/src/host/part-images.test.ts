import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firmwareSlots, imagesForComponent } from './firmware-slots.ts';
import type { CatalogueEntry } from './part-images.ts';

const model = 'PowerEdge R750';

/** An image as discovery files it: for the server that it was found for, and for a product. */
function image(component: string, version: string, more: Partial<CatalogueEntry> = {}): CatalogueEntry {
  const { model: names = [] } = more;
  const entry = { uuid: `${component} ${version}`, component, vendor: 'dell', version, repository_url: version };
  return { ...entry, ...more, model: [model, ...names] };
}

const catalogue = [
  image('bios', '1.9'),
  image('bios', '1.10'),
  { ...image('bios', '9'), model: ['PowerEdge R6525'] },
  image('nic', '21.8', { vendor: 'broadcom', model: ['Broadcom 57414'], software_ids: ['110217'] }),
  image('nic', '22.9', { vendor: 'broadcom', model: ['Broadcom 57414'], software_ids: ['110217'] }),
  image('nic', '26.35', { vendor: 'mellanox', model: ['ConnectX-6 Lx', 'PowerEdge R650'] }),
  image('nic', '26.39', { vendor: 'mellanox', model: ['ConnectX-6 Lx', 'PowerEdge R650'] }),
  image('nic', '99', { vendor: 'intel', model: ['E810', 'PowerEdge R650'] }),
  image('psu', '3', { model: ['PowerEdge R650'] }),
];

const broadcom = { name: 'nic', manufacturer: 'Broadcom', model: 'BCM57414', softwareId: '110217' };
const mellanox = { name: 'nic', manufacturer: 'Mellanox', model: 'Mellanox ConnectX-6 Lx Dual Port' };
const bios = { name: 'bios', manufacturer: 'Dell Inc.', slot: 'BIOS.Setup.1-1', version: '1.9' };
const parts = [
  bios,
  { ...broadcom, slot: 'NIC.Slot.2-1-1', version: '21.8' },
  { ...mellanox, slot: 'NIC.Slot.3-1-1', version: '26.35' },
];

function known(firmwares: readonly { name: string; version: string }[], told: Readonly<Record<string, string>> = {}) {
  const components = Object.entries(told).map(([component, currentVersion]) => ({ component, currentVersion }));
  return {
    components: { metadata: { name: 'a' }, status: { components } },
    server: { metadata: { name: 'a' }, status: { firmwares } },
    hardware: { manufacturer: 'Dell Inc.', productName: model },
  };
}

function availableFor(
  firmwares: readonly { name: string; version: string }[],
  images = catalogue,
): readonly string[][] {
  return firmwareSlots({ ...known(firmwares), catalogue: images }).map(({ available }) => [...available]);
}

test('of images for one server each product has its own', () => {
  assert.deepEqual(availableFor(parts), [
    ['1.10', '1.9'],
    ['22.9', '21.8'],
    ['26.39', '26.35'],
  ]);
});

test('a product whose installed version the catalogue lacks is offered its own versions and no others', () => {
  assert.deepEqual(availableFor(parts.map((part) => ({ ...part, version: '0' }))).slice(1), [
    ['22.9', '21.8'],
    ['26.39', '26.35'],
  ]);
  const unknown = [bios, { name: 'nic', manufacturer: '', version: '0' }];
  assert.deepEqual(availableFor(unknown)[1], []);
});

test('the installed version leads to others of its kind, not to all that are for the same servers', () => {
  const unnamed = { name: 'nic', manufacturer: '' };
  const installed = (version: string) => availableFor([bios, { ...unnamed, version }])[1];
  assert.deepEqual(installed('21.8'), ['22.9', '21.8']);
  assert.deepEqual(installed('26.35'), ['26.39', '26.35']);
  const twice = [...catalogue, { ...image('nic', '21.8', { model: ['X710'] }), uuid: 'another' }];
  assert.deepEqual(availableFor([bios, { ...unnamed, version: '21.8' }], twice)[1], []);
});

test('what names only servers is offered where one product is possible', () => {
  const own = [image('bios', '1.9'), image('nic', '5'), image('nic', '6')];
  assert.deepEqual(availableFor([bios, { ...broadcom, version: '5' }], own)[1], ['6', '5']);
  assert.deepEqual(availableFor(parts, own).slice(1), [[], []]);
});

test('a live update of a card is offered what the part in its slot takes', () => {
  const host = known(parts, { bios: '1.9', 'nic:NIC.Slot.2-1-1': '21.8', 'nic:NIC.Slot.3': '0' });
  const offered = (component: string) => imagesForComponent(component, host, catalogue).map(({ version }) => version);
  assert.deepEqual(offered('bios'), ['1.9', '1.10']);
  assert.deepEqual(offered('nic:NIC.Slot.2-1-1'), ['21.8', '22.9']);
  assert.deepEqual(offered('nic:NIC.Slot.3'), ['26.35', '26.39']);
  assert.deepEqual(offered('nic:NIC.Slot.9'), []);
});

test('a host without a server is offered what its versions and its model tell', () => {
  const { components, hardware } = known([], { bios: '1.9', 'nic:eno1': '26.35', 'nic:eno2': '0' });
  const host = { components, hardware, server: undefined };
  const offered = (component: string) => imagesForComponent(component, host, catalogue).map(({ version }) => version);
  assert.deepEqual(offered('bios'), ['1.9', '1.10']);
  assert.deepEqual(offered('nic:eno1'), ['26.35', '26.39']);
  assert.deepEqual(offered('nic:eno2'), []);
});
