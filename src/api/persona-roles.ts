import type { KindDeclaration } from './declare.ts';
import {
  type ClusterRole,
  clusterRole,
  fullVerbs,
  kindRules,
  modifyVerbs,
  type PolicyRule,
  pathRule,
  readVerbs,
} from './roles.ts';

/** What would be done can be asked by whoever sees what is there: the answer is made with their own rights. */
const planRule = pathRule(['/plan', '/plan/network'], ['get', 'post']);
/** Who wrote what, in every namespace. */
const auditRule = pathRule(['/audit'], ['get']);

/** What was told of objects, where they are. */
const eventRule: PolicyRule = { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: readVerbs };
const rbacGroup = 'rbac.authorization.k8s.io';
/** The network controllers keep a Role for each tenant, with no more than what they may do themselves. */
const tenantRoleRule: PolicyRule = {
  ...{ apiGroups: [rbacGroup], resources: ['roles'] },
  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
};

const secretKinds = new Set(['BMCSecret']);

/** The roles of the people in the documents. Bind them per namespace, or for the cluster. */
export function personaRolesOf(kinds: readonly KindDeclaration[]): ClusterRole[] {
  const on = (names: readonly string[], verbs: readonly string[]) =>
    kinds.filter((kind) => names.includes(kind.kind)).flatMap((kind) => kindRules(kind, verbs));
  const metal = kinds.filter((kind) => kind.group === 'metal.ironcore.dev');
  return [
    clusterRole(
      'rackwright-infra-administrator',
      'The infra team: racks hosts, describes switches, sets limits, allows live updates. All kinds, and their Secrets.',
      [
        ...kinds.flatMap((kind) => kindRules(kind, fullVerbs)),
        ...secretRules(fullVerbs),
        eventRule,
        planRule,
        auditRule,
      ],
    ),
    clusterRole(
      'rackwright-tenant',
      'A consumer of the infra team: writes configurations and links them to existing ports; sees nothing of switches. Where those are, bind the Role rackwright-tenant-ports-NAMESPACE, which the controllers keep.',
      [
        ...on(['SwitchPortConfiguration'], fullVerbs),
        ...on(['SwitchPort'], modifyVerbs),
        ...on(['BareMetalHost', 'HardwareData', 'SwitchResourceLimit'], readVerbs),
        ...kinds
          .filter((kind) => kind.group.endsWith('cluster.x-k8s.io'))
          .flatMap((kind) => kindRules(kind, fullVerbs)),
        eventRule,
      ],
    ),
    clusterRole(
      'rackwright-host-user',
      'Uses hosts: power, images, firmware and settings. Live updates happen only where a policy allows them.',
      [
        ...on(['BareMetalHost', 'HostFirmwareSettings', 'HostFirmwareComponents'], modifyVerbs),
        ...on(['DataImage'], fullVerbs),
        ...on(['HardwareData', 'FirmwareSchema', 'HostUpdatePolicy', 'PreprovisioningImage'], readVerbs),
        eventRule,
      ],
    ),
    clusterRole(
      'rackwright-live-updates',
      'May allow live updates of hosts in use. Whoever lacks it cannot.',
      on(['HostUpdatePolicy'], fullVerbs),
    ),
    clusterRole(
      'rackwright-firmware-administrator',
      'Keeps firmware of servers at declared versions: BMCs, their credentials, servers, groups.',
      [...metal.flatMap((kind) => kindRules(kind, fullVerbs)), planRule],
    ),
    clusterRole('rackwright-viewer', 'Reads every kind except credentials.', [
      ...kinds.filter((kind) => !secretKinds.has(kind.kind)).flatMap((kind) => kindRules(kind, readVerbs)),
      eventRule,
      planRule,
    ]),
    clusterRole('rackwright-auditor', 'Reads who wrote what, and what came of it. Bind it for the cluster.', [
      auditRule,
    ]),
  ];
}

/** Kinds that people write and controllers only report on. */
const reportedKinds = ['BareMetalHostDiscovery', 'HardwareClassification'];

/** The role of all controllers in the one namespace where they elect a leader and claim machines: Leases elsewhere are the locks of others. */
export function leaseRole(): ClusterRole {
  const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
  return clusterRole(
    'rackwright-leases',
    'What all controllers need in the namespace rackwright-system; bind it there with a RoleBinding, never for the cluster.',
    [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs }],
  );
}

/** The role of our own controllers. */
export function controllerRoleOf(kinds: readonly KindDeclaration[]): ClusterRole {
  const isReported = ({ kind }: KindDeclaration): boolean => reportedKinds.includes(kind);
  const own = groupsOf(kinds).flatMap(([group, members]): PolicyRule[] => {
    const written = members.filter((kind) => !isReported(kind));
    return [
      ...ownRules(group, written),
      ...reportRules(group, members.filter(isReported)),
      ...scaleRules(group, members),
    ];
  });
  return clusterRole('rackwright-manager', 'What the controllers themselves need.', [...own, ...clusterRules]);
}

const networkKinds = [
  'Switch',
  'AnsibleSwitch',
  'OVSSwitch',
  'FixtureSwitch',
  'SwitchPort',
  'SwitchPortConfiguration',
  'SwitchResourceLimit',
];

/** The role of the network controllers, where they run apart: for all consumers, or for one namespace each. */
export function networkControllerRoleOf(kinds: readonly KindDeclaration[]): ClusterRole {
  const own = kinds.filter(({ kind }) => networkKinds.includes(kind));
  const hosts = kinds.filter(({ kind }) => kind === 'BareMetalHost');
  const rules = groupsOf(own).flatMap(([group, members]) => ownRules(group, members));
  return clusterRole('rackwright-network-manager', 'What the network controllers need, where they run apart.', [
    ...rules,
    ...hosts.flatMap((kind) => kindRules(kind, readVerbs)),
    ...secretRules(['get']),
    tenantRoleRule,
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ]);
}

const machineKinds = [
  'Metal3Machine',
  'Metal3MachineTemplate',
  'Metal3Cluster',
  'Cluster',
  'Machine',
  'MachineSet',
  'MachineDeployment',
];

/** The role of the machine controllers, where they run apart. */
export function machineControllerRoleOf(kinds: readonly KindDeclaration[]): ClusterRole {
  const own = kinds.filter(({ kind }) => machineKinds.includes(kind));
  const hosts = kinds.filter(({ kind }) => kind === 'BareMetalHost');
  const rules = groupsOf(own).flatMap(([group, members]) => [
    ...ownRules(group, members),
    ...scaleRules(group, members),
  ]);
  return clusterRole('rackwright-machine-manager', 'What the machine controllers need, where they run apart.', [
    ...rules,
    ...hosts.flatMap((kind) => kindRules(kind, modifyVerbs)),
    // Kubeconfigs of clusters are read; credentials of BMCs are only labelled.
    ...secretRules(['get', 'patch']),
    { apiGroups: [''], resources: ['nodes'], verbs: [...modifyVerbs, 'delete'] },
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
    { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: readVerbs },
  ]);
}

function ownRules(group: string, members: readonly KindDeclaration[]): PolicyRule[] {
  const names = members.map((kind) => kind.plural);
  return [
    { apiGroups: [group], resources: names, verbs: [...modifyVerbs, 'create', 'delete'] },
    { apiGroups: [group], resources: names.map((name) => `${name}/status`), verbs: ['get', 'update', 'patch'] },
    { apiGroups: [group], resources: names.map((name) => `${name}/finalizers`), verbs: ['update'] },
  ];
}

function reportRules(group: string, members: readonly KindDeclaration[]): PolicyRule[] {
  if (members.length === 0) return [];
  const names = members.map((kind) => kind.plural);
  return [
    { apiGroups: [group], resources: names, verbs: readVerbs },
    { apiGroups: [group], resources: names.map((name) => `${name}/status`), verbs: ['get', 'update', 'patch'] },
  ];
}

function scaleRules(group: string, members: readonly KindDeclaration[]): PolicyRule[] {
  const scaled = members.filter((kind) => kind.versions.some((version) => version.scale !== undefined));
  if (scaled.length === 0) return [];
  const resources = scaled.map((kind) => `${kind.plural}/scale`);
  return [{ apiGroups: [group], resources, verbs: ['get', 'update', 'patch'] }];
}

function groupsOf(kinds: readonly KindDeclaration[]): [string, KindDeclaration[]][] {
  return Object.entries(Object.groupBy(kinds, (kind) => kind.group)).map(([group, members]) => [group, members ?? []]);
}

function secretRules(verbs: readonly string[]): PolicyRule[] {
  return [{ apiGroups: [''], resources: ['secrets'], verbs }];
}

const clusterRules: readonly PolicyRule[] = [
  tenantRoleRule,
  ...secretRules(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'] },
  { apiGroups: [''], resources: ['namespaces', 'serviceaccounts'], verbs: readVerbs },
  { apiGroups: [''], resources: ['nodes'], verbs: [...modifyVerbs, 'delete'] },
  { apiGroups: [''], resources: ['pods'], verbs: readVerbs },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: readVerbs },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
  },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'],
  },
];
