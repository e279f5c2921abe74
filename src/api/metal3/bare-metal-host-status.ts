import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { SecretReference } from '../references.ts';
import { describe, Flag, Nullable, StringEnum, Struct, Text, Time, Whole } from '../shapes.ts';
import { BootMode, LegacyFirmware } from './bare-metal-host-spec.ts';
import { Raid, RootDeviceHints } from './disks.ts';
import { HardwareDetails } from './hardware-details.ts';
import { CustomDeploy, Image } from './image.ts';

/** Every value of `status.operationalStatus`. */
export const operationalStatuses = ['', 'OK', 'discovered', 'error', 'delayed', 'detached', 'servicing'] as const;

/** Every value of `status.errorType`. */
export const hostErrorTypes = [
  'provisioned registration error',
  'registration error',
  'inspection error',
  'preparation error',
  'provisioning error',
  'power management error',
  'servicing error',
  'detach error',
  'network error',
] as const;

/** Every value of `status.provisioning.state`; `match profile` and `ready` come from old versions of Metal3. */
export const provisioningStates = [
  '',
  'unmanaged',
  'importing',
  'registering',
  'match profile',
  'inspecting',
  'preparing',
  'ready',
  'available',
  'provisioning',
  'provisioned',
  'externally provisioned',
  'deprovisioning',
  'powering off before delete',
  'deleting',
] as const;

/** A value of `status.provisioning.state`. */
export type ProvisioningState = (typeof provisioningStates)[number];

/** Those in which somebody's data is on the host, also on its way in and out. */
export const hostStatesInUse: readonly string[] = [
  'provisioning',
  'provisioned',
  'externally provisioned',
  'deprovisioning',
] satisfies ProvisioningState[];

/** A value of `status.operationalStatus`. */
export type OperationalStatus = (typeof operationalStatuses)[number];

/** A value of `status.errorType`. */
export type HostErrorType = (typeof hostErrorTypes)[number];

const operation = (what: string) =>
  Type.Optional(
    Struct(
      {
        start: Type.Optional(Nullable(Time({ description: 'When it started.' }))),
        end: Type.Optional(Nullable(Time({ description: 'When it ended; null while it runs.' }))),
      },
      { description: `When the host was last ${what}.` },
    ),
  );

const credentials = (description: string) =>
  Type.Optional(
    Struct(
      {
        credentials: Type.Optional(describe(SecretReference, 'The Secret.')),
        credentialsVersion: Type.Optional(Text('resourceVersion of the Secret.')),
      },
      { description },
    ),
  );

const ProvisionStatus = Struct(
  {
    state: StringEnum(provisioningStates, { description: 'What is being done with the host.' }),
    ID: Text('The id of the host in the provisioner, such as the UUID of the Ironic node.'),
    image: Type.Optional(describe(Image, 'The image last provisioned.')),
    rootDeviceHints: Type.Optional(describe(RootDeviceHints, 'The hints that were used.')),
    bootMode: Type.Optional(BootMode),
    raid: Type.Optional(describe(Raid, 'The RAID that was built.')),
    firmware: Type.Optional(LegacyFirmware),
    customDeploy: Type.Optional(describe(CustomDeploy, 'The custom deploy procedure that was run.')),
  },
  { description: 'What the provisioner knows of the host.' },
);

/** What is known of a host. */
export const BareMetalHostStatus = Struct(
  {
    operationalStatus: StringEnum(operationalStatuses, { description: 'How the host is doing.' }),
    errorType: Type.Optional(StringEnum(hostErrorTypes, { description: 'What failed, while something has failed.' })),
    errorMessage: Text('What the provisioner last complained about; empty when nothing is wrong.'),
    errorCount: Whole('Failures since something last succeeded.', { default: 0 }),
    provisioningFailCount: Whole('Failed attempts at provisioning the present image.', { default: 0 }),
    lastAttemptedImage: Type.Optional(describe(Image, 'The image of the last attempt at provisioning.')),
    poweredOn: Flag('Power state as last seen.'),
    provisioning: ProvisionStatus,
    lastUpdated: Type.Optional(Time({ description: 'When this status was last written.' })),
    hardwareProfile: Type.Optional(Text('Deprecated: the profile that matches the hardware.')),
    hardware: Type.Optional(describe(HardwareDetails, 'The hardware of the host; HardwareData has it too.')),
    goodCredentials: credentials('The last BMC credentials that worked.'),
    triedCredentials: credentials('The last BMC credentials that were tried.'),
    operationHistory: Type.Optional(
      Struct(
        {
          register: operation('registered'),
          inspect: operation('inspected'),
          provision: operation('provisioned'),
          deprovision: operation('deprovisioned'),
          service: operation('serviced (a live update)'),
        },
        { description: 'When things were last done to the host.' },
      ),
    ),
    conditions: Type.Optional(
      Conditions(
        'Manageable, AvailableForProvisioning, Provisioned, Ready, Progressing, Healthy and, where they apply, LiveUpdates, NetworkConfigured and DuplicateMachine.',
      ),
    ),
  },
  { description: 'What is known of the host.' },
);

/** What is known of a host. */
export type BareMetalHostStatus = Static<typeof BareMetalHostStatus>;
