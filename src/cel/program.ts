import type { Expr } from './ast.ts';
import { check } from './checker.ts';
import { compileExpr } from './compile-expr.ts';
import { CelError } from './errors.ts';
import { type CostEstimate, estimateCost } from './estimate.ts';
import type { Evaluate, Frame } from './frame.ts';
import { newFunctions, storedFunctions } from './function-table.ts';
import { valueOfJson } from './json-values.ts';
import { objectCostBudget, perCallCostLimit } from './limits.ts';
import { checkLiterals, partsOf } from './literal-checks.ts';
import { parse } from './parser.ts';
import { InstantiationError, Scope } from './scope.ts';
import { formatIssues } from './source.ts';
import { type CelType, isExactType } from './types.ts';
import type { Value } from './values.ts';

/** What is left for the evaluations of one object; every evaluation takes its cost out. */
export class CostBudget {
  remaining: number;
  readonly perCall: number;

  constructor(remaining: number = objectCostBudget, perCall: number = perCallCostLimit) {
    this.remaining = remaining;
    this.perCall = perCall;
  }

  /** Takes a cost out, or throws when there is not enough left. */
  spend(cost: number): void {
    if (cost <= this.remaining) {
      this.remaining -= cost;
      return;
    }
    this.remaining = -1;
    throw new CelError(
      'validation failed due to running out of cost budget, no further validation rules will be run',
      'out-of-budget',
    );
  }
}

/** The variables an expression may use. Stored expressions may use functions that new ones may not use yet. */
export interface CelEnvironment {
  readonly variables: Readonly<Record<string, CelType>>;
  readonly isStored?: boolean;
}

/** An expression ready to be evaluated, again and again. */
export interface CelProgram {
  /** The names of the variables it reads. */
  readonly uses: ReadonlySet<string>;
  /** The type of its result. */
  readonly type: CelType;
  /** What an evaluation costs at least and at most, by the sizes the types allow. */
  readonly estimatedCost: CostEstimate;
  /** Evaluates over plain JSON; an optional variable may be missing. Throws a CelError, and takes its cost out of the budget either way. */
  evaluate(variables: Readonly<Record<string, unknown>>, budget: CostBudget): Value;
}

/** A program, or why there is none: the text of the API server for rules and message expressions, and cel-go's own. */
export type CelCompilation =
  | { readonly program: CelProgram }
  | { readonly errors: string; readonly stage: 'compilation' | 'result' | 'instantiation'; readonly text: string };

/** Parses, checks and compiles an expression; its result must be of the expected type, where one is given. */
export function compileCel(source: string, environment: CelEnvironment, expect?: CelType): CelCompilation {
  const isStored = environment.isStored === true;
  const { expr, issues } = parse(source, { isStored });
  if (expr === undefined || issues.length > 0) return failed('compilation', formatIssues(source, issues), expect);
  const variables = new Map(Object.entries(environment.variables));
  const functions = isStored ? storedFunctions : newFunctions;
  const mistakes = check(expr, { variables, functions });
  const all = mistakes.length > 0 ? mistakes : checkLiterals(expr);
  if (all.length > 0) return failed('compilation', formatIssues(source, all), expect);
  if (expect !== undefined && !isExactType(expr.type as CelType, expect)) {
    const wanted =
      expect.kind === 'string'
        ? 'messageExpression must evaluate to a string'
        : `cel expression must evaluate to a ${expect.kind}`;
    return failed('result', wanted, expect);
  }
  try {
    return { program: instantiate(expr, variables) };
  } catch (error) {
    if (error instanceof InstantiationError) return failed('instantiation', error.message, expect);
    throw error;
  }
}

function failed(
  stage: 'compilation' | 'result' | 'instantiation',
  text: string,
  expect: CelType | undefined,
): Exclude<CelCompilation, { program: CelProgram }> {
  const of = expect?.kind === 'string' ? 'messageExpression ' : '';
  const program = of === '' ? 'program ' : of;
  const prefix = {
    compilation: `${of}compilation failed: `,
    result: '',
    instantiation: `${program}instantiation failed: `,
  };
  return { errors: prefix[stage] + text, stage, text };
}

interface VariableSlot {
  readonly name: string;
  readonly slot: number;
  readonly type: CelType;
}

function instantiate(expr: Expr, variables: ReadonlyMap<string, CelType>): CelProgram {
  const uses = usedVariables(expr, new Set());
  const scope = new Scope();
  const slots: VariableSlot[] = [];
  for (const [name, type] of variables) {
    if (uses.has(name)) slots.push({ name, slot: scope.declare(name), type });
  }
  const { run } = compileExpr(expr, scope);
  return {
    uses,
    type: expr.type as CelType,
    estimatedCost: estimateCost(expr, variables.get('self')),
    evaluate: (values, budget) => evaluate({ run, slots, size: scope.size }, values, budget),
  };
}

function evaluate(
  { run, slots, size }: { run: Evaluate; slots: readonly VariableSlot[]; size: number },
  values: Readonly<Record<string, unknown>>,
  budget: CostBudget,
): Value {
  const frame: Frame = { slots: new Array(size).fill(null), cost: 0, limit: budget.perCall };
  let result: Value;
  try {
    for (const { name, slot, type } of slots) {
      const json = values[name];
      if (json === undefined && type.kind !== 'optional') throw new CelError(`no such attribute(s): ${name}`);
      frame.slots[slot] = valueOfJson(json, type);
    }
    result = run(frame);
  } catch (error) {
    budget.spend(frame.cost);
    throw error instanceof RangeError ? tooLarge(error) : error;
  }
  budget.spend(frame.cost);
  return result;
}

/** A string or list grew past what the engine can hold, before its cost was counted. */
function tooLarge(cause: RangeError): CelError {
  return new CelError('operation cancelled: actual cost limit exceeded', 'cost-limit', { cause });
}

/** The free variables of an expression. A loop variable hides a variable of the same name. */
function usedVariables(expr: Expr, bound: ReadonlySet<string>): Set<string> {
  if (expr.kind === 'ident') return rootName(expr.name, bound, expr.constant !== undefined);
  if (expr.kind === 'select' && expr.variable !== undefined) return new Set([expr.variable]);
  if (expr.kind === 'select' && expr.constant !== undefined) return new Set();
  if (expr.kind !== 'fold') return union(partsOf(expr).map((part) => usedVariables(part, bound)));
  const outer = new Set([...bound, expr.accumulator]);
  const inner = new Set([...outer, expr.variable, ...(expr.secondVariable === undefined ? [] : [expr.secondVariable])]);
  return union([
    usedVariables(expr.range, bound),
    usedVariables(expr.init, bound),
    usedVariables(expr.condition, inner),
    usedVariables(expr.step, inner),
    usedVariables(expr.result, outer),
  ]);
}

function rootName(name: string, bound: ReadonlySet<string>, isConstant: boolean): Set<string> {
  if (isConstant || bound.has(name)) return new Set();
  return new Set([name.startsWith('.') ? name.slice(1) : name]);
}

function union(sets: readonly ReadonlySet<string>[]): Set<string> {
  return new Set(sets.flatMap((set) => [...set]));
}
