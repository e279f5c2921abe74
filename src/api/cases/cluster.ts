import {
  cluster,
  machine,
  machineDeployment,
  machineSet,
  metal3Cluster,
  metal3Machine,
  metal3MachineTemplate,
} from '../cluster/index.ts';
import { casesOf, exampleBase, type KindCase, variant } from './kind-case.ts';

const version = 'v1beta2';
const image = { url: 'https://example.com/a.qcow2', checksum: 'abc', checksumType: 'sha256' };

const host = casesOf(metal3Machine, version, exampleBase(metal3Machine));
const port = 'spec/networkConfiguration/0';
const machineV1Beta1 = casesOf(
  metal3Machine,
  'v1beta1',
  variant(exampleBase(metal3Machine), {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
    'spec/image': { ...image, format: 'qcow2' },
  }),
);
const metal3MachineCases: KindCase[] = [
  host.accepts('the network configuration of document 4', {}),
  machineV1Beta1.accepts('the same in v1beta1', {}),
  host.accepts('the other spelling of the kind', { [`${port}/ConfigurationRef/kind`]: 'SwitchportConfiguration' }),
  host.accepts('a custom deploy step instead of an image', {
    'spec/image': undefined,
    'spec/customDeploy': { method: 'm' },
  }),
  host.refuses(
    'neither image nor step',
    { 'spec/image': undefined },
    { field: 'spec.image', reason: 'FieldValueRequired' },
  ),
  host.refuses(
    'an image without a checksum',
    { 'spec/image/checksum': undefined },
    { field: 'spec.image.checksum', reason: 'FieldValueRequired' },
  ),
  host.refuses(
    'an image that is no URL',
    { 'spec/image/url': 'node.qcow2' },
    { field: 'spec.image.url', reason: 'FieldValueInvalid' },
  ),
  host.refuses(
    'a configuration of another kind',
    { [`${port}/ConfigurationRef/kind`]: 'ConfigMap' },
    { field: 'spec.networkConfiguration[0].ConfigurationRef.kind', reason: 'FieldValueNotSupported' },
  ),
  host.refuses(
    'a configuration without a name',
    { [`${port}/ConfigurationRef/name`]: undefined },
    { field: 'spec.networkConfiguration[0].ConfigurationRef.name', reason: 'FieldValueRequired' },
  ),
  host.refuses(
    'an unknown cleaning mode',
    { 'spec/automatedCleaningMode': 'full' },
    { field: 'spec.automatedCleaningMode', reason: 'FieldValueNotSupported' },
  ),
];

const template = casesOf(metal3MachineTemplate, version, exampleBase(metal3MachineTemplate));
const templateCases: KindCase[] = [
  template.accepts('a template', {}),
  template.accepts('hosts used again', { 'spec/nodeReuse': true }),
  template.refuses('no spec', { spec: undefined }, { field: 'spec', reason: 'FieldValueRequired' }),
  template.refuses(
    'no template',
    { 'spec/template': undefined },
    { field: 'spec.template', reason: 'FieldValueRequired' },
  ),
  template.refuses(
    'an OCI image with a checksum',
    { 'spec/template/spec/image': { url: 'oci://example.com/a:1', checksum: 'abc' } },
    { field: 'spec.template.spec.image.checksum', reason: 'FieldValueForbidden' },
  ),
  template.refuses(
    'an operator there is not',
    { 'spec/template/spec/hostSelector/matchExpressions': [{ key: 'a', operator: 'like', values: ['b'] }] },
    { field: 'spec.template.spec.hostSelector.matchExpressions[0].operator', reason: 'FieldValueInvalid' },
  ),
];

const infrastructure = casesOf(metal3Cluster, version, exampleBase(metal3Cluster));
const clusterV1Beta1 = casesOf(
  metal3Cluster,
  'v1beta1',
  variant(exampleBase(metal3Cluster), {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
    'spec/failureDomains': { 'row-a': { controlPlane: true } },
  }),
);
const infrastructureCases: KindCase[] = [
  infrastructure.accepts('an endpoint', {}),
  infrastructure.accepts('the default port', { 'spec/controlPlaneEndpoint/port': undefined }),
  clusterV1Beta1.accepts('failure domains in a map', {}),
  clusterV1Beta1.refuses(
    'two answers about the cloud provider',
    { 'spec/noCloudProvider': true, 'spec/cloudProviderEnabled': true },
    { field: 'spec.noCloudProvider', reason: 'FieldValueInvalid' },
  ),
  infrastructure.refuses(
    'no endpoint',
    { 'spec/controlPlaneEndpoint': undefined },
    { field: 'spec.controlPlaneEndpoint', reason: 'FieldValueRequired' },
  ),
  infrastructure.refuses(
    'a port past the last',
    { 'spec/controlPlaneEndpoint/port': 65536 },
    { field: 'spec.controlPlaneEndpoint.port', reason: 'FieldValueInvalid' },
  ),
  infrastructure.refuses(
    'one failure domain twice',
    { 'spec/failureDomains': [{ name: 'a' }, { name: 'a' }] },
    { field: 'spec.failureDomains[1]', reason: 'FieldValueDuplicate' },
  ),
];

const whole = casesOf(cluster, version, exampleBase(cluster));
const clusterCases: KindCase[] = [
  whole.accepts('a cluster', {}),
  whole.accepts('a paused cluster', { 'spec/paused': true }),
  whole.refuses(
    'no pod addresses',
    { 'spec/clusterNetwork/pods/cidrBlocks': [] },
    { field: 'spec.clusterNetwork.pods.cidrBlocks', reason: 'FieldValueInvalid' },
  ),
  whole.refuses(
    'infrastructure without a name',
    { 'spec/infrastructureRef/name': undefined },
    { field: 'spec.infrastructureRef.name', reason: 'FieldValueRequired' },
  ),
  whole.refuses(
    'infrastructure with an impossible name',
    { 'spec/infrastructureRef/name': 'Prod!' },
    { field: 'spec.infrastructureRef.name', reason: 'FieldValueInvalid' },
  ),
  whole.refuses(
    'a port past the last',
    { 'spec/clusterNetwork/apiServerPort': 70000 },
    { field: 'spec.clusterNetwork.apiServerPort', reason: 'FieldValueInvalid' },
  ),
  whole.status('provisioned', { phase: 'Provisioned' }, 'accepted'),
  whole.status('a phase there is not', { phase: 'Busy' }, { field: 'status.phase', reason: 'FieldValueNotSupported' }),
];

const one = casesOf(machine, version, exampleBase(machine));
const machineCases: KindCase[] = [
  one.accepts('a machine', {}),
  one.refuses(
    'no cluster',
    { 'spec/clusterName': undefined },
    { field: 'spec.clusterName', reason: 'FieldValueRequired' },
  ),
  one.refuses(
    'a bootstrap of nothing',
    { 'spec/bootstrap': {} },
    { field: 'spec.bootstrap', reason: 'FieldValueRequired' },
  ),
  one.refuses(
    'a version that is none',
    { 'spec/version': 'latest' },
    { field: 'spec.version', reason: 'FieldValueInvalid' },
  ),
  one.refuses(
    'a taint of no effect',
    { 'spec/taints': [{ key: 'a', effect: 'Maybe', propagation: 'Always' }] },
    { field: 'spec.taints[0].effect', reason: 'FieldValueNotSupported' },
  ),
  one.update(
    'another cluster',
    {},
    { 'spec/clusterName': 'test' },
    { field: 'spec.clusterName', reason: 'FieldValueInvalid' },
  ),
  one.update('another version', {}, { 'spec/version': 'v1.35.0' }, 'accepted'),
];

const set = casesOf(machineSet, version, exampleBase(machineSet));
const setCases: KindCase[] = [
  set.accepts('three machines', {}),
  set.accepts('no machines', { 'spec/replicas': 0 }),
  set.accepts('the oldest first', { 'spec/deletion': { order: 'Oldest' } }),
  set.refuses('fewer than none', { 'spec/replicas': -1 }, { field: 'spec.replicas', reason: 'FieldValueInvalid' }),
  set.refuses(
    'a selector that selects other machines',
    { 'spec/selector/matchLabels': { pool: 'others' } },
    { field: 'spec.template', reason: 'FieldValueInvalid' },
  ),
  set.refuses('no selector', { 'spec/selector': undefined }, { field: 'spec.selector', reason: 'FieldValueRequired' }),
  set.refuses(
    'the prettiest first',
    { 'spec/deletion': { order: 'Pretty' } },
    { field: 'spec.deletion.order', reason: 'FieldValueNotSupported' },
  ),
  set.update('scaling', {}, { 'spec/replicas': 5 }, 'accepted'),
];

const deployment = casesOf(machineDeployment, version, exampleBase(machineDeployment));
const strategy = 'spec/rollout/strategy';
const deploymentCases: KindCase[] = [
  deployment.accepts('a rolling update', {}),
  deployment.accepts('percentages', { [`${strategy}/rollingUpdate`]: { maxSurge: '20%', maxUnavailable: '10%' } }),
  deployment.accepts('no word about roll-outs', { 'spec/rollout': undefined }),
  deployment.refuses(
    'a strategy there is not',
    { [`${strategy}/type`]: 'Recreate' },
    { field: 'spec.rollout.strategy.type', reason: 'FieldValueNotSupported' },
  ),
  deployment.refuses(
    'no template',
    { 'spec/template': undefined },
    { field: 'spec.template', reason: 'FieldValueRequired' },
  ),
  deployment.refuses(
    'a template of another pool',
    { 'spec/template/metadata/labels': { pool: 'others' } },
    { field: 'spec.template', reason: 'FieldValueInvalid' },
  ),
  deployment.update(
    'another cluster',
    {},
    { 'spec/clusterName': 'test' },
    { field: 'spec.clusterName', reason: 'FieldValueInvalid' },
  ),
];

/** Cases of the Cluster API kinds. */
export const clusterApiCases: readonly KindCase[] = [
  ...metal3MachineCases,
  ...templateCases,
  ...infrastructureCases,
  ...clusterCases,
  ...machineCases,
  ...setCases,
  ...deploymentCases,
];
