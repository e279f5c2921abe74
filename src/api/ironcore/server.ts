import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind, Flag, List, ListMap, StringEnum, Struct, Text } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { type IroncoreApiVersion, ironcoreApiVersion, ironcoreGroup, ironcoreVersion } from './names.ts';
import { NetworkInterface, Processor, Storage } from './server-inventory.ts';
import {
  Bios,
  Int32,
  indicatorLeds,
  NameReference,
  ObjectReference,
  Protocol,
  powerStates,
  Quantity,
} from './shapes.ts';

/** The states a server goes through. */
export const serverStates = ['Initial', 'Discovery', 'Available', 'Reserved', 'Released', 'Error', 'Parked'] as const;

/** One state of a server. */
export type ServerState = (typeof serverStates)[number];

const BmcAccess = Struct(
  {
    protocol: Protocol,
    address: Text('Address of the BMC.', { minLength: 1, maxLength: 253 }),
    bmcSecretRef: NameReference('The BMCSecret with username and password.'),
  },
  { description: 'How to reach the BMC, given here. At most one of bmc and bmcRef.' },
);

const BootOrderEntry = Struct({
  name: Text('Name of the entry.', { minLength: 1, maxLength: 253 }),
  priority: Int32('Lower boots first.'),
  device: Text('Device to boot from.', { minLength: 1, maxLength: 253 }),
});

const Taint = Struct({
  key: Text('Key of the taint.', { minLength: 1, maxLength: 317 }),
  value: Type.Optional(Text('Value of the taint.', { maxLength: 63 })),
  effect: StringEnum(['NoBind', 'Evict'], {
    description: 'NoBind keeps new claims away; Evict also ends those that are there.',
  }),
});

/** What is wanted of a server. */
export const ServerSpec = Struct(
  {
    uuid: Type.Optional(Text('Deprecated: use systemUUID.', { maxLength: 64 })),
    systemUUID: Type.String({
      description: 'UUID of the Redfish ComputerSystem: what this server is known by.',
      pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
    }),
    systemURI: Type.Optional(Text('Path of the ComputerSystem on its BMC.', { minLength: 1, maxLength: 1024 })),
    power: Type.Optional(StringEnum(['On', 'Off'], { description: 'Deprecated: the power state that is wanted.' })),
    indicatorLED: Type.Optional(StringEnum(indicatorLeds, { description: 'What the indicator LED should do.' })),
    reclaimPolicy: Type.Optional(
      StringEnum(['Recycle', 'Retain'], { description: 'What happens to the server when its claim goes.' }),
    ),
    serverClaimRef: Type.Optional(
      ObjectReference('The ServerClaim that holds this server.', {
        'x-kubernetes-validations': [
          { rule: 'self == oldSelf', message: 'serverClaimRef cannot be switched directly' },
        ],
      }),
    ),
    bmcRef: Type.Optional(NameReference('The BMC of this server. At most one of bmc and bmcRef.')),
    bmc: Type.Optional(BmcAccess),
    bootConfigurationRef: Type.Optional(ObjectReference('The boot configuration in use.')),
    bootOrder: Type.Optional(List(BootOrderEntry, { description: 'Boot order.', maxItems: 64 })),
    taints: Type.Optional(
      ListMap(Taint, ['key', 'effect'], { description: 'Keep claims away that do not tolerate them.', maxItems: 64 }),
    ),
    unclaimable: Type.Optional(Flag('When true, no claim may take this server.')),
  },
  {
    description: 'Which machine this is and how it is used.',
    'x-kubernetes-validations': [
      {
        rule: '!(has(self.bmcRef) && has(self.bmc))',
        message: 'at most one of bmcRef and bmc may be set',
        reason: 'FieldValueForbidden',
        fieldPath: '.bmc',
      },
    ],
  },
);

/** What is known of a server. */
export const ServerStatus = Struct(
  {
    manufacturer: Type.Optional(Text('Manufacturer, as the BMC spells it.')),
    model: Type.Optional(Text('Model of the server.')),
    sku: Type.Optional(Text('Stock keeping unit.')),
    serialNumber: Type.Optional(Text('Serial number of the server.')),
    biosVersion: Type.Optional(Text('BIOS version read when the server was last looked at; see bios.')),
    bios: Type.Optional(Bios('The BIOS as last scanned; ServerFirmware.spec.bios follows it.')),
    powerState: Type.Optional(StringEnum(powerStates, { description: 'Power state of the server.' })),
    indicatorLED: Type.Optional(StringEnum(indicatorLeds, { description: 'What the indicator LED does.' })),
    state: Type.Optional(StringEnum(serverStates, { description: 'Where the server is in its life.' })),
    networkInterfaces: Type.Optional(List(NetworkInterface, { description: 'Network interfaces.', maxItems: 256 })),
    totalSystemMemory: Type.Optional(Quantity('Memory in bytes.')),
    processors: Type.Optional(List(Processor, { description: 'Processors.' })),
    storages: Type.Optional(List(Storage, { description: 'Storage controllers.' })),
    conditions: Type.Optional(Conditions('What is known about the object now.')),
  },
  { description: 'What the server is and what it does now.' },
);

/** The spec, typed. */
export type ServerSpec = Static<typeof ServerSpec>;

/** The status, typed. */
export type ServerStatus = Static<typeof ServerStatus>;

/** A Server object. */
export type Server = CustomResource<IroncoreApiVersion, 'Server', ServerSpec, ServerStatus>;

/** Server: one machine behind a BMC. */
export const server = declareKind({
  group: ironcoreGroup,
  kind: 'Server',
  plural: 'servers',
  singular: 'server',
  scope: 'Cluster',
  description: 'One machine behind a BMC.',
  versions: [
    {
      version: ironcoreVersion,
      storage: true,
      spec: ServerSpec,
      status: ServerStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        { name: 'SystemUUID', type: 'string', jsonPath: '.spec.systemUUID' },
        { name: 'Manufacturer', type: 'string', jsonPath: '.status.manufacturer' },
        { name: 'Model', type: 'string', jsonPath: '.status.model' },
        { name: 'Memory', type: 'string', jsonPath: '.status.totalSystemMemory' },
        { name: 'SKU', type: 'string', jsonPath: '.status.sku', priority: 100 },
        { name: 'SerialNumber', type: 'string', jsonPath: '.status.serialNumber', priority: 100 },
        { name: 'PowerState', type: 'string', jsonPath: '.status.powerState' },
        { name: 'IndicatorLED', type: 'string', jsonPath: '.status.indicatorLED', priority: 100 },
        { name: 'State', type: 'string', jsonPath: '.status.state' },
        ageColumn,
      ],
      selectableFields: ['.spec.systemUUID'],
    },
  ],
  example: {
    apiVersion: ironcoreApiVersion,
    kind: 'Server',
    metadata: { name: 'rack1-bmc7-system-0', labels: { env: 'prod' } },
    spec: {
      systemUUID: '38947555-7742-3448-3784-823347823834',
      systemURI: '/redfish/v1/Systems/1',
      bmcRef: { name: 'rack1-bmc7' },
    },
  },
});
