import { type Expr, operators, type Select } from './ast.ts';
import { noSuchKey, ValueList, ValueMap, valueAt } from './collections.ts';
import { compileCall } from './compile-call.ts';
import { compileFold } from './compile-fold.ts';
import { type Compiled, computedNode, constantNode, pathNode } from './compiled.ts';
import { CelError, noSuchOverload } from './errors.ts';
import { unescapeFieldName } from './field-names.ts';
import { absorbable, charge, Deferred, type Evaluate, type Frame } from './frame.ts';
import { JsonFields, withoutSchema } from './json-values.ts';
import { findIn, indexInto } from './libraries/operators.ts';
import { InstantiationError, instantiate, type Scope } from './scope.ts';
import { type CelType, fieldType } from './types.ts';
import { CelMap, CelOptional, typeNameOf, type Value } from './values.ts';

/** Turns a checked expression into a function. */
export function compileExpr(expr: Expr, scope: Scope): Compiled {
  switch (expr.kind) {
    case 'literal':
      return constantNode(expr.value);
    case 'ident':
      return expr.constant === undefined ? variableNode(expr.name, scope) : constantNode(expr.constant);
    case 'select':
      return compileSelect(expr, scope);
    case 'call':
      return compileOperator(expr, scope) ?? compileCall(expr, scope, compileExpr);
    case 'list':
      return compileList(expr, scope);
    case 'map':
      return compileMap(expr, scope);
    case 'fold':
      return compileFold(expr, scope, compileExpr);
    case 'struct':
      throw new InstantiationError(`unknown type: ${expr.name}`);
  }
}

function variableNode(name: string, scope: Scope): Compiled {
  const slot = scope.find(name.startsWith('.') ? name.slice(1) : name);
  if (slot === undefined) throw new InstantiationError(`undeclared variable ${name}`);
  return pathNode((frame) => {
    const value = frame.slots[slot];
    return unwrappedFirst(value instanceof Deferred ? value.force(frame) : (value as Value));
  }, 1);
}

function compileSelect(expr: Select, scope: Scope): Compiled {
  if (expr.constant !== undefined) return constantNode(expr.constant);
  if (expr.variable !== undefined) return variableNode(expr.variable, scope);
  const operand = compileExpr(expr.operand, scope);
  if (expr.isTest) return compilePresence(expr.field, operand);
  const read = fieldReader(expr);
  const start = pathStart(operand);
  return pathNode((frame) => {
    const value = start(frame);
    if (value instanceof CelOptional) return optionalStep(frame, findIn(value, expr.field));
    charge(frame, 1);
    return read(value);
  }, operand.pathCharge);
}

/** The value a path starts from. */
function pathStart({ bare, isPath }: Compiled): Evaluate {
  return isPath ? bare : (frame) => unwrappedFirst(bare(frame));
}

/** An optional at the start of a path gives its content away as plain data: the schema is forgotten. */
function unwrappedFirst(value: Value): Value {
  if (!(value instanceof CelOptional) || value.value === undefined) return value;
  return CelOptional.of(withoutSchema(value.value));
}

/** A step that may find nothing is free when it does. */
function optionalStep(frame: Frame, found: CelOptional): CelOptional {
  if (found.value !== undefined) charge(frame, 1);
  return found;
}

function fieldReader({ operand, field }: Select): (value: Value) => Value {
  const objectType = operand.type as CelType;
  const name = unescapeFieldName(field);
  const type = objectType.kind === 'object' ? fieldType(objectType, field) : undefined;
  if (type === undefined || name === undefined) return (value) => selectFrom(value, field);
  return (value) => {
    if (!(value instanceof JsonFields)) return selectFrom(value, field);
    const found = value.field(name, type);
    if (found === undefined) throw noSuchKey(field);
    return found;
  };
}

function selectFrom(value: Value, field: string): Value {
  if (value instanceof CelMap) return valueAt(value, field);
  throw noSuchKey(field);
}

/** `has(path.field)`: only the path to the tested field costs something. */
function compilePresence(field: string, operand: Compiled): Compiled {
  const start = pathStart(operand);
  return computedNode((frame) => {
    const value = start(frame);
    charge(frame, operand.pathCharge);
    const target = value instanceof CelOptional ? value.value : value;
    return target instanceof CelMap && target.has(field);
  });
}

type CallExpr = Extract<Expr, { kind: 'call' }>;

/** The operators that do not simply compute all their arguments first. */
function compileOperator(expr: CallExpr, scope: Scope): Compiled | undefined {
  switch (expr.name) {
    case operators.and:
      return computedNode(logic(expr, scope, false));
    case operators.or:
      return computedNode(logic(expr, scope, true));
    case operators.conditional:
      return compileConditional(expr, scope);
    case operators.notStrictlyFalse:
      return computedNode(notStrictlyFalse(compileExpr(expr.args[0] as Expr, scope).run));
    case operators.index:
      return compileIndex(expr, scope, false);
    case operators.optionalIndex:
    case operators.optionalSelect:
      return compileIndex(expr, scope, true);
    case 'or':
    case 'orValue':
      return compileOr(expr, scope);
    default:
      return undefined;
  }
}

/** `&&` and `||`: an error counts only when no other argument decides. */
function logic(expr: CallExpr, scope: Scope, decisive: boolean): Evaluate {
  const terms = expr.args.map((arg) => compileExpr(arg, scope).run);
  return (frame) => {
    let held: CelError | undefined;
    for (const term of terms) {
      try {
        const value = term(frame);
        if (value === decisive) return decisive;
        if (typeof value !== 'boolean') held ??= noSuchOverload();
      } catch (error) {
        held ??= absorbable(error);
      }
    }
    if (held !== undefined) throw held;
    return !decisive;
  };
}

function notStrictlyFalse(operand: Evaluate): Evaluate {
  return (frame) => {
    let value: Value = true;
    try {
      value = operand(frame);
    } catch (error) {
      absorbable(error);
    }
    charge(frame, 1);
    return value !== false;
  };
}

function compileConditional(expr: CallExpr, scope: Scope): Compiled {
  const [condition, whenTrue, whenFalse] = expr.args.map((arg) => compileExpr(arg, scope)) as [
    Compiled,
    Compiled,
    Compiled,
  ];
  return pathNode((frame) => {
    const value = condition.run(frame);
    if (typeof value !== 'boolean') throw noSuchOverload();
    return value ? whenTrue.bare(frame) : whenFalse.bare(frame);
  }, 0);
}

function compileIndex(expr: CallExpr, scope: Scope, isOptional: boolean): Compiled {
  const [container, key] = expr.args.map((arg) => compileExpr(arg, scope)) as [Compiled, Compiled];
  const start = pathStart(container);
  return pathNode((frame) => {
    const from = start(frame);
    if (from instanceof CelOptional && from.value === undefined) return from;
    const at = key.bare(frame);
    if (isOptional || from instanceof CelOptional) return optionalStep(frame, findIn(from, at));
    charge(frame, 1);
    return indexInto(from, at);
  }, container.pathCharge);
}

function compileOr(expr: CallExpr, scope: Scope): Compiled | undefined {
  if (expr.target === undefined || expr.args.length !== 1) return undefined;
  const optional = compileExpr(expr.target, scope).run;
  const otherwise = compileExpr(expr.args[0] as Expr, scope).run;
  const unwraps = expr.name === 'orValue';
  return computedNode((frame) => {
    const value = optional(frame);
    if (!(value instanceof CelOptional)) throw noSuchOverload();
    if (value.value === undefined) return otherwise(frame);
    return unwraps ? value.value : value;
  });
}

const listCost = 10;
const mapCost = 30;

function compileList(expr: Extract<Expr, { kind: 'list' }>, scope: Scope): Compiled {
  const elements = expr.elements.map((element) => compileExpr(element, scope));
  const runs = elements.map(({ run }) => run);
  const { optionals } = expr;
  const build: Evaluate = (frame) => {
    const values: Value[] = [];
    for (const [i, run] of runs.entries()) {
      const value = run(frame);
      if (!optionals.has(i)) values.push(value);
      else if (!(value instanceof CelOptional)) {
        throw new CelError(`cannot initialize optional list element from non-optional value ${typeNameOf(value)}`);
      } else if (value.value !== undefined) values.push(value.value);
    }
    return new ValueList(values);
  };
  return foldedOr(elements, build, listCost);
}

function compileMap(expr: Extract<Expr, { kind: 'map' }>, scope: Scope): Compiled {
  const nodes = expr.entries.map((entry) => [compileExpr(entry.key, scope), compileExpr(entry.value, scope)] as const);
  const entries = expr.entries.map((entry, i) => {
    const [key, value] = nodes[i] as readonly [Compiled, Compiled];
    return { key: key.run, value: value.run, isOptional: entry.isOptional };
  });
  const build: Evaluate = (frame) => {
    const pairs: [Value, Value][] = [];
    for (const entry of entries) {
      const key = entry.key(frame);
      const value = entry.value(frame);
      if (!entry.isOptional) pairs.push([key, value]);
      else if (!(value instanceof CelOptional)) {
        throw new CelError(
          `cannot initialize optional entry '${String(key)}' from non-optional value ${typeNameOf(value)}`,
        );
      } else if (value.value !== undefined) pairs.push([key, value.value]);
    }
    return ValueMap.of(pairs);
  };
  return foldedOr(nodes.flat(), build, mapCost);
}

/** A literal of constants is a constant itself; otherwise it is built each time, at its cost. */
function foldedOr(parts: readonly Compiled[], build: Evaluate, cost: number): Compiled {
  if (parts.every((part) => part.constant !== undefined)) {
    return constantNode(instantiate(() => build({ slots: [], cost: 0, limit: Number.POSITIVE_INFINITY })));
  }
  return computedNode((frame) => {
    const value = build(frame);
    charge(frame, cost);
    return value;
  });
}
