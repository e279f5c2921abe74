import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { declareKind } from '../declare.ts';
import type { LenientResource } from '../object.ts';
import { List, StringEnum, Struct, Text } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';

/** How an image that a host boots can come. */
export const bootImageFormats = ['iso', 'initrd'] as const;

/** What has to be built. */
export const PreprovisioningImageSpec = Struct(
  {
    networkDataName: Type.Optional(Text('The Secret with the network data to build into the image.')),
    architecture: Type.Optional(Text('The architecture of the processor, such as `x86_64`.')),
    acceptFormats: Type.Optional(
      List(StringEnum(bootImageFormats, { description: 'A format.' }), {
        description: 'Formats that the host can be booted with.',
      }),
    ),
  },
  { description: 'What has to be built.' },
);

/** What has to be built. */
export type PreprovisioningImageSpec = Static<typeof PreprovisioningImageSpec>;

/** What was built. */
export const PreprovisioningImageStatus = Struct(
  {
    imageUrl: Type.Optional(Text('Where the image is.')),
    kernelUrl: Type.Optional(Text('Where its kernel is, for an initrd that does not fit the usual one.')),
    extraKernelParams: Type.Optional(Text('What the kernel is told besides.')),
    format: Type.Optional(StringEnum(bootImageFormats, { description: 'The format of the image.' })),
    networkData: Type.Optional(
      Struct(
        {
          name: Type.Optional(Text('The name of the Secret.')),
          version: Type.Optional(Text('Its resource version.')),
        },
        { description: 'The network data that is built in.' },
      ),
    ),
    architecture: Type.Optional(Text('The architecture of the image.')),
    conditions: Type.Optional(Conditions('Ready: the image can be booted. Error: it could not be built.')),
  },
  { description: 'What was built.' },
);

/** What was built. */
export type PreprovisioningImageStatus = Static<typeof PreprovisioningImageStatus>;

/** The image that the provisioner boots to work on the BareMetalHost of the same name. */
export type PreprovisioningImage = LenientResource<
  Metal3ApiVersion,
  'PreprovisioningImage',
  PreprovisioningImageSpec,
  PreprovisioningImageStatus
>;

/** PreprovisioningImage, as Metal3 has it: asked for by the controller of hosts, built by whoever can. */
export const preprovisioningImage = declareKind({
  group: metal3Group,
  kind: 'PreprovisioningImage',
  plural: 'preprovisioningimages',
  singular: 'preprovisioningimage',
  shortNames: ['ppimg'],
  scope: 'Namespaced',
  description:
    'The image that the provisioner boots to work on the BareMetalHost of the same name, built for that host.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: PreprovisioningImageSpec,
      status: PreprovisioningImageStatus,
      hasStatusSubresource: true,
      columns: [
        {
          name: 'Ready',
          type: 'string',
          jsonPath: '.status.conditions[?(@.type=="Ready")].status',
          description: 'Whether the image can be booted.',
        },
        {
          name: 'Reason',
          type: 'string',
          jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
          description: 'Why it can or cannot.',
        },
      ],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'PreprovisioningImage',
    metadata: { name: 'rack1-host7', namespace: 'fleet' },
    spec: { networkDataName: 'rack1-host7-network', architecture: 'x86_64', acceptFormats: ['iso', 'initrd'] },
  },
});
