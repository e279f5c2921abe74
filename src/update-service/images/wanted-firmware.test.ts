import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWantedCheck } from './wanted-firmware.ts';

const wanted = [
  { name: 'bios', manufacturer: '', version: '2.10.0' },
  { name: 'ssd', manufacturer: 'Intel Corp.', version: 'V1CS ' },
  { name: 'nic', manufacturer: 'Mellanox', version: '16.35.20.00' },
  { name: 'Storage Controller', manufacturer: 'LSI', version: '51.16.0-4076' },
  { name: 'bios', manufacturer: 'HPE', version: 'U46 v2.72 (09/29/2022)' },
  { name: 'dpu', manufacturer: '-', version: '(7)' },
];

for (const [component, vendor, version, isWanted] of [
  ['bios', 'dell', '2.10.0', true],
  ['systemrom', 'some other maker', '2.10.0', true],
  ['bios', 'dell', '2.10.1', false],
  ['bmc', 'dell', '2.10.0', false],
  ['drive', 'intel', 'v1cs', true],
  ['disk', 'intel', 'V1CS', true],
  // The entry may name the maker of the part, and the server's maker publish the image.
  ['drive', 'dell', 'V1CS', true],
  ['nic', 'nvidia', '16.35.2000', true],
  ['nic', 'nvidia', '20.35.2000', false],
  ['storagecontroller', 'broadcom', '51.16.0-4076', true],
  ['bios', 'hpe', '2.72', true],
  ['bios', 'hpe', 'U30 v2.72', false],
  ['DPU', 'hpe', '(7)', true],
] as const) {
  test(`${component} ${version} of ${vendor} is ${isWanted ? '' : 'not '}wanted`, () => {
    assert.equal(createWantedCheck(wanted)({ component, vendor, version }), isWanted);
  });
}

test('where nobody wants anything, nothing is wanted', () => {
  assert.equal(createWantedCheck([])({ component: 'bios', vendor: 'dell', version: '1' }), false);
});
