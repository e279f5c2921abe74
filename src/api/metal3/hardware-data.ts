import { type Static, Type } from 'typebox';
import { ageColumn, declareKind } from '../declare.ts';
import type { LenientResource } from '../object.ts';
import { describe, Struct } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';
import { HardwareDetails } from './hardware-details.ts';

/** What inspection found. */
export const HardwareDataSpec = Struct(
  { hardware: Type.Optional(describe(HardwareDetails, 'The hardware found by the last inspection.')) },
  { description: 'What inspection found.' },
);

/** What inspection found. */
export type HardwareDataSpec = Static<typeof HardwareDataSpec>;

/** The hardware of the BareMetalHost of the same name. */
export type HardwareData = LenientResource<Metal3ApiVersion, 'HardwareData', HardwareDataSpec, never>;

/** HardwareData, as Metal3 has it. */
export const hardwareData = declareKind({
  group: metal3Group,
  kind: 'HardwareData',
  plural: 'hardwaredata',
  singular: 'hardwaredata',
  shortNames: ['hd'],
  scope: 'Namespaced',
  description: 'The hardware of the BareMetalHost of the same name, written anew at each inspection.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: HardwareDataSpec,
      hasStatusSubresource: false,
      columns: [ageColumn],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'HardwareData',
    metadata: { name: 'rack1-host7', namespace: 'fleet' },
    spec: {
      hardware: {
        systemVendor: { manufacturer: 'Example Inc.', productName: 'R1', serialNumber: 'SN0007' },
        firmware: { bios: { vendor: 'Example Inc.', version: '2.14.1', date: '03/04/2026' } },
        ramMebibytes: 262144,
        nics: [
          {
            name: 'eno1',
            mac: '52:54:00:aa:00:07',
            ip: '192.0.2.107',
            speedGbps: 25,
            pxe: true,
            lldp: { switchID: '52:54:00:bb:00:01', portID: 'Ethernet7', switchSystemName: 'leaf1' },
          },
        ],
        storage: [{ name: '/dev/disk/by-path/pci-0000:01:00.0-nvme-1', type: 'NVME', sizeBytes: 1920383410176 }],
        cpu: { arch: 'x86_64', model: 'Example 9000', clockMegahertz: 2450, count: 64, flags: ['aes', 'avx2'] },
        hostname: 'rack1-host7',
      },
    },
  },
});
