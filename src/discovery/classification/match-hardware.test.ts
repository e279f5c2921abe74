import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HardwareCharacteristics, HardwareDetails } from '../../api/index.ts';
import { asksForAnything, matchHardware } from './match-hardware.ts';

const gib = 2 ** 30;
const hardware: HardwareDetails = {
  cpu: { arch: 'x86_64', count: 64, clockMegahertz: 2450 },
  ramMebibytes: 262_144,
  storage: [
    { type: 'NVME', sizeBytes: 1788 * gib, hctl: '0:0:0:0' },
    { type: 'NVME', sizeBytes: 894 * gib },
    { type: 'HDD', rotational: true, sizeBytes: 7452 * gib, hctl: '4:0:1:0' },
  ],
  nics: [
    { mac: '52:54:00:00:00:01', ip: '192.0.2.1', model: '0x8086 0x1572', speedGbps: 25 },
    { mac: '52:54:00:00:00:01', ip: '2001:db8::1', model: '0x8086 0x1572', speedGbps: 25 },
    { mac: '52:54:00:00:00:02', model: '0x15b3 0x1017', speedGbps: 100 },
  ],
  systemVendor: { manufacturer: 'Dell Inc.', productName: 'PowerEdge R640' },
  firmware: { bios: { vendor: 'Dell Inc.', version: '2.14.1' } },
};

const cases: readonly [string, HardwareCharacteristics, string | undefined][] = [
  ['as many CPUs as asked for', { cpu: { minimumCount: 64, maximumCount: 64 } }, undefined],
  ['too few CPUs', { cpu: { minimumCount: 65 } }, 'number of CPUs'],
  ['too many CPUs', { cpu: { maximumCount: 63 } }, 'number of CPUs'],
  ['CPUs that are too slow', { cpu: { minimumSpeedMHz: 3000 } }, 'speed of CPUs'],
  ['the architecture by another name', { cpu: { architecture: 'AMD64' } }, undefined],
  ['another architecture', { cpu: { architecture: 'aarch64' } }, 'CPU architecture'],
  ['the right memory', { ram: { minimumSizeGB: 256, maximumSizeGB: 256 } }, undefined],
  ['too little memory', { ram: { minimumSizeGB: 257 } }, 'size of memory'],
  ['all its disks', { disk: { minimumCount: 3, maximumCount: 3, minimumIndividualSizeGB: 894 } }, undefined],
  ['a disk that is too small', { disk: { minimumIndividualSizeGB: 895 } }, 'size of disks'],
  ['a disk that is too large', { disk: { maximumIndividualSizeGB: 7451 } }, 'size of disks'],
  [
    'disks of one kind',
    { disk: { diskSelector: [{ type: 'NVME' }], minimumCount: 2, maximumIndividualSizeGB: 2000 } },
    undefined,
  ],
  ['too few of one kind', { disk: { diskSelector: [{ type: 'NVME' }], minimumCount: 3 } }, 'number of disks'],
  ['none of a kind', { disk: { diskSelector: [{ type: 'NVME' }, { type: 'SSD' }] } }, 'kind of disks'],
  ['disks that spin', { disk: { diskSelector: [{ rotational: true }], maximumCount: 1 } }, undefined],
  ['a disk by its place', { disk: { diskSelector: [{ hctl: '4:0:N:0' }] } }, undefined],
  ['no disk at a place', { disk: { diskSelector: [{ hctl: '5:0:N:0' }] } }, 'kind of disks'],
  ['two NICs, of which one has two addresses', { nic: { minimumCount: 2, maximumCount: 2 } }, undefined],
  ['too few fast NICs', { nic: { minimumSpeedGbps: 100, minimumCount: 2 } }, 'number of NICs'],
  ['NICs of a vendor', { nic: { nicSelector: { vendor: ['0x15B3'] } } }, undefined],
  ['no NICs of a vendor', { nic: { nicSelector: { vendor: ['0x14e4'] } } }, 'number of NICs'],
  ['its vendor', { systemVendor: { manufacturer: 'dell inc.', productName: 'poweredge R640' } }, undefined],
  ['another vendor', { systemVendor: { manufacturer: 'HPE' } }, 'manufacturer'],
  ['a BIOS within versions', { firmware: { bios: { minorVersion: '2.9.0', majorVersion: '2.14.1' } } }, undefined],
  ['a BIOS that is too old', { firmware: { bios: { minorVersion: '2.15.0' } } }, 'version of the BIOS'],
];

describe('hardware', () => {
  for (const [what, asked, expected] of cases) {
    it(`with ${what} ${expected === undefined ? 'matches' : 'does not match'}`, () => {
      assert.equal(matchHardware(asked, hardware), expected);
    });
  }

  it('that has told nothing has nothing that is asked for', () => {
    const asked: HardwareCharacteristics[] = [
      { cpu: { maximumCount: 1 } },
      { ram: { maximumSizeGB: 1 } },
      { disk: { maximumIndividualSizeGB: 1 } },
      { nic: { minimumCount: 1 } },
      { systemVendor: { productName: 'R1' } },
      { firmware: { bios: { majorVersion: '2' } } },
    ];
    for (const each of asked) assert.notEqual(matchHardware(each, {}), undefined, JSON.stringify(each));
  });

  it('is asked for only where something is named', () => {
    assert.equal(asksForAnything({ cpu: {} }), false);
    assert.equal(asksForAnything({ cpu: { minimumCount: 1 } }), true);
  });
});
