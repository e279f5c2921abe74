import { type Static, Type } from 'typebox';
import type { ValidationRule } from '../../schema/index.ts';
import { describe, Flag, List, MapOf, StringEnum, Struct, Text } from '../declare.ts';
import { SwitchPortConfigurationReference } from '../metal3/network-references.ts';
import { SecretReference } from '../references.ts';
import { FailureDomainName, FullReference, ProviderId } from './shapes.ts';

const diskFormats = ['raw', 'qcow2', 'vdi', 'vmdk', 'live-iso'] as const;

function imageRules(formatField: 'format' | 'diskFormat'): ValidationRule[] {
  const isLive = `(has(self.${formatField}) && self.${formatField} == 'live-iso')`;
  return [
    {
      rule: `self.url == '' || ${isLive} || self.url.startsWith('oci://') || (has(self.checksum) && self.checksum != '')`,
      message: 'checksum is required unless the image is a live-iso or an oci:// one',
      reason: 'FieldValueRequired',
      fieldPath: '.checksum',
    },
    {
      rule: "!self.url.startsWith('oci://') || !has(self.checksum) || self.checksum == ''",
      message: 'checksum cannot be set for an oci:// image, whose digest is in its reference',
      reason: 'FieldValueForbidden',
      fieldPath: '.checksum',
    },
    {
      rule: "!self.url.startsWith('oci://') || !has(self.checksumType)",
      message: 'checksumType cannot be set for an oci:// image, whose digest is in its reference',
      reason: 'FieldValueForbidden',
      fieldPath: '.checksumType',
    },
  ];
}

const checksumFields = {
  checksum: Type.Optional(Text('Checksum of the image, or a URL of one.', { maxLength: 2048 })),
  checksumType: Type.Optional(StringEnum(['md5', 'sha256', 'sha512'], { description: 'Algorithm of the checksum.' })),
};

const DiskFormat = Type.Optional(
  StringEnum(diskFormats, { description: 'Format of the image; a live-iso is booted and not written to disk.' }),
);

const urlText = 'Where the image is: an absolute URL.';
const absoluteUrl = '[a-zA-Z][a-zA-Z0-9+.-]*://[^\\s]+';

const Image = Struct(
  {
    url: Text(urlText, { minLength: 1, maxLength: 2048, pattern: `^${absoluteUrl}$` }),
    ...checksumFields,
    diskFormat: DiskFormat,
  },
  { description: 'The image to write to the host.', 'x-kubernetes-validations': imageRules('diskFormat') },
);

// Clients of v1beta1 written in Go always send an image, with an empty url beside customDeploy.
const ImageV1Beta1 = Struct(
  {
    url: Text(urlText, { maxLength: 2048, pattern: `^(${absoluteUrl})?$` }),
    ...checksumFields,
    format: DiskFormat,
  },
  { description: 'The image to write to the host.', 'x-kubernetes-validations': imageRules('format') },
);

const CustomDeploy = Struct(
  { method: Text('Name of the deploy step in the ramdisk.', { minLength: 1, maxLength: 253 }) },
  { description: 'A custom deploy procedure instead of an image.' },
);

// Any mix of cases is taken: the operators are lower-cased before they are used.
const operatorPattern = '^([Ii][Nn]|[Nn][Oo][Tt][Ii][Nn]|[Ee][Xx][Ii][Ss][Tt][Ss]|!|=|==|!=|[Gg][Tt]|[Ll][Tt])$';

const HostSelector = Struct(
  {
    matchLabels: Type.Optional(MapOf(Type.String(), { description: 'Labels a host must have with these values.' })),
    matchExpressions: Type.Optional(
      List(
        Struct({
          key: Text('The label key.', { minLength: 1, maxLength: 317 }),
          operator: Text('in, notin, exists, !, =, ==, !=, gt or lt.', { pattern: operatorPattern }),
          values: Type.Optional(List(Type.String(), { description: 'The values the label is compared with.' })),
        }),
        { description: 'Requirements on the labels of a host.' },
      ),
    ),
  },
  { description: 'Which BareMetalHosts of the namespace may be chosen.' },
);

/** Which interface of a host is meant; all that is given must fit. */
export const NicHint = Struct(
  {
    name: Type.Optional(Text('Name of the interface as inspection found it, such as eth0.', { maxLength: 253 })),
    smartNIC: Type.Optional(Flag('Whether the interface must be on a smart NIC.')),
  },
  { description: 'Which interface of the host this is for.' },
);

/** Which interface of a host is meant. */
export type NicHint = Static<typeof NicHint>;

/** The configurations for the switch ports that the host of a machine is plugged into. */
export const NetworkConfiguration = List(
  Struct({
    ConfigurationRef: describe(SwitchPortConfigurationReference, 'The configuration for the port.'),
    nicHint: Type.Optional(NicHint),
  }),
  { description: 'Network configurations the machine needs, one per interface.', maxItems: 64 },
);

/** The configurations for the switch ports that the host of a machine is plugged into. */
export type NetworkConfiguration = Static<typeof NetworkConfiguration>;

const dataTemplateText = 'A Metal3DataTemplate. Kept, but not rendered: the machine says so in a condition.';

const commonFields = {
  providerID: Type.Optional(ProviderId),
  userData: Type.Optional(describe(SecretReference, 'The Secret with the user data.')),
  hostSelector: Type.Optional(HostSelector),
  metaData: Type.Optional(describe(SecretReference, 'The Secret with the metadata.')),
  networkData: Type.Optional(describe(SecretReference, 'The Secret with the network data for the operating system.')),
  automatedCleaningMode: Type.Optional(
    StringEnum(['metadata', 'disabled'], { description: 'Whether disks are cleaned before and after use.' }),
  ),
  failureDomain: Type.Optional(FailureDomainName),
  networkConfiguration: Type.Optional(NetworkConfiguration),
};

/** A reference by name and namespace. */
export const NamespacedName = Struct({
  name: Text('Name of the object.', { minLength: 1, maxLength: 253 }),
  namespace: Type.Optional(Text('Namespace of the object.', { minLength: 1, maxLength: 63 })),
});

function deployRule(hasImage: string): ValidationRule {
  return {
    rule: `${hasImage} || has(self.customDeploy)`,
    message: 'either image or customDeploy is required',
    reason: 'FieldValueRequired',
    fieldPath: '.image',
  };
}

/** What is wanted of a Metal3Machine (v1beta2). */
export const Metal3MachineSpec = Struct(
  {
    ...commonFields,
    image: Type.Optional(Image),
    customDeploy: Type.Optional(CustomDeploy),
    dataTemplate: Type.Optional(describe(NamespacedName, dataTemplateText)),
  },
  { description: 'What to put on a host, and on which.', 'x-kubernetes-validations': [deployRule('has(self.image)')] },
);

/** What is wanted of a Metal3Machine (v1beta1). */
export const Metal3MachineSpecV1Beta1 = Struct(
  {
    ...commonFields,
    image: Type.Optional(ImageV1Beta1),
    customDeploy: Type.Optional(CustomDeploy),
    dataTemplate: Type.Optional(FullReference(dataTemplateText)),
  },
  {
    description: 'What to put on a host, and on which.',
    'x-kubernetes-validations': [deployRule("(has(self.image) && self.image.url != '')")],
  },
);

/** What is wanted of a Metal3Machine (v1beta2). */
export type Metal3MachineSpec = Static<typeof Metal3MachineSpec>;

/** What is wanted of a Metal3Machine (v1beta1). */
export type Metal3MachineSpecV1Beta1 = Static<typeof Metal3MachineSpecV1Beta1>;
