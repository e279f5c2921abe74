import { type Static, Type } from 'typebox';
import { ageColumn, declareKind } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { Flag, Nullable, StringEnum, Struct, Text, Whole } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';
import { LocalSecret, providerSwitchFields } from './provider-switch.ts';

/** Switch operating systems network-runner has a provider for. */
export const ansibleSwitchSystems = [
  'openvswitch',
  'junos',
  'nxos',
  'eos',
  'enos',
  'cumulus',
  'dellos10',
  'dellemc.os9.os9',
  'fos',
  'nos',
] as const;

/** A switch operating system network-runner has a provider for. */
export type AnsibleSwitchSystem = (typeof ansibleSwitchSystems)[number];

// `bridge:` with nothing behind it is null, and document 4 writes it so.
const hasBridge = 'has(self.bridge) && dyn(self.bridge) != null && size(self.bridge) > 0';

/** How to reach a switch by Ansible. */
export const AnsibleSwitchSpec = Struct(
  {
    os: StringEnum(ansibleSwitchSystems, { description: 'Operating system of the switch.' }),
    ip: Text('IP address of the switch.', {
      maxLength: 64,
      'x-kubernetes-validations': [{ rule: 'isIP(self)', message: 'must be an IPv4 or IPv6 address' }],
    }),
    port: Type.Optional(Whole('SSH port of the switch.', { minimum: 1, maximum: 65535, default: 22 })),
    bridge: Type.Optional(Nullable(Text('The bridge; for openvswitch only, which needs it.', { maxLength: 64 }))),
    credentialsSecret: LocalSecret('Secret with the keys `username` and `password` or `ssh-privatekey`.'),
    hostKey: Type.Optional(
      Text(
        'SSH host key of the switch, as in a known_hosts file; without it the first key seen is kept in `status.hostKey`.',
        {
          maxLength: 4096,
        },
      ),
    ),
    disableHostKeyVerification: Type.Optional(
      Flag('Accept any SSH host key. Open to interception.', { default: false }),
    ),
  },
  {
    description: 'How to reach the switch.',
    'x-kubernetes-validations': [
      {
        rule: `self.os != 'openvswitch' || (${hasBridge})`,
        message: 'bridge is required when os is openvswitch',
        reason: 'FieldValueRequired',
        fieldPath: '.bridge',
      },
      {
        rule: `self.os == 'openvswitch' || !(${hasBridge})`,
        message: 'bridge can only be set when os is openvswitch',
        reason: 'FieldValueForbidden',
        fieldPath: '.bridge',
      },
      {
        rule: '!has(self.hostKey) || !has(self.disableHostKeyVerification) || !self.disableHostKeyVerification',
        message: 'hostKey cannot be set together with disableHostKeyVerification',
        reason: 'FieldValueForbidden',
        fieldPath: '.hostKey',
      },
    ],
  },
);

/** How to reach a switch by Ansible. */
export type AnsibleSwitchSpec = Static<typeof AnsibleSwitchSpec>;

/** How talking to a switch by Ansible goes. */
export const AnsibleSwitchStatus = Struct(
  {
    ...providerSwitchFields,
    hostKey: Type.Optional(
      Text('SSH host keys that the switch showed first, as in a known_hosts file; others are refused from then on.'),
    ),
  },
  { description: 'How talking to the switch goes.' },
);

/** How talking to a switch by Ansible goes. */
export type AnsibleSwitchStatus = Static<typeof AnsibleSwitchStatus>;

/** A switch that Ansible and network-runner talk to. */
export type AnsibleSwitch = CustomResource<Metal3ApiVersion, 'AnsibleSwitch', AnsibleSwitchSpec, AnsibleSwitchStatus>;

/** AnsibleSwitch. */
export const ansibleSwitch = declareKind({
  group: metal3Group,
  kind: 'AnsibleSwitch',
  plural: 'ansibleswitches',
  singular: 'ansibleswitch',
  scope: 'Namespaced',
  description: 'How Ansible, with network-runner, reaches a switch.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: AnsibleSwitchSpec,
      status: AnsibleSwitchStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        { name: 'OS', type: 'string', jsonPath: '.spec.os', description: 'Operating system of the switch.' },
        { name: 'IP', type: 'string', jsonPath: '.spec.ip', description: 'Address of the switch.' },
        ageColumn,
      ],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'AnsibleSwitch',
    metadata: { name: 'leaf1', namespace: 'fleet' },
    spec: { os: 'fos', ip: '192.0.2.1', port: 22, credentialsSecret: { name: 'leaf1-login' } },
  },
});
