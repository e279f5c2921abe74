import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind, Flag, IntOrString, StringEnum, Struct, Time } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import {
  counters,
  DeletePolicy,
  deletionAndNaming,
  MachineTemplate,
  MachineTemplateV1Beta1,
  namingStrategy,
  replicaFields,
  replicaStatus,
  selectorRule,
} from './machine-set.ts';
import { clusterApiVersion, type clusterApiVersionV1Beta1, clusterGroup } from './names.ts';
import { Count, conditionPath, Deprecated, LegacyConditions, scalePaths, Upcoming } from './shapes.ts';

/** The phases of a deployment. */
export const machineDeploymentPhases = ['ScalingUp', 'ScalingDown', 'Running', 'Failed', 'Unknown'] as const;

const StrategyType = StringEnum(['RollingUpdate', 'OnDelete'], { description: 'How machines are replaced.' });

const surge = {
  maxUnavailable: Type.Optional(
    IntOrString({ description: 'How many machines may be missing, as number or percentage.' }),
  ),
  maxSurge: Type.Optional(IntOrString({ description: 'How many machines may be too many, as number or percentage.' })),
};

const MaxInFlight = Type.Optional(
  IntOrString({ description: 'How many unhealthy machines are replaced at once, as number or percentage.' }),
);

const Paused = Type.Optional(Flag('When true, the deployment does nothing.'));

const rolling = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };

/** What is wanted of a deployment of machines (v1beta2). */
export const MachineDeploymentSpec = Struct(
  {
    ...replicaFields,
    template: MachineTemplate,
    ...deletionAndNaming,
    paused: Paused,
    rollout: Type.Optional(
      Struct(
        {
          after: Type.Optional(Time({ description: 'Machines older than this are replaced once this time has come.' })),
          strategy: Type.Optional(
            Struct(
              {
                type: StrategyType,
                rollingUpdate: Type.Optional(
                  Struct(surge, { description: 'Limits of RollingUpdate.', minProperties: 1 }),
                ),
              },
              { description: 'How machines are replaced.' },
            ),
          ),
        },
        { description: 'When and how machines are replaced.', minProperties: 1, default: { strategy: rolling } },
      ),
    ),
    remediation: Type.Optional(
      Struct({ maxInFlight: MaxInFlight }, { description: 'Limits of remediation.', minProperties: 1 }),
    ),
  },
  { description: 'The desired deployment.', 'x-kubernetes-validations': [selectorRule] },
);

/** What is wanted of a deployment of machines (v1beta1). */
export const MachineDeploymentSpecV1Beta1 = Struct(
  {
    ...replicaFields,
    template: MachineTemplateV1Beta1,
    ...namingStrategy,
    paused: Paused,
    minReadySeconds: Count('How long a node must be ready before its machine is available.'),
    progressDeadlineSeconds: Count('Not used.'),
    revisionHistoryLimit: Count('How many old MachineSets to keep.'),
    rolloutAfter: Type.Optional(
      Time({ description: 'Machines older than this are replaced once this time has come.' }),
    ),
    strategy: Type.Optional(
      Struct(
        {
          type: Type.Optional(StrategyType),
          rollingUpdate: Type.Optional(
            Struct(
              { ...surge, deletePolicy: Type.Optional(DeletePolicy) },
              { description: 'Limits of RollingUpdate.' },
            ),
          ),
          remediation: Type.Optional(Struct({ maxInFlight: MaxInFlight }, { description: 'Limits of remediation.' })),
        },
        { description: 'How machines are replaced.', default: rolling },
      ),
    ),
  },
  { description: 'The desired deployment.', 'x-kubernetes-validations': [selectorRule] },
);

const legacyCounters = {
  updatedReplicas: Count('How many machines are of the newest template.'),
  readyReplicas: Count('How many machines have a ready node.'),
  availableReplicas: Count('How many machines have had a ready node for minReadySeconds.'),
  unavailableReplicas: Count('How many machines are missing.'),
};

const Phase = Type.Optional(StringEnum(machineDeploymentPhases, { description: 'What the deployment is doing.' }));

/** What is known of a deployment of machines (v1beta2). */
export const MachineDeploymentStatus = Struct(
  {
    conditions: Type.Optional(Conditions('Available, MachinesReady, ScalingUp, ScalingDown and others.')),
    ...replicaStatus,
    ...counters,
    phase: Phase,
    deprecated: Deprecated(legacyCounters),
  },
  { description: 'What is known of the deployment.' },
);

/** What is known of a deployment of machines (v1beta1). */
export const MachineDeploymentStatusV1Beta1 = Struct(
  {
    conditions: Type.Optional(LegacyConditions),
    ...replicaStatus,
    ...legacyCounters,
    phase: Phase,
    v1beta2: Upcoming(counters),
  },
  { description: 'What is known of the deployment.' },
);

/** The spec of a deployment, typed. */
export type MachineDeploymentSpec = Static<typeof MachineDeploymentSpec>;

/** The status of a deployment, typed. */
export type MachineDeploymentStatus = Static<typeof MachineDeploymentStatus>;

/** A MachineDeployment object. */
export type MachineDeployment = CustomResource<
  typeof clusterApiVersion,
  'MachineDeployment',
  MachineDeploymentSpec,
  MachineDeploymentStatus
>;

/** A MachineDeployment object as v1beta1 has it. */
export type MachineDeploymentV1Beta1 = CustomResource<
  typeof clusterApiVersionV1Beta1,
  'MachineDeployment',
  Static<typeof MachineDeploymentSpecV1Beta1>,
  Static<typeof MachineDeploymentStatusV1Beta1>
>;

/** MachineDeployment: machines that are alike, replaced in an orderly way when their template changes. */
export const machineDeployment = declareKind({
  group: clusterGroup,
  kind: 'MachineDeployment',
  plural: 'machinedeployments',
  singular: 'machinedeployment',
  shortNames: ['md'],
  categories: ['cluster-api'],
  scope: 'Namespaced',
  description: 'A number of machines that are alike, replaced in an orderly way when their template changes.',
  versions: [
    {
      version: 'v1beta1',
      storage: false,
      deprecated: true,
      spec: MachineDeploymentSpecV1Beta1,
      status: MachineDeploymentStatusV1Beta1,
      required: ['spec'],
      hasStatusSubresource: true,
      scale: scalePaths,
      columns: [
        { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterName' },
        { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas', priority: 10 },
        { name: 'Replicas', type: 'integer', jsonPath: '.status.replicas' },
        { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
        { name: 'Updated', type: 'integer', jsonPath: '.status.updatedReplicas' },
        { name: 'Unavailable', type: 'integer', jsonPath: '.status.unavailableReplicas' },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        ageColumn,
        { name: 'Version', type: 'string', jsonPath: '.spec.template.spec.version' },
      ],
    },
    {
      version: 'v1beta2',
      storage: true,
      spec: MachineDeploymentSpec,
      status: MachineDeploymentStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      scale: scalePaths,
      columns: [
        { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterName' },
        { name: 'Available', type: 'string', jsonPath: conditionPath('Available') },
        { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
        { name: 'Current', type: 'integer', jsonPath: '.status.replicas' },
        { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
        { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas' },
        { name: 'Up-to-date', type: 'integer', jsonPath: '.status.upToDateReplicas' },
        { name: 'Paused', type: 'string', jsonPath: conditionPath('Paused'), priority: 10 },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        ageColumn,
        { name: 'Version', type: 'string', jsonPath: '.spec.template.spec.version' },
      ],
    },
  ],
  example: {
    apiVersion: clusterApiVersion,
    kind: 'MachineDeployment',
    metadata: { name: 'workers', namespace: 'fleet' },
    spec: {
      clusterName: 'prod',
      replicas: 3,
      selector: { matchLabels: { pool: 'workers' } },
      rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
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
