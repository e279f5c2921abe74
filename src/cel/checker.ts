import { type Call, type Comprehension, type Expr, type Ident, operators, qualifiedName, type Select } from './ast.ts';
import type { FunctionDeclaration, Overload } from './declarations.ts';
import type { Issue } from './source.ts';
import { type CelType, fieldType, formatType, isDyn, isDynOrError, isExactType, simpleTypes } from './types.ts';
import { assign, assignAll, mostGeneral, type Substitutions, substitute } from './unify.ts';
import { CelTypeValue } from './values.ts';

/** What names mean to the checker. */
export interface CheckEnvironment {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
}

/** The names of types, usable as values. */
const typeNames: ReadonlyMap<string, CelType> = new Map<string, CelType>([
  ['bool', simpleTypes.bool],
  ['bytes', simpleTypes.bytes],
  ['double', simpleTypes.double],
  ['int', simpleTypes.int],
  ['string', simpleTypes.string],
  ['uint', simpleTypes.uint],
  ['null_type', simpleTypes.null],
  ['type', { kind: 'type' }],
  ['list', { kind: 'list', element: simpleTypes.dyn }],
  ['map', { kind: 'map', key: simpleTypes.dyn, value: simpleTypes.dyn }],
  ['google.protobuf.Duration', simpleTypes.duration],
  ['google.protobuf.Timestamp', simpleTypes.timestamp],
  ['net.IP', { kind: 'opaque', name: 'net.IP' }],
  ['net.CIDR', { kind: 'opaque', name: 'net.CIDR' }],
  ['optional_type', { kind: 'optional', value: simpleTypes.dyn }],
]);

/** Finds the type of every node, resolves its calls, and returns the mistakes found on the way. */
export function check(expr: Expr, environment: CheckEnvironment): Issue[] {
  const checker = new Checker(environment);
  checker.check(expr);
  checker.settle(expr);
  return checker.issues;
}

class Checker {
  readonly issues: Issue[] = [];
  readonly #environment: CheckEnvironment;
  readonly #scopes: Map<string, CelType>[] = [];
  readonly #nodes: Expr[] = [];
  #bound: Substitutions = new Map();
  #freeParameters = 0;

  constructor(environment: CheckEnvironment) {
    this.#environment = environment;
  }

  /** Replaces what is left of type parameters, now that all is known. */
  settle(root: Expr): void {
    for (const node of this.#nodes) node.type = substitute(this.#bound, node.type as CelType, true);
    root.type ??= simpleTypes.error;
  }

  check(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    expr.type = type;
    this.#nodes.push(expr);
    return type;
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return expr.literalType;
      case 'ident':
        return this.#ident(expr);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'fold':
        return this.#fold(expr);
    }
  }

  #issue(offset: number, message: string): void {
    this.issues.push({ offset, message });
  }

  #undeclared(offset: number, name: string): CelType {
    this.#issue(offset, `undeclared reference to '${name}' (in container '')`);
    return simpleTypes.error;
  }

  #mismatch(offset: number, expected: CelType, found: CelType): void {
    this.#issue(offset, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  #freshParameter(): CelType {
    return { kind: 'param', name: `_var${this.#freeParameters++}` };
  }

  #fits(from: CelType, to: CelType): boolean {
    const bound = assign(this.#bound, from, to);
    if (bound === undefined) return false;
    this.#bound = bound;
    return true;
  }

  #variable(name: string): CelType | undefined {
    const plain = name.startsWith('.') ? name.slice(1) : name;
    if (plain === name) {
      for (let i = this.#scopes.length - 1; i >= 0; i--) {
        const type = this.#scopes[i]?.get(plain);
        if (type !== undefined) return type;
      }
    }
    return this.#environment.variables.get(plain);
  }

  #ident(expr: Ident): CelType {
    const variable = this.#variable(expr.name);
    if (variable !== undefined) return variable;
    const named = typeNames.get(expr.name);
    if (named === undefined) return this.#undeclared(expr.offset, expr.name);
    expr.constant = new CelTypeValue(expr.name);
    return { kind: 'type', of: named };
  }

  #select(expr: Select): CelType {
    const qualified = expr.isTest ? undefined : qualifiedName(expr);
    if (qualified !== undefined) {
      const named = typeNames.get(qualified);
      const variable = this.#variable(qualified);
      if (variable !== undefined) {
        expr.variable = qualified;
        return variable;
      }
      if (named !== undefined) {
        expr.constant = new CelTypeValue(qualified);
        return { kind: 'type', of: named };
      }
    }
    const type = this.#field(expr.offset, expr.operand, expr.field, false);
    return expr.isTest ? simpleTypes.bool : substitute(this.#bound, type);
  }

  #field(offset: number, operand: Expr, field: string, isOptional: boolean): CelType {
    const operandType = substitute(this.#bound, this.check(operand));
    const target = operandType.kind === 'optional' ? operandType.value : operandType;
    const type = this.#fieldType(offset, target, field);
    return isOptional || operandType.kind === 'optional' ? { kind: 'optional', value: type } : type;
  }

  #fieldType(offset: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.value;
      case 'object': {
        const type = fieldType(target, field);
        if (type !== undefined) return type;
        this.#issue(offset, `undefined field '${field}'`);
        return simpleTypes.error;
      }
      case 'param':
        this.#fits(simpleTypes.dyn, target);
        return simpleTypes.dyn;
      default:
        if (!isDynOrError(target)) this.#issue(offset, `type '${formatType(target)}' does not support field selection`);
        return simpleTypes.dyn;
    }
  }

  #call(expr: Call): CelType {
    if (expr.name === operators.optionalSelect) return this.#optionalSelect(expr);
    for (const arg of expr.args) this.check(arg);
    if (expr.target === undefined) return this.#globalCall(expr);
    const prefix = qualifiedName(expr.target);
    const namespaced = prefix === undefined ? undefined : `${prefix}.${expr.name}`;
    if (namespaced !== undefined && this.#environment.functions.has(namespaced)) {
      expr.name = namespaced;
      expr.target = undefined;
      return this.#globalCall(expr);
    }
    this.check(expr.target);
    const declared = this.#environment.functions.get(expr.name);
    if (declared === undefined) return this.#undeclared(expr.offset, expr.name);
    return this.#resolve(expr, declared, [expr.target, ...expr.args]);
  }

  #globalCall(expr: Call): CelType {
    const plain = expr.name.startsWith('.') ? expr.name.slice(1) : expr.name;
    const declared = this.#environment.functions.get(plain);
    if (declared === undefined) return this.#undeclared(expr.offset, expr.name);
    expr.name = plain;
    return this.#resolve(expr, declared, expr.args);
  }

  #optionalSelect(expr: Call): CelType {
    const [operand, field] = expr.args as [Expr, Expr];
    const name = field.kind === 'literal' && typeof field.value === 'string' ? field.value : '';
    this.check(field);
    expr.overloads = [];
    return substitute(this.#bound, this.#field(expr.offset, operand, name, true));
  }

  #resolve(expr: Call, declared: FunctionDeclaration, operands: readonly Expr[]): CelType {
    if (expr.name === operators.and || expr.name === operators.or) return this.#logic(expr, declared);
    const types = operands.map((operand) => operand.type as CelType);
    const isMember = expr.target !== undefined;
    const matching: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declared.overloads) {
      if (overload.isMember !== isMember) continue;
      const found = this.#apply(overload, types);
      if (found === undefined) continue;
      matching.push(overload);
      if (result === undefined) result = found;
      else if (!isDyn(result) && !isExactType(found, result)) result = simpleTypes.dyn;
    }
    if (result !== undefined) {
      expr.overloads = matching;
      return result;
    }
    const shown = types.map((type) => formatType(substitute(this.#bound, type, true)));
    const signature = isMember ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    this.#issue(expr.offset, `found no matching overload for '${declared.name}' applied to '${signature}'`);
    return simpleTypes.error;
  }

  /** The result type of an overload for these argument types, or undefined when they do not fit. */
  #apply(overload: Overload, types: readonly CelType[]): CelType | undefined {
    const fresh = new Map(overload.typeParameters.map((name) => [name, this.#freshParameter()]));
    const parameters = overload.parameters.map((parameter) => substitute(fresh, parameter));
    const bound = assignAll(this.#bound, types, parameters);
    if (bound === undefined) return undefined;
    this.#bound = bound;
    return substitute(this.#bound, substitute(fresh, overload.result));
  }

  #logic(expr: Call, declared: FunctionDeclaration): CelType {
    let isValid = true;
    for (const arg of expr.args) {
      const type = arg.type as CelType;
      if (this.#fits(type, simpleTypes.bool)) continue;
      this.#mismatch(arg.offset, simpleTypes.bool, type);
      isValid = false;
    }
    expr.overloads = declared.overloads;
    return isValid ? simpleTypes.bool : simpleTypes.error;
  }

  #list(expr: Extract<Expr, { kind: 'list' }>): CelType {
    let element: CelType | undefined;
    for (const [i, item] of expr.elements.entries()) {
      const type = this.#unwrapped(item, this.check(item), expr.optionals.has(i));
      element = this.#join(element, type);
    }
    return { kind: 'list', element: element ?? this.#freshParameter() };
  }

  #map(expr: Extract<Expr, { kind: 'map' }>): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of expr.entries) {
      key = this.#join(key, this.check(entry.key));
      const type = this.#unwrapped(entry.value, this.check(entry.value), entry.isOptional);
      value = this.#join(value, type);
    }
    return { kind: 'map', key: key ?? this.#freshParameter(), value: value ?? this.#freshParameter() };
  }

  #unwrapped(expr: Expr, type: CelType, isOptional: boolean): CelType {
    if (!isOptional) return type;
    if (type.kind === 'optional') return type.value;
    if (!isDyn(type)) this.#mismatch(expr.offset, { kind: 'optional', value: type }, type);
    return type;
  }

  /** Mixed elements make it dyn; that they are refused outside `format` is found once all types are known. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    return this.#fits(previous, current) ? mostGeneral(previous, current) : simpleTypes.dyn;
  }

  /** No type can be built in an expression, so this only finds the words for the refusal. */
  #struct(expr: Extract<Expr, { kind: 'struct' }>): CelType {
    const named = typeNames.get(expr.name);
    const variable = this.#variable(expr.name);
    if (variable !== undefined) this.#issue(expr.offset, `'${formatType(variable)}' is not a type`);
    else if (named === undefined) return this.#undeclared(expr.offset, expr.name);
    else this.#issue(expr.offset, `'${formatType(named)}' is not a message type`);
    for (const field of expr.fields) {
      this.check(field.value);
      this.#issue(field.offset, `unexpected failed resolution of '${expr.name}'`);
    }
    return simpleTypes.error;
  }

  #fold(expr: Comprehension): CelType {
    const range = this.check(expr.range);
    const accumulator = this.check(expr.init);
    this.#scopes.push(new Map([[expr.accumulator, accumulator]]));
    this.#scopes.push(this.#loopScope(expr, substitute(this.#bound, range)));
    this.#assertType(expr.condition, simpleTypes.bool);
    this.#assertType(expr.step, accumulator);
    this.#scopes.pop();
    const result = this.check(expr.result);
    this.#scopes.pop();
    return substitute(this.#bound, result);
  }

  #assertType(expr: Expr, wanted: CelType): void {
    const type = this.check(expr);
    if (!this.#fits(wanted, type)) this.#mismatch(expr.offset, wanted, type);
  }

  #loopScope(expr: Comprehension, range: CelType): Map<string, CelType> {
    const { variable, secondVariable } = expr;
    const scope = (first: CelType, second: CelType): Map<string, CelType> =>
      new Map(
        secondVariable === undefined
          ? [[variable, first]]
          : [
              [variable, first],
              [secondVariable, second],
            ],
      );
    switch (range.kind) {
      case 'list':
        return secondVariable === undefined
          ? scope(range.element, range.element)
          : scope(simpleTypes.int, range.element);
      case 'map':
        return scope(range.key, range.value);
      case 'dyn':
      case 'any':
      case 'error':
      case 'param':
        this.#fits(simpleTypes.dyn, range);
        return scope(simpleTypes.dyn, simpleTypes.dyn);
      default:
        this.#issue(
          expr.range.offset,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return scope(simpleTypes.error, simpleTypes.error);
    }
  }
}
