import {
  type FieldError,
  invalidError,
  type Json,
  type JsonSchema,
  notSupportedError,
  pathSegmentFaults,
  requiredError,
  subdomainFaults,
} from '../../schema/index.ts';
import type { LabelSelector } from '../meta/selectors.ts';
import type { KubeObject } from '../object.ts';
import type { BuiltinResource, Strategy, TablePrinter } from '../resource.ts';
import { selectorFaults } from './checks.ts';
import { ageColumn, ageOf, nameColumn, textColumn } from './table.ts';

const group = 'rbac.authorization.k8s.io';

interface PolicyRule {
  verbs?: string[] | null;
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

interface Role extends KubeObject {
  rules?: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

interface Subject {
  kind?: string;
  apiGroup?: string;
  name?: string;
  namespace?: string;
}

interface Binding extends KubeObject {
  roleRef?: { apiGroup?: string; kind?: string; name?: string };
  subjects?: Subject[];
}

interface Scope {
  readonly isNamespaced: boolean;
}

function ruleFaults(rule: PolicyRule, path: string, { isNamespaced }: Scope): FieldError[] {
  const errors: FieldError[] = [];
  if ((rule.verbs ?? []).length === 0)
    errors.push(requiredError(`${path}.verbs`, 'verbs must contain at least one value'));
  const urls = rule.nonResourceURLs ?? [];
  const has = (list: string[] | undefined): boolean => (list ?? []).length > 0;
  if (urls.length > 0) {
    const field = `${path}.nonResourceURLs`;
    if (isNamespaced) errors.push(invalidError(field, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (has(rule.apiGroups) || has(rule.resources) || has(rule.resourceNames)) {
      errors.push(invalidError(field, urls, 'rules cannot apply to both regular resources and non-resource URLs'));
    }
    return errors;
  }
  if (!has(rule.apiGroups))
    errors.push(requiredError(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  if (!has(rule.resources))
    errors.push(requiredError(`${path}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

function roleFaults(role: Role, scope: Scope): FieldError[] {
  const errors = (role.rules ?? []).flatMap((rule, index) => ruleFaults(rule, `rules[${index}]`, scope));
  if (role.aggregationRule === undefined) return errors;
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = role.aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    const words = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
    errors.push(requiredError(field, words));
  }
  return [...errors, ...selectors.flatMap((selector, index) => roleSelectorFaults(selector, `${field}[${index}]`))];
}

/** A selector that cannot be used is said to be so once more as a whole. */
function roleSelectorFaults(selector: LabelSelector, field: string): FieldError[] {
  const errors = selectorFaults(selector, field);
  return errors.length === 0 ? [] : [...errors, invalidError(field, null, 'invalid label selector.')];
}

/** An empty list of rules is stored as none. */
function dropNoRules(role: Role): void {
  if (role.rules?.length === 0) role.rules = null;
}

function bindingFaults(binding: Binding, scope: Scope): FieldError[] {
  const { apiGroup = '', kind = '', name = '' } = binding.roleRef ?? {};
  const kinds = scope.isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const errors: FieldError[] = [];
  if (apiGroup !== group) errors.push(notSupportedError('roleRef.apiGroup', apiGroup, [group]));
  if (!kinds.includes(kind)) errors.push(notSupportedError('roleRef.kind', kind, kinds));
  if (name === '') errors.push(requiredError('roleRef.name'));
  else for (const fault of pathSegmentFaults(name)) errors.push(invalidError('roleRef.name', name, fault));
  const subjects = binding.subjects ?? [];
  return [...errors, ...subjects.flatMap((subject, index) => subjectFaults(subject, `subjects[${index}]`, scope))];
}

function subjectFaults(subject: Subject, path: string, { isNamespaced }: Scope): FieldError[] {
  const { kind = '', apiGroup = '', name = '', namespace = '' } = subject;
  const errors: FieldError[] = [];
  if (name === '') errors.push(requiredError(`${path}.name`));
  if (kind === 'ServiceAccount') {
    if (name !== '') for (const fault of subdomainFaults(name)) errors.push(invalidError(`${path}.name`, name, fault));
    if (apiGroup !== '') errors.push(notSupportedError(`${path}.apiGroup`, apiGroup, ['']));
    if (!isNamespaced && namespace === '') errors.push(requiredError(`${path}.namespace`));
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== group) errors.push(notSupportedError(`${path}.apiGroup`, apiGroup, [group]));
  } else {
    errors.push(notSupportedError(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  }
  return errors;
}

function bindingStrategy(scope: Scope): Strategy {
  return {
    applyDefaults(binding: Binding) {
      if (binding.roleRef !== undefined && (binding.roleRef.apiGroup ?? '') === '') binding.roleRef.apiGroup = group;
      for (const subject of binding.subjects ?? []) {
        const isPerson = subject.kind === 'User' || subject.kind === 'Group';
        if (isPerson && (subject.apiGroup ?? '') === '') subject.apiGroup = group;
      }
    },
    validate: (binding: Binding) => bindingFaults(binding, scope),
    validateUpdate: (binding: Binding, old: Binding) => {
      const errors = bindingFaults(binding, scope);
      const { apiGroup = '', kind = '', name = '' } = binding.roleRef ?? {};
      const was = old.roleRef ?? {};
      if (apiGroup === was.apiGroup && kind === was.kind && name === was.name) return errors;
      const shown: Json = { APIGroup: apiGroup, Kind: kind, Name: name };
      return [
        ...errors,
        { ...invalidError('roleRef', shown, 'cannot change roleRef'), badValueText: JSON.stringify(shown) },
      ];
    },
  };
}

const roleTable: TablePrinter = {
  columns: [nameColumn, { name: 'Created At', type: 'date', description: 'When it was created.' }],
  row: (role) => [role.metadata.name, role.metadata.creationTimestamp],
  isPlain: true,
};

const bindingTable: TablePrinter = {
  columns: [
    nameColumn,
    textColumn('Role', 'The role it grants.'),
    ageColumn,
    textColumn('Users', 'The users it grants the role to.', 1),
    textColumn('Groups', 'The groups it grants the role to.', 1),
    textColumn('ServiceAccounts', 'The service accounts it grants the role to.', 1),
  ],
  row: (binding: Binding, now) => [
    binding.metadata.name,
    `${binding.roleRef?.kind ?? ''}/${binding.roleRef?.name ?? ''}`,
    ageOf(binding, now),
    subjectsOf(binding, 'User'),
    subjectsOf(binding, 'Group'),
    subjectsOf(binding, 'ServiceAccount'),
  ],
};

function subjectsOf(binding: Binding, kind: string): string {
  const named = (binding.subjects ?? []).filter((subject) => subject.kind === kind);
  const isAccount = kind === 'ServiceAccount';
  return named.map(({ namespace = '', name = '' }) => (isAccount ? `${namespace}/${name}` : name)).join(', ');
}

const names = { group, version: 'v1', hasStatus: false, nameRule: 'path-segment', allowsCreateOnUpdate: true } as const;

function roleResource(kind: 'Role' | 'ClusterRole', schema: JsonSchema): BuiltinResource {
  const singular = kind.toLowerCase();
  const scope = { isNamespaced: kind === 'Role' };
  const validate = (role: Role): FieldError[] => roleFaults(role, scope);
  const strategy: Strategy = {
    prepareForCreate: dropNoRules,
    prepareForUpdate: dropNoRules,
    validate,
    validateUpdate: validate,
  };
  const namespaced = scope.isNamespaced;
  return { ...names, resource: `${singular}s`, singular, kind, namespaced, schema, strategy, table: roleTable };
}

function bindingResource(kind: 'RoleBinding' | 'ClusterRoleBinding', schema: JsonSchema): BuiltinResource {
  const singular = kind.toLowerCase();
  const namespaced = kind === 'RoleBinding';
  const strategy = bindingStrategy({ isNamespaced: namespaced });
  return { ...names, resource: `${singular}s`, singular, kind, namespaced, schema, strategy, table: bindingTable };
}

/** Roles and who has them. */
export function rbacResources(schemaOf: (kind: string) => JsonSchema): BuiltinResource[] {
  return [
    roleResource('Role', schemaOf('Role')),
    roleResource('ClusterRole', schemaOf('ClusterRole')),
    bindingResource('RoleBinding', schemaOf('RoleBinding')),
    bindingResource('ClusterRoleBinding', schemaOf('ClusterRoleBinding')),
  ];
}
