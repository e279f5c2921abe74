import { type Static, Type } from 'typebox';
import { LabelSelector } from '../cluster/label-selector.ts';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind, Flag, ListMap, Struct, Text } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { type IroncoreApiVersion, ironcoreApiVersion, ironcoreGroup, ironcoreVersion } from './names.ts';
import { Firmware, firmwareKeys, Int32, Int64 } from './shapes.ts';

/** What is wanted on all servers of a group. */
export const ServerFirmwareGroupSpec = Struct(
  {
    manufacturer: Text('Manufacturer of the servers.', { minLength: 1, maxLength: 253 }),
    model: Text('Model of the servers.', { minLength: 1, maxLength: 253 }),
    serverSelector: LabelSelector(
      'Which ServerFirmware objects are in the group. Selectors of two groups must not intersect.',
    ),
    firmwares: Type.Optional(
      ListMap(Firmware, firmwareKeys, {
        description: 'The firmwares that are wanted on each server of the group.',
        maxItems: 256,
      }),
    ),
    paused: Type.Optional(Flag('When true, the group writes nothing to its servers.', { default: false })),
  },
  { description: 'The desired state of a group of servers of one manufacturer and model.' },
);

/** How far a group has come. */
export const ServerFirmwareGroupStatus = Struct(
  {
    observedGeneration: Type.Optional(Int64('metadata.generation last looked at.', { minimum: 0 })),
    serversInGroup: Type.Optional(Int32('How many servers the group selects.', { minimum: 0 })),
    updatesApplied: Type.Optional(Int32('How many have everything installed.', { minimum: 0 })),
    updatesNotApplied: Type.Optional(Int32('How many have not.', { minimum: 0 })),
    updatesFailed: Type.Optional(Int32('How many of those not applied failed the wanted version.', { minimum: 0 })),
    conditions: Type.Optional(Conditions('What is known about the object now.')),
  },
  {
    description: 'How many servers of the group are in the desired state.',
    'x-kubernetes-validations': [
      {
        rule: '!has(self.serversInGroup) || !has(self.updatesApplied) || !has(self.updatesNotApplied) || self.updatesApplied + self.updatesNotApplied == self.serversInGroup',
        message: 'updatesApplied and updatesNotApplied must add up to serversInGroup',
      },
    ],
  },
);

/** The spec, typed. */
export type ServerFirmwareGroupSpec = Static<typeof ServerFirmwareGroupSpec>;

/** The status, typed. */
export type ServerFirmwareGroupStatus = Static<typeof ServerFirmwareGroupStatus>;

/** A ServerFirmwareGroup object. */
export type ServerFirmwareGroup = CustomResource<
  IroncoreApiVersion,
  'ServerFirmwareGroup',
  ServerFirmwareGroupSpec,
  ServerFirmwareGroupStatus
>;

/** ServerFirmwareGroup: desired firmware of many servers of one model. */
export const serverFirmwareGroup = declareKind({
  group: ironcoreGroup,
  kind: 'ServerFirmwareGroup',
  plural: 'serverfirmwaregroups',
  singular: 'serverfirmwaregroup',
  shortNames: ['sfwg'],
  scope: 'Cluster',
  description: 'The firmware that is wanted on a group of servers of one manufacturer and model.',
  versions: [
    {
      version: ironcoreVersion,
      storage: true,
      spec: ServerFirmwareGroupSpec,
      status: ServerFirmwareGroupStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        { name: 'Manufacturer', type: 'string', jsonPath: '.spec.manufacturer' },
        { name: 'Model', type: 'string', jsonPath: '.spec.model' },
        { name: 'Servers', type: 'integer', jsonPath: '.status.serversInGroup' },
        { name: 'Applied', type: 'integer', jsonPath: '.status.updatesApplied' },
        { name: 'Not Applied', type: 'integer', jsonPath: '.status.updatesNotApplied' },
        { name: 'Paused', type: 'boolean', jsonPath: '.spec.paused', priority: 1 },
        { name: 'Halted', type: 'string', jsonPath: '.status.conditions[?(@.type=="Halted")].status' },
        {
          name: 'Conflict',
          type: 'string',
          jsonPath: '.status.conditions[?(@.type=="SelectorConflict")].status',
          priority: 1,
        },
        ageColumn,
      ],
    },
  ],
  example: {
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmwareGroup',
    metadata: { name: 'bar-group' },
    spec: {
      manufacturer: 'Lenovo',
      model: '7x21',
      serverSelector: { matchLabels: { env: 'prod' } },
      firmwares: [
        { name: 'ssd', manufacturer: 'ACME Corp.', version: '1.0.0' },
        { name: 'nic', manufacturer: 'Intel', version: '2.0.0' },
      ],
    },
  },
});
