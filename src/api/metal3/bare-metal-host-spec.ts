import { type Static, Type } from 'typebox';
import { ObjectReference, SecretReference } from '../references.ts';
import { describe, Flag, List, ListMap, StringEnum, Struct, Text, Time } from '../shapes.ts';
import { Raid, RootDeviceHints, raidRules } from './disks.ts';
import { exactMacPattern, looseMacPattern } from './hardware-details.ts';
import { CustomDeploy, Image, imageRules } from './image.ts';
import { SwitchPortConfigurationReference, SwitchPortReference } from './network-references.ts';

const BmcDetails = Struct(
  {
    address: Text('URL of the BMC; its scheme chooses the driver.'),
    credentialsName: Text('Secret with the keys `username` and `password`.'),
    disableCertificateVerification: Type.Optional(
      Flag('Accept any certificate from the BMC. Needed for self-signed ones, and open to interception.'),
    ),
  },
  { description: 'How to reach the baseboard management controller.' },
);

/** How a host boots. */
export const BootMode = StringEnum(['UEFI', 'UEFISecureBoot', 'legacy'], {
  description: 'How the host boots; UEFI when empty.',
});

/** The three firmware switches of old, kept so that stored objects still parse. */
export const LegacyFirmware = Struct(
  {
    virtualizationEnabled: Type.Optional(Flag('Hardware virtualization.')),
    simultaneousMultithreadingEnabled: Type.Optional(Flag('Several threads per core.')),
    sriovEnabled: Type.Optional(Flag('SR-IOV.')),
  },
  { description: 'Deprecated: use HostFirmwareSettings.' },
);

const Taint = Struct(
  {
    key: Text('Key of the taint.'),
    value: Type.Optional(Text('Value of the taint.')),
    effect: Text('NoSchedule, PreferNoSchedule or NoExecute.'),
    timeAdded: Type.Optional(Time({ description: 'When a NoExecute taint was added.' })),
  },
  { description: 'A taint.' },
);

const NetworkInterface = Struct(
  {
    name: Type.Optional(Text('Interface name found by inspection.', { pattern: '^[a-zA-Z0-9._-]+$', maxLength: 253 })),
    macAddress: Type.Optional(Text('MAC address of the interface.', { pattern: exactMacPattern, maxLength: 17 })),
    hostNetworkAttachment: Type.Optional(
      Struct(
        {
          name: Text('Name of the HostNetworkAttachment.'),
          namespace: Type.Optional(Text('Namespace of the HostNetworkAttachment.')),
        },
        { description: 'The network the interface is to be attached to.' },
      ),
    ),
    switchPort: Type.Optional(
      Struct(
        {
          switchID: Text('MAC address of the switch, its LLDP chassis ID.', { pattern: exactMacPattern }),
          portID: Text('Port of the switch.'),
        },
        { description: 'The switch port, where LLDP does not tell or is wrong.' },
      ),
    ),
  },
  {
    description: 'One interface, named by `name` or by `macAddress`.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.name) != has(self.macAddress)',
        message: 'exactly one of name and macAddress must be set',
      },
    ],
  },
);

const HostPort = Struct(
  {
    mac: Text('MAC address of the interface, as inspection reports it.', { pattern: exactMacPattern, maxLength: 17 }),
    port: describe(SwitchPortReference, 'The SwitchPort this interface is plugged into.'),
    provisioningConfiguration: Type.Optional(
      describe(
        SwitchPortConfigurationReference,
        'Set when the interface is used for provisioning: what its port gets before inspection, provisioning, deprovisioning and in-band servicing.',
      ),
    ),
    configuration: Type.Optional(
      describe(
        SwitchPortConfigurationReference,
        'What the port gets once the host is deployed; without it the port is cleaned then.',
      ),
    ),
  },
  { description: 'One interface of the host, the switch port it is plugged into, and what that port gets when.' },
);

const uniqueInterfaces = [
  {
    rule: 'self.all(a, !has(a.name) || self.exists_one(b, has(b.name) && b.name.lowerAscii() == a.name.lowerAscii()))',
    message: 'two entries name the same interface',
    reason: 'FieldValueDuplicate' as const,
  },
  {
    rule: 'self.all(a, !has(a.macAddress) || self.exists_one(b, has(b.macAddress) && b.macAddress.lowerAscii() == a.macAddress.lowerAscii()))',
    message: 'two entries have the same macAddress',
    reason: 'FieldValueDuplicate' as const,
  },
];

const uniquePorts = [
  {
    rule: 'self.all(a, self.exists_one(b, b.mac.lowerAscii() == a.mac.lowerAscii()))',
    message: 'two ports have the same mac',
    reason: 'FieldValueDuplicate' as const,
  },
  {
    rule: 'self.all(a, self.exists_one(b, b.port.name == a.port.name && has(b.port.__namespace__) == has(a.port.__namespace__) && (!has(a.port.__namespace__) || b.port.__namespace__ == a.port.__namespace__)))',
    message: 'two ports name the same SwitchPort',
    reason: 'FieldValueDuplicate' as const,
  },
];

const specRules = [
  {
    rule: '!has(self.firmware)',
    message: 'no longer supported, use HostFirmwareSettings',
    reason: 'FieldValueForbidden' as const,
    fieldPath: '.firmware',
  },
  {
    rule: '!has(self.disablePowerOff) || !self.disablePowerOff || self.online',
    message: 'a host with disablePowerOff cannot be set offline',
    fieldPath: '.online',
  },
  {
    rule: '!has(self.rootDeviceHints) || !has(self.raid) || !has(self.raid.softwareRAIDVolumes) || dyn(self.raid.softwareRAIDVolumes) == null || !self.raid.softwareRAIDVolumes.exists(v, has(v.rootVolume) && v.rootVolume)',
    message: 'rootDeviceHints cannot be set together with a root volume in raid.softwareRAIDVolumes',
    reason: 'FieldValueForbidden' as const,
    fieldPath: '.rootDeviceHints',
  },
  {
    rule: "!has(oldSelf.bootMACAddress) || oldSelf.bootMACAddress == '' || (has(self.bootMACAddress) && self.bootMACAddress.lowerAscii() == oldSelf.bootMACAddress.lowerAscii())",
    message: 'bootMACAddress cannot be changed once it is set',
    reason: 'FieldValueForbidden' as const,
    fieldPath: '.bootMACAddress',
  },
];

/** What a user wants of a host. */
export const BareMetalHostSpec = Struct(
  {
    online: Flag('Whether the host should be powered on.'),
    bmc: Type.Optional(BmcDetails),
    bootMACAddress: Type.Optional(
      Text('MAC address of the interface the host is provisioned through; never that of the BMC.', {
        pattern: looseMacPattern,
      }),
    ),
    bootMode: Type.Optional(BootMode),
    image: Type.Optional(
      describe(Image, 'The image to provision; setting it starts provisioning.', {
        'x-kubernetes-validations': imageRules,
      }),
    ),
    customDeploy: Type.Optional(
      describe(CustomDeploy, 'A deploy step of the ramdisk to run instead; setting it starts provisioning.'),
    ),
    userData: Type.Optional(describe(SecretReference, 'Secret with the user data of the first boot.')),
    networkData: Type.Optional(describe(SecretReference, 'Secret with the network data of the first boot.')),
    metaData: Type.Optional(describe(SecretReference, 'Secret with the metadata of the config drive.')),
    preprovisioningNetworkDataName: Type.Optional(
      Text('Secret with the network data of the inspection and deploy ramdisk.'),
    ),
    consumerRef: Type.Optional(describe(ObjectReference, 'Who uses the host; while it is set the host is in use.')),
    description: Type.Optional(Text('Free text that helps people recognise the host.')),
    externallyProvisioned: Type.Optional(
      Flag('Something else installed the host; only its power, and live updates, are managed.'),
    ),
    automatedCleaningMode: Type.Optional(
      StringEnum(['metadata', 'disabled'], {
        description: 'Whether disks are wiped of partition data before and after use.',
        default: 'metadata',
      }),
    ),
    inspectionMode: Type.Optional(
      StringEnum(['disabled', 'agent', 'fast'], {
        description: 'How hardware is inspected: not at all, by the ramdisk, or through the BMC only.',
      }),
    ),
    architecture: Type.Optional(Text('CPU architecture; filled in from inspection when empty.')),
    rootDeviceHints: Type.Optional(RootDeviceHints),
    raid: Type.Optional(
      describe(Raid, 'RAID to build before provisioning.', { 'x-kubernetes-validations': raidRules }),
    ),
    disablePowerOff: Type.Optional(Flag('Never power the host off; reboot it where it would have been.')),
    networkInterfaces: Type.Optional(
      List(NetworkInterface, {
        description: 'Networks of the interfaces, for fleets that let Ironic drive the switches.',
        maxItems: 128,
        'x-kubernetes-validations': uniqueInterfaces,
      }),
    ),
    ports: Type.Optional(
      ListMap(HostPort, ['mac'], {
        description: 'Interfaces with the switch ports they are plugged into.',
        maxItems: 64,
        'x-kubernetes-validations': uniquePorts,
      }),
    ),
    hardwareProfile: Type.Optional(Text('Deprecated: use `architecture` and `rootDeviceHints`.')),
    firmware: Type.Optional(LegacyFirmware),
    taints: Type.Optional(List(Taint, { description: 'Deprecated: never acted upon.' })),
  },
  { description: 'What is wanted of the host.', 'x-kubernetes-validations': specRules },
);

/** What a user wants of a host. */
export type BareMetalHostSpec = Static<typeof BareMetalHostSpec>;

/** One interface of a host with its switch port. */
export type HostPort = Static<typeof HostPort>;
