import type { ServerFirmwareGroup } from '../../api/index.ts';

/** A label selector of a group. */
export type Selector = ServerFirmwareGroup['spec']['serverSelector'];

/** Labels of an object. */
export type ObjectLabels = Readonly<Record<string, string>>;

/** What a selector asks of one label key, all its requirements on it taken together. */
export interface KeyRule {
  /** Values it may have; undefined for any. */
  readonly values: ReadonlySet<string> | undefined;
  /** Values it must not have. */
  readonly not: ReadonlySet<string>;
  readonly mustExist: boolean;
  readonly mayExist: boolean;
}

/** A selector that has been read once, to be asked often. */
export interface CompiledSelector {
  readonly rules: ReadonlyMap<string, KeyRule>;
  /** Pairs of which a selected object has at least one, `key=value`; undefined when there is no such set. */
  readonly pairs: readonly string[] | undefined;
  matches(labels: ObjectLabels | undefined): boolean;
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

const none: ReadonlySet<string> = new Set();

/** Reads a selector. An empty one selects everything. */
export function compileSelector(selector: Selector): CompiledSelector {
  const requirements: Requirement[] = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...(selector.matchExpressions ?? []),
  ];
  const rules = new Map<string, KeyRule>();
  for (const each of requirements) {
    const rule = ruleOf(each);
    const known = rules.get(each.key);
    rules.set(each.key, known === undefined ? rule : both(known, rule));
  }
  return { rules, pairs: fewestPairs(rules), matches: (labels) => isSelected(rules, labels ?? {}) };
}

function ruleOf({ operator, values = [] }: Requirement): KeyRule {
  const any: KeyRule = { values: undefined, not: none, mustExist: false, mayExist: true };
  switch (operator) {
    case 'In':
      return { ...any, values: new Set(values), mustExist: true };
    case 'NotIn':
      return { ...any, not: new Set(values) };
    case 'Exists':
      return { ...any, mustExist: true };
    default:
      return { ...any, mayExist: false };
  }
}

/** What both rules ask for. */
export function both(one: KeyRule, other: KeyRule): KeyRule {
  return {
    values:
      one.values === undefined || other.values === undefined
        ? (one.values ?? other.values)
        : one.values.intersection(other.values),
    not: one.not.union(other.not),
    mustExist: one.mustExist || other.mustExist,
    mayExist: one.mayExist && other.mayExist,
  };
}

function isSelected(rules: ReadonlyMap<string, KeyRule>, labels: ObjectLabels): boolean {
  for (const [key, rule] of rules) {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (!allows(rule, value)) return false;
  }
  return true;
}

function allows(rule: KeyRule, value: string | undefined): boolean {
  if (value === undefined) return !rule.mustExist;
  return rule.mayExist && !rule.not.has(value) && (rule.values === undefined || rule.values.has(value));
}

function fewestPairs(rules: ReadonlyMap<string, KeyRule>): readonly string[] | undefined {
  let best: string[] | undefined;
  for (const [key, { values }] of rules) {
    if (values === undefined || (best !== undefined && best.length <= values.size)) continue;
    best = [...values].map((value) => labelPair(key, value));
  }
  return best;
}

/** A label as it is indexed. */
export function labelPair(key: string, value: string): string {
  return `${key}=${value}`;
}

/** How two selectors stand to each other, whatever servers there are. */
export type Overlap =
  /** No object can be selected by both. */
  | 'never'
  /** What one of them selects by the labels it asks for, the other selects too. */
  | 'certain'
  /** An object with labels of both would be selected by both. */
  | 'possible';

/**
 * How two selectors stand to each other. Two that ask for different labels could always meet on a server that has both:
 * only servers that are there can tell. Where one asks for no label that the other does not ask for too, they overlap as they
 * are written.
 */
export function overlapOf(one: CompiledSelector, other: CompiledSelector): Overlap {
  for (const [key, rule] of one.rules) {
    const theirs = other.rules.get(key);
    if (!isSatisfiable(theirs === undefined ? rule : both(rule, theirs))) return 'never';
  }
  if ([...other.rules.values()].some((rule) => !isSatisfiable(rule))) return 'never';
  return asksNoMore(one, other) || asksNoMore(other, one) ? 'certain' : 'possible';
}

/** True when it asks for no label that the other says nothing of; what must be absent, or not some value, is not asked for. */
function asksNoMore(one: CompiledSelector, other: CompiledSelector): boolean {
  return [...one.rules].every(([key, { mustExist }]) => !mustExist || other.rules.has(key));
}

function isSatisfiable({ values, not, mustExist, mayExist }: KeyRule): boolean {
  if (!mustExist) return true;
  return mayExist && (values === undefined || values.difference(not).size > 0);
}
