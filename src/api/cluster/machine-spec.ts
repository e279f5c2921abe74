import { type Static, Type } from 'typebox';
import { type SchemaOptions, Struct, Text } from '../declare.ts';
import {
  ClusterName,
  ContractReference,
  FailureDomainName,
  FullReference,
  Gates,
  GoDuration,
  Int32,
  KubernetesVersion,
  NodeTaints,
  ProviderId,
} from './shapes.ts';

const bootstrapRule = {
  rule: 'has(self.configRef) || has(self.dataSecretName)',
  message: 'expected either dataSecretName or configRef to be populated',
  reason: 'FieldValueRequired',
} as const;

const DataSecretName = Type.Optional(
  Text('Secret with the bootstrap data; given by the bootstrap provider when there is a configRef.', {
    maxLength: 253,
  }),
);

const bootstrapOptions: SchemaOptions = {
  description: 'Where the bootstrap data comes from.',
  'x-kubernetes-validations': [bootstrapRule],
};

const timeoutSeconds = { minimum: 0 };

/** What is wanted of a machine (v1beta2). */
export const MachineSpec = Struct(
  {
    clusterName: ClusterName,
    bootstrap: Struct(
      {
        configRef: Type.Optional(ContractReference('The bootstrap configuration (or its template).')),
        dataSecretName: DataSecretName,
      },
      bootstrapOptions,
    ),
    infrastructureRef: ContractReference('The infrastructure machine (or its template).'),
    version: Type.Optional(KubernetesVersion),
    providerID: Type.Optional(ProviderId),
    failureDomain: Type.Optional(FailureDomainName),
    minReadySeconds: Type.Optional(
      Int32('How long the node must be ready before the machine is available.', { minimum: 0 }),
    ),
    readinessGates: Type.Optional(Gates('More conditions the machine must have to be ready.', { minItems: 1 })),
    deletion: Type.Optional(
      Struct(
        {
          nodeDrainTimeoutSeconds: Type.Optional(Int32('How long to drain; 0: no limit.', timeoutSeconds)),
          nodeVolumeDetachTimeoutSeconds: Type.Optional(
            Int32('How long to wait for volumes to be detached; 0: no limit.', timeoutSeconds),
          ),
          nodeDeletionTimeoutSeconds: Type.Optional(
            Int32('How long to try to delete the node; 0: no limit.', timeoutSeconds),
          ),
        },
        { description: 'How patient deletion is.', minProperties: 1 },
      ),
    ),
    taints: Type.Optional(NodeTaints),
  },
  { description: 'The desired machine.' },
);

/** What is wanted of a machine (v1beta2). */
export type MachineSpec = Static<typeof MachineSpec>;

/** What is wanted of a machine (v1beta1). */
export const MachineSpecV1Beta1 = Struct(
  {
    clusterName: ClusterName,
    bootstrap: Struct(
      {
        configRef: Type.Optional(FullReference('The bootstrap configuration (or its template).')),
        dataSecretName: DataSecretName,
      },
      bootstrapOptions,
    ),
    infrastructureRef: FullReference('The infrastructure machine (or its template).'),
    version: Type.Optional(KubernetesVersion),
    providerID: Type.Optional(ProviderId),
    failureDomain: Type.Optional(FailureDomainName),
    readinessGates: Type.Optional(Gates('More conditions the machine must have to be ready.')),
    nodeDrainTimeout: Type.Optional(GoDuration('How long to drain, such as 10m; 0s: no limit.')),
    nodeVolumeDetachTimeout: Type.Optional(GoDuration('How long to wait for volumes to be detached; 0s: no limit.')),
    nodeDeletionTimeout: Type.Optional(GoDuration('How long to try to delete the node; 0s: no limit.')),
    taints: Type.Optional(NodeTaints),
  },
  { description: 'The desired machine.' },
);

/** What is wanted of a machine (v1beta1). */
export type MachineSpecV1Beta1 = Static<typeof MachineSpecV1Beta1>;
