import {
  type Cluster,
  clusterFinalizers,
  clusterConditions as conditionTypes,
  type Machine,
  type MachineStatus,
  type Metal3Machine,
} from '../../api/index.ts';
import {
  type ConditionDraft,
  type Decision,
  hasFinalizer,
  type Instant,
  isBeingDeleted,
  type Reason,
  textOfMoment,
  type Wake,
  writeConditions,
} from '../../kube/index.ts';
import type { NodeSearch } from '../nodes/workload-nodes.ts';
import { machineKind, type Node } from '../objects.ts';
import { nameOf, objectKey, ownerOf } from '../references.ts';
import type { MachineSettings } from '../settings.ts';
import { flag } from './decide-cluster.ts';

/** What the small controller of Machines looks at. */
export interface BuiltinMachineSeen {
  readonly object: Machine;
  readonly cluster: Cluster | undefined;
  readonly infrastructure: Metal3Machine | undefined;
  readonly nodes: NodeSearch;
  readonly settings: MachineSettings;
}

/** What the small controller of Machines does. */
export type BuiltinMachineEffect =
  | { readonly kind: 'add-finalizer'; readonly key: string }
  | { readonly kind: 'remove-finalizer'; readonly key: string }
  /** Makes the Machine the owner of its Metal3Machine. */
  | { readonly kind: 'adopt'; readonly key: string; readonly object: Metal3Machine }
  | { readonly kind: 'set-provider-id'; readonly key: string; readonly providerId: string }
  | { readonly kind: 'cordon'; readonly key: string; readonly node: Node }
  | { readonly kind: 'delete-infrastructure'; readonly key: string; readonly name: string }
  | { readonly kind: 'remove-node'; readonly key: string; readonly node: Node };

/** What is decided about a Machine. */
export type BuiltinMachineDecision = Decision<BuiltinMachineEffect, MachineStatus>;

/** Decides what to do about a Machine: it follows its Metal3Machine and its node. Pure. */
export function decideBuiltinMachine(seen: BuiltinMachineSeen, now: Instant): BuiltinMachineDecision {
  const { nodes, settings } = seen;
  const isPaused = isMachinePaused(seen);
  const effects = isPaused ? [] : effectsOf(seen);
  const isOwnWrite = effects.some(({ kind }) =>
    ['add-finalizer', 'remove-finalizer', 'set-provider-id'].includes(kind),
  );
  const why = whyOf(seen);
  return {
    effects,
    status: isOwnWrite ? undefined : describe(seen, why, now),
    wake: wakeOf(nodes, settings),
    why: [why],
  };
}

function wakeOf(nodes: NodeSearch, { nodePollMs, nodeHealthPollMs }: MachineSettings): Wake {
  if (nodes.kind === 'none' || nodes.kind === 'unreachable') return { after: nodePollMs };
  return nodes.kind === 'found' && !nodes.isFollowed ? { after: nodeHealthPollMs } : { on: 'change' };
}

function isMachinePaused({ object, cluster }: BuiltinMachineSeen): boolean {
  return cluster?.spec?.paused === true || object.metadata.annotations?.['cluster.x-k8s.io/paused'] !== undefined;
}

function effectsOf(seen: BuiltinMachineSeen): BuiltinMachineEffect[] {
  const { object, infrastructure } = seen;
  const key = objectKey(object);
  if (isBeingDeleted(object)) return leavingEffects(seen);
  if (!hasFinalizer(object, clusterFinalizers.machine)) return [{ kind: 'add-finalizer', key: `add-finalizer/${key}` }];
  if (infrastructure === undefined) return [];
  const owner = ownerOf(infrastructure, machineKind);
  if (owner?.uid !== object.metadata.uid) return [{ kind: 'adopt', key: `adopt/${key}`, object: infrastructure }];
  const { providerID } = infrastructure.spec;
  const isProvisioned = infrastructure.status?.initialization?.provisioned === true;
  if (isProvisioned && providerID !== undefined && object.spec.providerID !== providerID) {
    return [{ kind: 'set-provider-id', key: `set-provider-id/${key}`, providerId: providerID }];
  }
  return [];
}

/** The node first takes no more pods; then the host goes; then the node. */
function leavingEffects({ object, infrastructure, nodes }: BuiltinMachineSeen): BuiltinMachineEffect[] {
  const key = objectKey(object);
  const node = nodes.kind === 'found' ? nodes.node : undefined;
  if (infrastructure !== undefined) {
    if (isBeingDeleted(infrastructure)) return [];
    const cordon: BuiltinMachineEffect[] = node === undefined ? [] : [{ kind: 'cordon', key: `cordon/${key}`, node }];
    return [...cordon, { kind: 'delete-infrastructure', key: `delete/${key}`, name: nameOf(infrastructure) }];
  }
  const removal: BuiltinMachineEffect[] = node === undefined ? [] : [{ kind: 'remove-node', key: `node/${key}`, node }];
  const isHeld = hasFinalizer(object, clusterFinalizers.machine);
  return isHeld ? [...removal, { kind: 'remove-finalizer', key: `remove-finalizer/${key}` }] : removal;
}

function isProvisionedNow({ object, infrastructure }: BuiltinMachineSeen): boolean {
  return (
    infrastructure?.status?.initialization?.provisioned === true ||
    object.status?.initialization?.infrastructureProvisioned === true
  );
}

/** Why what ran is not to be relied on any more; undefined where its Metal3Machine says nothing of the kind. */
function lossOf({ object, infrastructure }: BuiltinMachineSeen): Reason | undefined {
  if (infrastructure === undefined) {
    const message = `The Metal3Machine ${object.spec.infrastructureRef.name} is gone: delete the Machine to replace it.`;
    return { code: 'InfrastructureDeleted', message };
  }
  const ready = infrastructure.status?.conditions?.find(({ type }) => type === conditionTypes.ready);
  return ready?.status === 'False' ? { code: ready.reason, message: ready.message } : undefined;
}

function isNodeReady(nodes: NodeSearch): boolean {
  if (nodes.kind !== 'found') return false;
  return nodes.node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

function whyOf(seen: BuiltinMachineSeen): Reason {
  const { object, infrastructure, nodes } = seen;
  if (isMachinePaused(seen)) return { code: 'Paused', message: 'The Machine or its Cluster is paused.' };
  if (isBeingDeleted(object)) return { code: 'Deleting', message: 'Its host is being given back.' };
  if (object.spec.bootstrap.dataSecretName === undefined) {
    const message = 'There is no bootstrap provider here: name the Secret in bootstrap.dataSecretName.';
    return { code: 'WaitingForBootstrapData', message };
  }
  const isProvisioned = isProvisionedNow(seen);
  if (infrastructure === undefined && !isProvisioned) {
    return {
      code: 'InfrastructureNotFound',
      message: `Waiting for the Metal3Machine ${object.spec.infrastructureRef.name}.`,
    };
  }
  if (!isProvisioned) {
    const ready = infrastructure?.status?.conditions?.find(({ type }) => type === conditionTypes.ready);
    return {
      code: ready?.reason ?? 'InfrastructureNotReady',
      message: ready?.message ?? 'The Metal3Machine was not looked at yet.',
    };
  }
  const loss = lossOf(seen);
  if (loss !== undefined) return loss;
  if (nodes.kind === 'unreachable') return { code: 'ClusterUnreachable', message: nodes.message };
  if (nodes.kind !== 'found') return { code: 'NodeNotFound', message: 'Its node is not there.' };
  return isNodeReady(nodes)
    ? { code: 'Ready', message: '' }
    : { code: 'NodeNotReady', message: `The node ${nameOf(nodes.node)} is not ready.` };
}

const owned: string[] = [
  conditionTypes.ready,
  conditionTypes.available,
  conditionTypes.upToDate,
  conditionTypes.bootstrapConfigReady,
  conditionTypes.infrastructureReady,
  conditionTypes.nodeReady,
  conditionTypes.paused,
  conditionTypes.deleting,
];

function describe(seen: BuiltinMachineSeen, why: Reason, now: Instant): MachineStatus {
  const { object, infrastructure, nodes } = seen;
  const { status: before, metadata } = object;
  const isProvisioned = isProvisionedNow(seen);
  const hasBootstrap = object.spec.bootstrap.dataSecretName !== undefined;
  const phase = phaseOf(seen, before?.nodeRef !== undefined);
  const initialization = {
    ...(isProvisioned ? { infrastructureProvisioned: true } : {}),
    ...(hasBootstrap ? { bootstrapDataSecretCreated: true } : {}),
  };
  const addresses = infrastructure?.status?.addresses;
  const failureDomain = infrastructure?.spec.failureDomain ?? object.spec.failureDomain;
  const context = { before: before?.conditions, generation: metadata.generation, now };
  return {
    ...before,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    ...(Object.keys(initialization).length === 0 ? {} : { initialization }),
    ...(nodes.kind === 'found' ? { nodeRef: { name: nameOf(nodes.node) } } : {}),
    ...(addresses === undefined ? {} : { addresses }),
    ...(failureDomain === undefined ? {} : { failureDomain }),
    phase,
    lastUpdated: before?.phase === phase && before.lastUpdated !== undefined ? before.lastUpdated : textOfMoment(now),
    conditions: writeConditions(conditionsOf(seen, why), context, owned),
  };
}

function phaseOf(seen: BuiltinMachineSeen, hadNode: boolean): NonNullable<MachineStatus['phase']> {
  const { object, infrastructure, nodes } = seen;
  if (isBeingDeleted(object)) return 'Deleting';
  if (isProvisionedNow(seen)) return nodes.kind === 'found' || hadNode ? 'Running' : 'Provisioned';
  return infrastructure !== undefined && object.spec.bootstrap.dataSecretName !== undefined
    ? 'Provisioning'
    : 'Pending';
}

function conditionsOf(seen: BuiltinMachineSeen, why: Reason): ConditionDraft[] {
  const { object, nodes } = seen;
  const isProvisioned = isProvisionedNow(seen);
  const isReady = why.code === 'Ready';
  const says = (type: string, isSo: boolean, reason: string): ConditionDraft =>
    isSo
      ? { type, status: 'True', reason, message: '' }
      : { type, status: 'False', reason: why.code === 'Ready' ? 'NotReady' : why.code, message: why.message };
  const isGoing = isBeingDeleted(object);
  const isPaused = isMachinePaused(seen);
  return [
    says(conditionTypes.ready, isReady, 'Ready'),
    says(conditionTypes.available, isReady, 'Available'),
    flag(conditionTypes.upToDate, true, 'UpToDate'),
    says(conditionTypes.bootstrapConfigReady, object.spec.bootstrap.dataSecretName !== undefined, 'DataSecretProvided'),
    says(conditionTypes.infrastructureReady, isProvisioned && lossOf(seen) === undefined, 'Ready'),
    says(conditionTypes.nodeReady, isNodeReady(nodes), 'NodeReady'),
    flag(conditionTypes.paused, isPaused, isPaused ? 'Paused' : 'NotPaused'),
    flag(conditionTypes.deleting, isGoing, isGoing ? 'Deleting' : 'NotDeleting'),
  ];
}
