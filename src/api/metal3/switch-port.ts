import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind } from '../declare.ts';
import type { LenientResource } from '../object.ts';
import { describe, List, StringEnum, Struct, Text, Time, Whole } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';
import { SwitchPortConfigurationReference } from './network-references.ts';
import { SwitchError } from './switch-error.ts';
import { SwitchPortSettings } from './switch-port-configuration.ts';

/** Every state of a SwitchPort; the empty one is document 4's None. */
export const switchPortStates = ['', 'Idle', 'Configuring', 'Active', 'Cleaning', 'Deleting'] as const;

/** A state of a SwitchPort. */
export type SwitchPortState = (typeof switchPortStates)[number];

/** What is wanted of a port. */
export const SwitchPortSpec = Struct(
  {
    configuration: Type.Optional(
      describe(SwitchPortConfigurationReference, 'The settings the port is to have; without it the port is cleaned.'),
    ),
  },
  { description: 'What is wanted of the port.' },
);

/** What is wanted of a port. */
export type SwitchPortSpec = Static<typeof SwitchPortSpec>;

/** How a port is. */
export const SwitchPortStatus = Struct(
  {
    state: Type.Optional(
      StringEnum(switchPortStates, { description: 'Where the port is on its way to its configuration.' }),
    ),
    observedGeneration: Type.Optional(Whole('The generation this status was computed from.', { format: 'int64' })),
    configurationRef: Type.Optional(
      describe(SwitchPortConfigurationReference, 'The configuration that is applied or being applied.'),
    ),
    configuration: Type.Optional(describe(SwitchPortSettings, 'The settings that were applied.')),
    appliedTo: Type.Optional(
      Text(
        'The switch that they were set on, or that an idle port was found clean on: where it is, and digests of its SSH host keys. Another one is set anew. An idle port without it was never set or cleaned.',
      ),
    ),
    observed: Type.Optional(describe(SwitchPortSettings, 'The settings last read from the switch.')),
    unobserved: Type.Optional(
      List(StringEnum(['acl', 'untaggedVLAN', 'vlans', 'disabled']), {
        description: 'What the switch does not tell of the port, and is not among `observed`.',
      }),
    ),
    lastReadTime: Type.Optional(Time({ description: 'When the switch was last read.' })),
    physicalPortName: Type.Optional(Text('Name of the port on the switch.')),
    hostRef: Type.Optional(
      Struct(
        { name: Text('Name of the BareMetalHost.'), namespace: Text('Namespace of the BareMetalHost.') },
        { description: 'The BareMetalHost that is plugged in; its namespace is the tenant whose limit counts.' },
      ),
    ),
    error: Type.Optional(SwitchError),
    conditions: Type.Optional(Conditions('Ready: the port has its configuration. Allowed: limits permit it.')),
  },
  { description: 'How the port is.' },
);

/** How a port is. */
export type SwitchPortStatus = Static<typeof SwitchPortStatus>;

/** One port of a switch. */
export type SwitchPort = LenientResource<Metal3ApiVersion, 'SwitchPort', SwitchPortSpec, SwitchPortStatus>;

/** SwitchPort; the Switch creates one for every port it lists. */
export const switchPort = declareKind({
  group: metal3Group,
  kind: 'SwitchPort',
  plural: 'switchports',
  singular: 'switchport',
  scope: 'Namespaced',
  description: 'One port of a switch and the configuration it should have. Its Switch creates and owns it.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: SwitchPortSpec,
      status: SwitchPortStatus,
      hasStatusSubresource: true,
      columns: [
        { name: 'State', type: 'string', jsonPath: '.status.state', description: 'State of the port.' },
        {
          name: 'Configuration',
          type: 'string',
          jsonPath: '.spec.configuration.name',
          description: 'The configuration the port should have.',
        },
        {
          name: 'Host',
          type: 'string',
          jsonPath: '.status.hostRef.name',
          description: 'The host plugged in.',
          priority: 1,
        },
        {
          name: 'Port',
          type: 'string',
          jsonPath: '.status.physicalPortName',
          description: 'Name of the port on the switch.',
          priority: 1,
        },
        { name: 'Error', type: 'string', jsonPath: '.status.error.reason', description: 'What is wrong.' },
        ageColumn,
      ],
      selectableFields: ['.status.state', '.spec.configuration.name'],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'SwitchPort',
    metadata: { name: 'leaf1-eth7', namespace: 'fleet' },
    spec: { configuration: { name: 'tenant-a', namespace: 'fleet' } },
  },
});
