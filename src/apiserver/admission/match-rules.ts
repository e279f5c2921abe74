import type { WebhookRule } from './webhook-configuration.ts';

/** What a rule looks at. */
export interface RuleSubject {
  readonly operation: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
}

/** True when one of the rules is about this write. */
export function matchesRules(rules: readonly WebhookRule[], subject: RuleSubject): boolean {
  return rules.some(
    (rule) =>
      includes(rule.operations, subject.operation) &&
      includes(rule.apiGroups, subject.group) &&
      includes(rule.apiVersions, subject.version) &&
      matchesScope(rule.scope, subject) &&
      (rule.resources ?? []).some((pattern) => matchesResource(pattern, subject)),
  );
}

/** True when a rule could be about a write of this resource, whatever its version, namespace and subresource. */
export function couldMatch(
  rules: readonly WebhookRule[],
  subject: Pick<RuleSubject, 'operation' | 'group' | 'resource'>,
): boolean {
  return rules.some(
    (rule) =>
      includes(rule.operations, subject.operation) &&
      includes(rule.apiGroups, subject.group) &&
      (rule.resources ?? []).some((pattern) => {
        const name = pattern.split('/', 1)[0];
        return name === '*' || name === subject.resource;
      }),
  );
}

function includes(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value));
}

/** `pods` is pods only, `pods/*` every subresource of pods and `*` every resource without its subresources. */
function matchesResource(pattern: string, { resource, subresource }: RuleSubject): boolean {
  const slash = pattern.indexOf('/');
  const name = slash < 0 ? pattern : pattern.slice(0, slash);
  const sub = slash < 0 ? '' : pattern.slice(slash + 1);
  return (name === '*' || name === resource) && (sub === '*' || sub === subresource);
}

/** Namespaces are cluster-scoped, although requests about them carry a namespace. */
function matchesScope(scope: string | undefined, { resource, namespace }: RuleSubject): boolean {
  const isNamespaced = resource !== 'namespaces' && namespace !== '';
  if (scope === 'Namespaced') return isNamespaced;
  return scope === 'Cluster' ? !isNamespaced : true;
}
