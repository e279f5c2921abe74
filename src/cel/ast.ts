import type { Overload } from './declarations.ts';
import type { CelType } from './types.ts';
import type { Value } from './values.ts';

interface NodeBase {
  /** Where mistakes in this node are reported, in code points. */
  readonly offset: number;
  /** Set by the checker. */
  type?: CelType;
}

/** A constant written in the expression, or one that an identifier names. */
export interface Literal extends NodeBase {
  readonly kind: 'literal';
  readonly value: Value;
  readonly literalType: CelType;
}

/** A variable or type name. */
export interface Ident extends NodeBase {
  readonly kind: 'ident';
  readonly name: string;
  /** Set by the checker when the name is that of a type. */
  constant?: Value;
}

/** `operand.field`, or `has(operand.field)` when it only tests. */
export interface Select extends NodeBase {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly isTest: boolean;
  /** Set by the checker when the whole path is one name, such as a type. */
  constant?: Value;
  variable?: string;
}

/** A function or operator call. The checker moves a namespace (`sets.contains`) from the target into the name. */
export interface Call extends NodeBase {
  readonly kind: 'call';
  name: string;
  target: Expr | undefined;
  readonly args: Expr[];
  /** The overloads that fit the argument types; set by the checker. */
  overloads?: readonly Overload[];
}

/** `[a, ?b]`. */
export interface ListExpr extends NodeBase {
  readonly kind: 'list';
  readonly elements: readonly Expr[];
  readonly optionals: ReadonlySet<number>;
}

/** One `key: value` of a map, `?key: value` when the value is optional. */
export interface MapEntry {
  readonly offset: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly isOptional: boolean;
}

/** `{key: value}`. */
export interface MapExpr extends NodeBase {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** `Name{field: value}`: parsed so that it can be refused as cel-go refuses it. */
export interface StructExpr extends NodeBase {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly { offset: number; name: string; value: Expr; isOptional: boolean }[];
}

/** What every loop macro expands to: a fold over a list or map. */
export interface Comprehension extends NodeBase {
  readonly kind: 'fold';
  readonly range: Expr;
  readonly variable: string;
  readonly secondVariable: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** A node of an expression. */
export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | StructExpr | Comprehension;

/** The operators, by the names cel-go prints in messages. */
export const operators = {
  and: '_&&_',
  or: '_||_',
  not: '!_',
  negate: '-_',
  conditional: '_?_:_',
  index: '_[_]',
  optionalIndex: '_[?_]',
  optionalSelect: '_?._',
  equals: '_==_',
  notEquals: '_!=_',
  add: '_+_',
  in: '@in',
  notStrictlyFalse: '@not_strictly_false',
} as const;

/** True for a loop over nothing, which is how a macro declares a local variable. */
export function isBinding({ range, condition, accumulator }: Comprehension): boolean {
  const isEmpty = range.kind === 'list' && range.elements.length === 0;
  return isEmpty && condition.kind === 'literal' && condition.value === false && accumulator !== '__result__';
}

/** The dotted name that a chain of identifiers and selects spells, or undefined when it is something else. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.isTest) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
