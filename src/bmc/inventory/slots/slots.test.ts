import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FirmwareSlot, VendorName } from '../../bmc.ts';
import type { JsonObject } from '../../json.ts';
import { type SlotHints, slotReaders, toEntry } from './index.ts';

const inventory = '/redfish/v1/UpdateService/FirmwareInventory';

function slotsOf(
  vendor: VendorName,
  entries: Record<string, JsonObject>,
  hints: Partial<SlotHints> = {},
): readonly FirmwareSlot[] {
  const list = Object.entries(entries).map(([Id, body]) =>
    toEntry({ path: `${inventory}/${Id}`, body: { Id, ...body } }),
  );
  return slotReaders[vendor](list, { vendor, ...hints });
}

const short = (slots: readonly FirmwareSlot[]) =>
  slots.map(({ slot, component, version }) => `${slot} ${component} ${version}`);

test('Dell: Installed, Current and Previous of one FQDD are one slot', () => {
  const slots = slotsOf('dell', {
    'Current-25227-7.00.00.00__iDRAC.Embedded.1-1': { Name: 'iDRAC', Version: '7.00.00.00', Updateable: true },
    'Installed-25227-7.00.00.00__iDRAC.Embedded.1-1': {
      Name: 'Integrated Dell Remote Access Controller',
      Version: '7.00.00.00',
      SoftwareId: '25227',
      Updateable: true,
    },
    'Previous-25227-6.10.80.00__iDRAC.Embedded.1-1': { Name: 'iDRAC', Version: '6.10.80.00', SoftwareId: '25227' },
    'Installed-159-1.9.2__BIOS.Setup.1-1': { Name: 'BIOS', Version: '1.9.2', SoftwareId: '159', Updateable: true },
    'Installed-0-52.16.1-4405__RAID.Integrated.1-1': { Name: 'PERC H755', Version: '52.16.1-4405', SoftwareId: '0' },
    'Installed-108255-GDC5302Q__Disk.Bay.0:Enclosure.Internal.0-1:RAID.Integrated.1-1': {
      Name: 'SSD',
      Version: 'GDC5302Q',
    },
    'Installed-18981-22.31.13.70__NIC.Integrated.1-1-1': { Name: 'Broadcom', Version: '22.31.13.70' },
    'Installed-18981-22.31.13.70__NIC.Integrated.1-2-1': { Name: 'Broadcom', Version: '22.31.13.70' },
    'Installed-0-00.14.4F__PSU.Slot.2': { Name: 'Power Supply.Slot.2', Version: '00.14.4F' },
    'Previous-159-1.8.0__Gone.Slot.1': { Name: 'gone', Version: '1.8.0' },
  });
  assert.deepEqual(short(slots), [
    'iDRAC.Embedded.1-1 bmc 7.00.00.00',
    'BIOS.Setup.1-1 bios 1.9.2',
    'RAID.Integrated.1-1 storage-controller 52.16.1-4405',
    'Disk.Bay.0:Enclosure.Internal.0-1:RAID.Integrated.1-1 drive GDC5302Q',
    'NIC.Integrated.1-1-1 nic 22.31.13.70',
    'NIC.Integrated.1-2-1 nic 22.31.13.70',
    'PSU.Slot.2 psu 00.14.4F',
  ]);
  assert.equal(slots[0]?.previousVersion, '6.10.80.00');
  assert.equal(slots[0]?.uri, `${inventory}/Installed-25227-7.00.00.00__iDRAC.Embedded.1-1`);
  assert.equal(slots[1]?.previousVersion, undefined);
});

test('Dell: two pieces of software in one place are told apart, entries in another form are kept', () => {
  const slots = slotsOf('dell', {
    'Installed-1-1.0__X.Slot.1': { Version: '1.0', SoftwareId: '1' },
    'Installed-2-2.0__X.Slot.1': { Version: '2.0', SoftwareId: '2' },
    Strange: { Name: 'Strange thing', Version: '3' },
  });
  assert.deepEqual(short(slots), ['X.Slot.1/1 other 1.0', 'X.Slot.1/2 other 2.0', 'Strange other 3']);
});

test('Lenovo: pending twins and the backup bank', () => {
  const slots = slotsOf('lenovo', {
    'BMC-Primary': { Name: 'Firmware:BMC', Version: 'AFBT24N-2.40', Updateable: true, Status: { State: 'Enabled' } },
    'BMC-Backup': {
      Name: 'Firmware:BMC-Backup',
      Version: 'AFBT20M-2.10',
      Updateable: true,
      Status: { State: 'StandbySpare' },
    },
    'BMC-Primary-Pending': { Name: 'Firmware:BMC-Pending', Version: 'AFBT26P-2.60' },
    UEFI: { Name: 'Firmware:UEFI', Version: 'AFE120G-1.40' },
    'UEFI-Pending': { Name: 'Firmware:UEFI-Pending', Version: '' },
    LXPM: { Name: 'Firmware:LXPM', Version: 'XWL112P-3.20' },
    LXPMLinuxDriver1: { Name: 'Firmware:LXPMLinuxDriver', Version: '3.2' },
    Disk1: { Name: 'Firmware:Disk1', Version: 'LS1A' },
    PSU1: { Name: 'Firmware:PSU1', Version: '10.1' },
    'Slot_9.Bundle-Pending': { Name: 'Firmware:Slot_9', Version: '20.5' },
  });
  assert.deepEqual(short(slots), [
    'BMC-Primary bmc AFBT24N-2.40',
    'BMC-Backup bmc AFBT20M-2.10',
    'UEFI bios AFE120G-1.40',
    'LXPM other XWL112P-3.20',
    'LXPMLinuxDriver1 other 3.2',
    'Disk1 drive LS1A',
    'PSU1 psu 10.1',
    'Slot_9.Bundle other ',
  ]);
  const [primary, backup, uefi] = slots;
  assert.equal(primary?.pendingVersion, 'AFBT26P-2.60');
  assert.equal(primary?.previousVersion, 'AFBT20M-2.10');
  assert.equal(primary?.isBackup, undefined);
  assert.equal(backup?.isBackup, true);
  assert.equal(uefi?.pendingVersion, undefined);
  assert.equal(slots.at(-1)?.pendingVersion, '20.5');
});

test('HPE: names instead of numbers, and the redundant ROM is what one can go back to', () => {
  const oem = (DeviceContext: string) => ({ Oem: { Hpe: { DeviceContext } } });
  const slots = slotsOf('hpe', {
    1: { Name: 'iLO 5', Version: '2.72 Sep 04 2022', Updateable: true, ...oem('System Board') },
    2: {
      Name: 'System ROM',
      Version: 'U46 v2.10 (05/17/2023)',
      Oem: { Hpe: { DeviceContext: 'System Board', Targets: ['00000000-0204', '00000000-3436'] } },
    },
    6: { Name: 'Redundant System ROM', Version: 'U46 v1.80 (05/17/2022)', ...oem('System Board') },
    7: { Name: 'System Programmable Logic Device', Version: '0x2A', ...oem('System Board') },
    8: { Name: 'Power Supply Firmware', Version: '2.00', ...oem('Bay 1') },
    9: { Name: 'Power Supply Firmware', Version: '2.00', ...oem('Bay 2') },
    10: { Name: 'ST2400MM0159', Version: 'ST36', ...oem('Port 1I Box 1 Bay 1') },
    11: { Name: 'HPE Eth 10/25Gb 2p 640SFP28 Adptr', Version: '14.31', ...oem('Slot 3') },
    12: { Name: 'Twin', Version: '1' },
    13: { Name: 'Twin', Version: '2' },
  });
  assert.deepEqual(short(slots), [
    'iLO 5 bmc 2.72 Sep 04 2022',
    'System ROM bios U46 v2.10 (05/17/2023)',
    'Redundant System ROM bios U46 v1.80 (05/17/2022)',
    'System Programmable Logic Device cpld 0x2A',
    'Power Supply Firmware (Bay 1) psu 2.00',
    'Power Supply Firmware (Bay 2) psu 2.00',
    'ST2400MM0159 (Port 1I Box 1 Bay 1) drive ST36',
    'HPE Eth 10/25Gb 2p 640SFP28 Adptr (Slot 3) nic 14.31',
    'Twin other 1',
    'Twin #2 other 2',
  ]);
  assert.equal(slots[1]?.previousVersion, 'U46 v1.80 (05/17/2022)');
  assert.equal(slots[1]?.isBackup, undefined);
  assert.deepEqual(slots[1]?.otherSoftwareIds, ['00000000-0204', '00000000-3436']);
  assert.equal(slots[0]?.otherSoftwareIds, undefined);
  assert.equal(slots[2]?.isBackup, true);
});

test('Supermicro: spare banks are not the one that runs', () => {
  const slots = slotsOf('supermicro', {
    BIOS: { Name: 'BIOS', Version: '1.4b' },
    BMC: { Name: 'BMC', Version: '01.01.10' },
    Backup_BIOS: { Name: 'Backup BIOS', Version: '1.3' },
    Golden_BMC: { Name: 'Golden BMC', Version: '01.00.32' },
    CPLD_Motherboard: { Name: 'CPLD Motherboard', Version: 'F0.A1.22' },
    PowerSupply1: { Name: 'Power Supply 1', Version: '1.0' },
    AOC_NIC1: { Name: 'AOC_NIC1', Version: '22' },
    BIOS_ME: { Name: 'BIOS_ME', Version: '4.4' },
  });
  assert.deepEqual(short(slots), [
    'BIOS bios 1.4b',
    'BMC bmc 01.01.10',
    'Backup_BIOS bios 1.3',
    'Golden_BMC bmc 01.00.32',
    'CPLD_Motherboard cpld F0.A1.22',
    'PowerSupply1 psu 1.0',
    'AOC_NIC1 nic 22',
    'BIOS_ME other 4.4',
  ]);
  assert.equal(slots[0]?.previousVersion, '1.3');
  assert.deepEqual(
    slots.map(({ isBackup }) => isBackup === true),
    [false, false, true, true, false, false, false, false],
  );
});

test('OpenBMC: images of one item are one slot, and the manager says which of them runs', () => {
  const related = (path: string) => ({ RelatedItem: [{ '@odata.id': path }] });
  const entries = {
    '1f2e3d4c': {
      Name: 'Software Inventory',
      Version: '2.12.0',
      Updateable: true,
      ...related('/redfish/v1/Managers/bmc'),
      Status: { State: 'Enabled' },
    },
    '5a6b7c8d': {
      Name: 'Software Inventory',
      Version: '2.11.0',
      ...related('/redfish/v1/Managers/bmc'),
      Status: { State: 'Enabled' },
    },
    '9e8f7a6b': {
      Name: 'Software Inventory',
      Version: '2.13.0',
      ...related('/redfish/v1/Managers/bmc'),
      Status: { State: 'Updating' },
    },
    b10c: {
      Name: 'Software Inventory',
      Version: 'F20',
      Updateable: true,
      ...related('/redfish/v1/Systems/system/Bios'),
    },
    c0ffee: { Name: 'Software Inventory', Description: 'BMC CPLD', Version: '7' },
    d15c: {
      Name: 'Software Inventory',
      Description: 'SAMSUNG',
      Version: '8',
      ...related('/redfish/v1/Systems/system/Storage/1/Drives/nvme0'),
    },
  };
  const byLink = { Links: { ActiveSoftwareImage: { '@odata.id': `${inventory}/5a6b7c8d` } } };
  const [bmc, bios, ...others] = slotsOf('openbmc', entries, { manager: byLink });
  assert.deepEqual(short([bmc, bios, ...others].filter((each) => each !== undefined)), [
    'bmc bmc 2.11.0',
    'bios bios F20',
    'BMC CPLD cpld 7',
    'nvme0 drive 8',
  ]);
  assert.equal(bmc?.previousVersion, '2.12.0');
  assert.equal(bmc?.pendingVersion, '2.13.0');
  assert.equal(bmc?.uri, `${inventory}/5a6b7c8d`);
  assert.equal(slotsOf('openbmc', entries, { manager: { FirmwareVersion: '2.12.0' } })[0]?.version, '2.12.0');
  assert.equal(slotsOf('openbmc', entries)[0]?.version, '2.12.0');
});

test('NVIDIA: many of one type are all listed', () => {
  const slots = slotsOf('nvidia', {
    HGX_FW_GPU_SXM_1: { Version: '96.00.61' },
    HGX_FW_GPU_SXM_2: { Version: '96.00.61' },
    HGX_FW_ERoT_GPU_SXM_1: { Version: '00.02' },
    HGX_FW_BMC_0: { Version: 'HGX-22.10' },
    HGX_FW_FPGA_0: { Version: '2.0' },
    FW_BMC_0: { Version: '24.05' },
    UEFI: { Version: 'buildbrain' },
  });
  assert.deepEqual(short(slots), [
    'HGX_FW_GPU_SXM_1 gpu 96.00.61',
    'HGX_FW_GPU_SXM_2 gpu 96.00.61',
    'HGX_FW_ERoT_GPU_SXM_1 other 00.02',
    'HGX_FW_BMC_0 bmc HGX-22.10',
    'HGX_FW_FPGA_0 cpld 2.0',
    'FW_BMC_0 bmc 24.05',
    'UEFI bios buildbrain',
  ]);
});

test('what firmware belongs to tells more than its name', () => {
  const about = (path: string) => ({ Name: 'Firmware', Version: '1', RelatedItem: [{ '@odata.id': path }] });
  const slots = slotsOf('generic', {
    a: about('/redfish/v1/Chassis/1/NetworkAdapters/1'),
    b: about('/redfish/v1/Systems/1/Storage/1/Drives/2'),
    c: about('/redfish/v1/Systems/1/Storage/1'),
    d: about('/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/0'),
    e: about('/redfish/v1/Managers/1'),
    f: about('/redfish/v1/Systems/1/Bios'),
    g: about('/redfish/v1/Systems/1/Processors/GPU_0'),
    h: about('/redfish/v1/Systems/1'),
  });
  assert.deepEqual(
    slots.map(({ component }) => component),
    ['nic', 'drive', 'storage-controller', 'psu', 'bmc', 'bios', 'gpu', 'other'],
  );
});
