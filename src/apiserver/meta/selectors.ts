import { badRequest } from '../status.ts';
import { labelValueFaults, qualifiedNameFaults } from './names.ts';

/** Says whether an object's labels fit; undefined stands for "everything". */
export type LabelMatcher = (labels: Readonly<Record<string, string>> | undefined) => boolean;

interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt';
  readonly values: readonly string[];
}

/** Compiles a label selector in its text form (`a=b,c in (d,e),!f`). */
export function compileLabelSelector(text: string | null): LabelMatcher | undefined {
  if (text === null || text.trim() === '') return undefined;
  return matcherOf(parseRequirements(text));
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
  const names: Record<string, Requirement['operator']> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: 'absent' };
  for (const e of selector.matchExpressions ?? []) {
    requirements.push({ key: e.key, operator: names[e.operator] ?? 'in', values: e.values ?? [] });
  }
  return requirements.length === 0 ? undefined : matcherOf(requirements);
}

function matcherOf(requirements: readonly Requirement[]): LabelMatcher {
  return (labels) => requirements.every((r) => fits(r, labels?.[r.key]));
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

/** Splits at commas that are not inside parentheses. */
function splitRequirements(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '(') depth++;
    else if (c === ')') depth--;
    else if (c === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((p) => p.trim());
}

function parseRequirements(text: string): Requirement[] {
  return splitRequirements(text).map((part) => parseRequirement(part, text));
}

const setExpression = /^([^\s!=<>(),]+)\s+(in|notin)\s*\(([^()]*)\)$/;
const compareExpression = /^([^\s!=<>(),]+)\s*(==|=|!=|>|<)\s*([^\s!=<>(),]*)$/;

function parseRequirement(part: string, whole: string): Requirement {
  const requirement = readRequirement(part);
  if (requirement === undefined) throw badRequest(`unable to parse requirement: ${parseFault(part, whole)}`);
  const faults = qualifiedNameFaults(requirement.key);
  if (faults.length > 0) {
    throw badRequest(`unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(requirement.key)}: ${faults.join('; ')}`);
  }
  requirement.values.forEach((value, i) => {
    const bad = labelValueFaults(value);
    if (bad.length > 0) {
      throw badRequest(`unable to parse requirement: values[${i}][${requirement.key}]: Invalid value: ${JSON.stringify(value)}: ${bad.join('; ')}`);
    }
  });
  return requirement;
}

function readRequirement(part: string): Requirement | undefined {
  if (/^!\s*[^\s!=<>(),]+$/.test(part)) return { key: part.slice(1).trim(), operator: 'absent', values: [] };
  if (/^[^\s!=<>(),]+$/.test(part)) return { key: part, operator: 'exists', values: [] };
  const set = setExpression.exec(part);
  if (set) {
    const values = (set[3] ?? '').split(',').map((v) => v.trim());
    return { key: set[1] ?? '', operator: set[2] === 'in' ? 'in' : 'notin', values };
  }
  const compare = compareExpression.exec(part);
  if (!compare) return undefined;
  const operators: Record<string, Requirement['operator']> = { '=': 'in', '==': 'in', '!=': 'notin', '>': 'gt', '<': 'lt' };
  return { key: compare[1] ?? '', operator: operators[compare[2] ?? '='] ?? 'in', values: [compare[3] ?? ''] };
}

/** kube-apiserver names the token it stumbled over; this finds the same one for the common mistakes. */
function parseFault(part: string, whole: string): string {
  if (part === '') return `found '${whole.trim().startsWith(',') ? ',' : ''}', expected: !, identifier, or 'end of string'`;
  const bad = /^([^\s!=<>(),]*)\s*(\S+)/.exec(part);
  const token = bad?.[1] === '' ? (bad?.[2] ?? part) : (bad?.[2] ?? '');
  if (bad?.[1] === '') return `found '${token}', expected: !, identifier, or 'end of string'`;
  return `found '${token}', expected: in, notin, =, ==, !=, gt, lt`;
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
  return splitUnescaped(text).map((part) => {
    const match = /^([^!=]+?)(!=|==|=)(.*)$/.exec(part);
    if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    return { field: match[1] ?? '', negate: match[2] === '!=', value: unescapeValue(match[3] ?? '') };
  });
}

function splitUnescaped(text: string): string[] {
  return text.split(/(?<!\\),/).filter((p) => p !== '');
}

function unescapeValue(value: string): string {
  return value.replace(/\\([\\,=])/g, '$1');
}
