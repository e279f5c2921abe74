import { ageColumn, declareKind } from '../declare.ts';
import type { LenientResource } from '../object.ts';
import { BareMetalHostSpec } from './bare-metal-host-spec.ts';
import { BareMetalHostStatus } from './bare-metal-host-status.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';

/** A physical server. */
export type BareMetalHost = LenientResource<Metal3ApiVersion, 'BareMetalHost', BareMetalHostSpec, BareMetalHostStatus>;

const rules = [
  {
    rule: "!has(oldSelf.spec) || !has(oldSelf.spec.bmc) || oldSelf.spec.bmc.address == '' || (has(self.spec) && has(self.spec.bmc) && self.spec.bmc.address == oldSelf.spec.bmc.address) || (has(self.status) && (self.status.operationalStatus == 'detached' || self.status.provisioning.state == 'registering' || (self.status.provisioning.ID != '' && !(has(self.status.goodCredentials) && has(self.status.goodCredentials.credentialsVersion)))))",
    message:
      'spec.bmc.address cannot be changed once it is set, unless the host is registering or detached, or came by itself and its BMC was never reached',
    reason: 'FieldValueForbidden' as const,
    fieldPath: '.spec.bmc',
  },
  {
    rule: "!has(oldSelf.spec) || !has(self.spec) || !has(self.spec.externallyProvisioned) || !self.spec.externallyProvisioned || (has(oldSelf.spec.externallyProvisioned) && oldSelf.spec.externallyProvisioned) || !has(oldSelf.status) || oldSelf.status.provisioning.state in ['', 'available', 'ready']",
    message: 'externallyProvisioned can only be turned on while the host is available',
    reason: 'FieldValueForbidden' as const,
    fieldPath: '.spec.externallyProvisioned',
  },
];

/** BareMetalHost, as Metal3 has it, with `ports`, `importing` and the servicing history. */
export const bareMetalHost = declareKind({
  group: metal3Group,
  kind: 'BareMetalHost',
  plural: 'baremetalhosts',
  singular: 'baremetalhost',
  shortNames: ['bmh', 'bmhost'],
  scope: 'Namespaced',
  description: 'A physical server: how to reach it, what should run on it, and how it is doing.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: BareMetalHostSpec,
      status: BareMetalHostStatus,
      rules,
      hasStatusSubresource: true,
      columns: [
        {
          name: 'Status',
          type: 'string',
          jsonPath: '.status.operationalStatus',
          description: 'How the host is doing.',
          priority: 1,
        },
        { name: 'State', type: 'string', jsonPath: '.status.provisioning.state', description: 'Provisioning state.' },
        { name: 'Consumer', type: 'string', jsonPath: '.spec.consumerRef.name', description: 'Who uses the host.' },
        { name: 'BMC', type: 'string', jsonPath: '.spec.bmc.address', description: 'Address of the BMC.', priority: 1 },
        {
          name: 'Online',
          type: 'string',
          jsonPath: '.spec.online',
          description: 'Whether the host should be powered on.',
        },
        { name: 'Error', type: 'string', jsonPath: '.status.errorType', description: 'What failed last.' },
        ageColumn,
      ],
      selectableFields: [
        '.spec.bmc.address',
        '.spec.bootMACAddress',
        '.spec.consumerRef.name',
        '.status.operationalStatus',
        '.status.provisioning.ID',
        '.status.provisioning.state',
      ],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHost',
    metadata: { name: 'rack1-host7', namespace: 'fleet' },
    spec: {
      online: true,
      bmc: { address: 'redfish://192.0.2.17/redfish/v1/Systems/1', credentialsName: 'rack1-host7-bmc' },
      bootMACAddress: '52:54:00:aa:00:07',
      bootMode: 'UEFI',
      rootDeviceHints: { deviceName: '/dev/disk/by-path/pci-0000:01:00.0-scsi-0:2:0:0' },
      image: {
        url: 'https://images.example.com/node-v1.qcow2',
        checksum: 'https://images.example.com/node-v1.qcow2.sha256sum',
        checksumType: 'auto',
        format: 'qcow2',
      },
      ports: [
        {
          mac: '52:54:00:aa:00:07',
          port: { name: 'leaf1-eth7', kind: 'SwitchPort', namespace: 'fleet' },
          provisioningConfiguration: { name: 'provisioning', kind: 'SwitchPortConfiguration', namespace: 'fleet' },
          configuration: { name: 'tenant-a', kind: 'SwitchPortConfiguration', namespace: 'fleet' },
        },
      ],
    },
  },
});
