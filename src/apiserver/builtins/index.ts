import { ageText } from '../meta/age.ts';
import type { KubeObject } from '../object.ts';
import type { BuiltinResource, TablePrinter } from '../resource.ts';
import { configMaps } from './config-maps.ts';
import { namespaces } from './namespaces.ts';
import { type BuiltinSchemas, loadBuiltinSchemas } from './schemas.ts';
import { secrets } from './secrets.ts';

/** Name and age, for kinds that need no more. */
const plainTable: TablePrinter = {
  columns: [
    { name: 'Name', type: 'string', format: 'name' },
    { name: 'Age', type: 'string' },
  ],
  row: (object: KubeObject, now: Date) => [object.metadata.name, ageText(object.metadata.creationTimestamp ?? '', now)],
};

interface Entry {
  readonly group: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly hasStatus?: boolean;
  readonly shortNames?: readonly string[];
}

const entries: readonly Entry[] = [
  { group: '', resource: 'events', singular: 'event', kind: 'Event', namespaced: true, shortNames: ['ev'] },
  {
    group: '',
    resource: 'serviceaccounts',
    singular: 'serviceaccount',
    kind: 'ServiceAccount',
    namespaced: true,
    shortNames: ['sa'],
  },
  {
    group: '',
    resource: 'nodes',
    singular: 'node',
    kind: 'Node',
    namespaced: false,
    hasStatus: true,
    shortNames: ['no'],
  },
  { group: '', resource: 'pods', singular: 'pod', kind: 'Pod', namespaced: true, hasStatus: true, shortNames: ['po'] },
  { group: 'batch', resource: 'jobs', singular: 'job', kind: 'Job', namespaced: true, hasStatus: true },
  {
    group: 'policy',
    resource: 'poddisruptionbudgets',
    singular: 'poddisruptionbudget',
    kind: 'PodDisruptionBudget',
    namespaced: true,
    hasStatus: true,
    shortNames: ['pdb'],
  },
  { group: 'coordination.k8s.io', resource: 'leases', singular: 'lease', kind: 'Lease', namespaced: true },
  { group: 'rbac.authorization.k8s.io', resource: 'roles', singular: 'role', kind: 'Role', namespaced: true },
  {
    group: 'rbac.authorization.k8s.io',
    resource: 'rolebindings',
    singular: 'rolebinding',
    kind: 'RoleBinding',
    namespaced: true,
  },
  {
    group: 'rbac.authorization.k8s.io',
    resource: 'clusterroles',
    singular: 'clusterrole',
    kind: 'ClusterRole',
    namespaced: false,
  },
  {
    group: 'rbac.authorization.k8s.io',
    resource: 'clusterrolebindings',
    singular: 'clusterrolebinding',
    kind: 'ClusterRoleBinding',
    namespaced: false,
  },
  {
    group: 'admissionregistration.k8s.io',
    resource: 'validatingwebhookconfigurations',
    singular: 'validatingwebhookconfiguration',
    kind: 'ValidatingWebhookConfiguration',
    namespaced: false,
  },
  {
    group: 'admissionregistration.k8s.io',
    resource: 'mutatingwebhookconfigurations',
    singular: 'mutatingwebhookconfiguration',
    kind: 'MutatingWebhookConfiguration',
    namespaced: false,
  },
  {
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    singular: 'customresourcedefinition',
    kind: 'CustomResourceDefinition',
    namespaced: false,
    hasStatus: true,
    shortNames: ['crd', 'crds'],
  },
];

/** Every kind compiled into the server. */
export function builtinResources(schemas: BuiltinSchemas = loadBuiltinSchemas()): BuiltinResource[] {
  const core = (kind: string) => schemas.of('api/v1', kind);
  return [
    namespaces(core('Namespace')),
    configMaps(core('ConfigMap')),
    secrets(core('Secret')),
    ...plainBuiltins(schemas),
  ];
}

function plainBuiltins(schemas: BuiltinSchemas): BuiltinResource[] {
  return entries.map((entry) => ({
    ...entry,
    version: 'v1',
    ...(entry.group === 'rbac.authorization.k8s.io' ? { nameRule: 'path-segment' as const } : {}),
    hasStatus: entry.hasStatus ?? false,
    schema: schemas.of(entry.group === '' ? 'api/v1' : `apis/${entry.group}/v1`, entry.kind),
    strategy: {},
    table: plainTable,
  }));
}
