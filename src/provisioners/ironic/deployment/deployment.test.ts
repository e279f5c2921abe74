import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instanceInfoOf, nodeCapabilities, rootDeviceOf } from './index.ts';

const given = (info: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined));

test('every hint at a disk has its operator', () => {
  const hints = {
    deviceName: '/dev/disk/by-path/pci-1',
    hctl: '0:0:0:0',
    model: 'PERC',
    vendor: 'Dell',
    serialNumber: 'S1',
    minSizeGigabytes: 50,
    wwn: '0x1',
    wwnWithExtension: '0x12',
    wwnVendorExtension: '0x2',
    rotational: false,
  };
  assert.deepEqual(rootDeviceOf(hints), {
    by_path: 's== /dev/disk/by-path/pci-1',
    hctl: 's== 0:0:0:0',
    model: '<in> PERC',
    vendor: '<in> Dell',
    serial: 's== S1',
    size: '>= 50',
    wwn: 's== 0x1',
    wwn_with_extension: 's== 0x12',
    wwn_vendor_extension: 's== 0x2',
    rotational: 'false',
  });
  assert.equal(rootDeviceOf({}), undefined);
  assert.equal(rootDeviceOf(undefined), undefined);
});

test('a checksum goes where Ironic looks for its kind', () => {
  const image = (checksumType?: 'md5' | 'sha256' | 'auto') => ({
    image: { url: 'http://a', checksum: 'c', ...(checksumType === undefined ? {} : { checksumType }) },
    bootMode: 'legacy' as const,
  });
  const standing = { image_source: 'http://a', capabilities: { boot_mode: 'bios' } };
  assert.deepEqual(given(instanceInfoOf(image())), { ...standing, image_checksum: 'c' });
  assert.deepEqual(given(instanceInfoOf(image('auto'))), { ...standing, image_checksum: 'c' });
  const hashed = { image_os_hash_algo: 'md5', image_os_hash_value: 'c' };
  assert.deepEqual(given(instanceInfoOf(image('md5'))), { ...standing, ...hashed });
});

test('an image of a registry has no checksum, and may need a secret', () => {
  const info = instanceInfoOf({ image: { url: 'oci://r/i@sha256:1' }, bootMode: 'UEFI' }, { pullSecret: 's' });
  assert.deepEqual(given(info), {
    image_source: 'oci://r/i@sha256:1',
    image_pull_secret: 's',
    capabilities: { boot_mode: 'uefi' },
  });
});

test('the boot mode replaces the one before, and other capabilities stay', () => {
  assert.equal(nodeCapabilities('secure_boot:true,cpu_vt:true,boot_mode:uefi', 'legacy'), 'boot_mode:bios,cpu_vt:true');
  assert.equal(nodeCapabilities(undefined, 'UEFI'), 'boot_mode:uefi');
});
