import { type Static, Type } from 'typebox';
import { Conditions } from '../condition.ts';
import { ageColumn, declareKind } from '../declare.ts';
import type { CustomResource } from '../object.ts';
import { describe, Flag, List, ListSet, MapOf, StringEnum, Struct, Text, Time, Whole } from '../shapes.ts';
import { type Metal3ApiVersion, metal3ApiVersion, metal3Group } from './group.ts';
import { HardwareCharacteristics } from './hardware-characteristics.ts';
import { exactMacPattern } from './hardware-details.ts';

/** The label of a host that nobody but a person may use yet; taking it off releases the host. */
export const quarantineLabel = 'discovery.rackwright.io/quarantine';

/** The one annotation by which hosts are told what to do that new hosts may get. */
const pausedAnnotation = 'baremetalhost.metal3.io/paused';

/** How annotations begin by which hosts are told what to do, or in which controllers keep what they know. */
const controlPrefixes = [
  'baremetalhost.metal3.io',
  'inspect.metal3.io',
  'reboot.metal3.io',
  'capi.metal3.io',
  'metal3.io/',
  'hosts.rackwright.io/',
  'discovery.rackwright.io/',
] as const;

/** True for annotations that make hosts do something: who may write them into new hosts could do all that owners of hosts may. */
export function isControlAnnotation(name: string): boolean {
  return name !== pausedAnnotation && controlPrefixes.some((prefix) => name.startsWith(prefix));
}

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
        'The detail: `hostname`, `ip` (of the first NIC, dots become dashes), `serial-number`, `boot-mac` (colons become dashes) or `provisioning-id` (the id the provisioner gave the host; `host-` comes first where the name would be a UUID, which hosts must not have).',
    }),
  },
  { description: 'The name of a discovered host: prefix, detail, suffix.' },
);

/** How discovered hosts are named. */
export type ResourceNameTemplate = Static<typeof ResourceNameTemplate>;

/** How fast hosts are created unless told otherwise: a hall that is switched on at once is let in, a flood is not. */
export const defaultRateLimit = { hostsPerMinute: 120, burst: 1000 } as const;

/** How many discovered hosts there may be that nobody uses, unless told otherwise. */
export const defaultMaxUnusedHosts = 2000;

/** How discovery goes about it. */
export const BareMetalHostDiscoverySpec = Struct(
  {
    resourceNameTemplate: ResourceNameTemplate,
    paused: Type.Optional(Flag('Stop creating hosts.', { default: false })),
    pollIntervalSeconds: Type.Optional(
      Whole('How often the provisioner is asked for unknown hosts.', { minimum: 5, maximum: 86400, default: 60 }),
    ),
    onlyAutoDiscovered: Type.Optional(
      Flag(
        'Look only at machines that came by themselves. With `false` also at those that somebody registered with the provisioner and nobody has claimed since: never at one with a name, an owner or a user.',
        { default: true },
      ),
    ),
    quarantine: Type.Optional(
      Flag(
        'Keep new hosts out of reach of consumers until a person takes the label `discovery.rackwright.io/quarantine` off them.',
        { default: false },
      ),
    ),
    labels: Type.Optional(
      MapOf(Type.String({ maxLength: 63 }), {
        description: 'Labels new hosts get; MachineSets scale by them.',
        maxProperties: 64,
      }),
    ),
    annotations: Type.Optional(
      MapOf(Type.String({ maxLength: 1024 }), {
        description: `Annotations new hosts get. Of those by which hosts are told what to do (such as \`reboot.metal3.io\` or \`baremetalhost.metal3.io/status\`) only \`${pausedAnnotation}\` may be given.`,
        maxProperties: 64,
        'x-kubernetes-validations': [
          {
            rule: `self.all(key, key == '${pausedAnnotation}' || !(${controlPrefixes.map((prefix) => `key.startsWith('${prefix}')`).join(' || ')}))`,
            message: `annotations of metal3.io and rackwright.io tell hosts what to do and cannot be given to hosts that nobody has looked at; only ${pausedAnnotation} can`,
          },
        ],
      }),
    ),
    hardwareSelector: Type.Optional(
      describe(HardwareCharacteristics, 'Only machines with this hardware become hosts; all do unless given.'),
    ),
    ignoredMACAddresses: Type.Optional(
      ListSet(Type.String({ pattern: exactMacPattern }), {
        description:
          'Machines with one of these MAC addresses never become hosts, such as those of hosts that were deleted for good.',
        maxItems: 4096,
      }),
    ),
    rateLimit: Type.Optional(
      Struct(
        {
          hostsPerMinute: Whole('How many hosts are created in a minute in the long run.', {
            minimum: 1,
            maximum: 100_000,
          }),
          burst: Type.Optional(
            Whole('How many may be created at once after a pause; as many as in a minute unless given.', {
              minimum: 1,
              maximum: 100_000,
            }),
          ),
        },
        {
          description: 'How fast hosts are created; those beyond it wait and are counted.',
          default: { ...defaultRateLimit },
        },
      ),
    ),
    maxUnusedHosts: Type.Optional(
      Whole(
        'No more hosts are created while so many discovered hosts of the namespace are used by nobody: without consumer, image and BMC details, and not provisioned by others. A flood of machines ends there, until people have looked at them.',
        { minimum: 1, maximum: 100_000, default: defaultMaxUnusedHosts },
      ),
    ),
  },
  { description: 'How hosts are discovered. A change has no effect on hosts that were discovered before it.' },
);

/** How discovery goes about it. */
export type BareMetalHostDiscoverySpec = Static<typeof BareMetalHostDiscoverySpec>;

/** What discovery has done. */
export const BareMetalHostDiscoveryStatus = Struct(
  {
    observedGeneration: Type.Optional(Whole('The generation this status was computed from.', { format: 'int64' })),
    lastPollTime: Type.Optional(
      Time({ description: 'When the provisioner was last asked and its answer changed something here.' }),
    ),
    lastDiscoveryTime: Type.Optional(Time({ description: 'When a host was last created.' })),
    discoveredHosts: Type.Optional(Whole('Hosts created by this object so far.', { minimum: 0 })),
    knownHosts: Type.Optional(Whole('Hosts of the provisioner that have a BareMetalHost.', { minimum: 0 })),
    unusedHosts: Type.Optional(
      Whole('Discovered hosts of the namespace that nobody uses, as `maxUnusedHosts` counts them.', { minimum: 0 }),
    ),
    skippedHosts: Type.Optional(Whole('Machines that were refused; see `skipped` and the conditions.', { minimum: 0 })),
    waitingHosts: Type.Optional(
      Whole('Machines that will become hosts later: they have told nothing yet, or a limit holds them back.', {
        minimum: 0,
      }),
    ),
    ignoredHosts: Type.Optional(
      Whole(
        'Machines that are left alone because of the spec: not selected, ignored, or not discovered by themselves.',
        {
          minimum: 0,
        },
      ),
    ),
    skipped: Type.Optional(
      List(
        Struct(
          {
            provisionerID: Text("The provisioner's own id of the machine."),
            bootMACAddress: Type.Optional(Text('The MAC address that it boots from.')),
            reason: Text('Why, in one word.'),
            message: Text('Why, in a sentence.'),
          },
          { description: 'A machine that was refused.' },
        ),
        { description: 'The first of the machines that were refused, and why.', maxItems: 20 },
      ),
    ),
    conditions: Type.Optional(
      Conditions(
        'Ready: the provisioner answers. NameConflict: a machine could not be named. Throttled: the rate limit or `maxUnusedHosts` holds machines back.',
      ),
    ),
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
        {
          name: 'Waiting',
          type: 'integer',
          jsonPath: '.status.waitingHosts',
          description: 'Machines that will become hosts later.',
        },
        {
          name: 'Skipped',
          type: 'integer',
          jsonPath: '.status.skippedHosts',
          description: 'Machines that were refused.',
        },
        {
          name: 'Ready',
          type: 'string',
          jsonPath: '.status.conditions[?(@.type=="Ready")].status',
          description: 'Whether the provisioner answers.',
        },
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
