import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind, StringEnum, Struct, Text, Time } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { type IroncoreApiVersion, ironcoreApiVersion, ironcoreGroup, ironcoreVersion } from './names.ts';
import { Int32, IpAddress, MacAddress, NameReference, Protocol, powerStates } from './shapes.ts';

const InlineEndpoint = Struct(
  {
    macAddress: Type.Optional(MacAddress('MAC address of the BMC.')),
    ip: IpAddress('IP address of the BMC.'),
  },
  {
    description: 'Where the BMC is, given here. Exactly one of access and endpointRef.',
    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'access is immutable' }],
  },
);

/** What is wanted of a BMC. */
export const BMCSpec = Struct(
  {
    bmcUUID: Type.Optional(Text('UUID of the Redfish Manager; the first one when not given.', { maxLength: 64 })),
    endpointRef: Type.Optional(
      NameReference('The Endpoint that says where the BMC is. Exactly one of access and endpointRef.', {
        'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'endpointRef is immutable' }],
      }),
    ),
    access: Type.Optional(InlineEndpoint),
    bmcSecretRef: NameReference('The BMCSecret with username and password.'),
    protocol: Protocol,
    consoleProtocol: Type.Optional(
      Struct(
        {
          name: StringEnum(['IPMI', 'SSH', 'SSHLenovo'], { description: 'The console protocol.' }),
          port: Int32('Port of the console.', { minimum: 1, maximum: 65535 }),
        },
        { description: 'How to reach the serial console.' },
      ),
    ),
    hostname: Type.Optional(Text('Host name the BMC answers to.', { maxLength: 253 })),
    bmcSettingsRef: Type.Optional(NameReference('The BMCSettings of this BMC.')),
  },
  {
    description: 'How to reach the BMC.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.access) != has(self.endpointRef)',
        message: 'exactly one of access or endpointRef needs to be set',
      },
    ],
  },
);

/** What is known of a BMC. */
export const BMCStatus = Struct(
  {
    macAddress: Type.Optional(MacAddress('MAC address of the BMC.')),
    ip: Type.Optional(IpAddress('IP address of the BMC.')),
    manufacturer: Type.Optional(Text('Manufacturer, as the BMC spells it.')),
    model: Type.Optional(Text('Model of the BMC.')),
    sku: Type.Optional(Text('Stock keeping unit.')),
    serialNumber: Type.Optional(Text('Serial number of the BMC.')),
    firmwareVersion: Type.Optional(Text('Firmware the BMC runs.')),
    state: Type.Optional(StringEnum(['Enabled', 'Error', 'Pending'], { description: 'Whether the BMC can be used.' })),
    powerState: Type.Optional(StringEnum(powerStates, { description: 'Power state of the BMC.' })),
    lastResetTime: Type.Optional(Time({ description: 'When the BMC was last reset by us.' })),
    metricsReportSubscriptionLink: Type.Optional(Text('Redfish subscription for metrics.')),
    eventsSubscriptionLink: Type.Optional(Text('Redfish subscription for events.')),
    conditions: Type.Optional(Conditions('What is known about the object now.')),
  },
  { description: 'What the BMC reports.' },
);

/** The spec, typed. */
export type BMCSpec = Static<typeof BMCSpec>;

/** The status, typed. */
export type BMCStatus = Static<typeof BMCStatus>;

/** A BMC object. */
export type BMC = CustomResource<IroncoreApiVersion, 'BMC', BMCSpec, BMCStatus>;

/** BMC: a board management controller and how to reach it. */
export const bmc = declareKind({
  group: ironcoreGroup,
  kind: 'BMC',
  plural: 'bmcs',
  singular: 'bmc',
  scope: 'Cluster',
  description: 'A board management controller: how to reach it and what it is.',
  versions: [
    {
      version: ironcoreVersion,
      storage: true,
      spec: BMCSpec,
      status: BMCStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        { name: 'MACAddress', type: 'string', jsonPath: '.status.macAddress' },
        { name: 'IP', type: 'string', jsonPath: '.status.ip' },
        { name: 'Model', type: 'string', jsonPath: '.status.model' },
        { name: 'SKU', type: 'string', jsonPath: '.status.sku', priority: 100 },
        { name: 'SerialNumber', type: 'string', jsonPath: '.status.serialNumber', priority: 100 },
        { name: 'FirmwareVersion', type: 'string', jsonPath: '.status.firmwareVersion', priority: 100 },
        { name: 'State', type: 'string', jsonPath: '.status.state' },
        { name: 'PowerState', type: 'string', jsonPath: '.status.powerState' },
        ageColumn,
      ],
    },
  ],
  example: {
    apiVersion: ironcoreApiVersion,
    kind: 'BMC',
    metadata: { name: 'rack1-bmc7' },
    spec: {
      access: { ip: '192.0.2.17', macAddress: '52:54:00:bb:00:07' },
      bmcSecretRef: { name: 'rack1-bmcs' },
      protocol: { name: 'Redfish', port: 443, scheme: 'https' },
    },
  },
});
