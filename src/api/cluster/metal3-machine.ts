import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind, describe, Flag, Struct, Text, Time } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { SecretReference } from '../references.ts';
import { Metal3MachineSpec, Metal3MachineSpecV1Beta1, NamespacedName } from './metal3-machine-spec.ts';
import {
  contractLabels,
  infrastructureApiVersion,
  type infrastructureApiVersionV1Beta1,
  infrastructureGroup,
} from './names.ts';
import { Deprecated, FullReference, failureFields, LegacyConditions, MachineAddresses, Upcoming } from './shapes.ts';

const commonStatus = {
  lastUpdated: Type.Optional(Time({ description: 'When this was last written.' })),
  addresses: Type.Optional(MachineAddresses),
  userData: Type.Optional(describe(SecretReference, 'The Secret with the user data in use.')),
  metaData: Type.Optional(describe(SecretReference, 'The Secret with the metadata in use.')),
  networkData: Type.Optional(describe(SecretReference, 'The Secret with the network data in use.')),
};

/** What is known of a Metal3Machine (v1beta2). */
export const Metal3MachineStatus = Struct(
  {
    conditions: Type.Optional(
      Conditions('Ready, AssociateBareMetalHost, NetworkConfigured, Metal3DataReady, Paused and others.'),
    ),
    initialization: Type.Optional(
      Struct(
        { provisioned: Type.Optional(Flag('The host runs what it should. Cluster API waits for this.')) },
        { description: 'How far the first provisioning is.', minProperties: 1 },
      ),
    ),
    ...commonStatus,
    renderedData: Type.Optional(describe(NamespacedName, 'The Metal3Data that was rendered.')),
    deprecated: Deprecated(failureFields),
  },
  { description: 'What is known of the machine.' },
);

/** What is known of a Metal3Machine (v1beta1). */
export const Metal3MachineStatusV1Beta1 = Struct(
  {
    conditions: Type.Optional(LegacyConditions),
    ready: Type.Optional(Flag('The host runs what it should. Cluster API waits for this.')),
    phase: Type.Optional(Text('Not used.')),
    ...commonStatus,
    renderedData: Type.Optional(FullReference('The Metal3Data that was rendered.')),
    ...failureFields,
    v1beta2: Upcoming({}),
  },
  { description: 'What is known of the machine.' },
);

/** The status of a Metal3Machine, typed. */
export type Metal3MachineStatus = Static<typeof Metal3MachineStatus>;

/** A Metal3Machine object. */
export type Metal3Machine = CustomResource<
  typeof infrastructureApiVersion,
  'Metal3Machine',
  Metal3MachineSpec,
  Metal3MachineStatus
>;

/** A Metal3Machine object as v1beta1 has it. */
export type Metal3MachineV1Beta1 = CustomResource<
  typeof infrastructureApiVersionV1Beta1,
  'Metal3Machine',
  Metal3MachineSpecV1Beta1,
  Static<typeof Metal3MachineStatusV1Beta1>
>;

/** The column with the cluster an infrastructure object belongs to. */
export const clusterColumn = {
  name: 'Cluster',
  type: 'string',
  jsonPath: '.metadata.labels.cluster\\.x-k8s\\.io/cluster-name',
  description: 'Cluster this belongs to.',
} as const;

/** Metal3Machine: what to put on a BareMetalHost for one Machine. */
export const metal3Machine = declareKind({
  group: infrastructureGroup,
  kind: 'Metal3Machine',
  plural: 'metal3machines',
  singular: 'metal3machine',
  shortNames: ['m3m', 'm3machine', 'm3machines', 'metal3m'],
  categories: ['cluster-api'],
  scope: 'Namespaced',
  description: 'The infrastructure of one Machine: which BareMetalHost to take and what to put on it.',
  labels: contractLabels,
  versions: [
    {
      version: 'v1beta1',
      storage: false,
      spec: Metal3MachineSpecV1Beta1,
      status: Metal3MachineStatusV1Beta1,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        ageColumn,
        { name: 'ProviderID', type: 'string', jsonPath: '.spec.providerID', description: 'Provider ID.' },
        { name: 'Ready', type: 'string', jsonPath: '.status.ready', description: 'Whether the host is provisioned.' },
        clusterColumn,
        { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Not used.' },
      ],
    },
    {
      version: 'v1beta2',
      storage: true,
      spec: Metal3MachineSpec,
      status: Metal3MachineStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        ageColumn,
        { name: 'ProviderID', type: 'string', jsonPath: '.spec.providerID', description: 'Provider ID.' },
        {
          name: 'Provisioned',
          type: 'string',
          jsonPath: '.status.initialization.provisioned',
          description: 'Whether the host is provisioned.',
        },
        clusterColumn,
      ],
    },
  ],
  example: {
    apiVersion: infrastructureApiVersion,
    kind: 'Metal3Machine',
    metadata: { name: 'workers-7xk2p', namespace: 'fleet' },
    spec: {
      image: {
        url: 'https://images.example.com/node-v1.qcow2',
        checksum: 'https://images.example.com/node-v1.qcow2.sha256sum',
        checksumType: 'sha256',
        diskFormat: 'qcow2',
      },
      hostSelector: { matchLabels: { rack: 'r1' } },
      networkConfiguration: [
        {
          ConfigurationRef: { name: 'nc1', kind: 'SwitchPortConfiguration', namespace: 'fleet' },
          nicHint: { name: 'eth0', smartNIC: false },
        },
      ],
    },
  },
});
