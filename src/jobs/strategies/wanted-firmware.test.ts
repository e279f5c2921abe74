import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Inventory } from '../../bmc/index.ts';
import type { Firmware } from '../../flasher/index.ts';
import { isJobError } from '../errors.ts';
import { isInstalled, requireHardware } from './wanted-firmware.ts';

type Slot = readonly [version: string, softwareId?: string];

function inventoryOf(...slots: readonly Slot[]): Inventory {
  const firmware = slots.map(([version, softwareId], at) => ({
    ...{ slot: `nic-${at}`, component: 'nic', name: 'card', vendor: 'Broadcom', version, softwareId },
  }));
  return { system: { manufacturer: 'Dell Inc.' }, firmware } as unknown as Inventory;
}

const image = (softwareIds: readonly string[]) =>
  ({ component: 'nic', vendor: 'Broadcom', version: '2.0', softwareIds }) as unknown as Firmware;

const rows: readonly (readonly [string, readonly Slot[], readonly string[], boolean | 'other'])[] = [
  [
    'its own kind has it and another kind does not',
    [
      ['2.0', 'a'],
      ['1.0', 'b'],
    ],
    ['A'],
    true,
  ],
  [
    'its own kind lacks it',
    [
      ['1.0', 'a'],
      ['2.0', 'b'],
    ],
    ['a'],
    false,
  ],
  [
    'no part is of its kind',
    [
      ['1.0', 'b'],
      ['1.0', '0'],
    ],
    ['a'],
    'other',
  ],
  ['no part shows what it is', [['2.0'], ['1.0', '0']], ['a'], false],
  [
    'the image says nothing of hardware',
    [
      ['2.0', 'a'],
      ['1.0', 'b'],
    ],
    [],
    false,
  ],
  ['there is no such part', [], ['a'], false],
];

for (const [why, slots, ids, wanted] of rows) {
  test(`an image is ${wanted === 'other' ? 'for other hardware' : wanted ? 'installed' : 'not installed'} where ${why}`, () => {
    const inventory = inventoryOf(...slots);
    if (wanted === 'other')
      assert.throws(
        () => requireHardware(inventory, image(ids)),
        (error) => isJobError(error, 'otherHardware'),
      );
    else {
      requireHardware(inventory, image(ids));
      assert.equal(isInstalled(inventory, image(ids)), wanted);
    }
  });
}
