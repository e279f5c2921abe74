import { type Static, Type } from 'typebox';
import { ageColumn, declareKind } from '../declare.ts';
import type { LenientResource } from '../object.ts';
import { Flag, ListSet, MapOf, Struct, Whole } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';
import { providerSwitchFields } from './provider-switch.ts';
import { SwitchPortSettings } from './switch-port-configuration.ts';

const Faults = Struct(
  {
    unreachable: Type.Optional(Flag('The switch does not answer.', { default: false })),
    rejectCredentials: Type.Optional(Flag('The switch refuses the login.', { default: false })),
    rejectWrites: Type.Optional(Flag('The switch answers every change with an error.', { default: false })),
    ignoreWrites: Type.Optional(Flag('The switch says yes to a change and does nothing.', { default: false })),
  },
  { description: 'What goes wrong, on purpose.' },
);

/** A switch made of nothing. */
export const FixtureSwitchSpec = Struct(
  {
    ports: Type.Optional(
      ListSet(Type.String({ minLength: 1, maxLength: 128 }), {
        description: 'Ports the switch has; any name will do when not given.',
        maxItems: 1024,
      }),
    ),
    delayMilliseconds: Type.Optional(
      Whole('How long every operation takes.', { minimum: 0, maximum: 600000, default: 0 }),
    ),
    faults: Type.Optional(Faults),
  },
  { description: 'The make-believe switch.' },
);

/** A switch made of nothing. */
export type FixtureSwitchSpec = Static<typeof FixtureSwitchSpec>;

/** What the make-believe switch is set to. */
export const FixtureSwitchStatus = Struct(
  {
    ...providerSwitchFields,
    ports: Type.Optional(
      MapOf(SwitchPortSettings, { description: 'What each port is set to, by its name.', maxProperties: 1024 }),
    ),
    writes: Type.Optional(Whole('Changes made so far.', { format: 'int64', minimum: 0 })),
  },
  { description: 'What the make-believe switch is set to.' },
);

/** What the make-believe switch is set to. */
export type FixtureSwitchStatus = Static<typeof FixtureSwitchStatus>;

/** A switch that exists only in its status, for tests and demonstrations. */
export type FixtureSwitch = LenientResource<Metal3ApiVersion, 'FixtureSwitch', FixtureSwitchSpec, FixtureSwitchStatus>;

/** FixtureSwitch. */
export const fixtureSwitch = declareKind({
  group: metal3Group,
  kind: 'FixtureSwitch',
  plural: 'fixtureswitches',
  singular: 'fixtureswitch',
  scope: 'Namespaced',
  description: 'A switch that exists only in its own status, for tests and demonstrations.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: FixtureSwitchSpec,
      status: FixtureSwitchStatus,
      hasStatusSubresource: true,
      columns: [
        { name: 'Writes', type: 'integer', jsonPath: '.status.writes', description: 'Changes made so far.' },
        ageColumn,
      ],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'FixtureSwitch',
    metadata: { name: 'leaf-test', namespace: 'fleet' },
    spec: { ports: ['Ethernet1', 'Ethernet2'], delayMilliseconds: 50 },
  },
});
