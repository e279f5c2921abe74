import type { PolicyRule } from '../api/index.ts';

/** A rule that may be limited to objects by name. */
export interface NamedRule extends PolicyRule {
  readonly resourceNames?: readonly string[];
}

/**
 * What a component asks the API server for and nothing more. A test with a real API server holds it against what its
 * audit log says: a rule that is not used fails it, and so does a request that no rule allows.
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
  /** In the namespace of the installation. */
  readonly shared?: readonly NamedRule[];
}

const read = ['get', 'list', 'watch'];
const all = [...read, 'create', 'update', 'patch', 'delete'];
const metal3 = (resources: readonly string[], verbs: readonly string[]): NamedRule => ({
  apiGroups: ['metal3.io'],
  resources,
  verbs,
});
const wide = (groups: readonly string[]): NamedRule => ({ apiGroups: groups, resources: ['*'], verbs: all });
const leases = (): NamedRule => ({ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: all });
const reviews: NamedRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

/** What each component asks for. */
export const rights = {
  hosts: {
    objects: [wide(['metal3.io', ''])],
    cluster: [wide(['', 'policy']), ...reviews],
    home: [leases()],
    ports: [metal3(['*'], [...read, 'patch'])],
    shared: [
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['rackwright-engine'],
        verbs: ['get'],
      },
    ],
  },
  network: { objects: [wide(['metal3.io', ''])], cluster: [...reviews], home: [leases()] },
  machines: {
    objects: [wide(['metal3.io', 'cluster.x-k8s.io', 'infrastructure.cluster.x-k8s.io', ''])],
    cluster: [wide(['', 'apiextensions.k8s.io']), ...reviews],
    home: [leases()],
    ports: [metal3(['*'], read)],
  },
  firmware: { objects: [wide([''])], cluster: [wide(['metal.ironcore.dev']), ...reviews], home: [leases()] },
  webhooks: {
    objects: [metal3(['*'], read)],
    cluster: [
      { apiGroups: ['metal.ironcore.dev'], resources: ['*'], verbs: read },
      { apiGroups: ['admissionregistration.k8s.io'], resources: ['validatingwebhookconfigurations'], verbs: all },
      { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: all },
      ...reviews,
    ],
    home: [{ apiGroups: [''], resources: ['secrets'], verbs: all }],
  },
} satisfies Record<string, Rights>;
