import type { JsonObject } from '../../src/schema/index.ts';
import type { CaseRun } from './case-run.ts';
import { grouped } from './fixtures.ts';

/** The API version of roles and bindings. */
export const rbac = 'rbac.authorization.k8s.io/v1';

/** A subject of a binding. */
export function asUser(name: string): JsonObject {
  return { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name };
}

/** The headers that make the administrator speak for somebody else. */
export function impersonate(user: string): { headers: Record<string, string> } {
  return { headers: { 'impersonate-user': user } };
}

/** Creates a role in the case's namespace without recording it. */
export async function role(t: CaseRun, name: string, rules: JsonObject[]): Promise<void> {
  const body = { apiVersion: rbac, kind: 'Role', metadata: { name }, rules };
  await t.post(grouped(t, rbac, 'roles'), body, { quiet: true });
}

/** Creates a cluster role without recording it. */
export async function clusterRole(t: CaseRun, name: string, rules: JsonObject[]): Promise<void> {
  const body = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name }, rules };
  await t.post(`/apis/${rbac}/clusterroles`, body, { quiet: true });
}

/** A binding of a role to subjects. */
export function bindingOf(name: string, roleRef: JsonObject, subjects: JsonObject[]): JsonObject {
  const whole = { apiGroup: 'rbac.authorization.k8s.io', ...roleRef };
  return { apiVersion: rbac, kind: 'RoleBinding', metadata: { name }, roleRef: whole, subjects };
}

/** Binds a role of the case's namespace to a user without recording it. */
export async function bind(t: CaseRun, name: string, user: string, kind = 'Role'): Promise<void> {
  await t.post(grouped(t, rbac, 'rolebindings'), bindingOf(name, { kind, name }, [asUser(user)]), { quiet: true });
}

/** Binds a cluster role to a user everywhere without recording it. */
export async function bindEverywhere(t: CaseRun, name: string, user: string): Promise<void> {
  const body = { ...bindingOf(name, { kind: 'ClusterRole', name }, [asUser(user)]), kind: 'ClusterRoleBinding' };
  await t.post(`/apis/${rbac}/clusterrolebindings`, body, { quiet: true });
}

/** Waits until a user may do something (or no longer may), as the server's caches follow the roles. */
export async function untilReviewed(
  t: CaseRun,
  user: string,
  wanted: { attributes: JsonObject; isAllowed?: boolean },
): Promise<void> {
  const spec = { user, resourceAttributes: wanted.attributes };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  await t.settle('the role is in force', async () => {
    const answer = await t.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', body, { quiet: true });
    return (answer.at('status.allowed') === true) === (wanted.isAllowed ?? true);
  });
}

/** Lets a user do something in the case's namespace, and waits until the server knows. */
export async function allow(t: CaseRun, user: string, rules: JsonObject[], probe: JsonObject): Promise<void> {
  await role(t, user, rules);
  await bind(t, user, user);
  await untilReviewed(t, user, { attributes: { namespace: t.ns, ...probe } });
}
