import type { Expr } from './ast.ts';
import { type CallCost, callCost } from './call-cost.ts';
import { plainKey } from './collections.ts';
import { type Compiled, computedNode, constantNode } from './compiled.ts';
import type { Implementation, Overload } from './declarations.ts';
import { type CelError, noSuchOverload } from './errors.ts';
import { charge, type Evaluate } from './frame.ts';
import { compileRegex, findAllRegex, findRegex, matchesRegex } from './libraries/regex.ts';
import { type Compile, instantiate, type Scope } from './scope.ts';
import { type CelType, runtimeTypeName } from './types.ts';
import { CelDouble, CelList, CelUint, isInt, typeNameOf, type Value } from './values.ts';

type CallExpr = Extract<Expr, { kind: 'call' }>;

const conversions = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);

/** A call that computes its arguments first. */
export function compileCall(expr: CallExpr, scope: Scope, compile: Compile): Compiled {
  const operands = expr.target === undefined ? expr.args : [expr.target, ...expr.args];
  const nodes = operands.map((operand) => compile(operand, scope));
  const overloads = expr.overloads ?? [];
  const id = overloads.length === 1 ? (overloads[0] as Overload).id : '';
  const membership = id === 'in_list' ? constantMembership(nodes) : undefined;
  if (membership !== undefined) return membership;
  const implementation = regexImplementation(expr.name, nodes) ?? dispatcher(expr.name, overloads);
  const [constant] = nodes;
  if (conversions.has(expr.name) && nodes.length === 1 && constant?.constant !== undefined) {
    return constantNode(instantiate(() => implementation(constant.constant as Value)));
  }
  const runs = nodes.map(({ run }) => run);
  return computedNode(caller(runs, implementation, callCost(expr.name, id)));
}

function caller(runs: readonly Evaluate[], implementation: Implementation, cost: CallCost): Evaluate {
  if (typeof cost === 'number') return fixedCostCaller(runs, implementation, cost);
  return (frame) => {
    let args: Value[];
    let result: Value;
    try {
      args = runs.map((run) => run(frame));
      result = implementation(...args);
    } catch (error) {
      // A call that fails, or gets a failure for an argument, still counts as one step.
      charge(frame, 1);
      throw error;
    }
    charge(frame, cost(args, result));
    return result;
  };
}

function fixedCostCaller(runs: readonly Evaluate[], implementation: Implementation, cost: number): Evaluate {
  const [first, second] = runs as [Evaluate, Evaluate];
  if (runs.length === 1) {
    return (frame) => {
      charge(frame, cost);
      return implementation(first(frame));
    };
  }
  if (runs.length === 2) {
    return (frame) => {
      charge(frame, cost);
      return implementation(first(frame), second(frame));
    };
  }
  return (frame) => {
    charge(frame, cost);
    return implementation(...runs.map((run) => run(frame)));
  };
}

/** The overload that fits what the arguments turn out to be: a schema may let a null through, and dyn lets everything. */
function dispatcher(name: string, overloads: readonly Overload[]): Implementation {
  const candidates = overloads.map(({ implementation, parameters }) => ({
    implementation,
    accepts: acceptor(parameters),
  }));
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) {
    const { implementation, accepts } = only;
    return (...args) => {
      if (!accepts(args)) throw mismatch(name, args);
      return implementation(...args);
    };
  }
  return (...args) => {
    const match = candidates.find(({ accepts }) => accepts(args));
    if (match === undefined) throw mismatch(name, args);
    return match.implementation(...args);
  };
}

type Guard = (value: Value) => boolean;

function acceptor(parameters: readonly CelType[]): (args: readonly Value[]) => boolean {
  const guards = parameters.map(guardOf);
  const needed = guards.flatMap((guard, i) => (guard === undefined ? [] : [{ guard, i }]));
  return (args) => needed.every(({ guard, i }) => guard(args[i] as Value));
}

/** Whether a value can be passed for a parameter; undefined when every value can. Of a list the first element decides. */
function guardOf(type: CelType): Guard | undefined {
  switch (type.kind) {
    case 'param':
    case 'dyn':
    case 'any':
    case 'type':
      return undefined;
    case 'string':
      return (value) => typeof value === 'string';
    case 'int':
      return isInt;
    case 'bool':
      return (value) => typeof value === 'boolean';
    case 'list': {
      const element = guardOf(type.element);
      if (element === undefined) return (value) => value instanceof CelList;
      return (value) => value instanceof CelList && (value.size === 0 || element(value.get(0)));
    }
    default: {
      const name = runtimeTypeName(type);
      return (value) => typeNameOf(value) === name;
    }
  }
}

const ordered = 'bool int uint double string bytes google.protobuf.Duration google.protobuf.Timestamp';

const arithmetic = 'int uint double string google.protobuf.Duration google.protobuf.Timestamp';

/** The types each operator can start with. An operand of another type is named in the error, a wrong second one is not. */
const operandTypes: Readonly<Record<string, string>> = {
  '_<_': ordered,
  '_<=_': ordered,
  '_>_': ordered,
  '_>=_': ordered,
  '_+_': 'int uint double string bytes list google.protobuf.Duration google.protobuf.Timestamp',
  '_-_': arithmetic,
  '_*_': arithmetic,
  '_/_': arithmetic,
  '_%_': 'int uint string google.protobuf.Duration google.protobuf.Timestamp',
};

const unnamed = /^(startsWith|endsWith|contains|matches)$/;

function mismatch(name: string, args: readonly Value[]): CelError {
  const types = operandTypes[name];
  if (types !== undefined)
    return types.split(' ').includes(typeNameOf(args[0] as Value)) ? noSuchOverload() : noSuchOverload(name);
  if (unnamed.test(name) || /^[^a-z]/.test(name)) return noSuchOverload();
  return noSuchOverload(name === 'size' ? name : `${name}(${args.map(typeNameOf).join(', ')})`);
}

/** Literal patterns are compiled once. */
function regexImplementation(name: string, nodes: readonly Compiled[]): Implementation | undefined {
  const pattern = nodes[1]?.constant;
  if (typeof pattern !== 'string' || !['matches', 'find', 'findAll'].includes(name)) return undefined;
  const regex = instantiate(() => compileRegex(pattern));
  const text = (value: Value): string => {
    if (typeof value !== 'string') throw noSuchOverload();
    return value;
  };
  if (name === 'matches') return (value) => matchesRegex(text(value), regex);
  if (name === 'find') return (value) => findRegex(text(value), regex);
  return (value, _, limit) => findAllRegex(text(value), regex, limit);
}

/** `x in [constants]` looks into a set, and costs nothing beyond `x`. */
function constantMembership(nodes: readonly Compiled[]): Compiled | undefined {
  const [element, list] = nodes as [Compiled, Compiled];
  if (!(list.constant instanceof CelList)) return undefined;
  const items = list.constant.toArray();
  if (items.length === 0) return constantNode(false);
  const isPlain = items.every(
    (item) => typeof item !== 'object' || item instanceof CelDouble || item instanceof CelUint,
  );
  if (!isPlain) return undefined;
  const members = new Set(items.map(plainKey));
  const { run } = element;
  return computedNode((frame) => {
    const key = plainKey(run(frame));
    return key !== undefined && members.has(key);
  });
}
