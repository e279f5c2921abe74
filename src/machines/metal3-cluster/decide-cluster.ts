import {
  type Cluster,
  clusterFinalizers,
  clusterConditions as conditionTypes,
  type Metal3Cluster,
  type Metal3ClusterStatus,
} from '../../api/index.ts';
import {
  type ConditionDraft,
  type Decision,
  hasFinalizer,
  type Instant,
  isBeingDeleted,
  type Reason,
  writeConditions,
} from '../../kube/index.ts';
import { legacyConditions, stamped } from '../conditions.ts';
import { isPaused } from '../metal3-machine/machine-seen.ts';
import { objectKey } from '../references.ts';

/** What the controller of Metal3Clusters looks at. */
export interface Metal3ClusterSeen {
  readonly object: Metal3Cluster;
  /** The Cluster that owns it. */
  readonly cluster: Cluster | undefined;
  /** How many Metal3Machines the Cluster has. */
  readonly machines: number;
}

/** What the controller of Metal3Clusters does. */
export type Metal3ClusterEffect =
  | { readonly kind: 'add-finalizer'; readonly key: string }
  | { readonly kind: 'remove-finalizer'; readonly key: string };

/** What is decided about a Metal3Cluster. */
export type Metal3ClusterDecision = Decision<Metal3ClusterEffect, Metal3ClusterStatus>;

/** Decides what to do about a Metal3Cluster: it is there once its endpoint is named, and goes after its machines. Pure. */
export function decideMetal3Cluster(seen: Metal3ClusterSeen, now: Instant): Metal3ClusterDecision {
  const { object, cluster, machines } = seen;
  const isHeld = hasFinalizer(object, clusterFinalizers.metal3Cluster);
  const key = objectKey(object);
  const why = whyOf(seen);
  const told = { status: describe(seen, why, now), wake: { on: 'change' } as const, why: [why] };
  if (isPaused(object, cluster)) return { ...told, effects: [] };
  if (isBeingDeleted(object)) {
    const canGo = isHeld && machines === 0;
    if (!canGo) return { ...told, effects: [] };
    return { ...told, status: undefined, effects: [{ kind: 'remove-finalizer', key: `remove-finalizer/${key}` }] };
  }
  if (cluster !== undefined && !isHeld) {
    return { ...told, status: undefined, effects: [{ kind: 'add-finalizer', key: `add-finalizer/${key}` }] };
  }
  return { ...told, effects: [] };
}

function whyOf({ object, cluster, machines }: Metal3ClusterSeen): Reason {
  if (isPaused(object, cluster)) return { code: 'Paused', message: 'The Cluster or the Metal3Cluster is paused.' };
  if (isBeingDeleted(object)) {
    const message = machines === 0 ? 'Nothing holds it any more.' : `${machines} Metal3Machines are still there.`;
    return { code: 'Deleting', message };
  }
  if (cluster === undefined) return { code: 'WaitingForClusterOwner', message: 'Waiting for a Cluster to own it.' };
  if (object.spec.controlPlaneEndpoint.host === '') {
    return { code: 'ControlPlaneEndpointFailed', message: 'spec.controlPlaneEndpoint.host is empty.' };
  }
  return { code: 'Ready', message: '' };
}

const owned = [conditionTypes.ready, conditionTypes.baremetalInfrastructureReady, conditionTypes.paused] as string[];

function describe({ object, cluster }: Metal3ClusterSeen, why: Reason, now: Instant): Metal3ClusterStatus {
  const before = object.status;
  const isReady = why.code === 'Ready';
  const status = isReady ? 'True' : 'False';
  const paused = isPaused(object, cluster);
  const drafts: ConditionDraft[] = [
    { type: conditionTypes.ready, status, reason: why.code, message: why.message },
    { type: conditionTypes.baremetalInfrastructureReady, status, reason: why.code, message: why.message },
    {
      type: conditionTypes.paused,
      status: paused ? 'True' : 'False',
      reason: paused ? 'Paused' : 'NotPaused',
      message: paused ? why.message : '',
    },
  ];
  const { lastUpdated: _, failureDomains: __, deprecated, ...kept } = before ?? {};
  const { failureDomains } = object.spec;
  const context = { before: before?.conditions, generation: object.metadata.generation, now };
  const legacy = legacyConditions(drafts.slice(0, 2), deprecated?.v1beta1?.conditions, now);
  return stamped<Metal3ClusterStatus>(
    {
      ...kept,
      ...(isReady ? { initialization: { provisioned: true } } : {}),
      ...(failureDomains === undefined ? {} : { failureDomains }),
      conditions: writeConditions(drafts, context, owned),
      deprecated: { ...deprecated, v1beta1: { ...deprecated?.v1beta1, conditions: legacy } },
    },
    before,
    now,
  );
}
