import { rbacBuckets } from './auth/rbac/rbac-objects.ts';
import { ensure } from './bootstrap.ts';
import { bootstrapBindings, bootstrapRoles } from './bootstrap-rbac-roles.ts';
import type { ServerCore } from './core.ts';
import type { KubeObject } from './object.ts';

/** Makes the roles and bindings every cluster starts with, where they are missing; changed ones are left alone. */
export async function bootstrapRbac(core: ServerCore): Promise<void> {
  const { clusterRoles, clusterRoleBindings } = rbacBuckets;
  await Promise.all([
    ...bootstrapRoles().map((role) => ensure(core, clusterRoles, role as unknown as KubeObject)),
    ...bootstrapBindings().map((binding) => ensure(core, clusterRoleBindings, binding as unknown as KubeObject)),
  ]);
}
