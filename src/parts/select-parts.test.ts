import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getProductsOf } from './select-parts.ts';

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
  ['no other id', { ...nic('ConnectX-6 Lx 25G'), softwareId: '1' }, ['ConnectX-6 Lx']],
  ['the maker alone', { ...nic(''), manufacturer: 'Broadcom Inc.' }, ['']],
] as const) {
  test(`a part takes what is published for ${what}`, () => {
    const found = getProductsOf(products, part, 'Dell Inc.').map(({ model }) => model);
    assert.deepEqual(found, models);
  });
}
