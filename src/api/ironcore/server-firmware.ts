import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind, List, ListMap, Struct, Text, Time } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { type IroncoreApiVersion, ironcoreApiVersion, ironcoreGroup, ironcoreVersion } from './names.ts';
import {
  Bios,
  Duration,
  FailedRuns,
  Firmware,
  firmwareKeys,
  Int32,
  Int64,
  NameReference,
  OpenRequest,
  OpenUpdate,
  PartFirmware,
  Report,
  ResolvedFirmware,
} from './shapes.ts';

/** What is wanted on one server. */
export const ServerFirmwareSpec = Struct(
  {
    scanThreshold: Type.Optional(
      Duration('How old the last scan may be before the server is scanned again.', { default: '30m' }),
    ),
    serverRef: NameReference('The Server this is about; only one ServerFirmware may refer to it.', {
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'serverRef is immutable' }],
    }),
    bios: Type.Optional(
      Bios('The BIOS that is wanted. Follows Server.status.bios until somebody else owns the field.'),
    ),
    firmwares: Type.Optional(
      ListMap(Firmware, firmwareKeys, {
        description: 'The firmwares that are wanted. Entries of the server win over those of its group.',
        maxItems: 256,
      }),
    ),
  },
  { description: 'The desired state of one server.' },
);

const Attempts = Struct(
  {
    desiredHash: Text('Which desired list was tried.', { minLength: 1, maxLength: 128 }),
    failed: Int32('How often it failed.', { minimum: 0 }),
    lastFailureTime: Type.Optional(Time({ description: 'When it failed last.' })),
    message: Type.Optional(Text('Why it failed last.', { maxLength: 32768 })),
  },
  { description: 'Failed attempts at one desired list; forgotten when the list changes or a retry is asked for.' },
);

const Outdated = Struct(
  {
    since: Time({ description: 'When the update ended.' }),
    jobID: Text('Id of the update.', { minLength: 1, maxLength: 253 }),
  },
  {
    description:
      'The installed versions are from before an update that has ended; gone once the server was read again.',
  },
);

/** What is installed on one server. */
export const ServerFirmwareStatus = Struct(
  {
    observedGeneration: Type.Optional(Int64('metadata.generation last looked at.', { minimum: 0 })),
    systemUUID: Type.Optional(
      Text('UUID of the machine that this tells of; all is forgotten when the Server is another one.', {
        maxLength: 64,
      }),
    ),
    lastScanTime: Type.Optional(Time({ description: 'When the installed versions were last read.' })),
    outdated: Type.Optional(Outdated),
    bios: Type.Optional(Bios('The BIOS that is installed.')),
    firmwares: Type.Optional(
      List(PartFirmware, {
        description: 'Every part that has firmware, with the version that is installed.',
        maxItems: 1000,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    resolved: Type.Optional(
      Struct(
        {
          time: Time({ description: 'When the update service answered.' }),
          entries: List(ResolvedFirmware, {
            description: 'The entries.',
            maxItems: 256,
            'x-kubernetes-list-type': 'atomic',
          }),
        },
        { description: 'Entries of spec whose version is not for all parts that they select, or is not available.' },
      ),
    ),
    attempts: Type.Optional(Attempts),
    request: Type.Optional(OpenRequest),
    openUpdate: Type.Optional(OpenUpdate),
    failedScans: Type.Optional(FailedRuns),
    report: Type.Optional(Report),
    conditions: Type.Optional(Conditions('What is known about the object now.')),
  },
  { description: 'What is actually installed on the server.' },
);

/** The spec, typed. */
export type ServerFirmwareSpec = Static<typeof ServerFirmwareSpec>;

/** The status, typed. */
export type ServerFirmwareStatus = Static<typeof ServerFirmwareStatus>;

/** A ServerFirmware object. */
export type ServerFirmware = CustomResource<
  IroncoreApiVersion,
  'ServerFirmware',
  ServerFirmwareSpec,
  ServerFirmwareStatus
>;

/** ServerFirmware: desired and installed firmware of one server. */
export const serverFirmware = declareKind({
  group: ironcoreGroup,
  kind: 'ServerFirmware',
  plural: 'serverfirmwares',
  singular: 'serverfirmware',
  shortNames: ['sfw'],
  scope: 'Cluster',
  description: 'The firmware that is wanted and that is installed on one server.',
  versions: [
    {
      version: ironcoreVersion,
      storage: true,
      spec: ServerFirmwareSpec,
      status: ServerFirmwareStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        { name: 'Server', type: 'string', jsonPath: '.spec.serverRef.name' },
        { name: 'BIOS', type: 'string', jsonPath: '.status.bios.version' },
        { name: 'UpToDate', type: 'string', jsonPath: '.status.conditions[?(@.type=="UpToDate")].status' },
        { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="UpToDate")].reason' },
        { name: 'Last Scan', type: 'date', jsonPath: '.status.lastScanTime' },
        ageColumn,
      ],
      selectableFields: ['.spec.serverRef.name'],
    },
  ],
  example: {
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmware',
    metadata: { name: 'foo' },
    spec: {
      scanThreshold: '30m',
      serverRef: { name: 'foo' },
      bios: { version: '1.0.0' },
      firmwares: [
        { name: 'ssd', manufacturer: 'ACME Corp.', version: '1.0.0' },
        { name: 'nic', manufacturer: 'Intel', version: '2.0.0' },
      ],
    },
  },
});
