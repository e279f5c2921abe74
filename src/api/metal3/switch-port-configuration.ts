import { type Static, Type } from 'typebox';
import { ageColumn, declareKind } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { Flag, IntOrString, List, StringEnum, Struct, Text, Whole } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';
import { PortRange, VlanId, VlanRange } from './ranges.ts';

function addressRule(field: string) {
  const family = "(self.type == 'ipv4' ? 4 : 6)";
  return {
    rule: `!has(self.${field}) || (isCIDR(self.${field}) && cidr(self.${field}).ip().family() == ${family}) || (isIP(self.${field}) && ip(self.${field}).family() == ${family})`,
    message: 'must be an address or a network in CIDR notation, of the family that type says',
    fieldPath: `.${field}`,
  };
}

/** One rule of an access list; the first that matches decides. */
export const AclRule = Struct(
  {
    type: StringEnum(['ipv4', 'ipv6'], { description: 'Address family.' }),
    action: StringEnum(['allow', 'deny'], { description: 'What happens to a packet that matches.' }),
    protocol: Type.Optional(
      StringEnum(['TCP', 'UDP', 'ICMP', 'ALL'], { description: 'Protocol of the packet.', default: 'ALL' }),
    ),
    src: Type.Optional(Text('Source network, such as `192.0.2.0/24`; any when not given.', { maxLength: 64 })),
    srcPortRange: Type.Optional(PortRange('Source ports, such as `22` or `22-30`.')),
    des: Type.Optional(Text('Destination network; any when not given.', { maxLength: 64 })),
    desPortRange: Type.Optional(PortRange('Destination ports.')),
  },
  {
    description: 'One rule of the access list; the first that matches decides.',
    'x-kubernetes-validations': [
      addressRule('src'),
      addressRule('des'),
      {
        rule: "(!has(self.srcPortRange) && !has(self.desPortRange)) || (has(self.protocol) && self.protocol in ['TCP', 'UDP'])",
        message: 'only TCP and UDP have ports',
        fieldPath: '.protocol',
      },
    ],
  },
);

/** One rule of an access list. */
export type AclRule = Static<typeof AclRule>;

const aclText = 'Access list of the port, in order.';
const untaggedText = 'VLAN of untagged frames.';
const vlansText = 'Tagged VLANs, such as `2-10`; none makes an access port.';
const disabledText = 'The port is shut down.';

/** What a switch port is to be set to. */
export const SwitchPortConfigurationSpec = Struct(
  {
    acl: Type.Optional(List(AclRule, { description: aclText, maxItems: 32 })),
    untaggedVLAN: Type.Optional(VlanId(untaggedText)),
    vlans: Type.Optional(VlanRange(vlansText)),
    disabled: Type.Optional(Flag(disabledText, { default: false })),
  },
  {
    description: 'The settings of a switch port. They never change: link another configuration instead.',
    'x-kubernetes-validations': [
      {
        rule: 'self == oldSelf',
        message: 'is immutable: create another SwitchPortConfiguration and link that',
        reason: 'FieldValueForbidden',
      },
    ],
  },
);

/** What a switch port is to be set to. */
export type SwitchPortConfigurationSpec = Static<typeof SwitchPortConfigurationSpec>;

// What a switch reports is recorded as it is, so nothing here is checked or defaulted.
const RecordedAclRule = Struct(
  {
    type: StringEnum(['ipv4', 'ipv6'], { description: 'Address family.' }),
    action: StringEnum(['allow', 'deny'], { description: 'What happens to a packet that matches.' }),
    protocol: Type.Optional(StringEnum(['TCP', 'UDP', 'ICMP', 'ALL'], { description: 'Protocol of the packet.' })),
    src: Type.Optional(Text('Source network.')),
    srcPortRange: Type.Optional(IntOrString({ description: 'Source ports.' })),
    des: Type.Optional(Text('Destination network.')),
    desPortRange: Type.Optional(IntOrString({ description: 'Destination ports.' })),
  },
  { description: 'One rule of the access list.' },
);

/** The same settings as a status records them, where they do change. */
export const SwitchPortSettings = Struct(
  {
    acl: Type.Optional(List(RecordedAclRule, { description: aclText })),
    untaggedVLAN: Type.Optional(Whole(untaggedText)),
    vlans: Type.Optional(IntOrString({ description: vlansText })),
    disabled: Type.Optional(Flag(disabledText)),
  },
  { description: 'Settings of a switch port.' },
);

/** Settings of a switch port as a status records them. */
export type SwitchPortSettings = Static<typeof SwitchPortSettings>;

/** Settings for switch ports. */
export type SwitchPortConfiguration = CustomResource<
  Metal3ApiVersion,
  'SwitchPortConfiguration',
  SwitchPortConfigurationSpec,
  never
>;

/** SwitchPortConfiguration; document 4 also spells it SwitchportConfiguration. */
export const switchPortConfiguration = declareKind({
  group: metal3Group,
  kind: 'SwitchPortConfiguration',
  plural: 'switchportconfigurations',
  singular: 'switchportconfiguration',
  shortNames: ['spc'],
  scope: 'Namespaced',
  description: 'Settings for switch ports: VLANs, access list, up or down. It never changes once created.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: SwitchPortConfigurationSpec,
      required: ['spec'],
      hasStatusSubresource: false,
      columns: [
        { name: 'Untagged', type: 'integer', jsonPath: '.spec.untaggedVLAN', description: 'VLAN of untagged frames.' },
        { name: 'Tagged', type: 'string', jsonPath: '.spec.vlans', description: 'Tagged VLANs.' },
        {
          name: 'Disabled',
          type: 'boolean',
          jsonPath: '.spec.disabled',
          description: 'Whether the port is shut down.',
        },
        ageColumn,
      ],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'SwitchPortConfiguration',
    metadata: { name: 'tenant-a', namespace: 'fleet' },
    spec: {
      acl: [
        {
          type: 'ipv4',
          action: 'allow',
          protocol: 'TCP',
          src: '192.0.2.0/24',
          des: '198.51.100.0/24',
          desPortRange: '22-30',
        },
        { type: 'ipv4', action: 'deny', protocol: 'ALL' },
      ],
      untaggedVLAN: 10,
      vlans: '20-29, 40',
      disabled: false,
    },
  },
});
