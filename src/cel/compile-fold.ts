import { type Comprehension, type Expr, isBinding, operators } from './ast.ts';
import { ValueList, ValueMap } from './collections.ts';
import { type Compiled, computedNode } from './compiled.ts';
import { CelError, noSuchOverload } from './errors.ts';
import { absorbable, charge, type Evaluate, type Frame, HeldError, LazyValue } from './frame.ts';
import { insertError } from './libraries/optionals.ts';
import type { Compile, Scope } from './scope.ts';
import { CelDouble, CelList, CelMap, CelUint, isInt, type Value } from './values.ts';

/** A loop. What it collects is built in place; everything else folds as written. */
export function compileFold(expr: Comprehension, scope: Scope, compile: Compile): Compiled {
  const range = compile(expr.range, scope).run;
  const init = compile(expr.init, scope).run;
  const outer = scope.child();
  const accumulator = outer.declare(expr.accumulator);
  const result = compile(expr.result, outer).run;
  if (isBinding(expr)) {
    return computedNode((frame) => {
      frame.slots[accumulator] = new LazyValue(init);
      return result(frame);
    });
  }
  const inner = outer.child();
  const variable = inner.declare(expr.variable);
  const secondVariable = expr.secondVariable === undefined ? undefined : inner.declare(expr.secondVariable);
  const collector = compileCollector(expr, inner, compile);
  const loop: Loop = { range, isPair: secondVariable !== undefined, set: setter(variable, secondVariable) };
  if (collector !== undefined) return computedNode(collecting(loop, collector));
  const condition = compile(expr.condition, inner).run;
  const step = compile(expr.step, inner).run;
  return computedNode((frame) => {
    const items = range(frame);
    frame.slots[accumulator] = init(frame);
    forEach(loop, frame, items, () => {
      if (condition(frame) !== true) return false;
      frame.slots[accumulator] = hold(step, frame);
      return true;
    });
    return result(frame);
  });
}

interface Loop {
  readonly range: Evaluate;
  readonly isPair: boolean;
  readonly set: (frame: Frame, first: Value, second: Value) => void;
}

function setter(variable: number, secondVariable: number | undefined): Loop['set'] {
  if (secondVariable === undefined) {
    return (frame, first) => {
      frame.slots[variable] = first;
    };
  }
  return (frame, first, second) => {
    frame.slots[variable] = first;
    frame.slots[secondVariable] = second;
  };
}

function hold(step: Evaluate, frame: Frame): Value | HeldError {
  try {
    return step(frame);
  } catch (error) {
    return new HeldError(absorbable(error));
  }
}

/**
 * Runs the body for elements or keys, or for both sides of each entry when there are two variables, until it says stop.
 */
function forEach({ isPair, set }: Loop, frame: Frame, range: Value, body: () => boolean): void {
  if (range instanceof CelList) {
    for (let i = 0; i < range.size; i++) {
      if (isPair) set(frame, i, range.get(i));
      else set(frame, range.get(i), null);
      if (!body()) return;
    }
  } else if (range instanceof CelMap) {
    for (const key of range.keys()) {
      set(frame, key, isPair ? (range.find(key) as Value) : null);
      if (!body()) return;
    }
  } else {
    const name = goTypeName(range);
    throw new CelError(
      isPair ? `unsupported comprehension range type: ${name}` : `got '${name}', expected iterable type`,
    );
  }
}

function goTypeName(value: Value): string {
  if (value === null) return 'types.Null';
  if (typeof value === 'string') return 'types.String';
  if (isInt(value)) return 'types.Int';
  if (typeof value === 'boolean') return 'types.Bool';
  if (value instanceof CelDouble) return 'types.Double';
  if (value instanceof CelUint) return 'types.Uint';
  return value instanceof Uint8Array ? 'types.Bytes' : 'types.Value';
}

/** Adds one element of the range to what the loop collects. */
interface Collector {
  readonly start: () => { add(frame: Frame): void; finish(): Value };
}

function collecting(loop: Loop, { start }: Collector): Evaluate {
  return (frame) => {
    const items = loop.range(frame);
    const collection = start();
    forEach(loop, frame, items, () => {
      collection.add(frame);
      return true;
    });
    // The result is read through the accumulator, which costs as any variable does.
    charge(frame, 1);
    return collection.finish();
  };
}

/** The collector of a loop whose step is `acc + [x]` or an insertion into a map, perhaps behind a filter. */
function compileCollector(expr: Comprehension, scope: Scope, compile: Compile): Collector | undefined {
  if (expr.init.kind !== 'list' && expr.init.kind !== 'map') return undefined;
  if (expr.condition.kind !== 'literal' || expr.condition.value !== true) return undefined;
  const { step } = expr;
  if (step.kind !== 'call') return undefined;
  if (step.name !== operators.conditional) return stepCollector(step, scope, compile);
  const [filter, added] = step.args as [Expr, Expr];
  const collector = added.kind === 'call' ? stepCollector(added, scope, compile) : undefined;
  return collector === undefined ? undefined : filtered(compile(filter, scope).run, collector);
}

function filtered(filter: Evaluate, { start }: Collector): Collector {
  return {
    start: () => {
      const collection = start();
      return {
        add: (frame) => {
          const isKept = filter(frame);
          if (typeof isKept !== 'boolean') throw noSuchOverload();
          if (isKept) collection.add(frame);
        },
        finish: collection.finish,
      };
    },
  };
}

function stepCollector(step: Extract<Expr, { kind: 'call' }>, scope: Scope, compile: Compile): Collector | undefined {
  const [, ...added] = step.args;
  if (step.name === operators.add && added[0]?.kind === 'list') return listCollector(added[0], scope, compile);
  if (step.name === 'cel.@mapInsert') return mapCollector(added, scope, compile);
  return undefined;
}

function listCollector(added: Extract<Expr, { kind: 'list' }>, scope: Scope, compile: Compile): Collector {
  const element = compile(added.elements[0] as Expr, scope);
  // Accumulator, addition, and the one-element list unless that is a constant.
  const cost = element.constant === undefined ? 12 : 2;
  return {
    start: () => {
      const values: Value[] = [];
      return {
        add: (frame) => {
          values.push(element.run(frame));
          charge(frame, cost);
        },
        finish: () => new ValueList(values),
      };
    },
  };
}

function mapCollector(added: readonly Expr[], scope: Scope, compile: Compile): Collector {
  const runs = added.map((expr) => compile(expr, scope).run);
  return {
    start: () => {
      const entries: [Value, Value][] = [];
      const insert = keyGuard();
      return {
        add: (frame) => {
          const [first, second] = runs.map((run) => run(frame)) as [Value, Value | undefined];
          charge(frame, 2);
          const pairs = second === undefined ? mapPairs(first as CelMap) : [[first, second] as [Value, Value]];
          for (const [key] of pairs) insert(key);
          entries.push(...pairs);
        },
        finish: () => ValueMap.of(entries),
      };
    },
  };
}

function mapPairs(map: CelMap): [Value, Value][] {
  return map.keys().map((key) => [key, map.find(key) as Value]);
}

function keyGuard(): (key: Value) => void {
  const seen = new Set<unknown>();
  return (key) => {
    const plain = key instanceof CelUint ? Number(key.value) : key instanceof CelDouble ? key.value : key;
    if (seen.has(plain)) throw insertError(key);
    seen.add(plain);
  };
}
