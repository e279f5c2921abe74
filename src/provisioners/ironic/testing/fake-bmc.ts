import type { JsonObject } from '../client/index.ts';

/** A BMC that a fake Ironic can reach. */
export interface FakeBmc {
  /** As the node's driver_info says it. */
  readonly redfishAddress: string;
  readonly systemPath: string;
  readonly username: string;
  password: string;
  isOn: boolean;
  /** The system behind it does not shut down when asked to. */
  ignoresSoftPowerOff: boolean;
  /** Nothing switches it. */
  isBroken: boolean;
  /** The address of what is in its virtual CD drive. */
  media: string | undefined;
  /** Nothing can be put into that drive. */
  hasBrokenDrive: boolean;
  readonly macs: readonly string[];
  /** The address of the image on the disk of its machine, where an agent that runs there wrote one. */
  disk: string | undefined;
  readonly bios: Map<string, string>;
  readonly firmware: Map<string, string>;
}

/** A BMC with a few settings and two components. */
export function createFakeBmc(index: number): FakeBmc {
  const tail = index.toString(16).padStart(2, '0');
  return {
    redfishAddress: `http://10.0.0.${index}:8000`,
    systemPath: '/redfish/v1/Systems/1',
    username: 'admin',
    password: 'right-password',
    isOn: false,
    ignoresSoftPowerOff: false,
    isBroken: false,
    media: undefined,
    hasBrokenDrive: false,
    disk: undefined,
    macs: [`52:54:00:00:00:${tail}`, `52:54:00:00:01:${tail}`],
    bios: new Map([
      ['ProcTurboMode', 'Enabled'],
      ['BootMode', 'Uefi'],
      ['AdminName', 'nobody'],
    ]),
    firmware: new Map([
      ['bios', '1.0.0'],
      ['bmc', '7.1'],
    ]),
  };
}

/** What Ironic lists of the BIOS. */
export function biosList(bmc: FakeBmc): readonly JsonObject[] {
  return [...bmc.bios].map(([name, value]) => ({
    name,
    value,
    ...(name === 'ProcTurboMode'
      ? { attribute_type: 'Enumeration', allowable_values: ['Enabled', 'Disabled'], read_only: false, unique: false }
      : name === 'AdminName'
        ? { attribute_type: 'String', min_length: 1, max_length: 16, read_only: false, unique: true }
        : { attribute_type: 'Enumeration', allowable_values: ['Uefi', 'Bios'], read_only: true, unique: false }),
    lower_bound: null,
    upper_bound: null,
  }));
}

/** What Ironic keeps of an inspection. */
export function inventoryOf(bmc: FakeBmc): JsonObject {
  return {
    inventory: {
      system_vendor: {
        manufacturer: 'Example',
        product_name: 'E1',
        serial_number: `SN-${bmc.redfishAddress}`,
        firmware: { vendor: 'Example', version: bmc.firmware.get('bios'), build_date: '01/02/2026' },
      },
      memory: { physical_mb: 16_384 },
      cpu: {
        architecture: 'x86_64',
        model_name: 'Example CPU',
        frequency: '2299.998',
        count: 4,
        flags: ['vmx', 'aes'],
      },
      disks: [{ name: '/dev/sda', by_path: '/dev/disk/by-path/pci-1', size: 500_000_000_000, rotational: false }],
      interfaces: bmc.macs.map((mac_address, index) => ({
        name: `eth${index}`,
        mac_address,
        speed_mbps: 25_000,
        // Only the last one has an address: it is the one that the machine booted from.
        ipv4_address:
          index === bmc.macs.length - 1 ? new URL(bmc.redfishAddress).hostname.replace('10.0.0', '192.0.2') : null,
      })),
      hostname: 'ramdisk',
    },
    plugin_data: { all_interfaces: { eth0: { pxe_enabled: true } } },
  };
}
