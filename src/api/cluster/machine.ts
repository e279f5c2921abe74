import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind, describe, Flag, StringEnum, Struct, Text, Time, Whole } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { MachineSpec, MachineSpecV1Beta1 } from './machine-spec.ts';
import { clusterApiVersion, type clusterApiVersionV1Beta1, clusterGroup } from './names.ts';
import {
  conditionPath,
  Deprecated,
  DnsName,
  FailureDomainName,
  FullReference,
  failureFields,
  LegacyConditions,
  MachineAddresses,
  ObservedGeneration,
  Upcoming,
} from './shapes.ts';

/** The phases of a machine (v1beta2). */
export const machinePhases = [
  'Pending',
  'Provisioning',
  'Provisioned',
  'Running',
  'Updating',
  'Deleting',
  'Deleted',
  'Failed',
  'Unknown',
] as const;

const phaseText = 'Where the machine is in its life.';

const NodeInfo = Struct(
  {
    machineID: Text('Machine id of the node.'),
    systemUUID: Text('System UUID of the node.'),
    bootID: Text('Boot id of the node.'),
    kernelVersion: Text('Kernel of the node.'),
    osImage: Text('Operating system image of the node.'),
    containerRuntimeVersion: Text('Container runtime of the node.'),
    kubeletVersion: Text('Kubelet of the node.'),
    kubeProxyVersion: Text('Kube-proxy of the node.'),
    operatingSystem: Text('Operating system of the node.'),
    architecture: Text('Architecture of the node.'),
    swap: Type.Optional(
      Struct(
        { capacity: Type.Optional(Whole('Swap in bytes.', { format: 'int64' })) },
        { description: 'Swap of the node.' },
      ),
    ),
  },
  { description: 'What the node says of itself.' },
);

const commonStatus = {
  nodeInfo: Type.Optional(NodeInfo),
  lastUpdated: Type.Optional(Time({ description: 'When the phase last changed.' })),
  addresses: Type.Optional(MachineAddresses),
  certificatesExpiryDate: Type.Optional(Time({ description: 'When the certificates of a control plane machine end.' })),
  observedGeneration: ObservedGeneration,
  deletion: Type.Optional(
    Struct(
      {
        nodeDrainStartTime: Type.Optional(Time({ description: 'When the drain began.' })),
        waitForNodeVolumeDetachStartTime: Type.Optional(Time({ description: 'When waiting for volumes began.' })),
        waitForPreDrainHookStartTime: Type.Optional(Time({ description: 'When waiting for pre-drain hooks began.' })),
        waitForPreTerminateHookStartTime: Type.Optional(
          Time({ description: 'When waiting for pre-terminate hooks began.' }),
        ),
      },
      { description: 'How far deletion is.' },
    ),
  ),
};

/** What is known of a machine (v1beta2). */
export const MachineStatus = Struct(
  {
    conditions: Type.Optional(Conditions('Ready, Available, UpToDate, BootstrapConfigReady and others.')),
    initialization: Type.Optional(
      Struct(
        {
          infrastructureProvisioned: Type.Optional(Flag('The infrastructure machine is there.')),
          bootstrapDataSecretCreated: Type.Optional(Flag('The bootstrap data is there.')),
        },
        { description: 'How far the first provisioning is.', minProperties: 1 },
      ),
    ),
    nodeRef: Type.Optional(Struct({ name: DnsName('Name of the Node.') }, { description: 'The Node of the machine.' })),
    phase: Type.Optional(StringEnum(machinePhases, { description: phaseText })),
    failureDomain: Type.Optional(describe(FailureDomainName, 'Failure domain the machine really is in.')),
    ...commonStatus,
    deprecated: Deprecated(failureFields),
  },
  { description: 'What is known of the machine.' },
);

/** What is known of a machine (v1beta1). */
export const MachineStatusV1Beta1 = Struct(
  {
    conditions: Type.Optional(LegacyConditions),
    bootstrapReady: Type.Optional(Flag('The bootstrap data is there.')),
    infrastructureReady: Type.Optional(Flag('The infrastructure machine is there.')),
    nodeRef: Type.Optional(FullReference('The Node of the machine.')),
    phase: Type.Optional(
      StringEnum(['Pending', 'Provisioning', 'Provisioned', 'Running', 'Deleting', 'Deleted', 'Failed', 'Unknown'], {
        description: phaseText,
      }),
    ),
    ...commonStatus,
    ...failureFields,
    v1beta2: Upcoming({}),
  },
  { description: 'What is known of the machine.' },
);

/** The status of a machine, typed. */
export type MachineStatus = Static<typeof MachineStatus>;

/** A Machine object. */
export type Machine = CustomResource<typeof clusterApiVersion, 'Machine', MachineSpec, MachineStatus>;

/** A Machine object as v1beta1 has it. */
export type MachineV1Beta1 = CustomResource<
  typeof clusterApiVersionV1Beta1,
  'Machine',
  MachineSpecV1Beta1,
  Static<typeof MachineStatusV1Beta1>
>;

/** Machine: one node of a cluster and the infrastructure it runs on. */
export const machine = declareKind({
  group: clusterGroup,
  kind: 'Machine',
  plural: 'machines',
  singular: 'machine',
  shortNames: ['ma'],
  categories: ['cluster-api'],
  scope: 'Namespaced',
  description: 'One node of a cluster and the infrastructure it runs on.',
  versions: [
    {
      version: 'v1beta1',
      storage: false,
      deprecated: true,
      spec: MachineSpecV1Beta1,
      status: MachineStatusV1Beta1,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterName' },
        { name: 'NodeName', type: 'string', jsonPath: '.status.nodeRef.name' },
        { name: 'ProviderID', type: 'string', jsonPath: '.spec.providerID' },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        ageColumn,
        { name: 'Version', type: 'string', jsonPath: '.spec.version' },
      ],
    },
    {
      version: 'v1beta2',
      storage: true,
      spec: MachineSpec,
      status: MachineStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterName' },
        { name: 'Node Name', type: 'string', jsonPath: '.status.nodeRef.name' },
        { name: 'Provider ID', type: 'string', jsonPath: '.spec.providerID', priority: 10 },
        { name: 'Failure domain', type: 'string', jsonPath: '.status.failureDomain' },
        { name: 'Ready', type: 'string', jsonPath: conditionPath('Ready') },
        { name: 'Available', type: 'string', jsonPath: conditionPath('Available') },
        { name: 'Up-to-date', type: 'string', jsonPath: conditionPath('UpToDate') },
        {
          name: 'Internal-IP',
          type: 'string',
          jsonPath: '.status.addresses[?(@.type=="InternalIP")].address',
          priority: 10,
        },
        {
          name: 'External-IP',
          type: 'string',
          jsonPath: '.status.addresses[?(@.type=="ExternalIP")].address',
          priority: 10,
        },
        { name: 'OS-Image', type: 'string', jsonPath: '.status.nodeInfo.osImage', priority: 10 },
        { name: 'Paused', type: 'string', jsonPath: conditionPath('Paused'), priority: 10 },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        ageColumn,
        { name: 'Version', type: 'string', jsonPath: '.spec.version' },
      ],
    },
  ],
  example: {
    apiVersion: clusterApiVersion,
    kind: 'Machine',
    metadata: { name: 'workers-7xk2p', namespace: 'fleet' },
    spec: {
      clusterName: 'prod',
      version: 'v1.34.4',
      bootstrap: { dataSecretName: 'workers-bootstrap' },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Metal3Machine', name: 'workers-7xk2p' },
    },
  },
});
