import type { JsonObject } from '../../schema/index.ts';
import { casesOf, type KindCase } from '../cases/kind-case.ts';
import {
  infrastructureApiVersion,
  infrastructureApiVersionV1Beta1,
  metal3Cluster,
  metal3Machine,
  metal3MachineTemplate,
} from './index.ts';

const metadata = { name: 'it', namespace: 'default' };
const newer = (kind: string): JsonObject => ({ apiVersion: infrastructureApiVersion, kind, metadata });
const older = (kind: string): JsonObject => ({ apiVersion: infrastructureApiVersionV1Beta1, kind, metadata });
const image = { url: 'https://example.com/a.qcow2', checksum: 'abc', checksumType: 'sha256' };

const machine = casesOf(metal3Machine, 'v1beta2', { ...newer('Metal3Machine'), spec: { image } });

const machineCases: KindCase[] = [
  machine.accepts('an image', {}),
  machine.accepts('a custom deploy procedure instead', { spec: { customDeploy: { method: 'install_coreos' } } }),
  machine.accepts('a live ISO without a checksum', {
    'spec/image': { url: 'https://example.com/a.iso', diskFormat: 'live-iso' },
  }),
  machine.accepts('an OCI image without a checksum', { 'spec/image': { url: 'oci://example.com/os:1' } }),
  machine.accepts('the network configuration of document 4', {
    'spec/networkConfiguration': [
      {
        ConfigurationRef: { name: 'nc1', kind: 'SwitchPortConfiguration', namespace: 'default' },
        nicHint: { name: 'eth0', smartNIC: false },
      },
      { ConfigurationRef: { name: 'nc2', kind: 'SwitchportConfiguration' } },
    ],
  }),
  machine.accepts('hosts chosen by their labels', {
    'spec/hostSelector': {
      matchLabels: { rack: 'r1' },
      matchExpressions: [
        { key: 'cpus', operator: 'gt', values: ['8'] },
        { key: 'disk', operator: 'In', values: ['ssd'] },
        { key: 'broken', operator: '!' },
      ],
    },
  }),
  machine.accepts('a data template, which is kept', { 'spec/dataTemplate': { name: 'dt', namespace: 'default' } }),
  machine.refuses(
    'neither image nor custom deploy procedure',
    { spec: {} },
    { field: 'spec.image', reason: 'FieldValueRequired' },
  ),
  machine.refuses('no spec', { spec: undefined }, { field: 'spec', reason: 'FieldValueRequired' }),
  machine.refuses(
    'an image without a checksum',
    { 'spec/image': { url: image.url } },
    { field: 'spec.image.checksum', reason: 'FieldValueRequired' },
  ),
  machine.refuses(
    'an OCI image with a checksum',
    { 'spec/image': { url: 'oci://example.com/os:1', checksum: 'abc' } },
    { field: 'spec.image.checksum', reason: 'FieldValueForbidden' },
  ),
  machine.refuses(
    'an OCI image with a kind of checksum',
    { 'spec/image': { url: 'oci://example.com/os:1', checksumType: 'sha256' } },
    { field: 'spec.image.checksumType', reason: 'FieldValueForbidden' },
  ),
  machine.refuses(
    'an image without a scheme',
    { 'spec/image/url': 'example.com/a.qcow2' },
    { field: 'spec.image.url', reason: 'FieldValueInvalid' },
  ),
  machine.refuses(
    'an unknown disk format',
    { 'spec/image/diskFormat': 'iso' },
    { field: 'spec.image.diskFormat', reason: 'FieldValueNotSupported' },
  ),
  machine.refuses(
    'a selector with an operator there is not',
    { 'spec/hostSelector': { matchExpressions: [{ key: 'a', operator: 'like', values: ['b'] }] } },
    { field: 'spec.hostSelector.matchExpressions[0].operator', reason: 'FieldValueInvalid' },
  ),
  machine.refuses(
    'a network configuration of another kind',
    { 'spec/networkConfiguration': [{ ConfigurationRef: { name: 'nc1', kind: 'ConfigMap' } }] },
    { field: 'spec.networkConfiguration[0].ConfigurationRef.kind', reason: 'FieldValueNotSupported' },
  ),
  machine.refuses(
    'a NIC hint without a configuration',
    { 'spec/networkConfiguration': [{ nicHint: { name: 'eth0' } }] },
    { field: 'spec.networkConfiguration[0].ConfigurationRef', reason: 'FieldValueRequired' },
  ),
  machine.update('getting its provider id', {}, { 'spec/providerID': 'metal3://default/host/it' }, 'accepted'),
  machine.status(
    'provisioned',
    { initialization: { provisioned: true }, addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
    'accepted',
  ),
  machine.status(
    'an address of an unknown type',
    { addresses: [{ type: 'IP', address: '192.0.2.1' }] },
    { field: 'status.addresses[0].type', reason: 'FieldValueNotSupported' },
  ),
];

const oldMachine = casesOf(metal3Machine, 'v1beta1', { ...older('Metal3Machine'), spec: { image } });

const oldMachineCases: KindCase[] = [
  oldMachine.accepts('an image', { 'spec/image/format': 'qcow2' }),
  oldMachine.accepts('an empty image beside a custom deploy procedure, as Go clients send it', {
    spec: { image: { url: '', checksum: '' }, customDeploy: { method: 'install_coreos' }, hostSelector: {} },
  }),
  oldMachine.accepts('a data template with a kind', {
    'spec/dataTemplate': { kind: 'Metal3DataTemplate', name: 'dt' },
  }),
  oldMachine.refuses(
    'an empty image alone',
    { spec: { image: { url: '', checksum: '' } } },
    { field: 'spec.image', reason: 'FieldValueRequired' },
  ),
  oldMachine.refuses(
    'an unknown format',
    { 'spec/image/format': 'iso' },
    { field: 'spec.image.format', reason: 'FieldValueNotSupported' },
  ),
  oldMachine.status('ready', { ready: true, v1beta2: { conditions: [] } }, 'accepted'),
];

const template = casesOf(metal3MachineTemplate, 'v1beta2', {
  ...newer('Metal3MachineTemplate'),
  spec: { template: { spec: { image } } },
});
const oldTemplate = casesOf(metal3MachineTemplate, 'v1beta1', {
  ...older('Metal3MachineTemplate'),
  spec: { template: { spec: { image: { ...image, format: 'raw' } } } },
});

const templateCases: KindCase[] = [
  template.accepts('an image', {}),
  template.accepts('hosts that are used again', { 'spec/nodeReuse': true }),
  template.accepts('labels for the machines', { 'spec/template/metadata': { labels: { a: 'b' } } }),
  template.accepts('a network configuration', {
    'spec/template/spec/networkConfiguration': [{ ConfigurationRef: { name: 'nc1' }, nicHint: { smartNIC: true } }],
  }),
  template.refuses('no template', { spec: {} }, { field: 'spec.template', reason: 'FieldValueRequired' }),
  template.refuses(
    'a template of nothing',
    { 'spec/template/spec': {} },
    { field: 'spec.template.spec.image', reason: 'FieldValueRequired' },
  ),
  template.refuses(
    'an unknown cleaning mode',
    { 'spec/template/spec/automatedCleaningMode': 'full' },
    { field: 'spec.template.spec.automatedCleaningMode', reason: 'FieldValueNotSupported' },
  ),
  oldTemplate.accepts('an image', {}),
  oldTemplate.refuses(
    'reuse that is text',
    { 'spec/nodeReuse': 'yes' },
    { field: 'spec.nodeReuse', reason: 'FieldValueTypeInvalid' },
  ),
];

const endpoint = { host: '192.0.2.10', port: 6443 };
const cluster = casesOf(metal3Cluster, 'v1beta2', {
  ...newer('Metal3Cluster'),
  spec: { controlPlaneEndpoint: endpoint },
});
const oldCluster = casesOf(metal3Cluster, 'v1beta1', {
  ...older('Metal3Cluster'),
  spec: { controlPlaneEndpoint: endpoint },
});

const clusterCases: KindCase[] = [
  cluster.accepts('an endpoint', {}),
  cluster.accepts('an endpoint on the usual port', { 'spec/controlPlaneEndpoint': { host: 'api.example.com' } }),
  cluster.accepts('failure domains', { 'spec/failureDomains': [{ name: 'a', controlPlane: true }, { name: 'b' }] }),
  cluster.refuses('no endpoint', { spec: {} }, { field: 'spec.controlPlaneEndpoint', reason: 'FieldValueRequired' }),
  cluster.refuses(
    'an endpoint without a host',
    { 'spec/controlPlaneEndpoint': { port: 6443 } },
    { field: 'spec.controlPlaneEndpoint.host', reason: 'FieldValueRequired' },
  ),
  cluster.refuses(
    'a port past the last',
    { 'spec/controlPlaneEndpoint/port': 70000 },
    { field: 'spec.controlPlaneEndpoint.port', reason: 'FieldValueInvalid' },
  ),
  cluster.refuses(
    'one failure domain twice',
    { 'spec/failureDomains': [{ name: 'a' }, { name: 'a' }] },
    { field: 'spec.failureDomains[1]', reason: 'FieldValueDuplicate' },
  ),
  cluster.status('provisioned', { initialization: { provisioned: true }, failureDomains: [{ name: 'a' }] }, 'accepted'),
  cluster.status(
    'an initialization of nothing',
    { initialization: {} },
    { field: 'status.initialization', reason: 'FieldValueInvalid' },
  ),
  oldCluster.accepts('no cloud provider, both ways', {
    'spec/noCloudProvider': true,
    'spec/cloudProviderEnabled': false,
  }),
  oldCluster.accepts('failure domains by name', { 'spec/failureDomains': { a: { controlPlane: true } } }),
  oldCluster.refuses(
    'a cloud provider and none',
    { 'spec/noCloudProvider': true, 'spec/cloudProviderEnabled': true },
    { field: 'spec.noCloudProvider', reason: 'FieldValueInvalid' },
  ),
  oldCluster.status('ready', { ready: true, failureDomains: { a: {} } }, 'accepted'),
];

/** Cases of Metal3Machine, Metal3MachineTemplate and Metal3Cluster. */
export const infrastructureCases: readonly KindCase[] = [
  ...machineCases,
  ...oldMachineCases,
  ...templateCases,
  ...clusterCases,
];
