import type { PolicyRule } from '../api/index.ts';
import type { Condition } from './condition.ts';
import { value } from './template.ts';
import { areJobsInCluster } from './update-service-values.ts';

/** A rule that may be limited to objects by name. */
export interface NamedRule extends PolicyRule {
  readonly resourceNames?: readonly string[];
}

/**
 * What a component asks the API server for and nothing more, by where it is bound.
 */
export interface Rights {
  /** In the namespaces that it looks after: all, or that of a tenant. */
  readonly objects: readonly NamedRule[];
  /** On what has no namespace, or is in namespaces of others. */
  readonly cluster: readonly NamedRule[];
  /** In the namespace that it runs in. */
  readonly home: readonly NamedRule[];
  /** Where switches and ports are kept: in the namespaces that it looks after, or in all where they are of somebody else. */
  readonly ports?: readonly NamedRule[];
  /**
   * What others ask about it, and nobody requests: admission about those who write, to tell controllers and the infra team from
   * tenants, and the update service about those who call. Where objects are.
   */
  readonly standing?: readonly NamedRule[];
  /** In the namespace of the installation. */
  readonly shared?: readonly NamedRule[];
  /**
   * For the Roles that it keeps for tenants, where it looks after all namespaces: a Role may only grant what its writer
   * may do.
   */
  readonly tenants?: readonly NamedRule[];
  /** What only some values make it ask for. */
  readonly chosen?: readonly ChosenRights[];
}

/** Rights that only some values make a component ask for. */
export interface ChosenRights {
  /** Ends the name of the role. */
  readonly name: string;
  readonly when: Condition;
  /** The namespace that they are bound in; none for the cluster. */
  readonly within: string | undefined;
  readonly rules: readonly NamedRule[];
  /** Where and for what, in words. */
  readonly where: string;
}

type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** Whoever lists sees all that getting one would show; one is read again when somebody else has written. */
const follow: readonly Verb[] = ['get', 'list', 'watch'];

function on(group: string, verbs: readonly Verb[], ...resources: readonly string[]): NamedRule {
  return { apiGroups: [group], resources, verbs };
}

const metal3 = (verbs: readonly Verb[], ...resources: string[]) => on('metal3.io', verbs, ...resources);
const ironcore = (verbs: readonly Verb[], ...resources: string[]) => on('metal.ironcore.dev', verbs, ...resources);
const core = (verbs: readonly Verb[], ...resources: string[]) => on('cluster.x-k8s.io', verbs, ...resources);
const infrastructure = (verbs: readonly Verb[], ...resources: string[]) =>
  on('infrastructure.cluster.x-k8s.io', verbs, ...resources);

/** Leaders are elected. */
const election = on('coordination.k8s.io', ['get', 'create', 'update'], 'leases');

const events = on('', ['create', 'patch'], 'events');

/** Whoever reads metrics is asked for who they are and whether they may. */
const metricsReaders = [
  on('authentication.k8s.io', ['create'], 'tokenreviews'),
  on('authorization.k8s.io', ['create'], 'subjectaccessreviews'),
];

const switches = ['switches', 'ansibleswitches', 'ovsswitches', 'fixtureswitches'];
const portKinds = [...switches, 'switchportconfigurations', 'switchresourcelimits'];

const convertedDefinitions = [
  ...['clusters', 'machines', 'machinesets', 'machinedeployments'].map((name) => `${name}.cluster.x-k8s.io`),
  ...['metal3machines', 'metal3machinetemplates', 'metal3clusters'].map(
    (name) => `${name}.infrastructure.cluster.x-k8s.io`,
  ),
];

const hosts: Rights = {
  objects: [
    metal3([...follow, 'create', 'patch'], 'baremetalhosts'),
    metal3([...follow, 'create', 'update', 'patch'], 'hardwaredata'),
    metal3([...follow, 'create', 'patch'], 'hostfirmwaresettings', 'hostfirmwarecomponents'),
    metal3([...follow, 'create', 'delete'], 'firmwareschemas'),
    metal3([...follow, 'patch'], 'hostupdatepolicies', 'dataimages'),
    metal3(follow, 'preprovisioningimages', 'baremetalhostdiscoveries', 'hardwareclassifications'),
    metal3(
      ['patch'],
      ...['baremetalhosts', 'hostfirmwaresettings', 'hostfirmwarecomponents', 'dataimages'].map(
        (name) => `${name}/status`,
      ),
      ...['baremetalhostdiscoveries', 'hardwareclassifications'].map((name) => `${name}/status`),
    ),
    // Credentials of BMCs are claimed by a label; what hosts boot with is read by name.
    on('', [...follow, 'patch'], 'secrets'),
    events,
  ],
  cluster: [
    ...metricsReaders,
    on('', ['get', 'list', 'patch'], 'nodes'),
    on('', ['list'], 'pods'),
    on('', ['create'], 'pods/eviction'),
  ],
  // Besides elections: claims of machines that are about to become hosts.
  home: [on('coordination.k8s.io', [...follow, 'create', 'update', 'delete'], 'leases')],
  ports: [metal3(follow, ...portKinds), metal3([...follow, 'patch'], 'switchports')],
  standing: [
    // Moves ports of hosts, also to networks that only the infra team may choose.
    metal3(['update'], 'switches'),
    // Says which machine a host is that nobody registered.
    metal3(['update'], 'baremetalhostdiscoveries/status'),
  ],
  shared: [{ ...on('coordination.k8s.io', ['get'], 'leases'), resourceNames: ['rackwright-engine'] }],
};

const network: Rights = {
  objects: [
    metal3([...follow, 'patch'], ...switches, 'switchportconfigurations'),
    metal3([...follow, 'create', 'patch', 'delete'], 'switchports'),
    metal3(follow, 'switchresourcelimits', 'baremetalhosts'),
    metal3(['patch'], ...[...switches, 'switchports', 'switchresourcelimits'].map((name) => `${name}/status`)),
    on('', ['get'], 'secrets'),
    events,
  ],
  cluster: metricsReaders,
  home: [election],
  standing: [metal3(['update'], 'switches')],
  tenants: [
    on('rbac.authorization.k8s.io', ['list', 'watch', 'create', 'patch'], 'roles'),
    metal3(['update'], 'switchports'),
  ],
};

const machines: Rights = {
  objects: [
    core([...follow, 'patch', 'delete'], 'machinesets', 'machinedeployments'),
    core([...follow, 'patch'], 'clusters'),
    core([...follow, 'create', 'patch', 'delete'], 'machines'),
    core(['patch'], 'clusters/status', 'machines/status', 'machinesets/status'),
    infrastructure([...follow, 'create', 'patch', 'delete'], 'metal3machines'),
    infrastructure([...follow, 'patch', 'delete'], 'metal3clusters'),
    infrastructure(follow, 'metal3machinetemplates'),
    infrastructure(['patch'], 'metal3machines/status', 'metal3clusters/status'),
    metal3([...follow, 'patch'], 'baremetalhosts'),
    on('', ['get', 'patch'], 'secrets'),
    events,
  ],
  cluster: [
    ...metricsReaders,
    on('', [...follow, 'patch', 'delete'], 'nodes'),
    {
      ...on('apiextensions.k8s.io', follow, 'customresourcedefinitions'),
      resourceNames: ['machines.cluster.x-k8s.io', 'metal3machines.infrastructure.cluster.x-k8s.io'],
    },
  ],
  home: [election],
  ports: [metal3(follow, ...portKinds, 'switchports')],
};

const firmware: Rights = {
  objects: [events],
  cluster: [
    ...metricsReaders,
    ironcore([...follow, 'create', 'patch'], 'servers', 'serverfirmwares'),
    ironcore([...follow, 'patch'], 'serverfirmwaregroups'),
    ironcore([...follow, 'create'], 'discoveredfirmwares'),
    ironcore(follow, 'bmcs', 'bmcsecrets'),
    ironcore(
      ['patch'],
      ...['bmcs', 'servers', 'serverfirmwares', 'serverfirmwaregroups', 'discoveredfirmwares'].map(
        (name) => `${name}/status`,
      ),
    ),
  ],
  home: [election],
  // The update service asks who may order, see and take back work on servers.
  standing: [on('rackwright.io', ['get', 'create', 'update'], 'conditions')],
};

const updateService: Rights = {
  objects: [],
  cluster: [
    // Of those who call, too.
    ...metricsReaders,
    ironcore(['get', 'list'], 'servers', 'serverfirmwares', 'discoveredfirmwares'),
    ironcore(['patch'], 'serverfirmwares/status', 'discoveredfirmwares/status'),
  ],
  // One store has the fleet; it is stamped once.
  home: [
    on('coordination.k8s.io', ['create'], 'leases'),
    { ...on('coordination.k8s.io', ['get'], 'leases'), resourceNames: ['rackwright-engine'] },
  ],
  chosen: [
    {
      name: 'jobs',
      when: areJobsInCluster,
      within: value('updateService.jobs.namespace'),
      where: 'where Jobs do its work',
      rules: [
        on('batch', ['create', 'get', 'list', 'delete'], 'jobs'),
        on('', ['list'], 'pods'),
        on('', ['create', 'get', 'delete'], 'secrets'),
        on('', ['get'], 'namespaces'),
      ],
    },
    {
      name: 'images',
      when: { is: 'updateService.imageStore.bucket' },
      within: undefined,
      where: 'to tell which images are needed',
      rules: [ironcore(['list'], 'serverfirmwaregroups')],
    },
  ],
};

const webhooks: Rights = {
  objects: [metal3(follow, ...portKinds, 'switchports', 'baremetalhosts')],
  cluster: [
    ...metricsReaders,
    ironcore(follow, 'servers', 'serverfirmwares', 'serverfirmwaregroups', 'discoveredfirmwares'),
    // Whom to trust is put into what was installed; nothing is made.
    {
      ...on('admissionregistration.k8s.io', ['patch'], 'validatingwebhookconfigurations'),
      resourceNames: ['rackwright'],
    },
    {
      ...on('apiextensions.k8s.io', ['get', 'patch'], 'customresourcedefinitions'),
      resourceNames: convertedDefinitions,
    },
  ],
  home: [
    on('', ['create'], 'secrets'),
    { ...on('', ['get', 'update'], 'secrets'), resourceNames: ['rackwright-webhook'] },
  ],
};

/** What each component asks for. */
export const rights = {
  ...{ hosts, network, machines, firmware, webhooks },
  'update-service': updateService,
} as const satisfies Record<string, Rights>;

/** What a component requests, wherever it is bound and whatever makes it ask. */
export function requestedRules({ objects, cluster, home, ports, shared, chosen }: Rights): readonly NamedRule[] {
  return [
    ...objects,
    ...cluster,
    ...home,
    ...(ports ?? []),
    ...(shared ?? []),
    ...(chosen ?? []).flatMap(({ rules }) => rules),
  ];
}

/** All that a component may do. */
export function rulesOf(of: Rights): readonly NamedRule[] {
  return [...requestedRules(of), ...(of.standing ?? []), ...(of.tenants ?? [])];
}
