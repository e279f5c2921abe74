import { isDeepStrictEqual } from 'node:util';
import type { AdmissionAttributes } from '../../admission/admission.ts';
import type { KubeObject } from '../../object.ts';
import type { UserInfo } from '../../resource.ts';
import { forbidden, notFound } from '../../status.ts';
import { mastersGroup, type RbacAuthorizer } from './rbac-authorizer.ts';
import { type BindingObject, type PolicyRule, type RoleObject, rbacBuckets, rbacGroup } from './rbac-objects.ts';
import { compactRules, describeRule, goList, missingRights } from './rule-coverage.ts';

const guarded: ReadonlySet<string> = new Set(Object.values(rbacBuckets));
const fullAuthority: PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** True for the kinds whose writes could give somebody more than the writer has. */
export function canEscalate(bucket: string): boolean {
  return guarded.has(bucket);
}

/** Refuses a role or binding that grants what its writer does not hold and was not told to hand on. */
export function refuseEscalation(authorizer: RbacAuthorizer, attributes: AdmissionAttributes): void {
  const { user, object, oldObject, resource } = attributes;
  if (object === undefined || user.groups.includes(mastersGroup)) return;
  if (oldObject !== undefined && isOnlyFreed(object, oldObject)) return;
  const isBinding = resource.resource.endsWith('bindings');
  if (isBinding) refuseBinding(authorizer, attributes, object as unknown as BindingObject);
  else refuseRole(authorizer, attributes, object as unknown as RoleObject);
}

/** Removing finalizers or owners is the garbage collector's business and grants nothing. */
function isOnlyFreed(object: KubeObject, old: KubeObject): boolean {
  const { finalizers: _f, ownerReferences: _o, managedFields: _m, ...meta } = object.metadata;
  const { finalizers: _of, ownerReferences: _oo, managedFields: _om, ...oldMeta } = old.metadata;
  return isDeepStrictEqual({ ...object, metadata: meta }, { ...old, metadata: oldMeta });
}

function refuseRole(authorizer: RbacAuthorizer, attributes: AdmissionAttributes, role: RoleObject): void {
  const { user, namespace, resource, operation } = attributes;
  // A POST names no object in its URL, and RBAC judges by the URL.
  const name = operation === 'CREATE' ? '' : attributes.name;
  if (isAuthorized(authorizer, user, { verb: 'escalate', resource: resource.resource, namespace, name })) return;
  const why = escalationFault(authorizer, { user, namespace }, role.rules ?? []);
  if (why !== undefined) throw forbidden(resource, attributes.name, why);
  const old = attributes.oldObject as unknown as RoleObject | undefined;
  if (role.aggregationRule === undefined && old?.aggregationRule === undefined) return;
  if (escalationFault(authorizer, { user, namespace }, fullAuthority) === undefined) return;
  throw forbidden(resource, attributes.name, 'must have cluster-admin privileges to use the aggregationRule');
}

function refuseBinding(authorizer: RbacAuthorizer, attributes: AdmissionAttributes, binding: BindingObject): void {
  const { user, namespace, resource } = attributes;
  const { roleRef } = binding;
  const bound = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (isAuthorized(authorizer, user, { verb: 'bind', resource: bound, namespace, name: roleRef.name })) return;
  const rules = authorizer.rulesOfRole(roleRef, namespace);
  if (rules === undefined) throw notFound(resource, roleRef.name);
  const why = escalationFault(authorizer, { user, namespace }, rules);
  if (why !== undefined) throw forbidden(resource, attributes.name, why);
}

function isAuthorized(
  authorizer: RbacAuthorizer,
  user: UserInfo,
  wish: { verb: string; resource: string; namespace: string; name: string },
): boolean {
  return authorizer.authorize({ user, isResource: true, path: '', group: rbacGroup, subresource: '', ...wish })
    .isAllowed;
}

function escalationFault(
  authorizer: RbacAuthorizer,
  { user, namespace }: { user: UserInfo; namespace: string },
  wanted: readonly PolicyRule[],
): string | undefined {
  const { rules, faults } = authorizer.rulesOf(user, namespace);
  const missing = missingRights(rules, wanted);
  if (missing.length === 0) return undefined;
  const texts = [...new Set(compactRules(missing).map(describeRule))].sort();
  const who = `user ${JSON.stringify(user.username)} (groups=${goList(user.groups)})`;
  const message = `${who} is attempting to grant RBAC permissions not currently held:\n${texts.join('\n')}`;
  return faults.length === 0 ? message : `${message}; resolution errors: [${faults.join(' ')}]`;
}
