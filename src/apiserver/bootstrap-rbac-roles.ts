import type { BindingObject, PolicyRule, RoleObject } from './auth/rbac/rbac-objects.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const rbac = 'rbac.authorization.k8s.io';
const read = 'get list watch';
const write = 'create delete deletecollection patch update';
const all = 'create delete deletecollection get list patch update watch';

function metadata(name: string, labels: Readonly<Record<string, string>> = {}): RoleObject['metadata'] {
  return {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
}

function on(group: string, resources: string, verbs: string): PolicyRule {
  return { verbs: verbs.split(' '), apiGroups: [group], resources: resources.split(' ') };
}

function at(paths: string): PolicyRule {
  return { verbs: ['get'], nonResourceURLs: paths.split(' ') };
}

function role(name: string, rules: PolicyRule[], labels: Readonly<Record<string, string>> = {}): RoleObject {
  return { apiVersion, kind: 'ClusterRole', metadata: metadata(name, labels), rules };
}

function flowsInto(user: string): Record<string, string> {
  return { [`${rbac}/aggregate-to-${user}`]: 'true' };
}

function gathered(name: string, into?: string): RoleObject {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: flowsInto(name) }] };
  return { ...role(name, [], into === undefined ? {} : flowsInto(into)), aggregationRule };
}

const adminRules: PolicyRule[] = [
  on('authorization.k8s.io', 'localsubjectaccessreviews', 'create'),
  on(rbac, 'rolebindings roles', all),
];

const editRules: PolicyRule[] = [
  on('', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy', read),
  on('', 'serviceaccounts', 'impersonate'),
  on('', 'pods pods/attach pods/exec pods/portforward pods/proxy', write),
  on('', 'pods/eviction', 'create'),
  on(
    '',
    'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    write,
  ),
  on('', 'serviceaccounts/token', 'create'),
  on(
    'apps',
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
    write,
  ),
  on('autoscaling', 'horizontalpodautoscalers', write),
  on('batch', 'cronjobs jobs', write),
  on(
    'extensions',
    'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
    write,
  ),
  on('policy', 'poddisruptionbudgets', write),
  on('networking.k8s.io', 'ingresses networkpolicies', write),
  on('coordination.k8s.io', 'leases', all),
  on('resource.k8s.io', 'resourceclaims resourceclaimtemplates', write),
];

/** No Secrets, and no BMCSecrets: whoever may only look must not be able to log in elsewhere with what they see. */
const viewRules: PolicyRule[] = [
  on(
    '',
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    read,
  ),
  on(
    '',
    'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    read,
  ),
  on('', 'namespaces', read),
  on('discovery.k8s.io', 'endpointslices', read),
  on(
    'apps',
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
    read,
  ),
  on('autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status', read),
  on('batch', 'cronjobs cronjobs/status jobs jobs/status', read),
  on(
    'extensions',
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
    read,
  ),
  on('policy', 'poddisruptionbudgets poddisruptionbudgets/status', read),
  on('networking.k8s.io', 'ingresses ingresses/status networkpolicies', read),
  on('resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates', read),
];

/** The roles every cluster starts with, as far as they have a meaning here. */
export function bootstrapRoles(): RoleObject[] {
  const everything: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const everyPath: PolicyRule = { verbs: ['*'], nonResourceURLs: ['*'] };
  return [
    role('cluster-admin', [everything, everyPath]),
    gathered('admin'),
    gathered('edit', 'admin'),
    gathered('view', 'edit'),
    role('system:aggregate-to-admin', adminRules, flowsInto('admin')),
    role('system:aggregate-to-edit', editRules, flowsInto('edit')),
    role('system:aggregate-to-view', viewRules, flowsInto('view')),
    role('system:basic-user', [
      on('authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews', 'create'),
      on('authentication.k8s.io', 'selfsubjectreviews', 'create'),
    ]),
    role('system:discovery', [
      at('/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/'),
    ]),
    role('system:public-info-viewer', [at('/healthz /livez /readyz /version /version/')]),
    role('system:monitoring', [
      at('/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*'),
      on('', 'nodes/metrics', 'get'),
    ]),
    role('system:auth-delegator', [
      on('authentication.k8s.io', 'tokenreviews', 'create'),
      on('authorization.k8s.io', 'subjectaccessreviews', 'create'),
    ]),
    role('system:service-account-issuer-discovery', [
      at('/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/'),
    ]),
  ];
}

const groupsOf: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['system:masters'],
  'system:basic-user': ['system:authenticated'],
  'system:discovery': ['system:authenticated'],
  'system:monitoring': ['system:monitoring'],
  'system:public-info-viewer': ['system:authenticated', 'system:unauthenticated'],
  'system:service-account-issuer-discovery': ['system:serviceaccounts'],
};

/** Who has those roles from the start. */
export function bootstrapBindings(): BindingObject[] {
  return Object.entries(groupsOf).map(([name, groups]) => ({
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: metadata(name),
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
    subjects: groups.map((group) => ({ kind: 'Group', apiGroup: rbac, name: group })),
  }));
}
