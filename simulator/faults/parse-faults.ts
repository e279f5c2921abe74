import { parseDocument } from 'yaml';
import { componentTypes } from '../images/component-type.ts';
import { BadFaults } from './errors.ts';
import { type FaultRule, faultKinds, resetMoments } from './fault.ts';

type Check = (value: unknown) => string | undefined;

const isText: Check = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a text that is not empty';
const isShare: Check = (value) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'must be a number from 0 to 1';
const isCount: Check = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? undefined : 'must be a whole number, 0 or more';
const isDuration: Check = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? undefined
    : 'must be a number of milliseconds, 0 or more';

function isOneOf(names: readonly string[]): Check {
  return (value) =>
    typeof value === 'string' && names.includes(value)
      ? undefined
      : `${JSON.stringify(value)} is not one of ${names.join(', ')}`;
}

const checks: Readonly<Record<keyof FaultRule, Check>> = {
  kind: isOneOf(faultKinds),
  machines: isText,
  machineRate: isShare,
  rate: isShare,
  times: isCount,
  afterMs: isDuration,
  untilMs: isDuration,
  durationMs: isDuration,
  method: isText,
  path: isText,
  component: isOneOf(componentTypes),
  moment: isOneOf(resetMoments),
};

/** Every field that a rule can have. */
export const faultFields: readonly string[] = Object.keys(checks);

/** Fault rules as they were read, and what is wrong with them, each with its place. */
export interface CheckedFaults {
  readonly rules: readonly FaultRule[];
  readonly problems: readonly string[];
}

/** Reads fault rules from YAML or JSON: a list, or an object with a list `faults`. Throws BadFaults with every problem and its place. */
export function parseFaults(text: string): readonly FaultRule[] {
  const document = parseDocument(text, { uniqueKeys: true });
  if (document.errors.length > 0) {
    throw new BadFaults(document.errors.map((error) => error.message.split('\n')[0] ?? error.message));
  }
  const { rules, problems } = checkFaults(readDocument(document));
  if (problems.length > 0) throw new BadFaults(problems);
  return rules;
}

function readDocument(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // Aliases without an anchor, or too many of them, show only here.
    throw new BadFaults([error instanceof Error ? error.message : String(error)]);
  }
}

/** Checks fault rules that were parsed already, such as the body of a request; `rules` does as well as `faults` there. */
export function checkFaults(value: unknown): CheckedFaults {
  const { list, problems } = listOf(value);
  for (const [index, rule] of list.entries()) problems.push(...problemsOf(rule, `faults[${index}]`));
  return { rules: problems.length > 0 ? [] : list.filter(isRule), problems };
}

function listOf(value: unknown): { readonly list: readonly unknown[]; readonly problems: string[] } {
  if (value === null || value === undefined) return { list: [], problems: [] };
  if (Array.isArray(value)) return { list: value, problems: [] };
  if (!isObject(value))
    return { list: [], problems: ['it must be a list of rules, or an object with a list `faults`'] };
  const problems = Object.keys(value)
    .filter((name) => name !== 'faults' && name !== 'rules')
    .map((name) => `${name}: is not known here; only \`faults\` is`);
  const list = value.faults ?? value.rules;
  if (!Array.isArray(list)) return { list: [], problems: [...problems, 'faults: must be a list of rules'] };
  return { list, problems };
}

function problemsOf(rule: unknown, place: string): readonly string[] {
  if (!isObject(rule)) return [`${place}: must be an object with at least \`kind\``];
  const problems: string[] = [];
  if (rule.kind === undefined) problems.push(`${place}.kind: is missing; it is one of ${faultKinds.join(', ')}`);
  for (const [name, value] of Object.entries(rule)) {
    const problem = isField(name)
      ? checks[name](value)
      : `is not a field of a rule; those are ${Object.keys(checks).join(', ')}`;
    if (problem !== undefined && value !== undefined) problems.push(`${place}.${name}: ${problem}`);
  }
  if (typeof rule.afterMs === 'number' && typeof rule.untilMs === 'number' && rule.afterMs > rule.untilMs) {
    problems.push(`${place}.untilMs: is before afterMs, so that it could never strike`);
  }
  return problems;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isField(name: string): name is keyof FaultRule {
  return Object.hasOwn(checks, name);
}

function isRule(value: unknown): value is FaultRule {
  return isObject(value) && problemsOf(value, '').length === 0;
}
