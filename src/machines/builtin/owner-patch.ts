import { clusterApiVersion, clusterLabels } from '../../api/index.ts';
import type { KubeObject, OwnerReference } from '../../kube/index.ts';
import { nameOf } from '../references.ts';

/** How an owner is referred to. */
export function ownerReference(object: KubeObject, kind: 'Cluster' | 'Machine' | 'MachineSet'): OwnerReference {
  const uid = object.metadata?.uid ?? '';
  return { apiVersion: clusterApiVersion, kind, name: nameOf(object), uid, controller: true, blockOwnerDeletion: true };
}

/** Puts an owner in charge of exactly the version of an object that was seen, and ties it to its cluster. */
export function adoptPatch(object: KubeObject, owner: OwnerReference, cluster: string): object {
  const { resourceVersion, uid, ownerReferences = [] } = object.metadata ?? {};
  // An owner of the same name and kind that is gone is replaced.
  const others = ownerReferences.filter((each) => each.kind !== owner.kind || each.name !== owner.name);
  return {
    metadata: {
      ...{ resourceVersion, uid },
      labels: { [clusterLabels.clusterName]: cluster },
      ownerReferences: [...others, owner],
    },
  };
}
