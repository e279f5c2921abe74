import type { JsonObject } from '../../schema/index.ts';
import { bareMetalHost } from '../metal3/bare-metal-host.ts';
import { bareMetalHostDiscovery } from '../metal3/bare-metal-host-discovery.ts';
import { metal3ApiVersion } from '../metal3/group.ts';
import { hardwareClassification } from '../metal3/hardware-classification.ts';
import { casesOf, type KindCase } from './kind-case.ts';

const mac = '52:54:00:aa:00:01';
const bmc = { address: 'redfish://192.0.2.1/redfish/v1/Systems/1', credentialsName: 'secret' };

const host = casesOf(bareMetalHost, 'v1alpha1', {
  apiVersion: metal3ApiVersion,
  kind: 'BareMetalHost',
  metadata: { name: 'host', namespace: 'default' },
  spec: { online: true },
});

const okStatus: JsonObject = {
  operationalStatus: 'OK',
  errorMessage: '',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: true,
  provisioning: { state: 'available', ID: '' },
};

const volume = { level: '1' };
const port = { mac, port: { name: 'port0', kind: 'SwitchPort', namespace: 'default' } };

const specCases: KindCase[] = [
  host.accepts('a host with nothing but online', {}),
  host.accepts('a host without a spec, as the demonstration of Metal3 has it', { spec: undefined }),
  host.accepts('a host with a root device, an architecture and user data', {
    'spec/bmc': bmc,
    'spec/rootDeviceHints': { deviceName: '/dev/sda', minSizeGigabytes: 0, rotational: false },
    'spec/architecture': 'x86_64',
    'spec/hardwareProfile': 'unknown',
    'spec/taints': [{ key: 'a', effect: 'NoSchedule' }],
    'spec/userData': { name: 'user-data', namespace: 'elsewhere' },
    'spec/consumerRef': { apiVersion: 'v1', kind: 'Machine', name: 'm', namespace: 'n' },
  }),
  host.accepts('a host with an empty BMC address', { 'spec/bmc': { address: '', credentialsName: '' } }),
  host.refuses(
    'a spec without online',
    { 'spec/online': undefined },
    { field: 'spec.online', reason: 'FieldValueRequired' },
  ),
  host.refuses(
    'online that is text',
    { 'spec/online': 'yes' },
    { field: 'spec.online', reason: 'FieldValueTypeInvalid' },
  ),
  host.refuses(
    'a BMC without credentials',
    { 'spec/bmc': { address: bmc.address } },
    { field: 'spec.bmc.credentialsName', reason: 'FieldValueRequired' },
  ),
  host.refuses(
    'a boot MAC address that is none',
    { 'spec/bootMACAddress': 'not-a-mac' },
    { field: 'spec.bootMACAddress', reason: 'FieldValueInvalid' },
  ),
  host.refuses(
    'an unknown boot mode',
    { 'spec/bootMode': 'BIOS' },
    { field: 'spec.bootMode', reason: 'FieldValueNotSupported' },
  ),
  host.refuses(
    'an unknown cleaning mode',
    { 'spec/automatedCleaningMode': 'full' },
    { field: 'spec.automatedCleaningMode', reason: 'FieldValueNotSupported' },
  ),
  host.accepts('fast inspection', { 'spec/inspectionMode': 'fast' }),
  host.refuses(
    'firmware settings of old',
    { 'spec/firmware': { sriovEnabled: true } },
    { field: 'spec.firmware', reason: 'FieldValueForbidden' },
  ),
  host.refuses(
    'a host that is never powered off, set offline',
    { 'spec/disablePowerOff': true, 'spec/online': false },
    { field: 'spec.online', reason: 'FieldValueInvalid' },
  ),
];

const imageCases: KindCase[] = [
  host.accepts('an image with a checksum', {
    'spec/image': { url: 'https://example.com/a.qcow2', checksum: 'abc', checksumType: 'auto', format: 'qcow2' },
  }),
  host.accepts('a live ISO without a checksum', {
    'spec/image': { url: 'https://example.com/a.iso', format: 'live-iso' },
  }),
  host.accepts('an OCI image without a checksum', {
    'spec/image': { url: 'oci://example.com/a:1', ociAuthSecretName: 'login' },
  }),
  host.refuses(
    'an image without a checksum',
    { 'spec/image': { url: 'https://example.com/a.qcow2' } },
    { field: 'spec.image.checksum', reason: 'FieldValueRequired' },
  ),
  host.refuses(
    'an OCI image with a checksum',
    { 'spec/image': { url: 'oci://example.com/a:1', checksum: 'abc' } },
    { field: 'spec.image.checksum', reason: 'FieldValueForbidden' },
  ),
  host.refuses(
    'an image without a URL',
    { 'spec/image': { checksum: 'abc' } },
    { field: 'spec.image.url', reason: 'FieldValueRequired' },
  ),
];

const raidCases: KindCase[] = [
  host.accepts('a RAID with explicit nulls', {
    'spec/raid': { hardwareRAIDVolumes: null, softwareRAIDVolumes: null },
  }),
  host.accepts('a hardware RAID to be removed', { 'spec/raid': { hardwareRAIDVolumes: [] } }),
  host.accepts('root device hints beside a null software RAID', {
    'spec/raid': { softwareRAIDVolumes: null },
    'spec/rootDeviceHints': { deviceName: '/dev/sda' },
  }),
  host.refuses(
    'hardware and software RAID at once',
    { 'spec/raid': { hardwareRAIDVolumes: [volume], softwareRAIDVolumes: [volume] } },
    { field: 'spec.raid.softwareRAIDVolumes', reason: 'FieldValueForbidden' },
  ),
  host.refuses(
    'a RAID level there is not',
    { 'spec/raid': { hardwareRAIDVolumes: [{ level: '3' }] } },
    { field: 'spec.raid.hardwareRAIDVolumes[0].level', reason: 'FieldValueNotSupported' },
  ),
  host.refuses(
    'disks without their controller',
    { 'spec/raid': { hardwareRAIDVolumes: [{ level: '1', physicalDisks: ['a', 'b'] }] } },
    { field: 'spec.raid.hardwareRAIDVolumes[0].controller', reason: 'FieldValueRequired' },
  ),
  host.refuses(
    'another number of disks than disks',
    {
      'spec/raid': {
        hardwareRAIDVolumes: [{ level: '1', controller: 'c', physicalDisks: ['a', 'b'], numberOfPhysicalDisks: 3 }],
      },
    },
    { field: 'spec.raid.hardwareRAIDVolumes[0].numberOfPhysicalDisks', reason: 'FieldValueInvalid' },
  ),
  host.refuses(
    'two root volumes',
    {
      'spec/raid': {
        softwareRAIDVolumes: [
          { level: '1', rootVolume: true },
          { level: '1', rootVolume: true },
        ],
      },
    },
    { field: 'spec.raid.softwareRAIDVolumes', reason: 'FieldValueInvalid' },
  ),
  host.refuses(
    'a root volume of level 0',
    { 'spec/raid': { softwareRAIDVolumes: [{ level: '0', rootVolume: true }] } },
    { field: 'spec.raid.softwareRAIDVolumes[0].level', reason: 'FieldValueInvalid' },
  ),
  host.refuses(
    'a root volume and root device hints',
    {
      'spec/raid': { softwareRAIDVolumes: [{ level: '1', rootVolume: true }] },
      'spec/rootDeviceHints': { deviceName: '/dev/sda' },
    },
    { field: 'spec.rootDeviceHints', reason: 'FieldValueForbidden' },
  ),
  host.refuses(
    'a negative disk size',
    { 'spec/rootDeviceHints': { minSizeGigabytes: -1 } },
    { field: 'spec.rootDeviceHints.minSizeGigabytes', reason: 'FieldValueInvalid' },
  ),
  host.refuses(
    'three software RAID volumes',
    { 'spec/raid': { softwareRAIDVolumes: [volume, volume, volume] } },
    { field: 'spec.raid.softwareRAIDVolumes', reason: 'FieldValueTooMany' },
  ),
];

const networkCases: KindCase[] = [
  host.accepts('interfaces by name and by MAC address', {
    'spec/networkInterfaces': [{ name: 'eth0', hostNetworkAttachment: { name: 'a' } }, { macAddress: mac }],
  }),
  host.refuses(
    'an interface with both name and MAC address',
    { 'spec/networkInterfaces': [{ name: 'eth0', macAddress: mac }] },
    { field: 'spec.networkInterfaces[0]', reason: 'FieldValueInvalid' },
  ),
  host.refuses(
    'an interface with neither name nor MAC address',
    { 'spec/networkInterfaces': [{ hostNetworkAttachment: { name: 'a' } }] },
    { field: 'spec.networkInterfaces[0]', reason: 'FieldValueInvalid' },
  ),
  host.refuses(
    'one interface twice',
    { 'spec/networkInterfaces': [{ name: 'eth0' }, { name: 'ETH0' }] },
    { field: 'spec.networkInterfaces', reason: 'FieldValueDuplicate' },
  ),
  host.accepts('the ports of document 4', {
    'spec/ports': [
      {
        ...port,
        provisioningConfiguration: { name: 'p', kind: 'SwitchportConfiguration', namespace: 'default' },
        configuration: { name: 'c', kind: 'SwitchPortConfiguration', namespace: 'default' },
      },
    ],
  }),
  host.refuses(
    'a port whose configuration is of another kind',
    { 'spec/ports': [{ ...port, configuration: { name: 'c', kind: 'ConfigMap' } }] },
    { field: 'spec.ports[0].configuration.kind', reason: 'FieldValueNotSupported' },
  ),
  host.refuses(
    'a port without a SwitchPort',
    { 'spec/ports': [{ mac }] },
    { field: 'spec.ports[0].port', reason: 'FieldValueRequired' },
  ),
  host.refuses(
    'two ports of one MAC address',
    { 'spec/ports': [port, { ...port, port: { name: 'port1' } }] },
    { field: 'spec.ports[1]', reason: 'FieldValueDuplicate' },
  ),
  host.refuses(
    'two ports of one MAC address in other case',
    { 'spec/ports': [port, { mac: mac.toUpperCase(), port: { name: 'port1' } }] },
    { field: 'spec.ports', reason: 'FieldValueDuplicate' },
  ),
  host.refuses(
    'two interfaces in one SwitchPort',
    { 'spec/ports': [port, { ...port, mac: '52:54:00:aa:00:02' }] },
    { field: 'spec.ports', reason: 'FieldValueDuplicate' },
  ),
];

const updateCases: KindCase[] = [
  host.update('adding a BMC', {}, { 'spec/bmc': bmc }, 'accepted'),
  host.update(
    'moving a BMC of a host that is available',
    { 'spec/bmc': bmc, status: { ...okStatus, goodCredentials: { credentialsVersion: '1' } } },
    { 'spec/bmc/address': 'ipmi://192.0.2.2' },
    { field: 'spec.bmc', reason: 'FieldValueForbidden' },
  ),
  host.update(
    'moving a BMC of a host that is registering',
    { 'spec/bmc': bmc, status: { ...okStatus, provisioning: { state: 'registering', ID: '' } } },
    { 'spec/bmc/address': 'ipmi://192.0.2.2' },
    'accepted',
  ),
  host.update(
    'moving a BMC of a host that is detached',
    { 'spec/bmc': bmc, status: { ...okStatus, operationalStatus: 'detached' } },
    { 'spec/bmc/address': 'ipmi://192.0.2.2' },
    'accepted',
  ),
  host.update(
    'moving a BMC that was never reached of a host that is provisioned',
    { 'spec/bmc': bmc, status: { ...okStatus, provisioning: { state: 'provisioned', ID: 'x' } } },
    { 'spec/bmc/address': 'ipmi://192.0.2.2' },
    'accepted',
  ),
  host.update(
    'writing the boot MAC address in capitals',
    { 'spec/bootMACAddress': mac },
    { 'spec/bootMACAddress': mac.toUpperCase() },
    'accepted',
  ),
  host.update(
    'another boot MAC address',
    { 'spec/bootMACAddress': mac },
    { 'spec/bootMACAddress': '52:54:00:aa:00:02' },
    { field: 'spec.bootMACAddress', reason: 'FieldValueForbidden' },
  ),
  host.update(
    'no boot MAC address any more',
    { 'spec/bootMACAddress': mac },
    { 'spec/bootMACAddress': undefined },
    { field: 'spec.bootMACAddress', reason: 'FieldValueForbidden' },
  ),
  host.update(
    'externally provisioned while available',
    { status: okStatus },
    { 'spec/externallyProvisioned': true },
    'accepted',
  ),
  host.update(
    'externally provisioned while provisioned',
    { status: { ...okStatus, provisioning: { state: 'provisioned', ID: '' } } },
    { 'spec/externallyProvisioned': true },
    { field: 'spec.externallyProvisioned', reason: 'FieldValueForbidden' },
  ),
];

const statusCases: KindCase[] = [
  host.status('a good status', okStatus, 'accepted'),
  host.status('servicing', { ...okStatus, operationalStatus: 'servicing' }, 'accepted'),
  host.status('importing', { ...okStatus, provisioning: { state: 'importing', ID: 'x' } }, 'accepted'),
  host.status('a detach error', { ...okStatus, operationalStatus: 'error', errorType: 'detach error' }, 'accepted'),
  host.status('a network error', { ...okStatus, operationalStatus: 'error', errorType: 'network error' }, 'accepted'),
  host.status(
    'counters by default',
    {
      operationalStatus: '',
      errorMessage: '',
      poweredOn: false,
      provisioning: { state: '', ID: '' },
    },
    'accepted',
  ),
  host.status(
    'an operation under way',
    { ...okStatus, operationHistory: { service: { start: '2026-01-02T03:04:05Z', end: null } } },
    'accepted',
  ),
  host.status(
    'an unknown error type',
    { ...okStatus, errorType: 'cosmic rays' },
    { field: 'status.errorType', reason: 'FieldValueNotSupported' },
  ),
  host.status(
    'a state there is not',
    { ...okStatus, provisioning: { state: 'waiting', ID: '' } },
    { field: 'status.provisioning.state', reason: 'FieldValueNotSupported' },
  ),
  host.status(
    'a status without power',
    { operationalStatus: 'OK', errorMessage: '', provisioning: { state: '', ID: '' } },
    { field: 'status.poweredOn', reason: 'FieldValueRequired' },
  ),
  host.status(
    'a time that is none',
    { ...okStatus, lastUpdated: 'yesterday' },
    { field: 'status.lastUpdated', reason: 'FieldValueTypeInvalid' },
  ),
];

const discovery = casesOf(bareMetalHostDiscovery, 'v1alpha1', {
  apiVersion: metal3ApiVersion,
  kind: 'BareMetalHostDiscovery',
  metadata: { name: 'discovery', namespace: 'default' },
  spec: { resourceNameTemplate: { hardwareDetails: 'hostname' } },
});
const template = 'spec/resourceNameTemplate';

const discoveryCases: KindCase[] = [
  discovery.accepts('a detail alone', {}),
  discovery.accepts('the template of document 3', {
    [template]: { prefix: 'string-literal1-', suffix: '-string-literal2', hardwareDetails: 'hostname' },
  }),
  discovery.accepts('the boot MAC address', { [`${template}/hardwareDetails`]: 'boot-mac' }),
  discovery.accepts('the id of the provisioner', { [`${template}/hardwareDetails`]: 'provisioning-id' }),
  discovery.accepts('an empty prefix', { [`${template}/prefix`]: '' }),
  discovery.accepts('annotations of anybody, and the one that pauses hosts', {
    'spec/annotations': { 'example.com/a': 'b', 'baremetalhost.metal3.io/paused': 'quarantine' },
  }),
  ...[
    'baremetalhost.metal3.io/status',
    'baremetalhost.metal3.io/detached',
    'inspect.metal3.io',
    'inspect.metal3.io/hardwaredetails',
    'reboot.metal3.io/now',
    'capi.metal3.io/unhealthy',
    'hosts.rackwright.io/preparation',
    'discovery.rackwright.io/host',
  ].map((name) =>
    discovery.refuses(
      `the annotation ${name}`,
      { 'spec/annotations': { [name]: '{}' } },
      { field: 'spec.annotations', reason: 'FieldValueInvalid' },
    ),
  ),
  discovery.refuses(
    'an annotation without end',
    { 'spec/annotations': { a: 'x'.repeat(1025) } },
    { field: 'spec.annotations.a', reason: 'FieldValueTooLong' },
  ),
  discovery.refuses('no spec', { spec: undefined }, { field: 'spec', reason: 'FieldValueRequired' }),
  discovery.refuses(
    'no detail',
    { [template]: { prefix: 'a-' } },
    { field: 'spec.resourceNameTemplate.hardwareDetails', reason: 'FieldValueRequired' },
  ),
  discovery.refuses(
    'an unknown detail',
    { [`${template}/hardwareDetails`]: 'colour' },
    { field: 'spec.resourceNameTemplate.hardwareDetails', reason: 'FieldValueNotSupported' },
  ),
  discovery.refuses(
    'a prefix no name can start with',
    { [`${template}/prefix`]: 'Rack_' },
    { field: 'spec.resourceNameTemplate.prefix', reason: 'FieldValueInvalid' },
  ),
  discovery.refuses(
    'a suffix no name can end with',
    { [`${template}/suffix`]: '-' },
    { field: 'spec.resourceNameTemplate.suffix', reason: 'FieldValueInvalid' },
  ),
  discovery.refuses(
    'polling all the time',
    { 'spec/pollIntervalSeconds': 0 },
    { field: 'spec.pollIntervalSeconds', reason: 'FieldValueInvalid' },
  ),
  discovery.accepts('selection, a deny list and a rate limit', {
    'spec/hardwareSelector': { cpu: { minimumCount: 8 }, disk: { diskSelector: [{ type: 'NVME' }] } },
    'spec/ignoredMACAddresses': ['52:54:00:aa:00:01'],
    'spec/rateLimit': { hostsPerMinute: 30, burst: 5 },
  }),
  discovery.refuses(
    'an ignored MAC that is none',
    { 'spec/ignoredMACAddresses': ['52-54'] },
    { field: 'spec.ignoredMACAddresses[0]', reason: 'FieldValueInvalid' },
  ),
  discovery.refuses(
    'a rate of nothing',
    { 'spec/rateLimit': { hostsPerMinute: 0 } },
    { field: 'spec.rateLimit.hostsPerMinute', reason: 'FieldValueInvalid' },
  ),
  discovery.status('a count', { discoveredHosts: 3 }, 'accepted'),
  discovery.status(
    'a negative count',
    { discoveredHosts: -1 },
    { field: 'status.discoveredHosts', reason: 'FieldValueInvalid' },
  ),
];

const classification = casesOf(hardwareClassification, 'v1alpha1', {
  apiVersion: metal3ApiVersion,
  kind: 'HardwareClassification',
  metadata: { name: 'profile', namespace: 'default' },
  spec: { hardwareCharacteristics: { cpu: { minimumCount: 1 } } },
});

const classificationCases: KindCase[] = [
  classification.accepts('the sample of Metal3', {
    'spec/hardwareCharacteristics': {
      cpu: { architecture: 'x86_64', minimumCount: 48, maximumCount: 72, minimumSpeedMHz: 1000, maximumSpeedMHz: 3600 },
      disk: {
        minimumCount: 1,
        maximumCount: 8,
        minimumIndividualSizeGB: 20,
        maximumIndividualSizeGB: 3000,
        diskSelector: [{ hctl: '0:0:0:0', rotational: true }],
      },
      ram: { minimumSizeGB: 2, maximumSizeGB: 180 },
      nic: { minimumCount: 1, maximumCount: 7, nicSelector: { vendor: ['0x8086'] } },
      systemVendor: { manufacturer: 'Example Inc.', productName: 'R1' },
      firmware: { bios: { vendor: 'Example Inc.', minorVersion: '1.5.6', majorVersion: '2.0.0' } },
    },
  }),
  classification.accepts('disks by their kind', {
    'spec/hardwareCharacteristics': { disk: { diskSelector: [{ type: 'NVME' }], minimumCount: 2 } },
  }),
  classification.refuses(
    'a count of nothing',
    { 'spec/hardwareCharacteristics/cpu/minimumCount': 0 },
    { field: 'spec.hardwareCharacteristics.cpu.minimumCount', reason: 'FieldValueInvalid' },
  ),
  classification.refuses(
    'no characteristics',
    { spec: {} },
    { field: 'spec.hardwareCharacteristics', reason: 'FieldValueRequired' },
  ),
  classification.refuses(
    'disks of a kind that is none',
    { 'spec/hardwareCharacteristics/disk': { diskSelector: [{ type: 'TAPE' }] } },
    { field: 'spec.hardwareCharacteristics.disk.diskSelector[0].type', reason: 'FieldValueNotSupported' },
  ),
  classification.refuses(
    'a name that no label can have',
    { 'metadata/name': 'a'.repeat(64) },
    { field: '', reason: 'FieldValueInvalid' },
  ),
];

/** Cases of BareMetalHost, BareMetalHostDiscovery and HardwareClassification. */
export const metal3HostCases: readonly KindCase[] = [
  ...specCases,
  ...imageCases,
  ...raidCases,
  ...networkCases,
  ...updateCases,
  ...statusCases,
  ...discoveryCases,
  ...classificationCases,
];
