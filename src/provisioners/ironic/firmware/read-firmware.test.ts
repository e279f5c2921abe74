import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestBench } from '../testing/index.ts';

test('settings come with what they may be', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active', { properties: { vendor: 'Example', capabilities: 'boot_mode:uefi' } });
  assert.deepEqual(await bench.at().readFirmwareSettings(), {
    kind: 'done',
    value: {
      settings: { ProcTurboMode: 'Enabled', BootMode: 'Uefi', AdminName: 'nobody' },
      schema: {
        ProcTurboMode: {
          attribute_type: 'Enumeration',
          allowable_values: ['Enabled', 'Disabled'],
          read_only: false,
          unique: false,
        },
        BootMode: { attribute_type: 'Enumeration', allowable_values: ['Uefi', 'Bios'], read_only: true, unique: false },
        AdminName: { attribute_type: 'String', min_length: 1, max_length: 16, read_only: false, unique: true },
      },
      vendor: 'Example',
      model: undefined,
    },
  });
});

test('components come with their versions', async (t) => {
  const bench = await createTestBench(t);
  await bench.node('active');
  assert.deepEqual(await bench.at().readFirmwareComponents(), {
    kind: 'done',
    value: [
      { component: 'bios', initialVersion: '1.0.0', currentVersion: '1.0.0' },
      { component: 'bmc', initialVersion: '7.1', currentVersion: '7.1' },
    ],
  });
});
