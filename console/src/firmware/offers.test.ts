import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getProductsOf as getProductsForControllers } from '../../../src/parts/select-parts.ts';
import { getProductsOf } from './offers.ts';

const products = [
  { name: 'nic', manufacturer: 'Dell Inc.', softwareIds: ['110217'] },
  { name: 'nic', manufacturer: 'Dell Inc.', softwareIds: ['110222'], model: 'Nvidia ConnectX-6 Lx' },
  { name: 'nic', manufacturer: 'Intel' },
  { name: 'nic', manufacturer: 'Broadcom Limited' },
  { name: 'nic', manufacturer: 'NVIDIA', model: 'ConnectX-6  Lx' },
  { name: 'nic', manufacturer: 'NVIDIA', model: 'ConnectX-6' },
  { name: 'nic', manufacturer: 'Mellanox' },
  { name: 'drive', manufacturer: 'Samsung', model: 'PM1733' },
];

for (const part of [
  { name: 'nic', manufacturer: 'Broadcom Inc. and subsidiaries', model: 'BCM57414', softwareId: '110217' },
  { name: 'nic', manufacturer: 'Mellanox Technologies', model: 'Nvidia ConnectX-6 Lx 2x 25G' },
  { name: 'nic', manufacturer: 'Mellanox', model: 'ConnectX-6' },
  { name: 'nic', manufacturer: 'Intel(R) Corporation' },
  { name: 'nic', manufacturer: '', model: 'Intel X722 LOM' },
  { name: 'nic', manufacturer: '' },
  { name: 'drive', manufacturer: 'SAMSUNG ELECTRONICS', model: 'Samsung PM1733' },
]) {
  test(`the console and the controllers agree what a part takes: ${Object.values(part).join(' ')}`, () => {
    const expected = getProductsForControllers(products, part, 'Dell Inc.');
    assert.deepEqual(getProductsOf(products, part, 'Dell EMC'), expected);
  });
}
