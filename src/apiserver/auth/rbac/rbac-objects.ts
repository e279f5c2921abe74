import type { LabelSelector } from '../../meta/selectors.ts';
import type { ObjectMeta } from '../../object.ts';

/** The API group of roles and bindings. */
export const rbacGroup = 'rbac.authorization.k8s.io';

/** Where roles and bindings are stored. */
export const rbacBuckets = {
  roles: `${rbacGroup}/roles`,
  roleBindings: `${rbacGroup}/rolebindings`,
  clusterRoles: `${rbacGroup}/clusterroles`,
  clusterRoleBindings: `${rbacGroup}/clusterrolebindings`,
} as const;

/** One permission of a role. */
export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** Who a binding is for. */
export interface Subject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}

/** Which role a binding grants. */
export interface RoleRef {
  apiGroup: string;
  kind: string;
  name: string;
}

/** A Role or ClusterRole. */
export interface RoleObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  rules?: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

/** A RoleBinding or ClusterRoleBinding. */
export interface BindingObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  subjects?: Subject[] | null;
  roleRef: RoleRef;
}
