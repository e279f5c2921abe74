import { type Call, type Comprehension, type Expr, type Ident, type Literal, operators } from './ast.ts';
import { simpleTypes } from './types.ts';

/** The variable every loop collects its result in; no expression can spell it. */
export const accumulatorName = '@result';
const oldAccumulatorName = '__result__';

/** A macro was used with arguments it cannot take. */
export class MacroError extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** One use of a macro: where it is called, on what, with what. */
export interface MacroCall {
  readonly offset: number;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

type Macro = (call: MacroCall) => Expr;

/** What the macro of this name, style and argument count makes of the call; undefined when there is none. */
export function expandMacro(name: string, call: MacroCall, isStored: boolean): Expr | undefined {
  const style = call.target === undefined ? 'global' : 'member';
  const key = `${style}:${name}:${call.args.length}`;
  return (macros[key] ?? (isStored ? storedMacros[key] : undefined))?.(call);
}

const macros: Readonly<Record<string, Macro>> = {
  'global:has:1': (call) => expandHas(call),
  'member:all:2': (call) => expandAll(call, 1),
  'member:all:3': (call) => expandAll(call, 2),
  'member:exists:2': (call) => expandExists(call, 1),
  'member:exists:3': (call) => expandExists(call, 2),
  'member:exists_one:2': (call) => expandExistsOne(call, 1),
  'member:exists_one:3': (call) => expandExistsOne(call, 2),
  'member:existsOne:3': (call) => expandExistsOne(call, 2),
  'member:map:2': (call) => expandMap(call),
  'member:map:3': (call) => expandMap(call),
  'member:filter:2': (call) => expandFilter(call),
  'member:transformList:3': (call) => expandTransformList(call),
  'member:transformList:4': (call) => expandTransformList(call),
  'member:transformMap:3': (call) => expandTransformMap(call, true),
  'member:transformMap:4': (call) => expandTransformMap(call, true),
  'member:transformMapEntry:3': (call) => expandTransformMap(call, false),
  'member:transformMapEntry:4': (call) => expandTransformMap(call, false),
  'member:optMap:2': (call) => expandOptMap(call, true),
  'member:optFlatMap:2': (call) => expandOptMap(call, false),
};

const storedMacros: Readonly<Record<string, Macro>> = {
  'member:sortBy:2': (call) => expandSortBy(call),
};

/** Makes nodes that all sit where the macro was called. */
class Builder {
  readonly offset: number;

  constructor(offset: number) {
    this.offset = offset;
  }

  bool(value: boolean): Literal {
    return { kind: 'literal', offset: this.offset, value, literalType: simpleTypes.bool };
  }

  int(value: number): Literal {
    return { kind: 'literal', offset: this.offset, value, literalType: simpleTypes.int };
  }

  ident(name: string): Ident {
    return { kind: 'ident', offset: this.offset, name };
  }

  accumulator(): Ident {
    return this.ident(accumulatorName);
  }

  call(name: string, ...args: Expr[]): Call {
    return { kind: 'call', offset: this.offset, name, target: undefined, args };
  }

  member(name: string, target: Expr, ...args: Expr[]): Call {
    return { kind: 'call', offset: this.offset, name, target, args };
  }

  list(...elements: Expr[]): Expr {
    return { kind: 'list', offset: this.offset, elements, optionals: new Set() };
  }

  map(): Expr {
    return { kind: 'map', offset: this.offset, entries: [] };
  }

  fold(parts: Omit<Comprehension, 'kind' | 'offset' | 'type'>): Comprehension {
    return { kind: 'fold', offset: this.offset, ...parts };
  }
}

interface LoopVariables {
  readonly variable: string;
  readonly secondVariable: string | undefined;
}

function loopVariables(args: readonly Expr[], count: number, problem: string): LoopVariables {
  const names = args.slice(0, count).map((arg) => {
    if (arg.kind !== 'ident') throw new MacroError(arg.offset, problem);
    return arg;
  });
  const [first, second] = names as [Ident, Ident | undefined];
  if (first.name === second?.name) throw new MacroError(second.offset, `duplicate variable name: ${first.name}`);
  for (const { name, offset } of names) {
    if (name === accumulatorName || name === oldAccumulatorName) {
      throw new MacroError(offset, 'iteration variable overwrites accumulator variable');
    }
  }
  return { variable: first.name, secondVariable: second?.name };
}

const notSimpleName = 'argument must be a simple name';
const notIdentifier = 'argument is not an identifier';

function expandHas({ offset, args }: MacroCall): Expr {
  const tested = args[0] as Expr;
  if (tested.kind !== 'select') throw new MacroError(tested.offset, 'invalid argument to has() macro');
  return { kind: 'select', offset, operand: tested.operand, field: tested.field, isTest: true };
}

function expandAll({ offset, target, args }: MacroCall, count: number): Expr {
  const build = new Builder(offset);
  return build.fold({
    ...loopVariables(args, count, notSimpleName),
    range: target as Expr,
    accumulator: accumulatorName,
    init: build.bool(true),
    condition: build.call(operators.notStrictlyFalse, build.accumulator()),
    step: build.call(operators.and, build.accumulator(), args[count] as Expr),
    result: build.accumulator(),
  });
}

function expandExists({ offset, target, args }: MacroCall, count: number): Expr {
  const build = new Builder(offset);
  return build.fold({
    ...loopVariables(args, count, notSimpleName),
    range: target as Expr,
    accumulator: accumulatorName,
    init: build.bool(false),
    condition: build.call(operators.notStrictlyFalse, build.call(operators.not, build.accumulator())),
    step: build.call(operators.or, build.accumulator(), args[count] as Expr),
    result: build.accumulator(),
  });
}

function expandExistsOne({ offset, target, args }: MacroCall, count: number): Expr {
  const build = new Builder(offset);
  return build.fold({
    ...loopVariables(args, count, notSimpleName),
    range: target as Expr,
    accumulator: accumulatorName,
    init: build.int(0),
    condition: build.bool(true),
    step: build.call(
      operators.conditional,
      args[count] as Expr,
      build.call(operators.add, build.accumulator(), build.int(1)),
      build.accumulator(),
    ),
    result: build.call(operators.equals, build.accumulator(), build.int(1)),
  });
}

interface Collecting {
  readonly variables: LoopVariables;
  readonly filter: Expr | undefined;
  readonly init: Expr;
  readonly step: Expr;
}

function collect(build: Builder, range: Expr, { variables, filter, init, step }: Collecting): Expr {
  return build.fold({
    ...variables,
    range,
    accumulator: accumulatorName,
    init,
    condition: build.bool(true),
    step: filter === undefined ? step : build.call(operators.conditional, filter, step, build.accumulator()),
    result: build.accumulator(),
  });
}

function expandMap({ offset, target, args }: MacroCall): Expr {
  const build = new Builder(offset);
  const variables = loopVariables(args, 1, notIdentifier);
  const filter = args.length === 3 ? args[1] : undefined;
  const step = build.call(operators.add, build.accumulator(), build.list(args.at(-1) as Expr));
  return collect(build, target as Expr, { variables, filter, init: build.list(), step });
}

function expandFilter({ offset, target, args }: MacroCall): Expr {
  const build = new Builder(offset);
  const variables = loopVariables(args, 1, notIdentifier);
  const step = build.call(operators.add, build.accumulator(), build.list(args[0] as Expr));
  return collect(build, target as Expr, { variables, filter: args[1], init: build.list(), step });
}

function expandTransformList({ offset, target, args }: MacroCall): Expr {
  const build = new Builder(offset);
  const variables = loopVariables(args, 2, notSimpleName);
  const filter = args.length === 4 ? args[2] : undefined;
  const step = build.call(operators.add, build.accumulator(), build.list(args.at(-1) as Expr));
  return collect(build, target as Expr, { variables, filter, init: build.list(), step });
}

function expandTransformMap({ offset, target, args }: MacroCall, keepsKey: boolean): Expr {
  const build = new Builder(offset);
  const variables = loopVariables(args, 2, notSimpleName);
  const filter = args.length === 4 ? args[2] : undefined;
  const key = keepsKey ? [build.ident(variables.variable)] : [];
  const step = build.call('cel.@mapInsert', build.accumulator(), ...key, args.at(-1) as Expr);
  return collect(build, target as Expr, { variables, filter, init: build.map(), step });
}

function expandOptMap({ offset, target, args }: MacroCall, wraps: boolean): Expr {
  const build = new Builder(offset);
  const [variable, body] = args as [Expr, Expr];
  if (variable.kind !== 'ident') {
    const name = wraps ? 'optMap' : 'optFlatMap';
    throw new MacroError(variable.offset, `${name}() variable name must be a simple identifier`);
  }
  const optional = target as Expr;
  const bound = bindVariable(build, variable.name, build.member('value', optional), body);
  return build.call(
    operators.conditional,
    build.member('hasValue', optional),
    wraps ? build.call('optional.of', bound) : bound,
    build.call('optional.none'),
  );
}

/** A loop over nothing, whose accumulator is a local variable. */
function bindVariable(build: Builder, name: string, value: Expr, body: Expr): Expr {
  return build.fold({
    variable: '#unused',
    secondVariable: undefined,
    range: build.list(),
    accumulator: name,
    init: value,
    condition: build.bool(false),
    step: build.ident(name),
    result: body,
  });
}

const sortable = new Set<Expr['kind']>(['list', 'select', 'ident', 'fold', 'call']);

function expandSortBy({ offset, target, args }: MacroCall): Expr {
  const build = new Builder(offset);
  const list = target as Expr;
  if (!sortable.has(list.kind)) {
    throw new MacroError(
      list.offset,
      'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
    );
  }
  const input = '@__sortBy_input__';
  const keys = expandMap({ offset, target: build.ident(input), args });
  return bindVariable(build, input, list, build.member('@sortByAssociatedKeys', build.ident(input), keys));
}
