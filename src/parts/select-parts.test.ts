import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getProductsOf, selectParts } from './select-parts.ts';

const nic = (model: string, more: { softwareIds?: readonly string[]; manufacturer?: string } = {}) => ({
  ...{ name: 'nic', manufacturer: 'NVIDIA', model },
  ...more,
});
const products = [
  nic('ConnectX-6'),
  nic('ConnectX-6 Lx'),
  nic('ConnectX-6 Lx 25G', { softwareIds: ['110222'] }),
  nic('', { manufacturer: 'Broadcom' }),
];

for (const [what, part, models] of [
  ['its own name', nic('ConnectX-6'), ['ConnectX-6']],
  ['the closest name', nic('Mellanox ConnectX-6 Lx Dual'), ['ConnectX-6 Lx']],
  ['the longer name', nic('ConnectX-6 Lx 25G SFP28'), ['ConnectX-6 Lx 25G']],
  [
    'the id, and the closest name of those that have none',
    { ...nic('ConnectX-6 Lx'), softwareId: '110222' },
    ['ConnectX-6 Lx', 'ConnectX-6 Lx 25G'],
  ],
  [
    'one of several ids',
    { ...nic('ConnectX-6 Lx 25G'), softwareId: '1', otherSoftwareIds: ['110222'] },
    ['ConnectX-6 Lx', 'ConnectX-6 Lx 25G'],
  ],
  ['no other id', { ...nic('ConnectX-6 Lx 25G'), softwareId: '1' }, ['ConnectX-6 Lx']],
  ['the maker alone', { ...nic(''), manufacturer: 'Broadcom Inc.' }, ['']],
] as const) {
  test(`a part takes what is published for ${what}`, () => {
    const found = getProductsOf(products, part, 'Dell Inc.').map(({ model }) => model);
    assert.deepEqual(found, models);
  });
}

const dell = (model: string) => nic(model, { manufacturer: 'Dell Inc.' });
const installed = [
  { ...nic('Nvidia ConnectX-6 Lx 2x 25G', { manufacturer: 'Mellanox' }), softwareId: '110222', slot: 'NIC.1' },
  { ...nic('Adv. Dual 25Gb', { manufacturer: 'Broadcom' }), softwareId: '110217', slot: 'NIC.2' },
  { name: 'psu', manufacturer: 'Dell Inc.', softwareId: '1', otherSoftwareIds: ['110264'], slot: 'PSU.1' },
];
const published = [
  { ...nic('Nvidia ConnectX-6 Lx'), softwareIds: ['110222'] },
  { ...nic('Adv. Dual 25Gb'), softwareIds: ['110222'] },
  { name: 'psu', manufacturer: 'Dell Inc.', model: 'Power Supply', softwareIds: ['110264'] },
];

for (const [what, selector, slots] of [
  ['the product that the BMC tells', dell('nvidia connectx-6 lx 2x 25g'), ['NIC.1']],
  ['the product as it is published', dell('Nvidia  ConnectX-6 LX'), ['NIC.1']],
  ['a product that only the catalogue has a name for', { ...dell('Power Supply'), name: 'psu' }, ['PSU.1']],
  ['the product that the BMC tells before one that is published', dell('Adv. Dual 25Gb'), ['NIC.2']],
  ['a published product of another maker', nic('Nvidia ConnectX-6 Lx', { manufacturer: 'Intel' }), []],
  ['a published product in another slot', { ...dell('Nvidia ConnectX-6 Lx'), slot: 'NIC.2' }, []],
  ['the second id of a part', { ...dell(''), name: 'psu', softwareId: '110264' }, ['PSU.1']],
  ['an id of no part', { ...dell(''), name: 'psu', softwareId: '110265' }, []],
  ['a product that nobody knows', dell('E810'), []],
] as const) {
  test(`a selector names ${what}`, () => {
    const context = { parts: installed, products: published, serverManufacturer: 'Dell Inc.' };
    const found = selectParts(selector, context);
    assert.deepEqual(
      found.map(({ slot }) => slot),
      slots,
    );
  });
}
