import { type Static, Type } from 'typebox';
import { Flag, List, Real, StringEnum, Struct, Text, Whole } from '../shapes.ts';

/** The MAC address pattern of Metal3, which is not anchored, so that longer InfiniBand addresses pass too. */
export const looseMacPattern = '[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}';

/** Exactly one 48-bit MAC address. */
export const exactMacPattern = '^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$';

const vlanId = { format: 'int32', minimum: 0, maximum: 4094 };

/** What a NIC heard from the switch by LLDP. */
export const Lldp = Struct(
  {
    switchID: Type.Optional(Text('Chassis ID of the switch.')),
    portID: Type.Optional(Text('Port ID of the switch port.')),
    switchSystemName: Type.Optional(Text('System name of the switch.')),
  },
  { description: 'What the interface heard by LLDP from the switch it is plugged into.' },
);

/** One network interface. */
export const Nic = Struct(
  {
    name: Type.Optional(Text('Interface name in the inspecting system, such as `en0`.')),
    model: Type.Optional(Text('PCI vendor and product ids, such as `0x8086 0x1572`.')),
    mac: Type.Optional(Text('MAC address.', { pattern: looseMacPattern })),
    ip: Type.Optional(
      Text('IPv4 or IPv6 address. A dual-stack interface is listed twice, once with each of its addresses.'),
    ),
    speedGbps: Type.Optional(Whole('Link speed in gigabits per second.')),
    vlans: Type.Optional(
      List(
        Struct(
          {
            id: Type.Optional(Whole('802.1Q VLAN id.', vlanId)),
            name: Type.Optional(Text('Name of the VLAN.')),
          },
          { description: 'One VLAN.' },
        ),
        { description: 'VLANs seen on the interface.' },
      ),
    ),
    vlanId: Type.Optional(Whole('The untagged VLAN.', vlanId)),
    pxe: Type.Optional(Flag('Whether the interface can boot by PXE.')),
    lldp: Type.Optional(Lldp),
    pciAddress: Type.Optional(Text('PCI address of the interface.')),
  },
  { description: 'One network interface of the host.' },
);

/** One storage device. */
export const Storage = Struct(
  {
    name: Type.Optional(
      Text('Linux device name; one that survives reboots (`/dev/disk/by-path/...`) where there is one.'),
    ),
    alternateNames: Type.Optional(
      List(Type.String(), { description: 'Other device names of the disk; they may change at reboot.' }),
    ),
    rotational: Type.Optional(Flag('Whether the device spins. Prefer `type`.')),
    type: Type.Optional(StringEnum(['HDD', 'SSD', 'NVME'], { description: 'Kind of device.' })),
    sizeBytes: Type.Optional(Whole('Size in bytes.', { format: 'int64' })),
    vendor: Type.Optional(Text('Vendor of the device.')),
    model: Type.Optional(Text('Model of the device.')),
    serialNumber: Type.Optional(Text('Serial number of the device.')),
    wwn: Type.Optional(Text('World wide name.')),
    wwnVendorExtension: Type.Optional(Text('Vendor extension of the world wide name.')),
    wwnWithExtension: Type.Optional(Text('World wide name with its extension.')),
    hctl: Type.Optional(Text('SCSI address, such as `0:0:0:0`.')),
  },
  { description: 'One disk, SSD or NVMe device of the host.' },
);

/** The processors. */
export const Cpu = Struct(
  {
    arch: Type.Optional(Text('Architecture, such as `x86_64`.')),
    model: Type.Optional(Text('Model name.')),
    clockMegahertz: Type.Optional(Real('Clock speed in MHz.', { format: 'double' })),
    flags: Type.Optional(List(Type.String(), { description: 'CPU flags, sorted.' })),
    count: Type.Optional(Whole('Number of logical processors.')),
  },
  { description: 'The processors of the host.' },
);

/** Everything inspection finds out about a host. */
export const HardwareDetails = Struct(
  {
    systemVendor: Type.Optional(
      Struct(
        {
          manufacturer: Type.Optional(Text('Manufacturer of the system.')),
          productName: Type.Optional(Text('Product name of the system.')),
          serialNumber: Type.Optional(Text('Serial number of the system.')),
        },
        { description: 'Who made the system.' },
      ),
    ),
    firmware: Type.Optional(
      Struct(
        {
          bios: Type.Optional(
            Struct(
              {
                date: Type.Optional(Text('Release date of the BIOS.')),
                vendor: Type.Optional(Text('Vendor of the BIOS.')),
                version: Type.Optional(Text('Version of the BIOS.')),
              },
              { description: 'The BIOS.' },
            ),
          ),
        },
        { description: 'Firmware of the system.' },
      ),
    ),
    ramMebibytes: Type.Optional(Whole('Memory in MiB.')),
    nics: Type.Optional(List(Nic, { description: 'Network interfaces.' })),
    storage: Type.Optional(List(Storage, { description: 'Storage devices.' })),
    cpu: Type.Optional(Cpu),
    hostname: Type.Optional(Text('Host name at the time of inspection.')),
  },
  { description: 'The hardware found on the host by inspection.' },
);

/** Everything inspection finds out about a host. */
export type HardwareDetails = Static<typeof HardwareDetails>;

/** One network interface. */
export type Nic = Static<typeof Nic>;

/** One storage device. */
export type Storage = Static<typeof Storage>;
