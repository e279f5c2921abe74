import type { PolicyRule } from './rbac-objects.ts';

/** What of the wanted rules is not contained in the held ones, one verb on one thing at a time. */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((single) => !held.some((rule) => covers(rule, single)));
}

/** Splits a rule into rules of one verb on one resource (and name) or one path. */
export function breakDown(rule: PolicyRule): PolicyRule[] {
  const singles: PolicyRule[] = [];
  // A role is judged before it is validated, so its verbs may be missing.
  const verbs = rule.verbs ?? [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of verbs) {
        const single = { verbs: [verb], apiGroups: [group], resources: [resource] };
        const names = rule.resourceNames ?? [];
        if (names.length === 0) singles.push(single);
        else singles.push(...names.map((name) => ({ ...single, resourceNames: [name] })));
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    singles.push(...verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] })));
  }
  return singles;
}

function covers(held: PolicyRule, single: PolicyRule): boolean {
  return (
    hasAll(held.verbs, single.verbs) &&
    hasAll(held.apiGroups, single.apiGroups) &&
    coversResources(held.resources ?? [], single.resources ?? []) &&
    coversNames(held.resourceNames ?? [], single.resourceNames ?? []) &&
    coversPaths(held.nonResourceURLs ?? [], single.nonResourceURLs ?? [])
  );
}

function hasAll(held: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return held.includes('*') || wanted.every((each) => held.includes(each));
}

function coversResources(held: readonly string[], wanted: readonly string[]): boolean {
  return (
    held.includes('*') ||
    wanted.every((each) => {
      if (held.includes(each)) return true;
      const slash = each.indexOf('/');
      return slash >= 0 && held.includes(`*${each.slice(slash)}`);
    })
  );
}

function coversNames(held: readonly string[], wanted: readonly string[]): boolean {
  if (held.length === 0) return true;
  return wanted.length > 0 && wanted.every((each) => held.includes(each));
}

function coversPaths(held: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((each) =>
    held.some((path) => path === each || (path.endsWith('*') && each.startsWith(path.slice(0, -1)))),
  );
}

/** Joins single rules on the same resource into one, so that a message about them stays readable. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const others: PolicyRule[] = [];
  const byResource = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const key = simpleKey(rule);
    const known = key === undefined ? undefined : byResource.get(key);
    if (key === undefined) others.push(rule);
    else if (known === undefined) byResource.set(key, { ...rule, verbs: [...rule.verbs] });
    else known.verbs.push(...rule.verbs);
  }
  return [...others, ...byResource.values()];
}

function simpleKey(rule: PolicyRule): string | undefined {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (apiGroups.length !== 1 || resources.length !== 1) return undefined;
  if (resourceNames.length > 1 || nonResourceURLs.length > 0) return undefined;
  return JSON.stringify([apiGroups[0], resources[0], resourceNames]);
}

/** A rule as an escalation message prints it. */
export function describeRule(rule: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = parts.flatMap(([name, list]) =>
    list === undefined || list.length === 0 ? [] : [`${name}:${goList(list)}`],
  );
  return `{${shown.join(', ')}}`;
}

/** A list of texts as Go's `%q` prints it: `["a" "b"]`. */
export function goList(list: readonly string[]): string {
  return `[${list.map((each) => JSON.stringify(each)).join(' ')}]`;
}
