import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind, Flag, List, StringEnum, Struct, Text } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { clusterApiVersion, type clusterApiVersionV1Beta1, clusterGroup } from './names.ts';
import {
  ContractReference,
  Count,
  conditionPath,
  Deprecated,
  DnsName,
  FailureDomainList,
  FailureDomainMap,
  FullReference,
  failureFields,
  Gates,
  Int32,
  KubernetesVersion,
  LegacyConditions,
  ObservedGeneration,
  Upcoming,
} from './shapes.ts';

/** The phases of a cluster. */
export const clusterPhases = ['Pending', 'Provisioning', 'Provisioned', 'Deleting', 'Failed', 'Unknown'] as const;

const port = { minimum: 1, maximum: 65535 };
const topologyText = 'A cluster made from a ClusterClass. Kept, but not acted on: the cluster says so in a condition.';

function Ranges(description: string, minItems: number) {
  const cidrs = { description: 'CIDR blocks.', minItems, maxItems: 100, 'x-kubernetes-list-type': 'atomic' } as const;
  return Type.Optional(
    Struct({ cidrBlocks: List(Type.String({ minLength: 1, maxLength: 43 }), cidrs) }, { description }),
  );
}

const ServiceDomain = Type.Optional(Text('Domain of services.', { minLength: 1, maxLength: 253 }));
const Paused = Type.Optional(Flag('When true, nothing of this cluster is reconciled.'));
const AvailabilityGates = 'More conditions the cluster must have to be available.';

/** What is wanted of a cluster (v1beta2). */
export const ClusterSpec = Struct(
  {
    paused: Paused,
    clusterNetwork: Type.Optional(
      Struct(
        {
          apiServerPort: Type.Optional(Int32('Port of the API server.', port)),
          services: Ranges('Networks of services.', 1),
          pods: Ranges('Networks of pods.', 1),
          serviceDomain: ServiceDomain,
        },
        { description: 'Networks of the cluster.', minProperties: 1 },
      ),
    ),
    controlPlaneEndpoint: Type.Optional(
      Struct(
        {
          host: Type.Optional(Text('Where the API server is.', { minLength: 1, maxLength: 512 })),
          port: Type.Optional(Int32('Port of the API server.', port)),
        },
        { description: 'Where the control plane is reached.', minProperties: 1 },
      ),
    ),
    controlPlaneRef: Type.Optional(ContractReference('Who provides the control plane.')),
    infrastructureRef: Type.Optional(ContractReference('Who provides the infrastructure, such as a Metal3Cluster.')),
    topology: Type.Optional(
      Struct(
        {
          classRef: Struct(
            {
              name: DnsName('Name of the ClusterClass.'),
              namespace: Type.Optional(DnsName('Namespace of the ClusterClass.', 63)),
            },
            { description: 'The ClusterClass.' },
          ),
          version: KubernetesVersion,
        },
        { description: topologyText, 'x-kubernetes-preserve-unknown-fields': true },
      ),
    ),
    availabilityGates: Type.Optional(Gates(AvailabilityGates, { minItems: 1 })),
  },
  { description: 'The desired cluster.', minProperties: 1 },
);

/** What is wanted of a cluster (v1beta1). */
export const ClusterSpecV1Beta1 = Struct(
  {
    paused: Paused,
    clusterNetwork: Type.Optional(
      Struct(
        {
          apiServerPort: Type.Optional(Int32('Port of the API server.')),
          services: Ranges('Networks of services.', 0),
          pods: Ranges('Networks of pods.', 0),
          serviceDomain: ServiceDomain,
        },
        { description: 'Networks of the cluster.' },
      ),
    ),
    controlPlaneEndpoint: Type.Optional(
      Struct(
        {
          host: Type.Optional(Text('Where the API server is.', { maxLength: 512 })),
          port: Type.Optional(Int32('Port of the API server.')),
        },
        { description: 'Where the control plane is reached.' },
      ),
    ),
    controlPlaneRef: Type.Optional(FullReference('Who provides the control plane.')),
    infrastructureRef: Type.Optional(FullReference('Who provides the infrastructure, such as a Metal3Cluster.')),
    topology: Type.Optional(
      Struct(
        {
          class: DnsName('Name of the ClusterClass.'),
          classNamespace: Type.Optional(DnsName('Namespace of the ClusterClass.', 63)),
          version: KubernetesVersion,
        },
        { description: topologyText, 'x-kubernetes-preserve-unknown-fields': true },
      ),
    ),
    availabilityGates: Type.Optional(Gates(AvailabilityGates)),
  },
  { description: 'The desired cluster.' },
);

function MachineCounts(description: string) {
  const versionList = { maxItems: 32, minItems: 1, 'x-kubernetes-list-type': 'atomic' } as const;
  const version = Text('Kubernetes version.', { minLength: 1, maxLength: 256 });
  return Type.Optional(
    Struct(
      {
        desiredReplicas: Count('How many machines are wanted.'),
        replicas: Count('How many machines there are.'),
        upToDateReplicas: Count('How many machines are up to date.'),
        readyReplicas: Count('How many machines are ready.'),
        availableReplicas: Count('How many machines are available.'),
        versions: Type.Optional(
          List(Struct({ version, replicas: Type.Optional(Int32('How many run it.', { minimum: 1 })) }), {
            description: 'How many machines run which version.',
            ...versionList,
          }),
        ),
        upgradePlan: Type.Optional(
          List(Struct({ version }), { description: 'The versions still to go through.', ...versionList }),
        ),
      },
      { description },
    ),
  );
}

const machineCounts = {
  controlPlane: MachineCounts('Machines of the control plane.'),
  workers: MachineCounts('Machines of the workers.'),
};

const commonStatus = {
  phase: Type.Optional(StringEnum(clusterPhases, { description: 'Where the cluster is in its life.' })),
  observedGeneration: ObservedGeneration,
};

/** What is known of a cluster (v1beta2). */
export const ClusterStatus = Struct(
  {
    conditions: Type.Optional(Conditions('Available, InfrastructureReady, ControlPlaneAvailable and others.')),
    initialization: Type.Optional(
      Struct(
        {
          infrastructureProvisioned: Type.Optional(Flag('The infrastructure of the cluster is there.')),
          controlPlaneInitialized: Type.Optional(Flag('The control plane can be talked to.')),
        },
        { description: 'How far the first provisioning is.', minProperties: 1 },
      ),
    ),
    failureDomains: Type.Optional(FailureDomainList),
    ...machineCounts,
    ...commonStatus,
    deprecated: Deprecated(failureFields),
  },
  { description: 'What is known of the cluster.' },
);

/** What is known of a cluster (v1beta1). */
export const ClusterStatusV1Beta1 = Struct(
  {
    conditions: Type.Optional(LegacyConditions),
    infrastructureReady: Type.Optional(Flag('The infrastructure of the cluster is there.')),
    controlPlaneReady: Type.Optional(Flag('The control plane can be talked to.')),
    failureDomains: Type.Optional(FailureDomainMap),
    ...commonStatus,
    ...failureFields,
    v1beta2: Upcoming(machineCounts),
  },
  { description: 'What is known of the cluster.' },
);

/** The spec of a cluster, typed. */
export type ClusterSpec = Static<typeof ClusterSpec>;

/** The status of a cluster, typed. */
export type ClusterStatus = Static<typeof ClusterStatus>;

/** A Cluster object. */
export type Cluster = CustomResource<typeof clusterApiVersion, 'Cluster', ClusterSpec, ClusterStatus>;

/** A Cluster object as v1beta1 has it. */
export type ClusterV1Beta1 = CustomResource<
  typeof clusterApiVersionV1Beta1,
  'Cluster',
  Static<typeof ClusterSpecV1Beta1>,
  Static<typeof ClusterStatusV1Beta1>
>;

function countColumns(prefix: string, path: string) {
  return [
    { name: `${prefix} Desired`, type: 'integer', jsonPath: `${path}.desiredReplicas` },
    { name: `${prefix} Current`, type: 'integer', jsonPath: `${path}.replicas`, priority: 10 },
    { name: `${prefix} Ready`, type: 'integer', jsonPath: `${path}.readyReplicas`, priority: 10 },
    { name: `${prefix} Available`, type: 'integer', jsonPath: `${path}.availableReplicas` },
    { name: `${prefix} Up-to-date`, type: 'integer', jsonPath: `${path}.upToDateReplicas` },
  ] as const;
}

/** Cluster: a Kubernetes cluster and what provides its parts. */
export const cluster = declareKind({
  group: clusterGroup,
  kind: 'Cluster',
  plural: 'clusters',
  singular: 'cluster',
  shortNames: ['cl'],
  categories: ['cluster-api'],
  scope: 'Namespaced',
  description: 'A Kubernetes cluster and what provides its parts.',
  versions: [
    {
      version: 'v1beta1',
      storage: false,
      deprecated: true,
      spec: ClusterSpecV1Beta1,
      status: ClusterStatusV1Beta1,
      hasStatusSubresource: true,
      columns: [
        { name: 'ClusterClass', type: 'string', jsonPath: '.spec.topology.class' },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        ageColumn,
        { name: 'Version', type: 'string', jsonPath: '.spec.topology.version' },
      ],
    },
    {
      version: 'v1beta2',
      storage: true,
      spec: ClusterSpec,
      status: ClusterStatus,
      hasStatusSubresource: true,
      columns: [
        { name: 'ClusterClass', type: 'string', jsonPath: '.spec.topology.classRef.name' },
        { name: 'Available', type: 'string', jsonPath: conditionPath('Available') },
        ...countColumns('CP', '.status.controlPlane'),
        ...countColumns('W', '.status.workers'),
        { name: 'Paused', type: 'string', jsonPath: conditionPath('Paused'), priority: 10 },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        ageColumn,
        { name: 'Version', type: 'string', jsonPath: '.spec.topology.version' },
      ],
    },
  ],
  example: {
    apiVersion: clusterApiVersion,
    kind: 'Cluster',
    metadata: { name: 'prod', namespace: 'fleet' },
    spec: {
      clusterNetwork: { pods: { cidrBlocks: ['10.244.0.0/16'] }, services: { cidrBlocks: ['10.96.0.0/12'] } },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Metal3Cluster', name: 'prod' },
    },
  },
});
