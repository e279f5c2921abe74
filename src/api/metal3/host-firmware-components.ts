import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { declareKind } from '../declare.ts';
import type { LenientResource } from '../object.ts';
import { List, Struct, Text, Time } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';

const FirmwareUpdate = Struct(
  {
    component: Text('Component to update: `bios`, `bmc` or `nic:` and the name of a network card.'),
    url: Text('Where the firmware image is: any HTTP link. Another URL asks for another update.'),
  },
  { description: 'One firmware to install.' },
);

/** Firmware a user wants. */
export const HostFirmwareComponentsSpec = Struct(
  {
    updates: List(FirmwareUpdate, {
      description: 'Firmware to install; an empty list asks for nothing and aborts a failed live update.',
    }),
  },
  { description: 'The firmware that is wanted.' },
);

/** Firmware a user wants. */
export type HostFirmwareComponentsSpec = Static<typeof HostFirmwareComponentsSpec>;

const ComponentStatus = Struct(
  {
    component: Text('Name of the component.'),
    initialVersion: Text('Version found first.'),
    currentVersion: Type.Optional(Text('Version found last.')),
    lastVersionFlashed: Type.Optional(Text('Version last installed through this object.')),
    updatedAt: Type.Optional(Time({ description: 'When it was last installed.' })),
  },
  { description: 'One component and its firmware.' },
);

/** Firmware a host has. */
export const HostFirmwareComponentsStatus = Struct(
  {
    updates: Type.Optional(List(FirmwareUpdate, { description: 'The updates that were last started.' })),
    components: Type.Optional(List(ComponentStatus, { description: 'The components of the host.' })),
    lastUpdated: Type.Optional(Time({ description: 'When this status was last written.' })),
    conditions: Type.Optional(
      Conditions('ChangeDetected: updates are waiting. Valid: every component and image asked for can be had.'),
    ),
  },
  { description: 'The firmware the host has.' },
);

/** Firmware a host has. */
export type HostFirmwareComponentsStatus = Static<typeof HostFirmwareComponentsStatus>;

/** The firmware of the BareMetalHost of the same name. */
export type HostFirmwareComponents = LenientResource<
  Metal3ApiVersion,
  'HostFirmwareComponents',
  HostFirmwareComponentsSpec,
  HostFirmwareComponentsStatus
>;

/** HostFirmwareComponents, as Metal3 has it (which gives it no short name). */
export const hostFirmwareComponents = declareKind({
  group: metal3Group,
  kind: 'HostFirmwareComponents',
  plural: 'hostfirmwarecomponents',
  singular: 'hostfirmwarecomponents',
  scope: 'Namespaced',
  description: 'The firmware of the BareMetalHost of the same name: versions it has and images it should get.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: HostFirmwareComponentsSpec,
      status: HostFirmwareComponentsStatus,
      hasStatusSubresource: true,
      columns: [],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'HostFirmwareComponents',
    metadata: { name: 'rack1-host7', namespace: 'fleet' },
    spec: { updates: [{ component: 'bios', url: 'https://firmware.example.com/r1/bios-2.15.0.bin' }] },
  },
});
