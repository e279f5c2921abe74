import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hardwareDetailsOf } from './hardware-details.ts';

const inventory = {
  system_vendor: {
    manufacturer: 'Dell Inc.',
    product_name: 'R640',
    serial_number: 'ABC',
    firmware: { vendor: 'Dell', version: '2.1', build_date: '01/02/2026' },
  },
  memory: { physical_mb: 196_608, total: 1 },
  cpu: { architecture: 'x86_64', model_name: 'Xeon', frequency: '2299.6', count: 40, flags: ['vmx', 'aes'] },
  disks: [
    { name: '/dev/nvme0n1', size: 10, rotational: false, by_path: null, wwn: '0x1' },
    { name: '/dev/sda', size: 20, rotational: true, by_path: '/dev/disk/by-path/pci-1', hctl: '0:0:0:0' },
    { name: '/dev/sdb', size: 30, rotational: false },
  ],
  interfaces: [
    {
      name: 'eno1',
      mac_address: 'a0:36:9f:11:22:33',
      ipv4_address: '192.0.2.7',
      ipv6_address: 'fd00::7',
      vendor: '0x8086',
      product: '0x1572',
      speed_mbps: 10_000,
    },
    { name: 'eno2', mac_address: 'a0:36:9f:11:22:34', product: '0x1572' },
    { name: 'eno3', mac_address: 'a0:36:9f:11:22:35', ipv6_address: 'fd00::8' },
  ],
  hostname: 'ramdisk',
};

const plugin_data = {
  all_interfaces: { eno1: { pxe_enabled: true } },
  parsed_lldp: {
    eno1: {
      switch_chassis_id: '11:22:33:aa:bb:cc',
      switch_port_id: 'Eth1/7',
      switch_system_name: 'leaf-1',
      switch_port_vlans: [{ id: 101, name: 'tenant' }],
      switch_port_untagged_vlan_id: 100,
    },
  },
};

test('an interface is listed once for each of its addresses, and once without any', () => {
  const { nics = [] } = hardwareDetailsOf({ inventory, plugin_data });
  assert.deepEqual(
    nics.map(({ name, ip }) => [name, ip]),
    [
      ['eno1', '192.0.2.7'],
      ['eno1', 'fd00::7'],
      ['eno2', undefined],
      ['eno3', 'fd00::8'],
    ],
  );
  assert.deepEqual(nics[0], {
    name: 'eno1',
    model: '0x8086 0x1572',
    mac: 'a0:36:9f:11:22:33',
    ip: '192.0.2.7',
    speedGbps: 10,
    vlans: [{ id: 101, name: 'tenant' }],
    vlanId: 100,
    pxe: true,
    lldp: { switchID: '11:22:33:aa:bb:cc', portID: 'Eth1/7', switchSystemName: 'leaf-1' },
  });
  assert.deepEqual(nics[2], { name: 'eno2', model: '0x1572', mac: 'a0:36:9f:11:22:34', speedGbps: 0, pxe: false });
});

test('a disk has the name that survives a reboot, and a kind', () => {
  const { storage = [] } = hardwareDetailsOf({ inventory, plugin_data });
  assert.deepEqual(
    storage.map(({ name, alternateNames, type }) => [name, alternateNames, type]),
    [
      ['/dev/nvme0n1', ['/dev/nvme0n1'], 'NVME'],
      ['/dev/disk/by-path/pci-1', ['/dev/sda', '/dev/disk/by-path/pci-1'], 'HDD'],
      ['/dev/sdb', ['/dev/sdb'], 'SSD'],
    ],
  );
});

test('clock speed is whole, flags are sorted, and the vendor is there', () => {
  const details = hardwareDetailsOf({ inventory, plugin_data });
  assert.deepEqual(details.cpu, {
    arch: 'x86_64',
    model: 'Xeon',
    clockMegahertz: 2300,
    flags: ['aes', 'vmx'],
    count: 40,
  });
  assert.deepEqual(details.systemVendor, { manufacturer: 'Dell Inc.', productName: 'R640', serialNumber: 'ABC' });
  assert.deepEqual(details.firmware, { bios: { date: '01/02/2026', vendor: 'Dell', version: '2.1' } });
  assert.deepEqual([details.ramMebibytes, details.hostname], [196_608, 'ramdisk']);
});

test('an inventory with nothing in it is no reason to fail', () => {
  assert.deepEqual(hardwareDetailsOf({}), {
    systemVendor: {},
    firmware: { bios: {} },
    ramMebibytes: 0,
    nics: [],
    storage: [],
    cpu: { clockMegahertz: 0, flags: [], count: 0 },
  });
});
