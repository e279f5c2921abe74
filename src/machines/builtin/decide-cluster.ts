import {
  type Cluster,
  type ClusterStatus,
  clusterFinalizers,
  clusterConditions as conditionTypes,
  type Metal3Cluster,
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
import { legacyConditions } from '../conditions.ts';
import { clusterKind } from '../objects.ts';
import { nameOf, objectKey, ownerOf } from '../references.ts';

/** Something that goes before its Cluster does. */
export interface ClusterPart {
  readonly resource: 'deployments' | 'sets' | 'machines' | 'metal3Clusters';
  readonly name: string;
  readonly isGoing: boolean;
}

/** What the small controller of Clusters looks at. */
export interface BuiltinClusterSeen {
  readonly object: Cluster;
  readonly infrastructure: Metal3Cluster | undefined;
  /** Deployments, sets and machines of it. */
  readonly parts: readonly ClusterPart[];
}

/** What the small controller of Clusters does. */
export type BuiltinClusterEffect =
  | { readonly kind: 'add-finalizer'; readonly key: string }
  | { readonly kind: 'remove-finalizer'; readonly key: string }
  /** Makes the Cluster the owner of its Metal3Cluster. */
  | { readonly kind: 'adopt'; readonly key: string; readonly object: Metal3Cluster }
  | { readonly kind: 'set-endpoint'; readonly key: string; readonly host: string; readonly port: number }
  | { readonly kind: 'delete-part'; readonly key: string; readonly part: ClusterPart };

/** What is decided about a Cluster. */
export type BuiltinClusterDecision = Decision<BuiltinClusterEffect, ClusterStatus>;

/** Decides what to do about a Cluster: it follows its Metal3Cluster, and goes after all that belongs to it. Pure. */
export function decideBuiltinCluster(seen: BuiltinClusterSeen, now: Instant): BuiltinClusterDecision {
  const { object } = seen;
  const why = whyOf(seen);
  const effects = object.spec?.paused === true ? [] : effectsOf(seen);
  const isOwnWrite = effects.some(({ kind }) => kind !== 'adopt' && kind !== 'delete-part');
  return {
    effects,
    status: isOwnWrite ? undefined : describe(seen, why, now),
    wake: { on: 'change' },
    why: [why],
  };
}

function effectsOf(seen: BuiltinClusterSeen): BuiltinClusterEffect[] {
  const { object, infrastructure, parts } = seen;
  const key = objectKey(object);
  const isHeld = hasFinalizer(object, clusterFinalizers.cluster);
  if (isBeingDeleted(object)) {
    const own = infrastructure !== undefined && isOwned(object, infrastructure);
    // The Metal3Cluster goes last: hosts are given back by machines that look at it.
    const last: ClusterPart[] = own
      ? [{ resource: 'metal3Clusters', name: nameOf(infrastructure), isGoing: isBeingDeleted(infrastructure) }]
      : [];
    const present = parts.length > 0 ? parts : last;
    if (present.length === 0) return isHeld ? [{ kind: 'remove-finalizer', key: `remove-finalizer/${key}` }] : [];
    return present
      .filter(({ isGoing }) => !isGoing)
      .map((part) => ({ kind: 'delete-part', key: `delete-part/${part.resource}/${part.name}`, part }));
  }
  if (!isHeld) return [{ kind: 'add-finalizer', key: `add-finalizer/${key}` }];
  if (infrastructure !== undefined && !isOwned(object, infrastructure)) {
    return [{ kind: 'adopt', key: `adopt/${key}`, object: infrastructure }];
  }
  const endpoint = infrastructure?.spec.controlPlaneEndpoint;
  const isProvisioned = infrastructure?.status?.initialization?.provisioned === true;
  if (isProvisioned && endpoint !== undefined && object.spec?.controlPlaneEndpoint?.host === undefined) {
    return [{ kind: 'set-endpoint', key: `set-endpoint/${key}`, host: endpoint.host, port: endpoint.port ?? 6443 }];
  }
  return [];
}

function isOwned(cluster: Cluster, infrastructure: Metal3Cluster): boolean {
  return ownerOf(infrastructure, clusterKind)?.uid === cluster.metadata.uid;
}

function whyOf({ object, infrastructure, parts }: BuiltinClusterSeen): Reason {
  if (isBeingDeleted(object)) return { code: 'Deleting', message: `${parts.length} objects of it are still there.` };
  if (object.spec?.paused === true) return { code: 'Paused', message: 'spec.paused is true.' };
  if (object.spec?.infrastructureRef === undefined) {
    return { code: 'NoInfrastructureRef', message: 'spec.infrastructureRef names no Metal3Cluster.' };
  }
  if (infrastructure === undefined) {
    return {
      code: 'InfrastructureNotFound',
      message: `Waiting for the Metal3Cluster ${object.spec.infrastructureRef.name}.`,
    };
  }
  if (infrastructure.status?.initialization?.provisioned !== true) {
    return {
      code: 'InfrastructureNotReady',
      message: `Waiting for the Metal3Cluster ${nameOf(infrastructure)} to be ready.`,
    };
  }
  return { code: 'Ready', message: '' };
}

const owned: string[] = [
  conditionTypes.infrastructureReady,
  conditionTypes.paused,
  conditionTypes.deleting,
  conditionTypes.unsupported,
];

function describe({ object, infrastructure }: BuiltinClusterSeen, why: Reason, now: Instant): ClusterStatus {
  const { status: before, metadata, spec } = object;
  const isReady = infrastructure?.status?.initialization?.provisioned === true;
  const isGoing = isBeingDeleted(object);
  const isPaused = spec?.paused === true;
  const isProvisioned = isReady || before?.initialization?.infrastructureProvisioned === true;
  const ready: ConditionDraft = {
    type: conditionTypes.infrastructureReady,
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'Ready' : why.code,
    message: isReady ? '' : why.message,
  };
  const drafts: ConditionDraft[] = [
    ready,
    flag(conditionTypes.paused, isPaused, isPaused ? 'Paused' : 'NotPaused'),
    flag(conditionTypes.deleting, isGoing, isGoing ? 'Deleting' : 'NotDeleting'),
    ...(spec?.topology === undefined ? [] : [flag(conditionTypes.unsupported, true, 'TopologyNotServed')]),
  ];
  const { failureDomains: _, deprecated, ...kept } = before ?? {};
  const failureDomains = infrastructure?.status?.failureDomains;
  const context = { before: before?.conditions, generation: metadata.generation, now };
  const legacy = legacyConditions([ready], deprecated?.v1beta1?.conditions, now);
  return {
    ...kept,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    phase: isGoing
      ? 'Deleting'
      : isProvisioned
        ? 'Provisioned'
        : infrastructure === undefined
          ? 'Pending'
          : 'Provisioning',
    ...(isProvisioned ? { initialization: { ...before?.initialization, infrastructureProvisioned: true } } : {}),
    ...(failureDomains === undefined ? {} : { failureDomains }),
    conditions: writeConditions(drafts, context, owned),
    deprecated: { ...deprecated, v1beta1: { ...deprecated?.v1beta1, conditions: legacy } },
  };
}

/** A condition that only says yes or no. */
export function flag(type: string, isSo: boolean, reason: string): ConditionDraft {
  return { type, status: isSo ? 'True' : 'False', reason, message: '' };
}
