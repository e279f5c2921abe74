import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '#fast-check';
import { getInstalledParts, type InstalledPart } from '../../src/parts/index.ts';
import type { FirmwareComponentSeen } from '../../src/provisioners/index.ts';
import { toFirmwareComponents } from '../../src/provisioners/redfish/reading/read-firmware.ts';
import { readSimulatedModels } from './simulated-inventories.ts';

const models = await readSimulatedModels();

/** What a HostFirmwareComponents has to show of the parts that a ServerFirmware shows, by component. */
function expectedOf(parts: readonly InstalledPart[]): Readonly<Record<string, string>> {
  const shown = parts.filter(({ name }) => ['bios', 'bmc', 'nic'].includes(name));
  const named = shown.map(({ name, slot, version }) => [name === 'nic' ? `nic:${slot}` : name, version] as const);
  // Of several parts of one name the first is the one in `status.bios` of a ServerFirmware.
  return Object.fromEntries(named.toReversed());
}

function versionsOf(components: readonly FirmwareComponentSeen[]): Readonly<Record<string, string | undefined>> {
  assert.equal(new Set(components.map(({ component }) => component)).size, components.length);
  return Object.fromEntries(components.map(({ component, currentVersion }) => [component, currentVersion]));
}

describe('a HostFirmwareComponents shows the same versions as the ServerFirmware of the machine', () => {
  for (const { model, inventory, components } of models) {
    test(model, () => {
      const expected = expectedOf(getInstalledParts(inventory));
      assert.ok(expected.bios !== undefined && expected.bmc !== undefined);
      assert.deepEqual(versionsOf(components), expected);
    });
  }
});

test('so it is whatever a BMC lists: empty versions, spare banks, two of one kind', () => {
  const slots = models.flatMap(({ inventory }) => inventory.firmware);
  const slot = fc
    .tuple(fc.constantFrom(...slots), fc.constantFrom('1.0', '2.0', '', ' '), fc.boolean())
    .map(([each, version, isBackup]) => ({ ...each, version, ...(isBackup ? { isBackup } : {}) }));
  fc.assert(
    fc.property(fc.array(slot, { maxLength: 12 }), (firmware) => {
      const parts = getInstalledParts({ system: { manufacturer: 'Acme' }, firmware });
      assert.deepEqual(versionsOf(toFirmwareComponents(firmware)), expectedOf(parts));
    }),
  );
});
