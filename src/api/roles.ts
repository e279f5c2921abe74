import { builtinRoleAccessOf } from './access.ts';
import type { KindDeclaration } from './declare.ts';

/** One rule of a ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Paths that name no resource; such a rule has neither groups nor resources. */
  readonly nonResourceURLs?: readonly string[];
}

/** A ClusterRole as clean JSON. */
export interface ClusterRole {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRole';
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly rules: readonly PolicyRule[];
}

/** The built-in roles a role of ours can flow into. */
export type BuiltinRole = 'view' | 'edit' | 'admin';

/** Verbs of whoever only looks. */
export const readVerbs = ['get', 'list', 'watch'] as const;

/** Verbs of whoever changes what is there. */
export const modifyVerbs = [...readVerbs, 'update', 'patch'] as const;

/** Verbs of whoever does everything. */
export const fullVerbs = [...modifyVerbs, 'create', 'delete', 'deletecollection'] as const;

/** A rule on paths that name no resource. It counts only where the role is bound for the whole cluster. */
export function pathRule(paths: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [], resources: [], nonResourceURLs: paths, verbs };
}

/** A ClusterRole of ours; it flows into the built-in roles named. */
export function clusterRole(
  name: string,
  what: string,
  rules: readonly PolicyRule[],
  into: readonly BuiltinRole[] = [],
): ClusterRole {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name,
      labels: {
        'app.kubernetes.io/part-of': 'rackwright',
        ...Object.fromEntries(into.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true'])),
      },
      annotations: { 'rackwright.io/description': what },
    },
    rules,
  };
}

/** The roles that come with every kind: viewer, editor and, where tenants may change but not create, modifier. */
export function kindRolesOf(kind: KindDeclaration): ClusterRole[] {
  const name = kind.singular;
  const access = builtinRoleAccessOf(kind);
  const readers: BuiltinRole[] = access === 'none' ? [] : ['view', 'edit', 'admin'];
  const roles = [
    clusterRole(
      `${name}-editor-role`,
      `Create, change and delete ${kind.plural}.`,
      kindRules(kind, fullVerbs),
      access === 'full' ? ['edit', 'admin'] : [],
    ),
    clusterRole(`${name}-viewer-role`, `Read ${kind.plural}.`, kindRules(kind, readVerbs), readers),
  ];
  if (access !== 'modify') return roles;
  const what = `Change ${kind.plural} that exist.`;
  return [...roles, clusterRole(`${name}-modifier-role`, what, kindRules(kind, modifyVerbs), ['edit', 'admin'])];
}

/** Rules on one kind: the verbs on its objects, reading its status, and its scale with the same right to change. */
export function kindRules(kind: KindDeclaration, verbs: readonly string[]): PolicyRule[] {
  const rules: PolicyRule[] = [{ apiGroups: [kind.group], resources: [kind.plural], verbs }];
  if (kind.versions.some((version) => version.hasStatusSubresource)) {
    rules.push({ apiGroups: [kind.group], resources: [`${kind.plural}/status`], verbs: ['get'] });
  }
  if (kind.versions.some((version) => version.scale !== undefined)) {
    const scale = ['get', 'update', 'patch'].filter((verb) => verbs.includes(verb));
    rules.push({ apiGroups: [kind.group], resources: [`${kind.plural}/scale`], verbs: scale });
  }
  return rules;
}
