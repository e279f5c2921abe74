import { type Static, Type } from 'typebox';
import { ageColumn, declareKind, Flag, Struct } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { Metal3MachineSpec, Metal3MachineSpecV1Beta1 } from './metal3-machine-spec.ts';
import {
  contractLabels,
  infrastructureApiVersion,
  type infrastructureApiVersionV1Beta1,
  infrastructureGroup,
} from './names.ts';
import { TemplateMetadata } from './shapes.ts';

const NodeReuse = Type.Optional(
  Flag('When true, a replaced machine takes the hosts its predecessors gave back.', { default: false }),
);

const templateText = 'What the Metal3Machines are made from.';

/** What Metal3Machines are made from (v1beta2). */
export const Metal3MachineTemplateSpec = Struct(
  {
    template: Struct(
      { metadata: Type.Optional(TemplateMetadata()), spec: Metal3MachineSpec },
      { description: templateText },
    ),
    nodeReuse: NodeReuse,
  },
  { description: 'The template.' },
);

/** What Metal3Machines are made from (v1beta1). */
export const Metal3MachineTemplateSpecV1Beta1 = Struct(
  {
    template: Struct(
      { metadata: Type.Optional(TemplateMetadata()), spec: Metal3MachineSpecV1Beta1 },
      { description: templateText },
    ),
    nodeReuse: NodeReuse,
  },
  { description: 'The template.' },
);

/** The spec of a Metal3MachineTemplate, typed. */
export type Metal3MachineTemplateSpec = Static<typeof Metal3MachineTemplateSpec>;

/** A Metal3MachineTemplate object. */
export type Metal3MachineTemplate = CustomResource<
  typeof infrastructureApiVersion,
  'Metal3MachineTemplate',
  Metal3MachineTemplateSpec,
  never
>;

/** A Metal3MachineTemplate object as v1beta1 has it. */
export type Metal3MachineTemplateV1Beta1 = CustomResource<
  typeof infrastructureApiVersionV1Beta1,
  'Metal3MachineTemplate',
  Static<typeof Metal3MachineTemplateSpecV1Beta1>,
  never
>;

/** Metal3MachineTemplate: what the Metal3Machines of a set are made from. */
export const metal3MachineTemplate = declareKind({
  group: infrastructureGroup,
  kind: 'Metal3MachineTemplate',
  plural: 'metal3machinetemplates',
  singular: 'metal3machinetemplate',
  shortNames: ['m3mt', 'm3machinetemplate', 'm3machinetemplates', 'metal3mt'],
  categories: ['cluster-api'],
  scope: 'Namespaced',
  description: 'What the Metal3Machines of a MachineSet are made from.',
  labels: contractLabels,
  versions: [
    {
      version: 'v1beta1',
      storage: false,
      spec: Metal3MachineTemplateSpecV1Beta1,
      required: ['spec'],
      hasStatusSubresource: false,
      columns: [ageColumn],
    },
    {
      version: 'v1beta2',
      storage: true,
      spec: Metal3MachineTemplateSpec,
      required: ['spec'],
      hasStatusSubresource: false,
      columns: [ageColumn],
    },
  ],
  example: {
    apiVersion: infrastructureApiVersion,
    kind: 'Metal3MachineTemplate',
    metadata: { name: 'workers', namespace: 'fleet' },
    spec: {
      nodeReuse: false,
      template: {
        spec: {
          image: {
            url: 'https://images.example.com/node-v1.qcow2',
            checksum: 'https://images.example.com/node-v1.qcow2.sha256sum',
            checksumType: 'sha256',
            diskFormat: 'qcow2',
          },
          hostSelector: { matchLabels: { rack: 'r1' } },
        },
      },
    },
  },
});
