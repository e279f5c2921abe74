import { type Comprehension, type Expr, isBinding, operators } from './ast.ts';
import { type Argument, type CallEstimate, eitherCall, estimateCall } from './call-estimate.ts';
import { codePointCount } from './libraries/lists.ts';
import { either, exactly, plus, type Range, sumOf, times, unknownRange } from './size-range.ts';
import type { CelType } from './types.ts';

/** The bounds of what an evaluation costs. */
export type CostEstimate = Range;

/** The costs, before running, of an expression over a type whose sizes the schema bounds. */
export function estimateCost(expr: Expr, root: CelType | undefined): CostEstimate {
  return new Estimator(root).cost(expr);
}

type Path = readonly string[];

/** The sizes of what a list or map holds. */
interface EntrySizes {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface LocalVariable {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

const accumulators = new Set(['@result', '__result__']);

class Estimator {
  readonly #root: CelType | undefined;
  readonly #paths = new Map<Expr, Path>();
  readonly #sizes = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, EntrySizes>();
  readonly #locals = new Map<string, LocalVariable[]>();

  constructor(root: CelType | undefined) {
    this.#root = root;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        return exactly(0);
      case 'ident':
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name]);
        return exactly(1);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return plus(sumOf(expr.fields.map(({ value }) => this.cost(value))), exactly(40));
      case 'fold':
        return isBinding(expr) ? this.#binding(expr) : this.#fold(expr);
    }
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, variable: LocalVariable): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), variable]);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #path(expr: Expr): Path {
    const local = expr.kind === 'ident' ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? [];
  }

  #select(expr: Extract<Expr, { kind: 'select' }>): Range {
    if (expr.constant !== undefined || expr.variable !== undefined) {
      this.#paths.set(expr, [expr.variable ?? '']);
      return exactly(1);
    }
    const operand = this.cost(expr.operand);
    if (expr.isTest) return operand;
    this.#paths.set(expr, [...this.#path(expr.operand), expr.field]);
    const kind = expr.operand.type?.kind;
    return kind === 'map' || kind === 'object' || kind === 'param' ? plus(operand, exactly(1)) : operand;
  }

  #list(expr: Extract<Expr, { kind: 'list' }>): Range {
    const cost = sumOf(expr.elements.map((element) => this.cost(element)));
    this.#entries.set(expr, { isList: true, key: exactly(1), value: this.#spanOf(expr.elements) });
    return plus(cost, exactly(10));
  }

  #map(expr: Extract<Expr, { kind: 'map' }>): Range {
    const cost = sumOf(expr.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]));
    this.#entries.set(expr, {
      isList: false,
      key: this.#spanOf(expr.entries.map(({ key }) => key)),
      value: this.#spanOf(expr.entries.map(({ value }) => value)),
    });
    return plus(cost, exactly(30));
  }

  #spanOf(exprs: readonly Expr[]): Range {
    if (exprs.length === 0) return exactly(0);
    return exprs.map((expr) => this.#sizeOf(expr)).reduce(either);
  }

  #sizeOf(expr: Expr): Range {
    return this.#knownSize(expr) ?? unknownRange;
  }

  /** What is known of a size: computed before, written down, bounded by the schema, or implied by the type. */
  #knownSize(expr: Expr): Range | undefined {
    const computed = this.#sizes.get(expr) ?? literalSize(expr);
    if (computed !== undefined) return computed;
    const bySchema = this.#schemaSize(this.#path(expr));
    if (bySchema !== undefined) {
      this.#sizes.set(expr, bySchema);
      return bySchema;
    }
    if (expr.type !== undefined && isScalar(expr.type)) return exactly(1);
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined;
  }

  /** The first step of a path is the variable, and every variable is taken to be of the type of the root. */
  #schemaSize(path: Path): Range | undefined {
    if (path.length === 0) return undefined;
    let type = this.#root;
    for (const step of path.slice(1)) type = type === undefined ? undefined : stepInto(type, step);
    return type?.maxSize === undefined ? undefined : { min: 0, max: type.maxSize };
  }

  #entrySizes(expr: Expr): EntrySizes | undefined {
    return this.#entries.get(expr) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.entries : undefined);
  }

  #call(expr: Extract<Expr, { kind: 'call' }>): Range {
    if (expr.name === 'dyn') return this.#dyn(expr, expr.args[0] as Expr);
    const costs = expr.args.map((arg) => this.cost(arg));
    const args = expr.args.map((arg) => this.#argument(arg));
    const targetCost = expr.target === undefined ? exactly(0) : this.cost(expr.target);
    const target = expr.target === undefined ? undefined : this.#argument(expr.target);
    const ids = expr.overloads?.length ? expr.overloads.map(({ id }) => id) : [''];
    let estimate: CallEstimate | undefined;
    let size: Range | undefined;
    for (const overloadId of ids) {
      const next = this.#overload(expr, costs, { overloadId, target, args });
      estimate = estimate === undefined ? next : eitherCall(estimate, next);
      if (next.size !== undefined) size = size === undefined ? next.size : either(size, next.size);
      size = this.#indexed(expr, overloadId, size) ?? this.#knownSize(expr);
    }
    if (size !== undefined) this.#sizes.set(expr, size);
    return plus(targetCost, estimate?.cost ?? exactly(0));
  }

  /** An element is found in the schema one step below its list or map. */
  #indexed(expr: Extract<Expr, { kind: 'call' }>, overloadId: string, size: Range | undefined): Range | undefined {
    const step = overloadId === 'index_list' ? '@items' : overloadId === 'index_map' ? '@values' : undefined;
    if (step === undefined) return size;
    const container = expr.args[0] as Expr;
    this.#paths.set(expr, [...this.#path(container), step]);
    return this.#entrySizes(container)?.value;
  }

  #dyn(expr: Expr, argument: Expr): Range {
    const cost = this.cost(argument);
    this.#copySizes(expr, argument);
    return plus(cost, exactly(1));
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#knownSize(from);
    if (size !== undefined) this.#sizes.set(to, size);
    const entries = this.#entrySizes(from);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #argument(expr: Expr): Argument {
    const path = this.#path(expr);
    const element = this.#schemaSize(
      path.length > 0 && !accumulators.has(path[0] as string) ? [...path, '@items'] : [],
    );
    return { expr, type: expr.type as CelType, size: this.#sizeOf(expr), elementSize: element ?? unknownRange };
  }

  #overload(
    expr: Extract<Expr, { kind: 'call' }>,
    costs: readonly Range[],
    call: { overloadId: string; target: Argument | undefined; args: readonly Argument[] },
  ): CallEstimate {
    if (expr.name === operators.and || expr.name === operators.or) {
      return { cost: { min: (costs[0] as Range).min, max: sumOf(costs).max } };
    }
    if (expr.name === operators.conditional) return this.#conditional(expr, costs);
    if (expr.name === operators.add) this.#addEntries(expr);
    const estimate = estimateCall(expr.name, call);
    return { ...estimate, cost: plus(estimate.cost, sumOf(costs)) };
  }

  #conditional(expr: Extract<Expr, { kind: 'call' }>, costs: readonly Range[]): CallEstimate {
    const [, whenTrue, whenFalse] = expr.args as [Expr, Expr, Expr];
    const [condition, trueCost, falseCost] = costs as [Range, Range, Range];
    this.#joinEntries(expr, whenTrue, whenFalse);
    return {
      cost: plus(condition, either(trueCost, falseCost)),
      size: either(this.#sizeOf(whenTrue), this.#sizeOf(whenFalse)),
    };
  }

  #addEntries(expr: Extract<Expr, { kind: 'call' }>): void {
    const [left, right] = expr.args as [Expr, Expr];
    this.#joinEntries(expr, left, right);
  }

  #joinEntries(expr: Expr, a: Expr, b: Expr): void {
    const [left, right] = [this.#entrySizes(a), this.#entrySizes(b)];
    if (left === undefined || right === undefined) return;
    const key = either(left.key, right.key);
    this.#entries.set(expr, { isList: left.isList, key, value: either(left.value, right.value) });
  }

  #binding(expr: Comprehension): Range {
    const before = plus(this.cost(expr.range), this.cost(expr.init));
    this.#pushAccumulator(expr);
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    this.#copySizes(expr, expr.result);
    return plus(before, result);
  }

  #pushAccumulator({ accumulator, init }: Comprehension): void {
    const variable = { path: this.#path(init), size: this.#knownSize(init), entries: this.#entrySizes(init) };
    this.#push(accumulator, variable);
  }

  #fold(expr: Comprehension): Range {
    const before = plus(this.cost(expr.range), this.cost(expr.init));
    this.#pushAccumulator(expr);
    this.#pushLoopVariables(expr);
    const each = plus(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(expr.variable);
    if (expr.secondVariable !== undefined) this.#pop(expr.secondVariable);
    const result = this.cost(expr.result);
    this.#pop(expr.accumulator);
    const count = this.#sizeOf(expr.range);
    this.#setFoldSize(expr, count);
    return sumOf([before, result, times(count, each)]);
  }

  #setFoldSize(expr: Comprehension, count: Range): void {
    if (expr.init.kind === 'literal') {
      const size = this.#knownSize(expr.init);
      if (size !== undefined) this.#sizes.set(expr, size);
      return;
    }
    if (expr.init.kind !== 'list' && expr.init.kind !== 'map') return;
    this.#sizes.set(expr, count);
    const entries = this.#entrySizes(expr.step);
    if (entries !== undefined) this.#entries.set(expr, entries);
  }

  #pushLoopVariables({ range, variable, secondVariable }: Comprehension): void {
    const entries = this.#entrySizes(range);
    const isList = entries?.isList ?? range.type?.kind === 'list';
    const path = this.#path(range);
    const valueStep = isList ? '@items' : '@values';
    const isShared = secondVariable !== undefined && sharesStorage(path);
    const keyStep = isShared ? valueStep : isList ? '@indices' : '@keys';
    const keys: LocalVariable = { path: [...path, keyStep], size: entries?.key, entries: undefined };
    const values: LocalVariable = {
      path: [...path, valueStep],
      size: entries?.value,
      entries: undefined,
    };
    if (secondVariable === undefined) {
      this.#push(variable, isList ? values : keys);
    } else {
      this.#push(variable, keys);
      this.#push(secondVariable, values);
    }
  }
}

/**
 * The reference appends to one path twice when a loop has two variables. Where the path had room for a step more, the
 * second append overwrites the first, and the key is taken for as large as the value.
 */
function sharesStorage(path: Path): boolean {
  return path.length > 2 && (path.length & (path.length - 1)) !== 0;
}

function stepInto(type: CelType, step: string): CelType | undefined {
  if (step === '@items' || step === '@values') {
    return type.kind === 'list' ? type.element : type.kind === 'map' ? type.value : undefined;
  }
  if (step === '@keys') return type.kind === 'map' ? { kind: 'string', maxSize: 0 } : undefined;
  return type.kind === 'object' ? type.fields.get(step) : undefined;
}

function literalSize(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case 'literal':
      if (typeof expr.value === 'string') return exactly(codePointCount(expr.value));
      return exactly(expr.value instanceof Uint8Array ? expr.value.length : 1);
    case 'list':
      return exactly(expr.elements.length);
    case 'map':
      return exactly(expr.entries.length);
    default:
      return undefined;
  }
}

const scalars = new Set<CelType['kind']>(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(type: CelType): boolean {
  return type.kind === 'optional' ? isScalar(type.value) : scalars.has(type.kind);
}
