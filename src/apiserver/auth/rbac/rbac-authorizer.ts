import type { UserInfo } from '../../resource.ts';
import type { AccessQuery, AccessVerdict, Authorizer } from '../auth.ts';
import type { CompiledBinding, RbacIndex } from './rbac-index.ts';
import type { PolicyRule, RoleRef } from './rbac-objects.ts';
import { keysOf } from './subjects.ts';

/** The group whose members may do everything, whatever is stored. */
export const mastersGroup = 'system:masters';

const allowedByGroup: AccessVerdict = { isAllowed: true, reason: '' };
const denied: AccessVerdict = { isAllowed: false, reason: '' };

/** Every rule a user has in a namespace, and which roles could not be found. */
export interface UserRules {
  readonly rules: PolicyRule[];
  readonly faults: string[];
}

/** Role-based access control over compiled roles: what is not granted is denied. */
export class RbacAuthorizer implements Authorizer {
  readonly #index: RbacIndex;

  constructor(index: RbacIndex) {
    this.#index = index;
  }

  authorize(query: AccessQuery): AccessVerdict {
    if (query.user.groups.includes(mastersGroup)) return allowedByGroup;
    let missing: Set<string> | undefined;
    for (const { binding, role } of this.#index.grantsOf(query.user, query.isResource ? query.namespace : '')) {
      if (role === undefined) {
        missing = (missing ?? new Set()).add(missingRole(binding.roleRef));
        continue;
      }
      for (const matches of role.matchers) if (matches(query)) return new GrantedBy(binding, query.user);
    }
    return missing === undefined ? denied : { isAllowed: false, reason: `RBAC: ${joinFaults([...missing])}` };
  }

  /** What `kubectl auth can-i --list` shows, and what a user may hand on. */
  rulesOf(user: UserInfo, namespace: string): UserRules {
    const rules: PolicyRule[] = [];
    const faults = new Set<string>();
    const seen = new Set<CompiledBinding>();
    for (const { binding, role } of this.#index.grantsOf(user, namespace)) {
      if (seen.has(binding)) continue;
      seen.add(binding);
      if (role === undefined) faults.add(missingRole(binding.roleRef));
      else rules.push(...role.rules);
    }
    return { rules, faults: [...faults] };
  }

  /** The rules a role reference stands for; a text says which role is missing. */
  rulesOfRole(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#index.roleOf(ref, namespace)?.rules;
  }
}

/** Builds its reason only when somebody reads it. */
class GrantedBy implements AccessVerdict {
  readonly isAllowed = true;
  readonly #binding: CompiledBinding;
  readonly #user: UserInfo;

  constructor(binding: CompiledBinding, user: UserInfo) {
    this.#binding = binding;
    this.#user = user;
  }

  get reason(): string {
    const { name, namespace, roleRef, subjects } = this.#binding;
    const keys = keysOf(this.#user);
    const subject = subjects.find(({ key }) => key !== undefined && keys.includes(key));
    const which =
      namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`;
    return `RBAC: allowed by ${which} of ${roleRef.kind} ${quote(roleRef.name)} to ${subject?.text ?? ''}`;
  }
}

function missingRole(ref: RoleRef): string {
  return `${ref.kind.toLowerCase()}.rbac.authorization.k8s.io ${quote(ref.name)} not found`;
}

/** Several faults in one text, as Go joins them. */
export function joinFaults(faults: readonly string[]): string {
  return faults.length === 1 ? (faults[0] ?? '') : `[${faults.join(', ')}]`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
