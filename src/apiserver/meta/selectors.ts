import { badRequest } from '../status.ts';
import { parseLabelSelector, type Requirement } from './label-selector-text.ts';

/** Says whether an object's labels fit; undefined stands for "everything". */
export type LabelMatcher = (labels: Readonly<Record<string, string>> | undefined) => boolean;

/** Compiles a label selector in its text form (`a=b,c in (d,e),!f`). */
export function compileLabelSelector(text: string | null): LabelMatcher | undefined {
  if (text === null || text.trim() === '') return undefined;
  return matcherOf(parseLabelSelector(text));
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
  // What every object inherits, such as `constructor`, is no label.
  return (labels) =>
    requirements.every((r) =>
      fits(r, labels !== undefined && Object.hasOwn(labels, r.key) ? labels[r.key] : undefined),
    );
}

function fits(requirement: Requirement, value: string | undefined): boolean {
  switch (requirement.operator) {
    case 'in':
      return value !== undefined && requirement.values.includes(value);
    case 'notin':
      return value === undefined || !requirement.values.includes(value);
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    default: {
      if (value === undefined || !/^-?\d+$/.test(value)) return false;
      const bound = Number(requirement.values[0]);
      return requirement.operator === 'gt' ? Number(value) > bound : Number(value) < bound;
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
  const terms = splitUnescaped(text).map((part) => {
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
