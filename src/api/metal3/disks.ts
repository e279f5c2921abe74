import { type Static, Type } from 'typebox';
import { Flag, List, Nullable, StringEnum, Struct, Text, Whole } from '../shapes.ts';

/** Which disk to write the image to. */
export const RootDeviceHints = Struct(
  {
    deviceName: Type.Optional(Text('Device name such as `/dev/vda` or `/dev/disk/by-path/...`; must match exactly.')),
    hctl: Type.Optional(Text('SCSI address such as `0:0:0:0`; must match exactly.')),
    model: Type.Optional(Text('Part of the device model.')),
    vendor: Type.Optional(Text('Part of the vendor name.')),
    serialNumber: Type.Optional(Text('Serial number; must match exactly.')),
    minSizeGigabytes: Type.Optional(Whole('Smallest size in GB.', { minimum: 0 })),
    wwn: Type.Optional(Text('World wide name; must match exactly.')),
    wwnWithExtension: Type.Optional(Text('World wide name with its vendor extension; must match exactly.')),
    wwnVendorExtension: Type.Optional(Text('Vendor extension of the world wide name; must match exactly.')),
    rotational: Type.Optional(Flag('True for spinning disks only, false for solid-state ones only.')),
  },
  { description: 'Hints for choosing the disk that gets the image; all that are given must match.' },
);

/** Which disk to write the image to. */
export type RootDeviceHints = Static<typeof RootDeviceHints>;

const sizeGibibytes = Whole('Size in GiB; 0 or nothing takes all there is.', { minimum: 0 });

const HardwareRaidVolume = Struct(
  {
    level: StringEnum(['0', '1', '2', '5', '6', '1+0', '5+0', '6+0'], {
      description: 'RAID level; a driver may support only some of them.',
    }),
    sizeGibibytes: Type.Optional(sizeGibibytes),
    name: Type.Optional(Text('Name of the volume, unique on the host; made up when not given.', { maxLength: 64 })),
    rotational: Type.Optional(Flag('True takes spinning disks only, false solid-state ones only.')),
    numberOfPhysicalDisks: Type.Optional(
      Whole('How many disks to use; the least the level needs when not given.', { minimum: 1 }),
    ),
    controller: Type.Optional(Text('RAID controller to use.')),
    physicalDisks: Type.Optional(
      List(Type.String(), { description: 'Disks to use, by the names their controller gives them.' }),
    ),
  },
  {
    description: 'One volume of a hardware RAID.',
    'x-kubernetes-validations': [
      {
        rule: '!has(self.physicalDisks) || size(self.physicalDisks) == 0 || (has(self.controller) && size(self.controller) > 0)',
        message: 'physicalDisks needs controller',
        reason: 'FieldValueRequired',
        fieldPath: '.controller',
      },
      {
        rule: '!has(self.physicalDisks) || size(self.physicalDisks) == 0 || !has(self.numberOfPhysicalDisks) || self.numberOfPhysicalDisks == size(self.physicalDisks)',
        message: 'numberOfPhysicalDisks must be the number of physicalDisks',
        fieldPath: '.numberOfPhysicalDisks',
      },
    ],
  },
);

const SoftwareRaidVolume = Struct(
  {
    level: StringEnum(['0', '1', '1+0'], { description: 'RAID level.' }),
    rootVolume: Type.Optional(Flag('Write the image to this volume.', { default: false })),
    sizeGibibytes: Type.Optional(sizeGibibytes),
    physicalDisks: Type.Optional(
      List(RootDeviceHints, { description: 'Hints that choose the disks; at least two.', minItems: 2 }),
    ),
  },
  {
    description: 'One volume of a software RAID.',
    'x-kubernetes-validations': [
      {
        rule: "!has(self.rootVolume) || !self.rootVolume || self.level == '1'",
        message: 'the root volume must have level 1',
        fieldPath: '.level',
      },
    ],
  },
);

// A nullable list may hold an explicit null, which has() counts as set; dyn() lets the rule look at it.
const filled = (list: string) => `has(self.${list}) && dyn(self.${list}) != null && size(self.${list}) > 0`;

/** Volumes to build from the disks before provisioning. */
export const Raid = Struct(
  {
    hardwareRAIDVolumes: Type.Optional(
      Nullable(
        List(HardwareRaidVolume, {
          description: 'Volumes of the hardware RAID; an empty list removes the present ones.',
        }),
      ),
    ),
    softwareRAIDVolumes: Type.Optional(
      Nullable(
        List(SoftwareRaidVolume, {
          description: 'Volumes of the software RAID, one or two; the first is the root volume unless one says so.',
          maxItems: 2,
          'x-kubernetes-validations': [
            {
              rule: 'self.filter(v, has(v.rootVolume) && v.rootVolume).size() <= 1',
              message: 'only one volume can be the root volume',
            },
          ],
        }),
      ),
    ),
  },
  { description: 'RAID configuration of the host.' },
);

/** CEL rules for a RAID that a user asks for (a status only records what was done). */
export const raidRules = [
  {
    rule: `!(${filled('hardwareRAIDVolumes')}) || !(${filled('softwareRAIDVolumes')})`,
    message: 'hardwareRAIDVolumes and softwareRAIDVolumes cannot both be set',
    reason: 'FieldValueForbidden' as const,
    fieldPath: '.softwareRAIDVolumes',
  },
];

/** Volumes to build from the disks before provisioning. */
export type Raid = Static<typeof Raid>;
