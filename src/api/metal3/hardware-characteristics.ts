import { type Static, Type } from 'typebox';
import { Flag, List, StringEnum, Struct, Text, Whole } from '../shapes.ts';

const count = { minimum: 1, maximum: 1_000_000 };

/** What CPUs are asked for. */
export const CpuCharacteristics = Struct(
  {
    architecture: Type.Optional(Text('Architecture; `x86`, `x86_64`, `AMD64` and `IAS` are the same.')),
    minimumCount: Type.Optional(Whole('The least number of logical processors.', count)),
    maximumCount: Type.Optional(Whole('The greatest number of logical processors.', count)),
    minimumSpeedMHz: Type.Optional(Whole('The least clock speed in MHz.', count)),
    maximumSpeedMHz: Type.Optional(Whole('The greatest clock speed in MHz.', count)),
  },
  { description: 'What processors are asked for.' },
);

/** Which disks are looked at. */
export const DiskSelector = Struct(
  {
    hctl: Type.Optional(Text('SCSI address, such as `0:0:0:0`; any part may be `N`, which fits every number.')),
    rotational: Type.Optional(Flag('Whether the disk spins.')),
    type: Type.Optional(StringEnum(['HDD', 'SSD', 'NVME'], { description: 'Kind of disk.' })),
  },
  { description: 'Disks that have all of this.' },
);

/** What disks are asked for. */
export const DiskCharacteristics = Struct(
  {
    minimumCount: Type.Optional(Whole('The least number of disks.', count)),
    maximumCount: Type.Optional(Whole('The greatest number of disks.', count)),
    minimumIndividualSizeGB: Type.Optional(Whole('The least size of each disk in GiB.', count)),
    maximumIndividualSizeGB: Type.Optional(Whole('The greatest size of each disk in GiB.', count)),
    diskSelector: Type.Optional(
      List(DiskSelector, {
        description:
          'Only disks that one of these selects are counted and measured; each of these selects at least one.',
        maxItems: 32,
      }),
    ),
  },
  { description: 'What disks are asked for.' },
);

/** What network interfaces are asked for. */
export const NicCharacteristics = Struct(
  {
    minimumCount: Type.Optional(Whole('The least number of interfaces.', count)),
    maximumCount: Type.Optional(Whole('The greatest number of interfaces.', count)),
    minimumSpeedGbps: Type.Optional(Whole('Only interfaces of at least this speed are counted.', count)),
    nicSelector: Type.Optional(
      Struct(
        {
          vendor: Type.Optional(
            List(Type.String({ maxLength: 63 }), {
              description: 'PCI ids of vendors such as `0x8086`: only their interfaces are counted.',
              maxItems: 32,
            }),
          ),
        },
        { description: 'Which interfaces are counted.' },
      ),
    ),
  },
  { description: 'What network interfaces are asked for.' },
);

/** What hardware is asked for, in the words of Metal3's hardware classification. */
export const HardwareCharacteristics = Struct(
  {
    cpu: Type.Optional(CpuCharacteristics),
    disk: Type.Optional(DiskCharacteristics),
    nic: Type.Optional(NicCharacteristics),
    ram: Type.Optional(
      Struct(
        {
          minimumSizeGB: Type.Optional(Whole('The least size in GiB.', count)),
          maximumSizeGB: Type.Optional(Whole('The greatest size in GiB.', count)),
        },
        { description: 'How much memory is asked for.' },
      ),
    ),
    systemVendor: Type.Optional(
      Struct(
        {
          manufacturer: Type.Optional(Text('Manufacturer of the system, upper and lower case alike.')),
          productName: Type.Optional(Text('Product name of the system, upper and lower case alike.')),
        },
        { description: 'Whose system is asked for.' },
      ),
    ),
    firmware: Type.Optional(
      Struct(
        {
          bios: Type.Optional(
            Struct(
              {
                vendor: Type.Optional(Text('Vendor of the BIOS, upper and lower case alike.')),
                minorVersion: Type.Optional(Text('The least version of the BIOS.')),
                majorVersion: Type.Optional(Text('The greatest version of the BIOS.')),
              },
              { description: 'Which BIOS is asked for.' },
            ),
          ),
        },
        { description: 'Which firmware is asked for.' },
      ),
    ),
  },
  {
    description:
      'What hardware is asked for; a machine that has not told something that is asked for does not have it.',
  },
);

/** What hardware is asked for. */
export type HardwareCharacteristics = Static<typeof HardwareCharacteristics>;
