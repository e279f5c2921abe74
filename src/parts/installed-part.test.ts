import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComponentType, FirmwareSlot } from '../bmc/index.ts';
import { getInstalledParts } from './installed-part.ts';

const system = { manufacturer: 'Dell Inc.' };

function slotOf(slot: string, component: ComponentType, more: Partial<FirmwareSlot> = {}): FirmwareSlot {
  const unknown = { vendor: undefined, model: undefined, pendingVersion: undefined, previousVersion: undefined };
  const rest = { softwareId: undefined, uri: '', relatedItems: [], health: undefined, isUpdateable: true };
  return { slot, component, name: slot, version: '1.0', ...unknown, ...rest, ...more };
}

test('every part is listed by itself, also several of one class and maker', () => {
  const firmware = [
    slotOf('NIC.Slot.10-1', 'nic', { vendor: 'Mellanox', model: 'ConnectX-5', version: '16.35', softwareId: '107545' }),
    slotOf('NIC.Slot.2-1', 'nic', { vendor: 'Broadcom', model: 'BCM5720', version: '22.00' }),
    slotOf('NIC.Slot.3-1', 'nic', { vendor: 'Broadcom', model: 'BCM5720', version: '22.31' }),
    slotOf('BIOS.Setup.1-1', 'bios', { vendor: 'Phoenix', version: '2.1' }),
  ];
  const none = { model: '', softwareId: '' };
  const broadcom = { name: 'nic', manufacturer: 'Broadcom', model: 'BCM5720', softwareId: '' };
  assert.deepEqual(getInstalledParts({ system, firmware }), [
    { name: 'bios', manufacturer: 'Dell Inc.', ...none, slot: 'BIOS.Setup.1-1', version: '2.1' },
    { ...broadcom, slot: 'NIC.Slot.2-1', version: '22.00' },
    { ...broadcom, slot: 'NIC.Slot.3-1', version: '22.31' },
    {
      ...{ name: 'nic', manufacturer: 'Mellanox', model: 'ConnectX-5', softwareId: '107545' },
      ...{ slot: 'NIC.Slot.10-1', version: '16.35' },
    },
  ]);
});

test('where the BMC tells no maker, board parts are of the maker of the server and cards of nobody known', () => {
  const firmware = [slotOf('PSU.1', 'psu'), slotOf('NIC.1', 'nic'), slotOf('PSU.2', 'psu', { vendor: 'Delta' })];
  const makers = getInstalledParts({ system, firmware }).map(({ slot, manufacturer }) => [slot, manufacturer]);
  assert.deepEqual(makers, [
    ['NIC.1', ''],
    ['PSU.1', 'Dell Inc.'],
    ['PSU.2', 'Delta'],
  ]);
});

test('spare banks and slots without a version are not installed', () => {
  const firmware = [slotOf('Backup', 'bios', { isBackup: true }), slotOf('Bay 1', 'drive', { version: ' ' })];
  assert.deepEqual(getInstalledParts({ system, firmware }), []);
});

test('what a strategy found without slots is told apart all the same', () => {
  const firmware = [slotOf('', 'nic'), slotOf('', 'nic'), slotOf('', 'nic', { name: 'OCP' })];
  const slots = getInstalledParts({ system, firmware }).map(({ slot }) => slot);
  assert.deepEqual(slots, ['nic', 'nic #2', 'OCP']);
});

test('the order and the slots of a BMC do not change the list', () => {
  const firmware = [slotOf('b', 'nic'), slotOf('a', 'nic'), slotOf('c', 'drive')];
  const turned = { system, firmware: firmware.toReversed() };
  assert.deepEqual(getInstalledParts(turned), getInstalledParts({ system, firmware }));
});

for (const [component, name, part] of [
  ['other', 'Backplane 1', 'backplane'],
  ['storage-controller', 'SAS Expander', 'backplane'],
  ['other', 'CPU Microcode', 'cpu'],
  ['other', 'Lifecycle Controller', 'other'],
  ['cpld', 'CPLD Backplane', 'cpld'],
] as const) {
  test(`${component} firmware named ${name} is of a ${part}`, () => {
    const [found] = getInstalledParts({ system, firmware: [slotOf('1', component, { name })] });
    assert.equal(found?.name, part);
  });
}

for (const [shown, ...ids] of [
  [{ softwareId: '159' }, '159'],
  [{ softwareId: '0' }],
  [{ otherSoftwareIds: ['00-04', '00-05', '00-04'] }, '00-04', '00-05'],
] as const) {
  test(`a slot that shows ${JSON.stringify(shown)} takes ${ids.length === 0 ? 'no known id' : ids.join(' and ')}`, () => {
    const [found] = getInstalledParts({ system, firmware: [slotOf('1', 'drive', shown)] });
    const { softwareId, otherSoftwareIds = [] } = found ?? assert.fail();
    assert.deepEqual([softwareId, ...otherSoftwareIds].filter(Boolean), ids);
  });
}
