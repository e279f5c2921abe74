import { badRequest } from '../status.ts';
import { parseLabelSelector, type Requirement } from './label-selector-text.ts';

/** Says whether an object's labels fit; undefined stands for "everything". */
export type LabelMatcher = (labels: Readonly<Record<string, string>> | undefined) => boolean;

/** Compiles a label selector in its text form (`a=b,c in (d,e),!f`). */
export function compileLabelSelector(text: string | null): LabelMatcher | undefined {
  if (text === null || text.trim() === '') return undefined;
  const requirements = parseLabelSelector(text);
  refuseMany('labelSelector', 'requirements', { found: requirements.length, most: mostTerms });
  const values = requirements.reduce((sum, requirement) => sum + requirement.values.length, 0);
  refuseMany('labelSelector', 'values', { found: values, most: mostValues });
  return matcherOf(requirements);
}

/** Each is compared with every object of a list, and of every change that a watch sees. */
const mostTerms = 128;
const mostValues = 10_000;

function refuseMany(name: string, what: string, { found, most }: { found: number; most: number }): void {
  if (found > most) throw badRequest(`${name} has ${found} ${what}; at most ${most} are taken`);
}

/** A label selector as objects carry it. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** Compiles a LabelSelector object; an empty one matches everything. */
export function compileSelectorObject(selector: LabelSelector | undefined): LabelMatcher | undefined {
  if (selector === undefined) return undefined;
  const requirements: Requirement[] = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'in',
    values: [value],
  }));
  const names: Record<string, Requirement['operator']> = {
    In: 'in',
    NotIn: 'notin',
    Exists: 'exists',
    DoesNotExist: 'absent',
  };
  for (const e of selector.matchExpressions ?? []) {
    requirements.push({ key: e.key, operator: names[e.operator] ?? 'in', values: e.values ?? [] });
  }
  return requirements.length === 0 ? undefined : matcherOf(requirements);
}

function matcherOf(requirements: readonly Requirement[]): LabelMatcher {
  const tests = requirements.map((requirement) => ({ key: requirement.key, fits: testOf(requirement) }));
  // What every object inherits, such as `constructor`, is no label.
  return (labels) =>
    tests.every(({ key, fits }) => fits(labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined));
}

function testOf({ operator, values }: Requirement): (value: string | undefined) => boolean {
  switch (operator) {
    case 'in': {
      const known = new Set(values);
      return (value) => value !== undefined && known.has(value);
    }
    case 'notin': {
      const known = new Set(values);
      return (value) => value === undefined || !known.has(value);
    }
    case 'exists':
      return (value) => value !== undefined;
    case 'absent':
      return (value) => value === undefined;
    default: {
      const bound = Number(values[0]);
      return (value) => {
        if (value === undefined || !/^-?\d+$/.test(value)) return false;
        return operator === 'gt' ? Number(value) > bound : Number(value) < bound;
      };
    }
  }
}

/** One term of a field selector. */
export interface FieldTerm {
  readonly field: string;
  readonly negate: boolean;
  readonly value: string;
}

/** Parses a field selector (`metadata.name=x,status.phase!=Running`). */
export function parseFieldSelector(text: string | null): FieldTerm[] {
  if (text === null || text === '') return [];
  const parts = splitUnescaped(text);
  refuseMany('fieldSelector', 'terms', { found: parts.length, most: mostTerms });
  const terms = parts.map((part) => {
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(part);
    if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    return { field: match[1] ?? '', negate: match[2] === '!=', value: unescapeValue(match[3] ?? '') };
  });
  // Nothing that equals, or does not equal, nothing keeps everything.
  return terms.filter(({ field, value }) => field !== '' || value !== '');
}

function splitUnescaped(text: string): string[] {
  return text.split(/(?<!\\),/).filter((p) => p !== '');
}

function unescapeValue(value: string): string {
  return value.replace(/\\([\\,=])/g, '$1');
}
