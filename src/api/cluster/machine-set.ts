import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind, StringEnum, Struct, Text } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { LabelSelector } from './label-selector.ts';
import { MachineSpec, MachineSpecV1Beta1 } from './machine-spec.ts';
import { clusterApiVersion, type clusterApiVersionV1Beta1, clusterGroup } from './names.ts';
import {
  ClusterName,
  Count,
  conditionPath,
  Deprecated,
  failureFields,
  LegacyConditions,
  ObservedGeneration,
  scalePaths,
  TemplateMetadata,
  Upcoming,
  VersionCounts,
} from './shapes.ts';

const DeletionOrder = StringEnum(['Random', 'Newest', 'Oldest'], { description: 'Which machines go first.' });

const Naming = {
  template: Type.Optional(Text('Go template of the names of machines.', { minLength: 1, maxLength: 256 })),
};

/** Says that a set or deployment must select the machines its own template makes. */
export const selectorRule = {
  rule: '!has(self.selector.matchLabels) || (has(self.template) && has(self.template.metadata) && has(self.template.metadata.labels) && self.selector.matchLabels.all(k, k in self.template.metadata.labels && self.template.metadata.labels[k] == self.selector.matchLabels[k]))',
  message: 'selector must match the labels of the template',
  fieldPath: '.template',
} as const;

/** Fields of the spec that MachineSet and MachineDeployment share in both versions. */
export const replicaFields = {
  clusterName: ClusterName,
  replicas: Count('How many machines are wanted.', { default: 1 }),
  selector: LabelSelector('Which machines belong here; must match the labels of the template.'),
};

/** The template of machines (v1beta2). */
export const MachineTemplate = Struct(
  { metadata: Type.Optional(TemplateMetadata({ minProperties: 1 })), spec: MachineSpec },
  { description: 'What the machines are made from.' },
);

/** The template of machines (v1beta1). */
export const MachineTemplateV1Beta1 = Struct(
  { metadata: Type.Optional(TemplateMetadata()), spec: MachineSpecV1Beta1 },
  { description: 'What the machines are made from.' },
);

/** Which machines go first, and how machines are named (v1beta2). */
export const deletionAndNaming = {
  deletion: Type.Optional(
    Struct({ order: Type.Optional(DeletionOrder) }, { description: 'How machines are removed.', minProperties: 1 }),
  ),
  machineNaming: Type.Optional(Struct(Naming, { description: 'How machines are named.', minProperties: 1 })),
};

/** How machines are named (v1beta1). */
export const namingStrategy = {
  machineNamingStrategy: Type.Optional(Struct(Naming, { description: 'How machines are named.' })),
};

/** Which machines go first (v1beta1). */
export const DeletePolicy = DeletionOrder;

/** Fields of the status that MachineSet and MachineDeployment share in both versions. */
export const replicaStatus = {
  selector: Type.Optional(Text('The selector as text, for the scale subresource.', { minLength: 1, maxLength: 4096 })),
  replicas: Count('How many machines there are.'),
  versions: Type.Optional(VersionCounts),
  observedGeneration: ObservedGeneration,
};

/** Counters of v1beta2, which count by the conditions of the machines. */
export const counters = {
  readyReplicas: Count('How many machines are ready.'),
  availableReplicas: Count('How many machines are available.'),
  upToDateReplicas: Count('How many machines are up to date.'),
};

const legacyCounters = {
  fullyLabeledReplicas: Count('How many machines have all labels of the template.'),
  readyReplicas: Count('How many machines have a ready node.'),
  availableReplicas: Count('How many machines have had a ready node for minReadySeconds.'),
};

/** What is wanted of a set of machines (v1beta2). */
export const MachineSetSpec = Struct(
  { ...replicaFields, template: MachineTemplate, ...deletionAndNaming },
  { description: 'The desired set of machines.', 'x-kubernetes-validations': [selectorRule] },
);

/** What is wanted of a set of machines (v1beta1). */
export const MachineSetSpecV1Beta1 = Struct(
  {
    ...replicaFields,
    template: Type.Optional(MachineTemplateV1Beta1),
    minReadySeconds: Count('How long a node must be ready before its machine is available.'),
    deletePolicy: Type.Optional(DeletePolicy),
    ...namingStrategy,
  },
  { description: 'The desired set of machines.', 'x-kubernetes-validations': [selectorRule] },
);

/** What is known of a set of machines (v1beta2). */
export const MachineSetStatus = Struct(
  {
    conditions: Type.Optional(Conditions('MachinesReady, MachinesUpToDate, ScalingUp, ScalingDown and others.')),
    ...replicaStatus,
    ...counters,
    deprecated: Deprecated({ ...failureFields, ...legacyCounters }),
  },
  { description: 'What is known of the set.' },
);

/** What is known of a set of machines (v1beta1). */
export const MachineSetStatusV1Beta1 = Struct(
  {
    conditions: Type.Optional(LegacyConditions),
    ...replicaStatus,
    ...legacyCounters,
    ...failureFields,
    v1beta2: Upcoming(counters),
  },
  { description: 'What is known of the set.' },
);

/** The spec of a set of machines, typed. */
export type MachineSetSpec = Static<typeof MachineSetSpec>;

/** The status of a set of machines, typed. */
export type MachineSetStatus = Static<typeof MachineSetStatus>;

/** A MachineSet object. */
export type MachineSet = CustomResource<typeof clusterApiVersion, 'MachineSet', MachineSetSpec, MachineSetStatus>;

/** A MachineSet object as v1beta1 has it. */
export type MachineSetV1Beta1 = CustomResource<
  typeof clusterApiVersionV1Beta1,
  'MachineSet',
  Static<typeof MachineSetSpecV1Beta1>,
  Static<typeof MachineSetStatusV1Beta1>
>;

/** MachineSet: a number of machines that are alike. */
export const machineSet = declareKind({
  group: clusterGroup,
  kind: 'MachineSet',
  plural: 'machinesets',
  singular: 'machineset',
  shortNames: ['ms'],
  categories: ['cluster-api'],
  scope: 'Namespaced',
  description: 'A number of machines that are alike.',
  versions: [
    {
      version: 'v1beta1',
      storage: false,
      deprecated: true,
      spec: MachineSetSpecV1Beta1,
      status: MachineSetStatusV1Beta1,
      required: ['spec'],
      hasStatusSubresource: true,
      scale: scalePaths,
      columns: [
        { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterName' },
        { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas', priority: 10 },
        { name: 'Replicas', type: 'integer', jsonPath: '.status.replicas' },
        { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
        { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas' },
        ageColumn,
        { name: 'Version', type: 'string', jsonPath: '.spec.template.spec.version' },
      ],
    },
    {
      version: 'v1beta2',
      storage: true,
      spec: MachineSetSpec,
      status: MachineSetStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      scale: scalePaths,
      columns: [
        { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterName' },
        { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
        { name: 'Current', type: 'integer', jsonPath: '.status.replicas' },
        { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
        { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas' },
        { name: 'Up-to-date', type: 'integer', jsonPath: '.status.upToDateReplicas' },
        { name: 'Paused', type: 'string', jsonPath: conditionPath('Paused'), priority: 10 },
        ageColumn,
        { name: 'Version', type: 'string', jsonPath: '.spec.template.spec.version' },
      ],
    },
  ],
  example: {
    apiVersion: clusterApiVersion,
    kind: 'MachineSet',
    metadata: { name: 'workers', namespace: 'fleet', annotations: { 'metal3.io/autoscale-to-hosts': '' } },
    spec: {
      clusterName: 'prod',
      replicas: 3,
      selector: { matchLabels: { pool: 'workers' } },
      template: {
        metadata: { labels: { pool: 'workers' } },
        spec: {
          clusterName: 'prod',
          version: 'v1.34.4',
          bootstrap: { dataSecretName: 'workers-bootstrap' },
          infrastructureRef: {
            apiGroup: 'infrastructure.cluster.x-k8s.io',
            kind: 'Metal3MachineTemplate',
            name: 'workers',
          },
        },
      },
    },
  },
});
