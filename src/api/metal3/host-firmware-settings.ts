import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { declareKind } from '../declare.ts';
import type { LenientResource } from '../object.ts';
import { IntOrString, MapOf, Struct, Text, Time } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';

/** BIOS settings a user wants. */
export const HostFirmwareSettingsSpec = Struct(
  {
    settings: MapOf(IntOrString(), {
      description: 'BIOS settings to change, by name; an empty map asks for nothing and aborts a failed live update.',
    }),
  },
  { description: 'The settings that are wanted.' },
);

/** BIOS settings a user wants. */
export type HostFirmwareSettingsSpec = Static<typeof HostFirmwareSettingsSpec>;

/** BIOS settings a host has. */
export const HostFirmwareSettingsStatus = Struct(
  {
    schema: Type.Optional(
      Struct(
        { name: Text('Name of the FirmwareSchema.'), namespace: Text('Namespace of the FirmwareSchema.') },
        { description: 'The FirmwareSchema that says which values the settings take.' },
      ),
    ),
    settings: MapOf(Type.String(), { description: 'The settings of the host, as last read.' }),
    lastUpdated: Type.Optional(Time({ description: 'When the settings were last read.' })),
    conditions: Type.Optional(
      Conditions('ChangeDetected: the host differs from the spec. Valid: the spec agrees with the schema.'),
    ),
  },
  { description: 'The settings the host has.' },
);

/** BIOS settings a host has. */
export type HostFirmwareSettingsStatus = Static<typeof HostFirmwareSettingsStatus>;

/** The BIOS settings of the BareMetalHost of the same name. */
export type HostFirmwareSettings = LenientResource<
  Metal3ApiVersion,
  'HostFirmwareSettings',
  HostFirmwareSettingsSpec,
  HostFirmwareSettingsStatus
>;

/** HostFirmwareSettings, as Metal3 has it. */
export const hostFirmwareSettings = declareKind({
  group: metal3Group,
  kind: 'HostFirmwareSettings',
  plural: 'hostfirmwaresettings',
  singular: 'hostfirmwaresettings',
  shortNames: ['hfs'],
  scope: 'Namespaced',
  description: 'The BIOS settings of the BareMetalHost of the same name: those it has and those it should have.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: HostFirmwareSettingsSpec,
      status: HostFirmwareSettingsStatus,
      hasStatusSubresource: true,
      columns: [],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'HostFirmwareSettings',
    metadata: { name: 'rack1-host7', namespace: 'fleet' },
    spec: { settings: { ProcVirtualization: 'Enabled', NumaNodesPerSocket: 2 } },
  },
});
