import type { Expr } from './ast.ts';
import { CelError } from './errors.ts';
import { compileRegex } from './libraries/regex.ts';
import type { Issue } from './source.ts';
import { clauseErrors, type FormatClause, scanFormat } from './string-format.ts';
import { parseDuration, parseTimestamp } from './time.ts';
import { type CelType, formatType, isDyn, isExactType, runtimeTypeName } from './types.ts';

type CallExpr = Extract<Expr, { kind: 'call' }>;

/** Mistakes that show only once all types are known: bad literals, mixed lists, formats that do not fit their arguments. */
export function checkLiterals(root: Expr): Issue[] {
  const issues: Issue[] = [];
  walk(root, false, (expr, isInFormat) => {
    if (expr.kind === 'call') issues.push(...checkCall(expr));
    else if (expr.kind === 'list' && !isInFormat) issues.push(...checkList(expr));
    else if (expr.kind === 'map' && !isInFormat) issues.push(...checkMap(expr));
  });
  return issues;
}

function walk(expr: Expr, isInFormat: boolean, visit: (expr: Expr, isInFormat: boolean) => void): void {
  visit(expr, isInFormat);
  const isInside = isInFormat || (expr.kind === 'call' && expr.name === 'format');
  for (const part of partsOf(expr)) walk(part, isInside, visit);
}

/** The nodes directly below a node. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'fold':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}

const argumentChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  duration: (value) => typeof value === 'string' && parseDuration(value) !== undefined,
  timestamp: (value) => typeof value !== 'string' || parseTimestamp(value) !== undefined,
  matches: (value) => typeof value !== 'string' || isRegex(value),
};

function isRegex(pattern: string): boolean {
  try {
    compileRegex(pattern);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

function checkCall(expr: CallExpr): Issue[] {
  const [first] = expr.args;
  const isValid = argumentChecks[expr.name];
  if (isValid !== undefined && first?.kind === 'literal' && !isValid(first.value)) {
    return [{ offset: first.offset, message: `invalid ${expr.name} argument` }];
  }
  return expr.name === 'format' ? checkFormat(expr) : [];
}

function checkList(expr: Extract<Expr, { kind: 'list' }>): Issue[] {
  const [first, ...rest] = expr.elements.map((element, i) => ({
    offset: element.offset,
    type: unwrapped(element.type as CelType, expr.optionals.has(i)),
  }));
  const odd = rest.find(({ type }) => first !== undefined && !isExactType(first.type, type));
  return first === undefined || odd === undefined ? [] : [mismatch(odd.offset, first.type, odd.type)];
}

function checkMap(expr: Extract<Expr, { kind: 'map' }>): Issue[] {
  const [first, ...rest] = expr.entries;
  if (first === undefined) return [];
  const keyType = first.key.type as CelType;
  const valueType = unwrapped(first.value.type as CelType, first.isOptional);
  return rest.flatMap(({ key, value, isOptional }) => {
    const issues: Issue[] = [];
    const type = unwrapped(value.type as CelType, isOptional);
    if (!isExactType(keyType, key.type as CelType)) issues.push(mismatch(key.offset, keyType, key.type as CelType));
    if (!isExactType(valueType, type)) issues.push(mismatch(value.offset, valueType, type));
    return issues;
  });
}

function unwrapped(type: CelType, isOptional: boolean): CelType {
  return isOptional && type.kind === 'optional' ? type.value : type;
}

function mismatch(offset: number, expected: CelType, found: CelType): Issue {
  return { offset, message: `expected type '${formatType(expected)}' but found '${formatType(found)}'` };
}

class ClauseError extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** A literal format with a literal list can be checked without running it. */
function checkFormat(expr: CallExpr): Issue[] {
  const [list] = expr.args;
  if (expr.target?.kind !== 'literal' || typeof expr.target.value !== 'string' || list?.kind !== 'list') return [];
  let used = 0;
  try {
    scanFormat(expr.target.value, list.elements.length, {
      text: () => {},
      clause: (clause) => {
        used++;
        checkClause(clause, list.elements[clause.argument] as Expr);
      },
    });
  } catch (error) {
    if (error instanceof ClauseError) return [{ offset: error.offset, message: error.message }];
    if (error instanceof CelError) return [{ offset: expr.offset, message: error.message }];
    throw error;
  }
  if (list.elements.length <= used) return [];
  const message = `too many arguments supplied to string.format (expected ${used}, got ${list.elements.length})`;
  return [{ offset: expr.offset, message }];
}

const clauseKinds: Readonly<Record<string, readonly CelType['kind'][]>> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};

function checkClause({ verb }: FormatClause, argument: Expr): void {
  const bad = firstMisfit(verb, argument);
  if (bad === undefined) return;
  const type = bad.type as CelType;
  const name = type.kind === 'object' ? type.name : runtimeTypeName(type);
  throw new ClauseError(bad.offset, `error during formatting: ${clauseErrors[verb]}, was given ${name}`);
}

function firstMisfit(verb: string, argument: Expr): Expr | undefined {
  const type = argument.type as CelType;
  if (!isDyn(type) && clauseKinds[verb]?.includes(type.kind) !== true) return argument;
  if (verb !== 's') return undefined;
  for (const part of argument.kind === 'list' || argument.kind === 'map' ? partsOf(argument) : []) {
    const bad = firstMisfit(verb, part);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
