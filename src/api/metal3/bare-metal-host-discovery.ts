import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { Flag, MapOf, StringEnum, Struct, Text, Time, Whole } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';

/** Hardware details a host can be named after. */
export const namingDetails = ['hostname', 'ip', 'serial-number', 'boot-mac', 'provisioning-id'] as const;

/** A hardware detail a host can be named after. */
export type NamingDetail = (typeof namingDetails)[number];

/** How discovered hosts are named. */
export const ResourceNameTemplate = Struct(
  {
    prefix: Type.Optional(
      Text('Text in front of the detail.', { pattern: '^([a-z0-9][-a-z0-9.]*)?$', maxLength: 120 }),
    ),
    suffix: Type.Optional(Text('Text after the detail.', { pattern: '^([-a-z0-9.]*[a-z0-9])?$', maxLength: 120 })),
    hardwareDetails: StringEnum(namingDetails, {
      description:
        'The detail: `hostname`, `ip` (of the first NIC, dots become dashes), `serial-number`, `boot-mac` (colons become dashes) or `provisioning-id` (the id the provisioner gave the host).',
    }),
  },
  { description: 'The name of a discovered host: prefix, detail, suffix.' },
);

/** How discovered hosts are named. */
export type ResourceNameTemplate = Static<typeof ResourceNameTemplate>;

/** How discovery goes about it. */
export const BareMetalHostDiscoverySpec = Struct(
  {
    resourceNameTemplate: ResourceNameTemplate,
    paused: Type.Optional(Flag('Stop creating hosts.', { default: false })),
    pollIntervalSeconds: Type.Optional(
      Whole('How often the provisioner is asked for unknown hosts.', { minimum: 5, maximum: 86400, default: 60 }),
    ),
    onlyAutoDiscovered: Type.Optional(
      Flag('Look only at hosts that the provisioner itself marked as discovered.', { default: false }),
    ),
    quarantine: Type.Optional(
      Flag('Keep new hosts out of reach of consumers until a person releases them.', { default: false }),
    ),
    labels: Type.Optional(
      MapOf(Type.String({ maxLength: 63 }), {
        description: 'Labels new hosts get; MachineSets scale by them.',
        maxProperties: 64,
      }),
    ),
    annotations: Type.Optional(MapOf(Type.String(), { description: 'Annotations new hosts get.', maxProperties: 64 })),
  },
  { description: 'How hosts are discovered. A change has no effect on hosts that were discovered before it.' },
);

/** How discovery goes about it. */
export type BareMetalHostDiscoverySpec = Static<typeof BareMetalHostDiscoverySpec>;

/** What discovery has done. */
export const BareMetalHostDiscoveryStatus = Struct(
  {
    observedGeneration: Type.Optional(Whole('The generation this status was computed from.', { format: 'int64' })),
    lastPollTime: Type.Optional(Time({ description: 'When the provisioner was last asked.' })),
    lastDiscoveryTime: Type.Optional(Time({ description: 'When a host was last created.' })),
    discoveredHosts: Type.Optional(Whole('Hosts created by this object so far.', { minimum: 0 })),
    knownHosts: Type.Optional(Whole('Hosts of the provisioner that have a BareMetalHost.', { minimum: 0 })),
    skippedHosts: Type.Optional(Whole('Hosts that could not be created; see the conditions.', { minimum: 0 })),
    conditions: Type.Optional(Conditions('Ready: the provisioner answers. NameConflict: a host could not be named.')),
  },
  { description: 'What discovery has done.' },
);

/** What discovery has done. */
export type BareMetalHostDiscoveryStatus = Static<typeof BareMetalHostDiscoveryStatus>;

/** Turns on discovery in its namespace. */
export type BareMetalHostDiscovery = CustomResource<
  Metal3ApiVersion,
  'BareMetalHostDiscovery',
  BareMetalHostDiscoverySpec,
  BareMetalHostDiscoveryStatus
>;

/** BareMetalHostDiscovery; where there is none, nothing is discovered. */
export const bareMetalHostDiscovery = declareKind({
  group: metal3Group,
  kind: 'BareMetalHostDiscovery',
  plural: 'baremetalhostdiscoveries',
  singular: 'baremetalhostdiscovery',
  shortNames: ['bmhd'],
  scope: 'Namespaced',
  description: 'Creates a BareMetalHost for every host the provisioner knows and nobody has registered.',
  versions: [
    {
      version: 'v1alpha1',
      storage: true,
      spec: BareMetalHostDiscoverySpec,
      status: BareMetalHostDiscoveryStatus,
      required: ['spec'],
      hasStatusSubresource: true,
      columns: [
        {
          name: 'Named-By',
          type: 'string',
          jsonPath: '.spec.resourceNameTemplate.hardwareDetails',
          description: 'The detail hosts are named after.',
        },
        {
          name: 'Discovered',
          type: 'integer',
          jsonPath: '.status.discoveredHosts',
          description: 'Hosts created so far.',
        },
        { name: 'Last-Poll', type: 'date', jsonPath: '.status.lastPollTime', description: 'Time since the last poll.' },
        ageColumn,
      ],
    },
  ],
  example: {
    apiVersion: metal3ApiVersion,
    kind: 'BareMetalHostDiscovery',
    metadata: { name: 'rack1', namespace: 'fleet' },
    spec: {
      resourceNameTemplate: { prefix: 'rack1-', hardwareDetails: 'serial-number' },
      labels: { 'fleet.example.com/rack': 'rack1' },
      quarantine: true,
    },
  },
});
