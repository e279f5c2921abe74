import { type Static, Type } from 'typebox';
import { ageColumn, declareKind } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { Flag, Struct, Text } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';
import { LocalSecret, ProviderSwitchStatus } from './provider-switch.ts';

const remotePattern = '^((tcp|ssl):(\\[[0-9a-fA-F:.]+\\]|[A-Za-z0-9._-]+):[0-9]{1,5}|unix:/.+)$';

/** How to reach an Open vSwitch. */
export const OVSSwitchSpec = Struct(
  {
    address: Text('OVSDB server: `tcp:HOST:PORT`, `ssl:HOST:PORT` or `unix:/PATH`.', {
      pattern: remotePattern,
      maxLength: 512,
    }),
    openflowAddress: Type.Optional(
      Text('OpenFlow endpoint of the bridge, in the same forms. Access lists and shutting ports down need it.', {
        pattern: remotePattern,
        maxLength: 512,
      }),
    ),
    bridge: Text('The bridge the ports are on.', { minLength: 1, maxLength: 64 }),
    credentialsSecret: Type.Optional(
      LocalSecret('Secret with the keys `ca.crt`, `tls.crt` and `tls.key`; `ssl:` needs it.'),
    ),
    disableCertificateVerification: Type.Optional(
      Flag('Accept any certificate from the switch. Open to interception.', { default: false }),
    ),
  },
  {
    description: 'How to reach the switch.',
    'x-kubernetes-validations': [
      {
        rule: "(!self.address.startsWith('ssl:') && (!has(self.openflowAddress) || !self.openflowAddress.startsWith('ssl:'))) || has(self.credentialsSecret)",
        message: 'an ssl: address needs credentialsSecret',
        reason: 'FieldValueRequired',
        fieldPath: '.credentialsSecret',
      },
    ],
  },
);

/** How to reach an Open vSwitch. */
export type OVSSwitchSpec = Static<typeof OVSSwitchSpec>;

/** An Open vSwitch that is talked to by OVSDB and OpenFlow. */
export type OVSSwitch = CustomResource<Metal3ApiVersion, 'OVSSwitch', OVSSwitchSpec, ProviderSwitchStatus>;

/** OVSSwitch. */
export const ovsSwitch = declareKind({
  group: metal3Group,
  kind: 'OVSSwitch',
  plural: 'ovsswitches',
  singular: 'ovsswitch',
  scope: 'Namespaced',
  description: 'How an Open vSwitch is reached by OVSDB, and by OpenFlow for access lists.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: OVSSwitchSpec,
      status: ProviderSwitchStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        { name: 'Address', type: 'string', jsonPath: '.spec.address', description: 'OVSDB server.' },
        { name: 'Bridge', type: 'string', jsonPath: '.spec.bridge', description: 'The bridge.' },
        ageColumn,
      ],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'OVSSwitch',
    metadata: { name: 'lab1', namespace: 'fleet' },
    spec: { address: 'tcp:192.0.2.5:6640', openflowAddress: 'tcp:192.0.2.5:6653', bridge: 'br0' },
  },
});
