import {
  clusterAnnotations,
  clusterApiVersion,
  clusterLabels,
  infrastructureApiVersion,
  infrastructureGroup,
  type Machine,
  type MachineSet,
  type Metal3Machine,
  type Metal3MachineTemplate,
  metal3MachineTemplateGroupKind,
} from '../../api/index.ts';
import type { KubeObject } from '../../kube/index.ts';
import { nameOf, namespaceOf } from '../references.ts';
import { ownerReference } from './owner-patch.ts';

/** A Machine of a set; it names the Metal3Machine that is made for it. */
export function newMachine(set: MachineSet, name: string): Machine & KubeObject {
  const { metadata, spec } = set.spec.template;
  const deployment = set.metadata.labels?.[clusterLabels.deploymentName];
  return {
    apiVersion: clusterApiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace: namespaceOf(set),
      labels: {
        ...metadata?.labels,
        [clusterLabels.clusterName]: set.spec.clusterName,
        [clusterLabels.setName]: nameOf(set),
        ...(deployment === undefined ? {} : { [clusterLabels.deploymentName]: deployment }),
      },
      ...(metadata?.annotations === undefined ? {} : { annotations: { ...metadata.annotations } }),
      ownerReferences: [ownerReference(set, 'MachineSet')],
    },
    spec: {
      ...spec,
      clusterName: set.spec.clusterName,
      infrastructureRef: { apiGroup: infrastructureGroup, kind: 'Metal3Machine', name },
    },
  };
}

/** The Metal3Machine of a Machine, as the template says. */
export function newMetal3Machine(machine: Machine, template: Metal3MachineTemplate): Metal3Machine & KubeObject {
  const { metadata, spec } = template.spec.template;
  return {
    apiVersion: infrastructureApiVersion,
    kind: 'Metal3Machine',
    metadata: {
      name: machine.spec.infrastructureRef.name,
      namespace: namespaceOf(machine),
      labels: { ...metadata?.labels, ...machine.metadata.labels },
      annotations: {
        ...metadata?.annotations,
        [clusterAnnotations.clonedFromName]: nameOf(template),
        [clusterAnnotations.clonedFromGroupKind]: metal3MachineTemplateGroupKind,
      },
      ownerReferences: [ownerReference(machine, 'Machine')],
    },
    spec: { ...spec },
  };
}
