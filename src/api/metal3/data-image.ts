import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { declareKind } from '../declare.ts';
import type { LenientResource } from '../object.ts';
import { Struct, Text, Time, Whole } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';

/** What a user wants in the virtual drive of a host. */
export const DataImageSpec = Struct(
  { url: Text('Where the image is; Ironic takes ISO images by http or https.') },
  { description: 'The image that is wanted.' },
);

/** What a user wants in the virtual drive of a host. */
export type DataImageSpec = Static<typeof DataImageSpec>;

/** What is in the virtual drive of a host. */
export const DataImageStatus = Struct(
  {
    lastReconciled: Type.Optional(
      Time({ description: 'When the image was last attached or detached, or that failed.' }),
    ),
    attachedImage: Type.Optional(
      Struct({ url: Text('Where the attached image is.') }, { description: 'The image that is attached.' }),
    ),
    error: Type.Optional(
      Struct(
        {
          count: Whole('Failures since the last success.', { format: 'int32' }),
          message: Text('What went wrong last.'),
        },
        { description: 'Why the image could not be attached or detached.' },
      ),
    ),
    conditions: Type.Optional(Conditions('Attached: the image that is wanted is in the virtual drive of the host.')),
  },
  { description: 'What is attached.' },
);

/** What is in the virtual drive of a host. */
export type DataImageStatus = Static<typeof DataImageStatus>;

/** An image in the virtual drive of the BareMetalHost of the same name. */
export type DataImage = LenientResource<Metal3ApiVersion, 'DataImage', DataImageSpec, DataImageStatus>;

/** DataImage, as Metal3 has it; its conditions are ours. */
export const dataImage = declareKind({
  group: metal3Group,
  kind: 'DataImage',
  plural: 'dataimages',
  singular: 'dataimage',
  scope: 'Namespaced',
  description:
    'An image for the virtual drive of the BareMetalHost of the same name, changed when the provisioned host is next powered on.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: DataImageSpec,
      status: DataImageStatus,
      hasStatusSubresource: true,
      columns: [],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'DataImage',
    metadata: { name: 'rack1-host7', namespace: 'fleet' },
    spec: { url: 'https://images.example.com/site-data.iso' },
  },
});
