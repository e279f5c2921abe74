import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../engine/index.ts';
import { firmwareForTests } from '../testing/fake-inventory.ts';
import { freezeFirmware } from './freeze-firmware.ts';

const image = firmwareForTests('3f6d1cf6-5f0e-4d0a-9f5e-000000000001', { softwareIds: ['14e4:16d7'] });
const setId = '3f6d1cf6-5f0e-4d0a-9f5e-00000000000a';
const catalogue = { firmwareSet: async () => [image], firmware: async () => [image] };

for (const [what, parameters] of [
  ['a set', { firmware_set_id: setId }],
  ['an id', { firmwares: [image.id] }],
] as const) {
  test(`an image named by ${what} keeps the software ids that tell two parts of one class apart`, async () => {
    const { firmwares } = await freezeFirmware(parameters as unknown as JsonObject, catalogue);
    const [frozen] = firmwares as readonly JsonObject[];
    assert.deepEqual(frozen?.software_ids, ['14e4:16d7']);
  });
}
