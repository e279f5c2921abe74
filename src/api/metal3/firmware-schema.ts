import { type Static, Type } from 'typebox';
import { declareKind } from '../declare.ts';
import type { LenientResource } from '../object.ts';
import { Flag, List, MapOf, StringEnum, Struct, Text, Whole } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';

// These names have underscores because they are Ironic's own.
const SettingSchema = Struct(
  {
    attribute_type: Type.Optional(
      StringEnum(['Enumeration', 'String', 'Integer', 'Boolean', 'Password'], { description: 'Type of the setting.' }),
    ),
    allowable_values: Type.Optional(List(Type.String(), { description: 'Values of an Enumeration.' })),
    lower_bound: Type.Optional(Whole('Smallest value of an Integer.')),
    upper_bound: Type.Optional(Whole('Largest value of an Integer.')),
    min_length: Type.Optional(Whole('Least length of a String.')),
    max_length: Type.Optional(Whole('Greatest length of a String.')),
    read_only: Type.Optional(Flag('Whether the setting cannot be changed.')),
    unique: Type.Optional(Flag('Whether the value belongs to one machine only, as a serial number does.')),
  },
  { description: 'What values one setting takes.' },
);

/** Which settings a hardware model has. */
export const FirmwareSchemaSpec = Struct(
  {
    hardwareVendor: Type.Optional(Text('Vendor of the hardware.')),
    hardwareModel: Type.Optional(Text('Model of the hardware.')),
    schema: MapOf(SettingSchema, { description: 'The settings, by name.' }),
  },
  { description: 'Which settings there are.' },
);

/** Which settings a hardware model has. */
export type FirmwareSchemaSpec = Static<typeof FirmwareSchemaSpec>;

/** What values the BIOS settings of a hardware model take. */
export type FirmwareSchema = LenientResource<Metal3ApiVersion, 'FirmwareSchema', FirmwareSchemaSpec, never>;

/** FirmwareSchema, as Metal3 has it. */
export const firmwareSchema = declareKind({
  group: metal3Group,
  kind: 'FirmwareSchema',
  plural: 'firmwareschemas',
  singular: 'firmwareschema',
  scope: 'Namespaced',
  description: 'What values the BIOS settings of a hardware model take; hosts with the same settings share one.',
  versions: [
    { version: 'v1alpha1', storage: true, spec: FirmwareSchemaSpec, hasStatusSubresource: false, columns: [] },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'FirmwareSchema',
    metadata: { name: 'schema-3f2a91c0', namespace: 'fleet' },
    spec: {
      hardwareVendor: 'Example Inc.',
      hardwareModel: 'R1',
      schema: {
        ProcVirtualization: { attribute_type: 'Enumeration', allowable_values: ['Enabled', 'Disabled'] },
        NumaNodesPerSocket: { attribute_type: 'Integer', lower_bound: 1, upper_bound: 4 },
      },
    },
  },
});
