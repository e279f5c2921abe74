import { type ConnectionSpec, createClient, type KubeClient } from '../client/client.ts';
import type { AnyKubeObject } from '../object.ts';

/** For tests: a rule of RBAC. */
export interface TestRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const rbac = (resource: string, kind: string) => ({
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false },
  ...{ resource, kind },
});

/** For tests: a client of a user who has these rights and no others. */
export async function meetUser(
  { client, connection }: { readonly client: KubeClient; readonly connection: ConnectionSpec },
  user: string,
  rules: readonly TestRule[],
): Promise<KubeClient> {
  const metadata = { name: user };
  const write = { fieldManager: 'test', isForced: true };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user };
  await client.resource<AnyKubeObject>(rbac('clusterroles', 'ClusterRole')).apply({ metadata, rules }, write);
  const binding = { metadata, roleRef, subjects };
  await client.resource<AnyKubeObject>(rbac('clusterrolebindings', 'ClusterRoleBinding')).apply(binding, write);
  return createClient(connection, { impersonate: { user, groups: [] } });
}
