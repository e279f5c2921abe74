import type { JsonObject } from '../../schema/index.ts';
import { casesOf, type KindCase } from '../cases/kind-case.ts';
import {
  cluster,
  clusterApiVersion,
  clusterApiVersionV1Beta1,
  machine,
  machineDeployment,
  machineSet,
} from './index.ts';

const metadata = { name: 'it', namespace: 'default' };
const newer = (kind: string): JsonObject => ({ apiVersion: clusterApiVersion, kind, metadata });
const older = (kind: string): JsonObject => ({ apiVersion: clusterApiVersionV1Beta1, kind, metadata });
const infraRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Metal3MachineTemplate', name: 'workers' };
const oldInfraRef = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
  kind: 'Metal3MachineTemplate',
  name: 'workers',
};
const machineSpec = { clusterName: 'prod', bootstrap: { dataSecretName: 'boot' }, infrastructureRef: infraRef };
const oldMachineSpec = { ...machineSpec, infrastructureRef: oldInfraRef };

const prod = casesOf(cluster, 'v1beta2', {
  ...newer('Cluster'),
  spec: { infrastructureRef: { ...infraRef, kind: 'Metal3Cluster' } },
});
const oldProd = casesOf(cluster, 'v1beta1', {
  ...older('Cluster'),
  spec: { infrastructureRef: { ...oldInfraRef, kind: 'Metal3Cluster', namespace: 'default' } },
});

const clusterCases: KindCase[] = [
  prod.accepts('infrastructure', {}),
  prod.accepts('networks', {
    'spec/clusterNetwork': { pods: { cidrBlocks: ['10.0.0.0/8'] }, apiServerPort: 6443, serviceDomain: 'local' },
  }),
  prod.accepts('a class, with all of its fields', {
    'spec/topology': { classRef: { name: 'c' }, version: 'v1.34.4', workers: { machineDeployments: [] } },
  }),
  prod.refuses(
    'a reference without a group',
    { 'spec/infrastructureRef/apiGroup': undefined },
    { field: 'spec.infrastructureRef.apiGroup', reason: 'FieldValueRequired' },
  ),
  prod.refuses(
    'a network of no blocks',
    { 'spec/clusterNetwork': { pods: { cidrBlocks: [] } } },
    { field: 'spec.clusterNetwork.pods.cidrBlocks', reason: 'FieldValueInvalid' },
  ),
  prod.refuses(
    'an endpoint on port 0',
    { 'spec/controlPlaneEndpoint': { host: 'a', port: 0 } },
    { field: 'spec.controlPlaneEndpoint.port', reason: 'FieldValueInvalid' },
  ),
  prod.refuses(
    'a version that is none',
    { 'spec/topology': { classRef: { name: 'c' }, version: 'latest' } },
    { field: 'spec.topology.version', reason: 'FieldValueInvalid' },
  ),
  prod.update('a pause', {}, { 'spec/paused': true }, 'accepted'),
  prod.status(
    'provisioned',
    { phase: 'Provisioned', initialization: { infrastructureProvisioned: true }, failureDomains: [{ name: 'a' }] },
    'accepted',
  ),
  prod.status('a phase there is not', { phase: 'Ready' }, { field: 'status.phase', reason: 'FieldValueNotSupported' }),
  oldProd.accepts('a full reference', {}),
  oldProd.accepts('an endpoint that is not set, as Go clients send it', {
    'spec/controlPlaneEndpoint': { host: '', port: 0 },
  }),
  oldProd.refuses(
    'a pause that is text',
    { 'spec/paused': 'yes' },
    { field: 'spec.paused', reason: 'FieldValueTypeInvalid' },
  ),
  oldProd.status('ready', { infrastructureReady: true, failureDomains: { a: { controlPlane: true } } }, 'accepted'),
];

const one = casesOf(machine, 'v1beta2', { ...newer('Machine'), spec: machineSpec });
const oldOne = casesOf(machine, 'v1beta1', { ...older('Machine'), spec: oldMachineSpec });

const machineCases: KindCase[] = [
  one.accepts('bootstrap data in a Secret', {}),
  one.accepts('bootstrap data from a provider', {
    'spec/bootstrap': {
      configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name: 'k' },
    },
  }),
  one.accepts('a version and taints', {
    'spec/version': 'v1.34.4',
    'spec/taints': [{ key: 'a', effect: 'NoSchedule', propagation: 'Always' }],
  }),
  one.refuses('no bootstrap data', { 'spec/bootstrap': {} }, { field: 'spec.bootstrap', reason: 'FieldValueRequired' }),
  one.refuses(
    'no cluster',
    { 'spec/clusterName': undefined },
    { field: 'spec.clusterName', reason: 'FieldValueRequired' },
  ),
  one.refuses(
    'a reference as v1beta1 has it',
    { 'spec/infrastructureRef': oldInfraRef },
    { field: 'spec.infrastructureRef.apiGroup', reason: 'FieldValueRequired' },
  ),
  one.refuses('patience of nothing', { 'spec/deletion': {} }, { field: 'spec.deletion', reason: 'FieldValueInvalid' }),
  one.refuses(
    'a version that is none',
    { 'spec/version': '1.34' },
    { field: 'spec.version', reason: 'FieldValueInvalid' },
  ),
  one.update('its provider id', {}, { 'spec/providerID': 'metal3://default/h/m' }, 'accepted'),
  one.update(
    'another cluster',
    {},
    { 'spec/clusterName': 'stage' },
    { field: 'spec.clusterName', reason: 'FieldValueInvalid' },
  ),
  one.status('running', { phase: 'Running', nodeRef: { name: 'n1' } }, 'accepted'),
  one.status(
    'a condition without a reason',
    { conditions: [{ type: 'Ready', status: 'True', message: '', lastTransitionTime: '2026-01-02T03:04:05Z' }] },
    { field: 'status.conditions[0].reason', reason: 'FieldValueRequired' },
  ),
  oldOne.accepts('a full reference and a time to drain', { 'spec/nodeDrainTimeout': '10m' }),
  oldOne.refuses(
    'a time to drain without a unit',
    { 'spec/nodeDrainTimeout': '600' },
    { field: 'spec.nodeDrainTimeout', reason: 'FieldValueInvalid' },
  ),
  oldOne.status(
    'a condition with a severity and no reason',
    {
      conditions: [{ type: 'Ready', status: 'False', severity: 'Info', lastTransitionTime: '2026-01-02T03:04:05Z' }],
    },
    'accepted',
  ),
];

const poolSpec = {
  clusterName: 'prod',
  replicas: 2,
  selector: { matchLabels: { pool: 'a' } },
  template: { metadata: { labels: { pool: 'a', more: 'b' } }, spec: machineSpec },
};
const oldPoolSpec = { ...poolSpec, template: { ...poolSpec.template, spec: oldMachineSpec } };

/** Cases that a MachineSet and a MachineDeployment have in common. */
function poolCases(pool: ReturnType<typeof casesOf>): KindCase[] {
  return [
    pool.accepts('a template that the selector matches', {}),
    pool.accepts('no number of machines', { 'spec/replicas': undefined }),
    pool.accepts('no machines', { 'spec/replicas': 0 }),
    pool.refuses(
      'a selector that does not match the template',
      { 'spec/selector': { matchLabels: { pool: 'b' } } },
      { field: 'spec.template', reason: 'FieldValueInvalid' },
    ),
    pool.refuses(
      'a selector and no labels to match it',
      { 'spec/template/metadata': undefined },
      { field: 'spec.template', reason: 'FieldValueInvalid' },
    ),
    pool.refuses(
      'fewer than no machines',
      { 'spec/replicas': -1 },
      { field: 'spec.replicas', reason: 'FieldValueInvalid' },
    ),
    pool.refuses(
      'no selector',
      { 'spec/selector': undefined },
      { field: 'spec.selector', reason: 'FieldValueRequired' },
    ),
    pool.update('more machines', {}, { 'spec/replicas': 3 }, 'accepted'),
    pool.status('machines', { replicas: 2, readyReplicas: 1, selector: 'pool=a' }, 'accepted'),
    pool.status(
      'fewer than no machines that are ready',
      { readyReplicas: -1 },
      { field: 'status.readyReplicas', reason: 'FieldValueInvalid' },
    ),
  ];
}

const set = casesOf(machineSet, 'v1beta2', { ...newer('MachineSet'), spec: poolSpec });
const oldSet = casesOf(machineSet, 'v1beta1', { ...older('MachineSet'), spec: oldPoolSpec });

const setCases: KindCase[] = [
  ...poolCases(set),
  ...poolCases(oldSet),
  set.accepts('which machines go first', { 'spec/deletion': { order: 'Oldest' } }),
  set.refuses(
    'an order there is not',
    { 'spec/deletion': { order: 'Slowest' } },
    { field: 'spec.deletion.order', reason: 'FieldValueNotSupported' },
  ),
  set.update(
    'another cluster',
    {},
    { 'spec/clusterName': 'stage' },
    { field: 'spec.clusterName', reason: 'FieldValueInvalid' },
  ),
  oldSet.refuses(
    'a policy there is not',
    { 'spec/deletePolicy': 'Slowest' },
    { field: 'spec.deletePolicy', reason: 'FieldValueNotSupported' },
  ),
];

const deployment = casesOf(machineDeployment, 'v1beta2', { ...newer('MachineDeployment'), spec: poolSpec });
const oldDeployment = casesOf(machineDeployment, 'v1beta1', { ...older('MachineDeployment'), spec: oldPoolSpec });

const deploymentCases: KindCase[] = [
  ...poolCases(deployment),
  ...poolCases(oldDeployment),
  deployment.accepts('a rollout in percent', {
    'spec/rollout': { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } } },
  }),
  deployment.refuses(
    'a strategy without a type',
    { 'spec/rollout': { strategy: { rollingUpdate: { maxSurge: 1 } } } },
    { field: 'spec.rollout.strategy.type', reason: 'FieldValueRequired' },
  ),
  deployment.refuses(
    'an unknown strategy',
    { 'spec/rollout': { strategy: { type: 'Recreate' } } },
    { field: 'spec.rollout.strategy.type', reason: 'FieldValueNotSupported' },
  ),
  deployment.refuses(
    'a surge that is a boolean',
    { 'spec/rollout': { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: true } } } },
    { field: 'spec.rollout.strategy.rollingUpdate.maxSurge', reason: 'FieldValueTypeInvalid' },
  ),
  oldDeployment.accepts('a strategy without a type', { 'spec/strategy': { rollingUpdate: { maxSurge: 1 } } }),
];

/** Cases of Cluster, Machine, MachineSet and MachineDeployment. */
export const clusterCoreCases: readonly KindCase[] = [
  ...clusterCases,
  ...machineCases,
  ...setCases,
  ...deploymentCases,
];
