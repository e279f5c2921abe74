import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { describe, Flag, MapOf, StringEnum, Struct, Text, Time, Whole } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';
import { exactMacPattern } from './hardware-details.ts';
import { VlanId, VlanRange } from './ranges.ts';
import { SwitchError } from './switch-error.ts';

/** Kinds that know how to talk to a switch. */
export const providerSwitchKinds = ['AnsibleSwitch', 'OVSSwitch', 'FixtureSwitch'] as const;

/** A kind that knows how to talk to a switch. */
export type ProviderSwitchKind = (typeof providerSwitchKinds)[number];

/** Every state of a Switch. */
export const switchStates = ['', 'Verifying', 'Configuring', 'Running', 'Deleting'] as const;

/** A state of a Switch. */
export type SwitchState = (typeof switchStates)[number];

const Provider = Struct(
  {
    kind: StringEnum(providerSwitchKinds, { description: 'How the switch is talked to.' }),
    name: Text('Name of the object that says how.', { minLength: 1, maxLength: 253 }),
    namespace: Type.Optional(Text('Its namespace; that of the Switch when empty.', { maxLength: 63 })),
  },
  { description: 'The object that says how the switch is talked to.' },
);

const PortOfSwitch = Struct(
  {
    name: Text('Name of the port on the switch.', { minLength: 1, maxLength: 128 }),
    disabled: Type.Optional(Flag('The port is not to be used.', { default: false })),
    vlanRange: Type.Optional(VlanRange('VLANs the port may carry.', { default: '1-4094', maxLength: 80 })),
    trunkDisable: Type.Optional(Flag('The port cannot be a trunk: no tagged VLANs.', { default: false })),
  },
  { description: 'A port and what it may be used for.' },
);

/** A port of a switch as its Switch lists it. */
export type PortOfSwitch = Static<typeof PortOfSwitch>;

// The server refuses rules that might cost too much: hence the limits on the number of ports and on vlanRange.
const Ports = MapOf(PortOfSwitch, {
  description: 'Ports to manage; the key is the name of the SwitchPort that is created for it.',
  maxProperties: 256,
  'x-kubernetes-validations': [
    {
      rule: "self.all(key, size(key) <= 253 && key.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'))",
      message: 'each key must be a valid name for a SwitchPort: lower-case letters, digits, dashes and dots',
    },
    {
      rule: 'self.all(a, self.exists_one(b, self[b].name == self[a].name))',
      message: 'two entries name the same port of the switch',
      reason: 'FieldValueDuplicate',
    },
  ],
});

/** What is known about a switch in advance. */
export const SwitchSpec = Struct(
  {
    provider: Provider,
    ports: Type.Optional(Ports),
    parkingVLAN: Type.Optional(VlanId('VLAN a clean port is put into; without it a clean port carries no VLAN.')),
    managementPort: Type.Optional(
      Text('Name of the port on the switch that it is managed through; that port is never changed.', {
        minLength: 1,
        maxLength: 128,
      }),
    ),
    macAddress: Type.Optional(
      Text('Chassis ID the switch announces by LLDP, to check that hosts are plugged in where they say.', {
        pattern: exactMacPattern,
      }),
    ),
  },
  { description: 'The switch and its ports.' },
);

/** What is known about a switch in advance. */
export type SwitchSpec = Static<typeof SwitchSpec>;

/** How a switch is. */
export const SwitchStatus = Struct(
  {
    state: Type.Optional(StringEnum(switchStates, { description: 'What is being done with the switch.' })),
    observedGeneration: Type.Optional(Whole('The generation this status was computed from.', { format: 'int64' })),
    provider: Type.Optional(describe(Provider, 'The provider in use.')),
    ports: Type.Optional(
      MapOf(Struct({ name: Text('Name of the port on the switch.') }, { description: 'A managed port.' }), {
        description: 'The ports that have a SwitchPort.',
      }),
    ),
    portCount: Type.Optional(Whole('Number of managed ports.', { minimum: 0 })),
    lastContactTime: Type.Optional(Time({ description: 'When the switch last answered.' })),
    error: Type.Optional(SwitchError),
    conditions: Type.Optional(
      Conditions('Ready: the switch answers and its ports exist. Reachable, CredentialsValid.'),
    ),
  },
  { description: 'How the switch is.' },
);

/** How a switch is. */
export type SwitchStatus = Static<typeof SwitchStatus>;

/** A network switch. */
export type Switch = CustomResource<Metal3ApiVersion, 'Switch', SwitchSpec, SwitchStatus>;

/** Switch. */
export const networkSwitch = declareKind({
  group: metal3Group,
  kind: 'Switch',
  plural: 'switches',
  singular: 'switch',
  scope: 'Namespaced',
  description: 'A network switch: how it is talked to, which of its ports are managed, and what they may be used for.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: SwitchSpec,
      status: SwitchStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        { name: 'State', type: 'string', jsonPath: '.status.state', description: 'State of the switch.' },
        { name: 'Provider', type: 'string', jsonPath: '.spec.provider.kind', description: 'How it is talked to.' },
        { name: 'Ports', type: 'integer', jsonPath: '.status.portCount', description: 'Number of managed ports.' },
        { name: 'Error', type: 'string', jsonPath: '.status.error.reason', description: 'What is wrong.' },
        ageColumn,
      ],
      selectableFields: ['.spec.provider.kind', '.spec.provider.name', '.status.state'],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'Switch',
    metadata: { name: 'leaf1', namespace: 'fleet' },
    spec: {
      provider: { kind: 'AnsibleSwitch', name: 'leaf1' },
      parkingVLAN: 999,
      ports: {
        'leaf1-eth7': { name: 'Ethernet7', disabled: false, vlanRange: '1, 6-10', trunkDisable: false },
        'leaf1-eth8': { name: 'Ethernet8' },
      },
    },
  },
});
