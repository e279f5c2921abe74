import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind, Flag, Struct, Text, Time } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { clusterColumn } from './metal3-machine.ts';
import {
  contractLabels,
  infrastructureApiVersion,
  type infrastructureApiVersionV1Beta1,
  infrastructureGroup,
} from './names.ts';
import {
  Deprecated,
  FailureDomainList,
  FailureDomainMap,
  failureFields,
  Int32,
  LegacyConditions,
  Upcoming,
} from './shapes.ts';

const ControlPlaneEndpoint = Struct(
  {
    host: Text('Where the API server is.', { minLength: 1, maxLength: 512 }),
    port: Type.Optional(Int32('Port of the API server.', { minimum: 1, maximum: 65535, default: 6443 })),
  },
  { description: 'Where the control plane is reached.' },
);

const cloudProviderText =
  'When true, somebody else gives nodes their providerID; when false, it is set here, by the labels of nodes.';

/** What is wanted of a Metal3Cluster (v1beta2). */
export const Metal3ClusterSpec = Struct(
  {
    controlPlaneEndpoint: ControlPlaneEndpoint,
    cloudProviderEnabled: Type.Optional(Flag(cloudProviderText, { default: false })),
    failureDomains: Type.Optional(FailureDomainList),
  },
  { description: 'The desired infrastructure of a cluster.' },
);

/** What is wanted of a Metal3Cluster (v1beta1). */
export const Metal3ClusterSpecV1Beta1 = Struct(
  {
    controlPlaneEndpoint: ControlPlaneEndpoint,
    cloudProviderEnabled: Type.Optional(Flag(cloudProviderText)),
    noCloudProvider: Type.Optional(Flag('Deprecated: the opposite of cloudProviderEnabled.')),
    failureDomains: Type.Optional(FailureDomainMap),
  },
  {
    description: 'The desired infrastructure of a cluster.',
    'x-kubernetes-validations': [
      {
        rule: '!has(self.noCloudProvider) || !has(self.cloudProviderEnabled) || self.noCloudProvider != self.cloudProviderEnabled',
        message: 'noCloudProvider must be the opposite of cloudProviderEnabled',
        fieldPath: '.noCloudProvider',
      },
    ],
  },
);

const commonStatus = { lastUpdated: Type.Optional(Time({ description: 'When this was last written.' })) };

/** What is known of a Metal3Cluster (v1beta2). */
export const Metal3ClusterStatus = Struct(
  {
    conditions: Type.Optional(Conditions('Ready, BaremetalInfrastructureReady, Paused and others.')),
    ...commonStatus,
    initialization: Type.Optional(
      Struct(
        { provisioned: Type.Optional(Flag('The infrastructure is there. Cluster API waits for this.')) },
        { description: 'How far the first provisioning is.', minProperties: 1 },
      ),
    ),
    failureDomains: Type.Optional(FailureDomainList),
    deprecated: Deprecated(failureFields),
  },
  { description: 'What is known of the infrastructure of a cluster.' },
);

/** What is known of a Metal3Cluster (v1beta1). */
export const Metal3ClusterStatusV1Beta1 = Struct(
  {
    conditions: Type.Optional(LegacyConditions),
    ...commonStatus,
    ready: Type.Optional(Flag('The infrastructure is there. Cluster API waits for this.')),
    failureDomains: Type.Optional(FailureDomainMap),
    ...failureFields,
    v1beta2: Upcoming({}),
  },
  { description: 'What is known of the infrastructure of a cluster.' },
);

/** The spec of a Metal3Cluster, typed. */
export type Metal3ClusterSpec = Static<typeof Metal3ClusterSpec>;

/** The status of a Metal3Cluster, typed. */
export type Metal3ClusterStatus = Static<typeof Metal3ClusterStatus>;

/** A Metal3Cluster object. */
export type Metal3Cluster = CustomResource<
  typeof infrastructureApiVersion,
  'Metal3Cluster',
  Metal3ClusterSpec,
  Metal3ClusterStatus
>;

/** A Metal3Cluster object as v1beta1 has it. */
export type Metal3ClusterV1Beta1 = CustomResource<
  typeof infrastructureApiVersionV1Beta1,
  'Metal3Cluster',
  Static<typeof Metal3ClusterSpecV1Beta1>,
  Static<typeof Metal3ClusterStatusV1Beta1>
>;

const endpointColumn = {
  name: 'Endpoint',
  type: 'string',
  jsonPath: '.spec.controlPlaneEndpoint',
  description: 'Control plane endpoint.',
} as const;

/** Metal3Cluster: the infrastructure of a Cluster on bare metal. */
export const metal3Cluster = declareKind({
  group: infrastructureGroup,
  kind: 'Metal3Cluster',
  plural: 'metal3clusters',
  singular: 'metal3cluster',
  shortNames: ['m3c', 'm3cluster', 'm3clusters', 'metal3c'],
  categories: ['cluster-api'],
  scope: 'Namespaced',
  description: 'The infrastructure of a Cluster on bare metal.',
  labels: contractLabels,
  versions: [
    {
      version: 'v1beta1',
      storage: false,
      spec: Metal3ClusterSpecV1Beta1,
      status: Metal3ClusterStatusV1Beta1,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        ageColumn,
        { name: 'Ready', type: 'string', jsonPath: '.status.ready', description: 'Whether it is ready.' },
        { name: 'Error', type: 'string', jsonPath: '.status.failureReason', description: 'Most recent error.' },
        clusterColumn,
        endpointColumn,
      ],
    },
    {
      version: 'v1beta2',
      storage: true,
      spec: Metal3ClusterSpec,
      status: Metal3ClusterStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        ageColumn,
        {
          name: 'Provisioned',
          type: 'string',
          jsonPath: '.status.initialization.provisioned',
          description: 'Whether it is provisioned.',
        },
        {
          name: 'Error',
          type: 'string',
          jsonPath: '.status.deprecated.v1beta1.failureReason',
          description: 'Most recent error.',
        },
        clusterColumn,
        endpointColumn,
      ],
    },
  ],
  example: {
    apiVersion: infrastructureApiVersion,
    kind: 'Metal3Cluster',
    metadata: { name: 'prod', namespace: 'fleet' },
    spec: {
      controlPlaneEndpoint: { host: '192.0.2.10', port: 6443 },
      cloudProviderEnabled: false,
      failureDomains: [{ name: 'row-a', controlPlane: true }],
    },
  },
});
