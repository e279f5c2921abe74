import { createHash } from 'node:crypto';
import type { HardwareDetails } from '../../../api/index.ts';
import type { FirmwareSettingSchema, HostIdentity } from '../../provisioner.ts';

/** The id of a demo host: always the same for a name, so that it is known after a restart. */
export function demoId(host: Pick<HostIdentity, 'namespace' | 'name'>): string {
  const hex = digestOf(host).subarray(0, 16).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}

function digestOf({ namespace, name }: Pick<HostIdentity, 'namespace' | 'name'>): Buffer {
  return createHash('sha256').update(`${namespace}/${name}`).digest();
}

const gibibyte = 1024 ** 3;

/** What a demo host consists of: always the same for a name. */
export function demoHardware(host: HostIdentity): HardwareDetails {
  const digest = digestOf(host);
  const serial = digest.subarray(0, 5).toString('hex').toUpperCase();
  const macAt = (last: number) => ['02', ...[...digest.subarray(8, 12), last].map(hex)].join(':');
  const nic = (index: number) => ({
    name: `eth${index}`,
    model: '0x1af4 0x0001',
    mac: index === 0 ? (host.bootMacAddress?.toLowerCase() ?? macAt(0)) : macAt(index),
    ip: `192.168.${digest[12] ?? 0}.${((digest[13] ?? 0) % 126) * 2 + index + 1}`,
    speedGbps: 25,
    pxe: index === 0,
  });
  const disk = (index: number) => ({
    name: `/dev/disk/by-path/pci-0000:3b:00.0-ata-${index + 1}`,
    alternateNames: [`/dev/sd${'ab'[index]}`, `/dev/disk/by-path/pci-0000:3b:00.0-ata-${index + 1}`],
    rotational: false,
    type: 'SSD' as const,
    sizeBytes: 960 * gibibyte,
    vendor: 'Demo',
    model: 'D960',
    serialNumber: `${serial}-${index}`,
  });
  return {
    systemVendor: { manufacturer: 'Demo', productName: 'Rack Server', serialNumber: serial },
    firmware: { bios: { date: '01/01/2026', vendor: 'Demo', version: demoComponents.bios } },
    ramMebibytes: 131_072,
    nics: [nic(0), nic(1)],
    storage: [disk(0), disk(1)],
    cpu: { arch: 'x86_64', model: 'Demo CPU', clockMegahertz: 3000, flags: ['aes', 'lm', 'vmx'], count: 32 },
    hostname: host.name,
  };
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** The firmware that a demo host has at first. */
export const demoComponents = { bios: '1.0.0', bmc: '2.0.0' } as const;

/** The BIOS settings that a demo host has at first; one object for all hosts. */
export const demoSettings: Readonly<Record<string, string>> = Object.freeze({
  BootMode: 'Uefi',
  LogicalProc: 'Enabled',
  NumLock: 'On',
  ProcTurboMode: 'Enabled',
  ProcVirtualization: 'Enabled',
  SriovGlobalEnable: 'Disabled',
  SysProfile: 'PerfPerWattOptimized',
  AssetTag: '',
  MemRetries: '3',
  SysPassword: '',
});

const either: FirmwareSettingSchema = {
  attribute_type: 'Enumeration',
  allowable_values: ['Enabled', 'Disabled'],
  read_only: false,
};

/** What these settings may be; one object for all hosts. */
export const demoSchema: Readonly<Record<string, FirmwareSettingSchema>> = Object.freeze({
  BootMode: { attribute_type: 'Enumeration', allowable_values: ['Uefi', 'Bios'], read_only: true },
  LogicalProc: either,
  NumLock: { attribute_type: 'Enumeration', allowable_values: ['On', 'Off'], read_only: false },
  ProcTurboMode: either,
  ProcVirtualization: either,
  SriovGlobalEnable: either,
  SysProfile: {
    attribute_type: 'Enumeration',
    allowable_values: ['PerfPerWattOptimized', 'PerfOptimized', 'Custom'],
    read_only: false,
  },
  AssetTag: { attribute_type: 'String', min_length: 0, max_length: 32, read_only: false, unique: true },
  MemRetries: { attribute_type: 'Integer', lower_bound: 0, upper_bound: 10, read_only: false },
  SysPassword: { attribute_type: 'Password', min_length: 0, max_length: 32, read_only: false },
});
