import {
  type Cluster,
  clusterAnnotations,
  clusterConditions as conditionTypes,
  type Machine,
  type MachineSet,
  type MachineSetStatus,
  type Metal3Machine,
  type Metal3MachineTemplate,
} from '../../api/index.ts';
import {
  type ConditionDraft,
  type Decision,
  type Instant,
  isBeingDeleted,
  isTrue,
  type Reason,
  writeConditions,
} from '../../kube/index.ts';
import { scoreOf } from '../choice/choose-host.ts';
import { chosenHostOf } from '../objects.ts';
import { nameOf, objectKey } from '../references.ts';
import { flag } from './decide-cluster.ts';
import { newMachineNames } from './machine-names.ts';

/** A Machine of a set, and the Metal3Machine that it names. */
export interface SetMember {
  readonly machine: Machine;
  readonly infrastructure: Metal3Machine | undefined;
}

/** What the small controller of MachineSets looks at. */
export interface BuiltinSetSeen {
  readonly object: MachineSet;
  readonly cluster: Cluster | undefined;
  readonly template: Metal3MachineTemplate | undefined;
  readonly members: readonly SetMember[];
  /** Whether there is a Machine of a name, whoever's. */
  readonly isTaken: (name: string) => boolean;
}

/** What the small controller of MachineSets does. */
export type BuiltinSetEffect =
  /** Makes those that the server, too, does not have yet. */
  | { readonly kind: 'create-machines'; readonly key: string; readonly names: readonly string[] }
  | { readonly kind: 'create-infrastructure'; readonly key: string; readonly machine: Machine }
  | { readonly kind: 'delete-machine'; readonly key: string; readonly name: string };

/** What is decided about a MachineSet. */
export type BuiltinSetDecision = Decision<BuiltinSetEffect, MachineSetStatus>;

/** So many machines are made or removed at one look; the next follows at once. */
const atOnce = 50;

/** Decides what to do about a MachineSet: as many machines as it asks for. Pure. */
export function decideBuiltinSet(seen: BuiltinSetSeen, now: Instant): BuiltinSetDecision {
  const obstacle = obstacleOf(seen);
  const effects = obstacle === undefined ? effectsOf(seen) : [];
  const why = obstacle ?? { code: 'Following', message: `${seen.members.length} machines.` };
  return { effects, status: describe(seen, obstacle, now), wake: { on: 'change' }, why: [why] };
}

function obstacleOf({ object, cluster, template }: BuiltinSetSeen): Reason | undefined {
  const { bootstrap, infrastructureRef } = object.spec.template.spec;
  if (isBeingDeleted(object)) return { code: 'Deleting', message: 'The set is being deleted.' };
  if (cluster === undefined)
    return { code: 'ClusterNotFound', message: `Waiting for the Cluster ${object.spec.clusterName}.` };
  if (isBeingDeleted(cluster)) return { code: 'ClusterDeleting', message: 'The Cluster is being deleted.' };
  if (cluster.spec?.paused === true || object.metadata.annotations?.[clusterAnnotations.paused] !== undefined) {
    return { code: 'Paused', message: 'The set or its Cluster is paused.' };
  }
  if (bootstrap.dataSecretName === undefined) {
    const message = 'There is no bootstrap provider here: name the Secret in bootstrap.dataSecretName.';
    return { code: 'BootstrapNotServed', message };
  }
  if (template === undefined) {
    return {
      code: 'TemplateNotFound',
      message: `Waiting for the ${infrastructureRef.kind} ${infrastructureRef.name}.`,
    };
  }
  return undefined;
}

function effectsOf({ object, members, isTaken }: BuiltinSetSeen): BuiltinSetEffect[] {
  const active = members.filter(({ machine }) => !isBeingDeleted(machine));
  const wanted = object.spec.replicas ?? 1;
  const bare = active.filter(
    ({ machine, infrastructure }) => infrastructure === undefined && machine.spec.providerID === undefined,
  );
  const completions: BuiltinSetEffect[] = bare.map(({ machine }) => {
    return { kind: 'create-infrastructure', key: `create/${objectKey(machine)}`, machine };
  });
  // Those that are on their way out still have their hosts: what takes their place comes after them.
  const missing = Math.min(atOnce, Math.max(0, wanted - members.length));
  const { uid = '', resourceVersion: version = '' } = object.metadata;
  const names = newMachineNames({ name: nameOf(object), uid, version }, missing, isTaken);
  const creations: BuiltinSetEffect[] =
    missing === 0 ? [] : [{ kind: 'create-machines', key: `create-machines/${objectKey(object)}/${version}`, names }];
  const removals: BuiltinSetEffect[] = inOrderOfRemoval(object, active)
    .slice(0, Math.min(atOnce, Math.max(0, active.length - wanted)))
    .map((machine) => ({ kind: 'delete-machine', key: `delete/${nameOf(machine)}`, name: nameOf(machine) }));
  return [...completions, ...creations, ...removals];
}

/** Those that were marked go first, then those without a host, then those that do not work, then as the set says. */
export function inOrderOfRemoval({ spec }: MachineSet, members: readonly SetMember[]): Machine[] {
  const rankOf = ({ machine, infrastructure }: SetMember): number => {
    if (machine.metadata.annotations?.[clusterAnnotations.deleteMachine] !== undefined) return 0;
    if (infrastructure === undefined || chosenHostOf(infrastructure) === undefined) return 1;
    return isTrue(machine.status?.conditions, conditionTypes.ready) ? 3 : 2;
  };
  const ageOf = ({ machine }: SetMember): number => Date.parse(machine.metadata.creationTimestamp ?? '') || 0;
  const tieOf = (one: SetMember, other: SetMember): number => {
    const order = spec.deletion?.order;
    if (order === 'Newest') return ageOf(other) - ageOf(one);
    if (order === 'Oldest') return ageOf(one) - ageOf(other);
    return 0;
  };
  const scoreFor = ({ machine }: SetMember): number => scoreOf(machine.metadata.uid ?? nameOf(machine));
  return members
    .toSorted((one, other) => rankOf(one) - rankOf(other) || tieOf(one, other) || scoreFor(one) - scoreFor(other))
    .map(({ machine }) => machine);
}

const owned: string[] = [
  conditionTypes.scalingUp,
  conditionTypes.scalingDown,
  conditionTypes.machinesReady,
  conditionTypes.paused,
  conditionTypes.deleting,
];

function describe({ object, members }: BuiltinSetSeen, obstacle: Reason | undefined, now: Instant): MachineSetStatus {
  const { status: before, metadata, spec } = object;
  const machines = members.map(({ machine }) => machine);
  const count = (type: string): number => machines.filter(({ status }) => isTrue(status?.conditions, type)).length;
  const wanted = spec.replicas ?? 1;
  const active = machines.filter((machine) => !isBeingDeleted(machine)).length;
  const ready = count(conditionTypes.ready);
  const isPaused = obstacle?.code === 'Paused';
  const drafts: ConditionDraft[] = [
    scaling(conditionTypes.scalingUp, wanted > active, { obstacle, numbers: `${active} of ${wanted} machines.` }),
    scaling(conditionTypes.scalingDown, machines.length > wanted, {
      obstacle,
      numbers: `${machines.length} of ${wanted} machines.`,
    }),
    flag(conditionTypes.machinesReady, ready === machines.length, ready === machines.length ? 'Ready' : 'NotReady'),
    flag(conditionTypes.paused, isPaused, isPaused ? 'Paused' : 'NotPaused'),
    flag(conditionTypes.deleting, isBeingDeleted(object), isBeingDeleted(object) ? 'Deleting' : 'NotDeleting'),
  ];
  const context = { before: before?.conditions, generation: metadata.generation, now };
  return {
    ...before,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    selector: selectorText(object),
    replicas: machines.length,
    readyReplicas: ready,
    availableReplicas: count(conditionTypes.available),
    upToDateReplicas: count(conditionTypes.upToDate),
    conditions: writeConditions(drafts, context, owned),
  };
}

function scaling(
  type: string,
  isSo: boolean,
  { obstacle, numbers }: { readonly obstacle: Reason | undefined; readonly numbers: string },
): ConditionDraft {
  if (!isSo) return flag(type, false, `Not${type}`);
  return { type, status: 'True', reason: obstacle?.code ?? type, message: obstacle?.message ?? numbers };
}

function selectorText({ spec }: MachineSet): string {
  const labels = Object.entries(spec.selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const more = (spec.selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${values.join(',')})`;
  });
  return [...labels.toSorted(), ...more].join(',').slice(0, 4096) || 'cluster.x-k8s.io/set-name';
}
