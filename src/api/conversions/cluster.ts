import { isJsonObject, type JsonObject } from '../../schema/index.ts';
import { clusterGroup } from '../cluster/names.ts';
import { type ConversionOptions, convertWithin, type GroupConversion } from './convert.ts';
import { type Direction, type FieldMove, under, type ValueMapping } from './field-moves.ts';
import { legacyConditions, legacyFailure, movedUnder } from './status-moves.ts';
import {
  fromNodeName,
  fromSeconds,
  toContractReference,
  toFailureDomainList,
  toFailureDomainMap,
  toFullReference,
  toNodeName,
  toSeconds,
  unlessEmpty,
  withoutZeroes,
} from './value-mappings.ts';

const reference = { up: toContractReference, down: toFullReference };
const duration = { up: toSeconds, down: fromSeconds };

function same(path: string, up: ValueMapping): FieldMove {
  return { old: path, new: path, up };
}

const machineSpec: readonly FieldMove[] = [
  { old: 'infrastructureRef', new: 'infrastructureRef', ...reference },
  { old: 'bootstrap.configRef', new: 'bootstrap.configRef', ...reference },
  { old: 'nodeDrainTimeout', new: 'deletion.nodeDrainTimeoutSeconds', ...duration },
  { old: 'nodeVolumeDetachTimeout', new: 'deletion.nodeVolumeDetachTimeoutSeconds', ...duration },
  { old: 'nodeDeletionTimeout', new: 'deletion.nodeDeletionTimeoutSeconds', ...duration },
  { old: null, new: 'deletion' },
  same('readinessGates', unlessEmpty),
];

const machineTemplate: readonly FieldMove[] = [
  ...under(machineSpec, 'spec.template.spec'),
  { old: 'spec.minReadySeconds', new: 'spec.template.spec.minReadySeconds' },
  same('spec.template.metadata', unlessEmpty),
  { old: 'spec.machineNamingStrategy', new: 'spec.machineNaming', up: unlessEmpty },
];

const counters = ['readyReplicas', 'availableReplicas'];
const sharedCounters: readonly FieldMove[] = [
  ...movedUnder(counters, { old: 'status', new: 'status.deprecated.v1beta1' }),
  ...movedUnder([...counters, 'upToDateReplicas'], { old: 'status.v1beta2', new: 'status' }),
];

const machine: readonly FieldMove[] = [
  ...under(machineSpec, 'spec'),
  { old: null, new: 'spec.minReadySeconds' },
  { old: 'status.bootstrapReady', new: 'status.initialization.bootstrapDataSecretCreated' },
  { old: 'status.infrastructureReady', new: 'status.initialization.infrastructureProvisioned' },
  { old: null, new: 'status.initialization' },
  { old: 'status.nodeRef', new: 'status.nodeRef', up: toNodeName, down: fromNodeName },
  { old: 'status.phase', new: 'status.phase', down: (phase) => (phase === 'Updating' ? 'Running' : phase) },
  { old: null, new: 'status.failureDomain' },
  ...legacyFailure,
  ...legacyConditions,
];

const machineSet: readonly FieldMove[] = [
  ...machineTemplate,
  { old: 'spec.deletePolicy', new: 'spec.deletion.order' },
  { old: null, new: 'spec.deletion' },
  ...sharedCounters,
  ...movedUnder(['fullyLabeledReplicas'], { old: 'status', new: 'status.deprecated.v1beta1' }),
  ...legacyFailure,
  ...legacyConditions,
];

const machineDeployment: readonly FieldMove[] = [
  ...machineTemplate,
  { old: 'spec.progressDeadlineSeconds', new: null },
  { old: 'spec.revisionHistoryLimit', new: null },
  { old: 'spec.rolloutAfter', new: 'spec.rollout.after' },
  { old: 'spec.strategy.type', new: 'spec.rollout.strategy.type' },
  { old: 'spec.strategy.rollingUpdate.maxSurge', new: 'spec.rollout.strategy.rollingUpdate.maxSurge' },
  { old: 'spec.strategy.rollingUpdate.maxUnavailable', new: 'spec.rollout.strategy.rollingUpdate.maxUnavailable' },
  { old: 'spec.strategy.rollingUpdate.deletePolicy', new: 'spec.deletion.order' },
  { old: 'spec.strategy.remediation.maxInFlight', new: 'spec.remediation.maxInFlight' },
  { old: 'spec.strategy', new: null },
  { old: null, new: 'spec.rollout' },
  { old: null, new: 'spec.deletion' },
  { old: null, new: 'spec.remediation' },
  ...sharedCounters,
  ...movedUnder(['updatedReplicas', 'unavailableReplicas'], { old: 'status', new: 'status.deprecated.v1beta1' }),
  ...legacyConditions,
];

// Clients of v1beta1 may leave the type out; v1beta2 asks for it.
function finishMachineDeployment(body: JsonObject, direction: Direction): void {
  const spec = body.spec;
  if (direction === 'down' || !isJsonObject(spec) || !isJsonObject(spec.rollout)) return;
  const strategy = spec.rollout.strategy;
  if (isJsonObject(strategy) && strategy.type === undefined) strategy.type = 'RollingUpdate';
}

const cluster: readonly FieldMove[] = [
  { old: 'spec.infrastructureRef', new: 'spec.infrastructureRef', ...reference },
  { old: 'spec.controlPlaneRef', new: 'spec.controlPlaneRef', ...reference },
  same('spec.controlPlaneEndpoint', withoutZeroes),
  same('spec.clusterNetwork', (network, context) => {
    if (!isJsonObject(network)) return undefined;
    const ranges = Object.entries(network).filter(
      ([, value]) => !(isJsonObject(value) && Array.isArray(value.cidrBlocks) && value.cidrBlocks.length === 0),
    );
    return withoutZeroes(Object.fromEntries(ranges), context);
  }),
  same('spec.availabilityGates', unlessEmpty),
  { old: 'spec.topology.class', new: 'spec.topology.classRef.name' },
  { old: 'spec.topology.classNamespace', new: 'spec.topology.classRef.namespace' },
  { old: 'spec.topology.version', new: 'spec.topology.version' },
  // The rest of a topology has another shape in each version, and nothing here reads it.
  { old: 'spec.topology', new: null },
  { old: null, new: 'spec.topology' },
  { old: 'status.infrastructureReady', new: 'status.initialization.infrastructureProvisioned' },
  { old: 'status.controlPlaneReady', new: 'status.initialization.controlPlaneInitialized' },
  { old: null, new: 'status.initialization' },
  { old: 'status.failureDomains', new: 'status.failureDomains', up: toFailureDomainList, down: toFailureDomainMap },
  ...movedUnder(['controlPlane', 'workers'], { old: 'status.v1beta2', new: 'status' }),
  ...legacyFailure,
  ...legacyConditions,
];

/** The conversions of cluster.x-k8s.io between v1beta1 and v1beta2. */
export const clusterConversion: GroupConversion = {
  group: clusterGroup,
  oldVersion: 'v1beta1',
  newVersion: 'v1beta2',
  kinds: {
    Cluster: { moves: cluster },
    Machine: { moves: machine },
    MachineSet: { moves: machineSet },
    MachineDeployment: { moves: machineDeployment, finish: finishMachineDeployment },
  },
};

/** Converts an object of cluster.x-k8s.io to another version of that group. */
export function convertCluster(object: JsonObject, toApiVersion: string, options?: ConversionOptions): JsonObject {
  return convertWithin(clusterConversion, object, { toApiVersion, options });
}
