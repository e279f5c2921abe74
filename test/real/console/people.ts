import type { KubeClient } from '../../../src/kube/index.ts';

/** Somebody who looks at the console. */
export interface Person {
  readonly name: string;
  /** Cluster roles that are bound for the cluster. */
  readonly roles?: readonly string[];
  /** Roles of a namespace that are bound there. */
  readonly rolesIn?: { readonly namespace: string; readonly names: readonly string[] };
}

const rbac = 'rbac.authorization.k8s.io';

/** Makes a service account with these roles, and gives a token of it. */
export async function tokenOf(client: KubeClient, { name, roles = [], rolesIn }: Person): Promise<string> {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const post = (path: string, body: object) =>
    client.request<{ status: { token: string } }>({ method: 'POST', path, body });
  const bind = (path: string, kind: string, role: { readonly kind: string; readonly name: string }) =>
    post(`/apis/${rbac}/v1/${path}`, {
      apiVersion: `${rbac}/v1`,
      kind,
      metadata: { name: `${name}-${role.name}` },
      roleRef: { apiGroup: rbac, ...role },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    });
  await post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  for (const role of roles) {
    await bind('clusterrolebindings', 'ClusterRoleBinding', { kind: 'ClusterRole', name: role });
  }
  for (const role of rolesIn?.names ?? []) {
    await bind(`namespaces/${rolesIn?.namespace}/rolebindings`, 'RoleBinding', { kind: 'Role', name: role });
  }
  const order = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  return (await post(`${accounts}/${name}/token`, order)).status.token;
}
