import { allKinds, kindRolesOf, personaRolesOf, switchPort } from '../../api/index.ts';
import { type AnyKubeObject, createClient, type KubeClient } from '../../kube/index.ts';
import type { ApiRig } from './rig.ts';

const core = (resource: string, kind: string) => ({ group: '', version: 'v1', resource, namespaced: true, kind });
const rbac = (resource: string, kind: string, namespaced: boolean) => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
  namespaced,
  kind,
});

/** For tests: installs the roles of people. */
export async function putRoles({ client }: Pick<ApiRig, 'client'>): Promise<void> {
  const roles = client.resource<AnyKubeObject>(rbac('clusterroles', 'ClusterRole', false));
  for (const role of [...personaRolesOf(allKinds), ...kindRolesOf(switchPort)]) {
    await roles.apply(role as unknown as AnyKubeObject, { fieldManager: 'test', isForced: true });
  }
}

/** Where a user has which role; `*` for everywhere. */
export type Grants = Readonly<Record<string, readonly string[]>>;

/** For tests: makes a user that is known by a token, gives them roles, and connects as them. */
export async function connectAs(api: ApiRig, name: string, grants: Grants): Promise<KubeClient> {
  const accounts = api.client.resource<AnyKubeObject>(core('serviceaccounts', 'ServiceAccount'));
  await accounts.create({ metadata: { name, namespace: 'default' } });
  const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }];
  for (const [namespace, roles] of Object.entries(grants)) {
    const isEverywhere = namespace === '*';
    const [resource, kind] = isEverywhere
      ? (['clusterrolebindings', 'ClusterRoleBinding'] as const)
      : (['rolebindings', 'RoleBinding'] as const);
    const bindings = api.client.resource<AnyKubeObject>(rbac(resource, kind, !isEverywhere));
    for (const role of roles) {
      await bindings.create({
        metadata: { name: `${name}-${role}`, ...(isEverywhere ? {} : { namespace }) },
        roleRef: {
          apiGroup: 'rbac.authorization.k8s.io',
          kind: role.startsWith('rackwright-tenant-ports-') ? 'Role' : 'ClusterRole',
          name: role,
        },
        subjects,
      });
    }
  }
  const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const made = await accounts.subresource<AnyKubeObject>('token').create({ name, namespace: 'default' }, wish);
  const { token } = made.status as { token: string };
  return createClient({ ...api.connection, token } as Parameters<typeof createClient>[0]);
}
