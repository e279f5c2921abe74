import type { KindDeclaration } from '../declare.ts';
import { cluster } from './cluster.ts';
import { machine } from './machine.ts';
import { machineDeployment } from './machine-deployment.ts';
import { machineSet } from './machine-set.ts';
import { metal3Cluster } from './metal3-cluster.ts';
import { metal3Machine } from './metal3-machine.ts';
import { metal3MachineTemplate } from './metal3-machine-template.ts';

/** The kinds of infrastructure.cluster.x-k8s.io, which are always ours. */
export const infrastructureKinds: readonly KindDeclaration[] = [metal3Machine, metal3MachineTemplate, metal3Cluster];

/** The kinds of cluster.x-k8s.io, which are ours only where Cluster API itself is not installed. */
export const coreClusterKinds: readonly KindDeclaration[] = [cluster, machine, machineSet, machineDeployment];

/** Every kind of Cluster API that we can serve. */
export const clusterKinds: readonly KindDeclaration[] = [...infrastructureKinds, ...coreClusterKinds];

export {
  type Cluster,
  type ClusterSpec,
  type ClusterStatus,
  type ClusterV1Beta1,
  cluster,
  clusterPhases,
} from './cluster.ts';
export { type Machine, type MachineStatus, type MachineV1Beta1, machine, machinePhases } from './machine.ts';
export {
  type MachineDeployment,
  type MachineDeploymentSpec,
  type MachineDeploymentStatus,
  type MachineDeploymentV1Beta1,
  machineDeployment,
  machineDeploymentPhases,
} from './machine-deployment.ts';
export {
  type MachineSet,
  type MachineSetSpec,
  type MachineSetStatus,
  type MachineSetV1Beta1,
  machineSet,
} from './machine-set.ts';
export type { MachineSpec, MachineSpecV1Beta1 } from './machine-spec.ts';
export {
  type Metal3Cluster,
  type Metal3ClusterSpec,
  type Metal3ClusterStatus,
  type Metal3ClusterV1Beta1,
  metal3Cluster,
} from './metal3-cluster.ts';
export {
  type Metal3Machine,
  type Metal3MachineStatus,
  type Metal3MachineV1Beta1,
  metal3Machine,
} from './metal3-machine.ts';
export type {
  Metal3MachineSpec,
  Metal3MachineSpecV1Beta1,
  NetworkConfiguration,
  NicHint,
} from './metal3-machine-spec.ts';
export {
  type Metal3MachineTemplate,
  type Metal3MachineTemplateSpec,
  type Metal3MachineTemplateV1Beta1,
  metal3MachineTemplate,
} from './metal3-machine-template.ts';
export {
  clusterAnnotations,
  clusterApiVersion,
  clusterApiVersionV1Beta1,
  clusterConditions,
  clusterFinalizers,
  clusterGroup,
  clusterLabels,
  contractLabels,
  infrastructureApiVersion,
  infrastructureApiVersionV1Beta1,
  infrastructureGroup,
  metal3MachineTemplateGroupKind,
} from './names.ts';
