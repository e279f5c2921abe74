import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind, List, Struct, Text, Time } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { type IroncoreApiVersion, ironcoreApiVersion, ironcoreGroup, ironcoreVersion } from './names.ts';
import { Duration, FailedRuns, Int32, Int64, OpenRequest, Report } from './shapes.ts';

const maxVersionsToStore = 100;

function versionList(description: string) {
  return List(Type.String({ minLength: 1, maxLength: 253 }), {
    description,
    maxItems: maxVersionsToStore,
    'x-kubernetes-list-type': 'atomic',
  });
}

function identity(field: 'manufacturer' | 'model', description: string) {
  return Text(description, {
    minLength: 1,
    maxLength: 253,
    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: `${field} is immutable` }],
  });
}

/** What to look for, how often, and how much of it to keep. */
export const DiscoveredFirmwareSpec = Struct(
  {
    manufacturer: identity('manufacturer', 'Manufacturer of the servers.'),
    model: identity('model', 'Model of the servers.'),
    discoveryInterval: Type.Optional(Duration('Time between two runs of discovery.', { default: '24h' })),
    versionsToStore: Type.Optional(
      Int32('How many versions of each firmware to keep.', { default: 3, minimum: 1, maximum: maxVersionsToStore }),
    ),
  },
  { description: 'The manufacturer and model to find firmware for.' },
);

const Discovered = Struct({
  name: Text('Which component: ssd, nic, ...', { minLength: 1, maxLength: 253 }),
  manufacturer: Text('Who publishes the firmware: the maker of the component or of the server.', {
    minLength: 1,
    maxLength: 253,
  }),
  model: Type.Optional(
    Text('Product that the versions are for; absent where the catalogue has none.', { maxLength: 253 }),
  ),
  softwareIds: Type.Optional(
    List(Type.String({ minLength: 1, maxLength: 253 }), {
      description: "The vendor's ids of what the versions are for.",
      maxItems: 100,
      'x-kubernetes-list-type': 'atomic',
    }),
  ),
  version: Type.Optional(versionList('The versions that can be had, oldest first; at most spec.versionsToStore.')),
  versions: Type.Optional(versionList('The same list as version, under the name that bios uses.')),
});

/** What discovery found. */
export const DiscoveredFirmwareStatus = Struct(
  {
    observedGeneration: Type.Optional(Int64('metadata.generation last looked at.', { minimum: 0 })),
    lastDiscoveryTime: Type.Optional(Time({ description: 'When discovery last finished.' })),
    bios: Type.Optional(
      Struct(
        { versions: versionList('The BIOS versions that can be had, oldest first; at most spec.versionsToStore.') },
        { description: 'The BIOS.' },
      ),
    ),
    firmwares: Type.Optional(
      List(Discovered, {
        description: 'Each product with its versions.',
        maxItems: 256,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    request: Type.Optional(OpenRequest),
    failedRuns: Type.Optional(FailedRuns),
    report: Type.Optional(Report),
    conditions: Type.Optional(Conditions('What is known about the object now.')),
  },
  { description: 'The firmware that was found.' },
);

// Only a changed status is held to the limit: otherwise a limit that was lowered could never be written.
const withinLimit =
  '(!has(self.status.bios) || size(self.status.bios.versions) <= self.spec.versionsToStore) && (!has(self.status.firmwares) || self.status.firmwares.all(f, (!has(f.version) || size(f.version) <= self.spec.versionsToStore) && (!has(f.versions) || size(f.versions) <= self.spec.versionsToStore)))';

/** The spec, typed. */
export type DiscoveredFirmwareSpec = Static<typeof DiscoveredFirmwareSpec>;

/** The status, typed. */
export type DiscoveredFirmwareStatus = Static<typeof DiscoveredFirmwareStatus>;

/** A DiscoveredFirmware object. */
export type DiscoveredFirmware = CustomResource<
  IroncoreApiVersion,
  'DiscoveredFirmware',
  DiscoveredFirmwareSpec,
  DiscoveredFirmwareStatus
>;

/** DiscoveredFirmware: the firmware versions that can be had for one model. */
export const discoveredFirmware = declareKind({
  group: ironcoreGroup,
  kind: 'DiscoveredFirmware',
  plural: 'discoveredfirmwares',
  singular: 'discoveredfirmware',
  shortNames: ['dfw'],
  scope: 'Cluster',
  description: 'The firmware versions that can be had for one manufacturer and model.',
  versions: [
    {
      version: ironcoreVersion,
      storage: true,
      spec: DiscoveredFirmwareSpec,
      status: DiscoveredFirmwareStatus,
      required: ['spec'],
      rules: [
        {
          rule: `!has(self.status) || !has(self.spec.versionsToStore) || (has(oldSelf.status) && self.status == oldSelf.status) || (${withinLimit})`,
          message: 'no list of versions may be longer than spec.versionsToStore',
          fieldPath: '.status',
        },
      ],
      hasStatusSubresource: true,
      columns: [
        { name: 'Manufacturer', type: 'string', jsonPath: '.spec.manufacturer' },
        { name: 'Model', type: 'string', jsonPath: '.spec.model' },
        { name: 'Interval', type: 'string', jsonPath: '.spec.discoveryInterval', priority: 1 },
        { name: 'Last Discovery', type: 'date', jsonPath: '.status.lastDiscoveryTime' },
        ageColumn,
      ],
    },
  ],
  example: {
    apiVersion: ironcoreApiVersion,
    kind: 'DiscoveredFirmware',
    metadata: { name: 'baz' },
    spec: { manufacturer: 'Lenovo', model: '7x21', discoveryInterval: '24h', versionsToStore: 3 },
  },
});
