import type { KubeObject } from '../../object.ts';
import type { UserInfo } from '../../resource.ts';
import type { AccessQuery } from '../auth.ts';
import { FakeStore } from '../fake-store.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';
import { RbacIndex } from './rbac-index.ts';
import { type PolicyRule, rbacBuckets, rbacGroup, type Subject } from './rbac-objects.ts';

const apiVersion = `${rbacGroup}/v1`;

/** For tests: roles and bindings in memory, and the authorizer that follows them. */
export class RbacFixture {
  readonly store = new FakeStore();
  readonly authorizer: RbacAuthorizer;

  constructor() {
    const index = new RbacIndex();
    index.follow(this.store.asStore());
    this.authorizer = new RbacAuthorizer(index);
  }

  /** A Role, or without a namespace a ClusterRole. */
  role(name: string, rules: PolicyRule[], namespace = ''): void {
    const bucket = namespace === '' ? rbacBuckets.clusterRoles : rbacBuckets.roles;
    const kind = namespace === '' ? 'ClusterRole' : 'Role';
    this.store.put(bucket, { apiVersion, kind, metadata: { name, namespace }, rules } as KubeObject);
  }

  /** A RoleBinding, or without a namespace a ClusterRoleBinding. */
  bind(name: string, role: { kind: 'Role' | 'ClusterRole'; name: string }, subjects: Subject[], namespace = ''): void {
    const bucket = namespace === '' ? rbacBuckets.clusterRoleBindings : rbacBuckets.roleBindings;
    const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
    const roleRef = { apiGroup: rbacGroup, ...role };
    this.store.put(bucket, { apiVersion, kind, metadata: { name, namespace }, roleRef, subjects } as KubeObject);
  }
}

/** For tests: a user in some groups. */
export function user(username: string, ...groups: string[]): UserInfo {
  return { username, groups };
}

/** For tests: a question about a resource. */
export function ask(who: UserInfo, wish: Partial<AccessQuery>): AccessQuery {
  return {
    user: who,
    verb: 'get',
    isResource: true,
    path: '',
    group: '',
    resource: 'pods',
    subresource: '',
    namespace: '',
    name: '',
    ...wish,
  };
}
