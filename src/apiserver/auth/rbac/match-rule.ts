import type { AccessQuery } from '../auth.ts';
import type { PolicyRule } from './rbac-objects.ts';

/** Says whether a rule grants what is asked. */
export type RuleMatcher = (query: AccessQuery) => boolean;

type Test = (value: string) => boolean;

/** Compiles a rule into a function that decides by a few comparisons. */
export function compileRule(rule: PolicyRule): RuleMatcher {
  const verbs = anyOf(rule.verbs);
  const groups = anyOf(rule.apiGroups ?? []);
  const resources = compileResources(rule.resources ?? []);
  const names = rule.resourceNames ?? [];
  const paths = compilePaths(rule.nonResourceURLs ?? []);
  return (query) => {
    if (!verbs(query.verb)) return false;
    if (!query.isResource) return paths(query.path);
    return (
      groups(query.group) &&
      resources(query.resource, query.subresource) &&
      (names.length === 0 || names.includes(query.name))
    );
  };
}

const always: Test = () => true;

function anyOf(list: readonly string[]): Test {
  if (list.includes('*')) return always;
  const [only] = list;
  if (list.length === 1) return (value) => value === only;
  const known = new Set(list);
  return (value) => known.has(value);
}

/** `*` is everything, subresources too; `pods` is only pods; `pods/log` and `*\/scale` are subresources. */
function compileResources(list: readonly string[]): (resource: string, subresource: string) => boolean {
  if (list.includes('*')) return always;
  const known = new Set(list);
  return (resource, subresource) =>
    subresource === '' ? known.has(resource) : known.has(`${resource}/${subresource}`) || known.has(`*/${subresource}`);
}

function compilePaths(list: readonly string[]): Test {
  const exact = new Set(list);
  if (exact.has('*')) return always;
  const prefixes = list.filter((p) => p.endsWith('*')).map((p) => p.slice(0, -1));
  return (path) => exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix));
}
