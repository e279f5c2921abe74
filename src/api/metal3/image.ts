import { type Static, Type } from 'typebox';
import { StringEnum, Struct, Text } from '../shapes.ts';

/** The image to write to a host. */
export const Image = Struct(
  {
    url: Text('Where the image is.'),
    checksum: Type.Optional(Text('Checksum of the image, or a URL of one.')),
    checksumType: Type.Optional(
      StringEnum(['md5', 'sha256', 'sha512', 'auto'], {
        description: 'Algorithm of the checksum; `auto` tells it from the checksum itself.',
      }),
    ),
    format: Type.Optional(
      StringEnum(['raw', 'qcow2', 'vdi', 'vmdk', 'live-iso'], {
        description: 'Format of the image; a `live-iso` is booted and not written to disk.',
      }),
    ),
    ociAuthSecretName: Type.Optional(
      Text('Secret of a Docker configuration type with the registry credentials of an `oci://` image.'),
    ),
  },
  { description: 'An image and how to check it.' },
);

/** CEL rules for an image that a user asks for. */
export const imageRules = [
  {
    rule: "(has(self.format) && self.format == 'live-iso') || self.url.startsWith('oci://') || (has(self.checksum) && size(self.checksum) > 0)",
    message: 'checksum is required unless the format is live-iso or the image is an oci:// one',
    reason: 'FieldValueRequired' as const,
    fieldPath: '.checksum',
  },
  {
    rule: "!self.url.startsWith('oci://') || (has(self.format) && self.format == 'live-iso') || !has(self.checksum) || size(self.checksum) == 0",
    message: 'checksum cannot be set for an oci:// image, whose digest is in its reference',
    reason: 'FieldValueForbidden' as const,
    fieldPath: '.checksum',
  },
];

/** The image to write to a host. */
export type Image = Static<typeof Image>;

/** A deploy step of the ramdisk to run instead of writing an image. */
export const CustomDeploy = Struct(
  { method: Text('Name of the step in the deploy ramdisk.') },
  { description: 'A custom deploy procedure.' },
);
