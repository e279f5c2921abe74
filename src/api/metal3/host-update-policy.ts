import { type Static, Type } from 'typebox';
import { declareKind } from '../declare.ts';
import type { LenientResource } from '../object.ts';
import { StringEnum, Struct } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';

/** When a change is applied to a host: before it is provisioned, or also at its next reboot. */
export const updatePolicies = ['onPreparing', 'onReboot'] as const;

/** When a change is applied to a host. */
export type UpdatePolicy = (typeof updatePolicies)[number];

const policy = (what: string) =>
  Type.Optional(
    StringEnum(updatePolicies, {
      description: `When ${what}: \`onPreparing\` only before the host is provisioned, \`onReboot\` also at the next reboot of a provisioned host.`,
      default: 'onPreparing',
    }),
  );

/** Which live updates a host may get. */
export const HostUpdatePolicySpec = Struct(
  {
    firmwareSettings: policy('BIOS settings are changed'),
    firmwareUpdates: policy('firmware is installed'),
  },
  { description: 'Which live updates are allowed.' },
);

/** Which live updates a host may get. */
export type HostUpdatePolicySpec = Static<typeof HostUpdatePolicySpec>;

/** Which live updates the BareMetalHost of the same name may get. */
export type HostUpdatePolicy = LenientResource<Metal3ApiVersion, 'HostUpdatePolicy', HostUpdatePolicySpec, object>;

/** HostUpdatePolicy: without one, or with an empty one, a provisioned host is left alone. */
export const hostUpdatePolicy = declareKind({
  group: metal3Group,
  kind: 'HostUpdatePolicy',
  plural: 'hostupdatepolicies',
  singular: 'hostupdatepolicy',
  scope: 'Namespaced',
  description: 'Which live updates the BareMetalHost of the same name may get while it is in use.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: HostUpdatePolicySpec,
      // Metal3 clients send `status: {}`; there is nothing to put in it.
      status: Struct({}, { description: 'Always empty.' }),
      hasStatusSubresource: false,
      columns: [],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'HostUpdatePolicy',
    metadata: { name: 'rack1-host7', namespace: 'fleet' },
    spec: { firmwareSettings: 'onReboot', firmwareUpdates: 'onReboot' },
  },
});
