import type { JsonObject } from '../../schema/index.ts';

/**
 * The structs that are always present in the Go type of a built-in kind, even in an empty object. Who fills one in
 * owns its fields but not the struct, which is what `managedFields` of built-in kinds show.
 */
const zeroObjects: Readonly<Record<string, JsonObject>> = {
  'v1/Namespace': { spec: {}, status: {} },
  'v1/Node': {
    spec: {},
    status: {
      daemonEndpoints: { kubeletEndpoint: {} },
      nodeInfo: {},
    },
  },
  'v1/Pod': { spec: { containers: null }, status: {} },
  'v1/Event': {
    involvedObject: {},
    source: {},
    eventTime: null,
    firstTimestamp: null,
    lastTimestamp: null,
    reportingComponent: '',
    reportingInstance: '',
  },
  'events.k8s.io/v1/Event': {
    regarding: {},
    deprecatedSource: {},
    eventTime: null,
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  },
  'batch/v1/Job': { spec: { template: { metadata: {}, spec: { containers: null } } }, status: {} },
  'policy/v1/PodDisruptionBudget': { spec: {}, status: {} },
  'coordination.k8s.io/v1/Lease': { spec: {} },
  'apiextensions.k8s.io/v1/CustomResourceDefinition': {
    spec: { names: {}, versions: null },
    status: { conditions: null, acceptedNames: {}, storedVersions: null },
  },
  'rbac.authorization.k8s.io/v1/Role': { rules: null },
  'rbac.authorization.k8s.io/v1/ClusterRole': { rules: null },
  'rbac.authorization.k8s.io/v1/RoleBinding': { roleRef: {} },
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': { roleRef: {} },
};

const withMetadata: JsonObject = { metadata: {} };

/** What an empty object of the kind holds; custom resources hold nothing but metadata. */
export function zeroObjectOf(apiVersion: string, kind: string): JsonObject {
  const zero = zeroObjects[`${apiVersion}/${kind}`];
  return zero === undefined ? withMetadata : { ...withMetadata, ...zero };
}

const builtInGroups: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

/** True for kinds compiled into a real server: their fieldsV1 are ordered by value, and `managedFields: []` counts. */
export function isBuiltIn(apiVersion: string): boolean {
  return builtInGroups.has(apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');
}
