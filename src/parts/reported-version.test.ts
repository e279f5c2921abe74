import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComponentType, FirmwareSlot } from '../bmc/index.ts';
import { applyReportedVersion, type ReportedVersion } from './reported-version.ts';

function slotOf(slot: string, component: ComponentType, more: Partial<FirmwareSlot> = {}): FirmwareSlot {
  const unknown = { vendor: undefined, model: undefined, pendingVersion: '9', previousVersion: undefined };
  const rest = { softwareId: undefined, uri: '', relatedItems: [], health: undefined, isUpdateable: true };
  return { slot, component, name: slot, version: '1', ...unknown, ...rest, ...more };
}

const known = [
  slotOf('BIOS', 'bios'),
  slotOf('Spare', 'bios', { isBackup: true }),
  slotOf('NIC.1', 'nic', { vendor: 'Broadcom Inc. and subsidiaries', model: 'BCM5720', softwareId: '108255' }),
  slotOf('NIC.2', 'nic', { vendor: 'Broadcom', model: 'BCM57414', softwareId: '110217' }),
  slotOf('NIC.3', 'nic', { vendor: 'Mellanox', model: 'ConnectX-5' }),
];

const cases: readonly (readonly [string, Partial<ReportedVersion>, readonly string[]])[] = [
  ['the BIOS, whoever is said to make it', { name: 'UEFI', manufacturer: 'Phoenix' }, ['BIOS']],
  ['all NICs of a maker, in any spelling', { manufacturer: 'Broadcom Limited' }, ['NIC.1', 'NIC.2']],
  ['a product', { manufacturer: '', model: 'connectx-5' }, ['NIC.3']],
  ['an id', { manufacturer: 'Broadcom', softwareId: '110217' }, ['NIC.2']],
  ['a slot', { manufacturer: '', slot: 'NIC.1' }, ['NIC.1']],
  ['the maker of the server, who sells every part', { manufacturer: 'Dell' }, ['NIC.1', 'NIC.2', 'NIC.3']],
  ['a part that is not known', { manufacturer: 'Intel', model: 'E810' }, ['nic/Intel/E810']],
  ['a slot that is not known', { manufacturer: 'Intel', slot: 'NIC.9' }, ['NIC.9']],
];

for (const [what, report, slots] of cases) {
  test(`a version is reported of ${what}`, () => {
    const reported = { name: 'nic', manufacturer: '', version: '2', ...report };
    const found = applyReportedVersion(reported, known, 'Dell Inc.');
    assert.deepEqual(
      found.map(({ slot, version, pendingVersion }) => [slot, version, pendingVersion]),
      slots.map((slot) => [slot, '2', undefined]),
    );
  });
}

test('a new part has the identity that was reported of it', () => {
  const report = { name: 'nic', manufacturer: 'Intel', model: 'E810', softwareId: 'X', version: '2' };
  const [found] = applyReportedVersion(report, [], 'Dell Inc.');
  const { component, vendor, model, softwareId } = found ?? assert.fail();
  assert.deepEqual([component, vendor, model, softwareId], ['nic', 'Intel', 'E810', 'X']);
});
