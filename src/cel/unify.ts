import { type CelType, isDyn, isDynOrError, isExactType, simpleTypes, typeParameters } from './types.ts';

/** What each type parameter stands for so far. */
export type Substitutions = ReadonlyMap<string, CelType>;

type Bindings = Map<string, CelType>;

/** The substitutions under which every `from` fits the `to` at its place, or undefined when there are none. */
export function assignAll(
  bound: Substitutions,
  from: readonly CelType[],
  to: readonly CelType[],
): Substitutions | undefined {
  const trial: Bindings = new Map(bound);
  return fitsAll(trial, from, to) ? trial : undefined;
}

/** The substitutions under which `from` fits `to`, or undefined when there are none. */
export function assign(bound: Substitutions, from: CelType, to: CelType): Substitutions | undefined {
  return assignAll(bound, [from], [to]);
}

function fitsAll(bound: Bindings, from: readonly CelType[], to: readonly CelType[]): boolean {
  return from.length === to.length && from.every((type, i) => fits(bound, type, to[i] as CelType));
}

function fits(bound: Bindings, from: CelType, to: CelType): boolean {
  if (to.kind === 'param') {
    const { valid, known } = bind(bound, from, to.name, to);
    if (valid) return true;
    if (known) return false;
  }
  if (from.kind === 'param') return bind(bound, to, from.name, from).valid;
  if (isDynOrError(from) || isDynOrError(to)) return true;
  if (from.kind === 'null') return acceptsNull(to);
  if (to.kind === 'null') return acceptsNull(from);
  switch (from.kind) {
    case 'type':
      return to.kind === 'type';
    case 'list':
    case 'map':
    case 'optional':
      return from.kind === to.kind && fitsAll(bound, typeParameters(from), typeParameters(to));
    default:
      return isExactType(from, to);
  }
}

// Messages, durations and timestamps could always be null in protobuf; CEL keeps that.
function acceptsNull(type: CelType): boolean {
  switch (type.kind) {
    case 'null':
    case 'optional':
    case 'opaque':
    case 'object':
    case 'duration':
    case 'timestamp':
      return true;
    default:
      return false;
  }
}

/** Lets a type parameter stand for a type, widening what it stood for if both agree. */
function bind(bound: Bindings, type: CelType, name: string, param: CelType): { valid: boolean; known: boolean } {
  if (type.kind === 'param' && type.name === name) return { valid: true, known: true };
  const current = bound.get(name);
  if (current !== undefined) {
    if (isExactType(type, current)) return { valid: true, known: true };
    if (!fits(bound, type, current)) return { valid: false, known: true };
    const wider = mostGeneral(type, current);
    if (!occursIn(bound, param, wider)) bound.set(name, wider);
    return { valid: true, known: true };
  }
  if (occursIn(bound, param, type)) return { valid: false, known: false };
  bound.set(name, type);
  return { valid: true, known: false };
}

function occursIn(bound: Substitutions, param: CelType, within: CelType): boolean {
  if (isExactType(param, within)) return true;
  if (within.kind === 'param') {
    const stands = bound.get(within.name);
    return stands !== undefined && occursIn(bound, param, stands);
  }
  return typeParameters(within).some((part) => occursIn(bound, param, part));
}

/** The less specific of two types that agree. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true;
  if (isDyn(b) || b.kind === 'param') return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  const left = typeParameters(a);
  if (left.length === 0) return isExactType(a, b);
  const right = typeParameters(b);
  return left.every((type, i) => isEqualOrLessSpecific(type, right[i] as CelType));
}

/** The type with its parameters replaced by what they stand for; `freeToDyn` turns the unbound ones into dyn. */
export function substitute(bound: Substitutions, type: CelType, freeToDyn = false): CelType {
  switch (type.kind) {
    case 'param': {
      const stands = bound.get(type.name);
      if (stands !== undefined) return substitute(bound, stands, freeToDyn);
      return freeToDyn ? simpleTypes.dyn : type;
    }
    case 'list': {
      const element = substitute(bound, type.element, freeToDyn);
      return element === type.element ? type : { ...type, element };
    }
    case 'map': {
      const key = substitute(bound, type.key, freeToDyn);
      const value = substitute(bound, type.value, freeToDyn);
      return key === type.key && value === type.value ? type : { ...type, key, value };
    }
    case 'optional': {
      const value = substitute(bound, type.value, freeToDyn);
      return value === type.value ? type : { ...type, value };
    }
    case 'type':
      return type.of === undefined ? type : { ...type, of: substitute(bound, type.of, freeToDyn) };
    default:
      return type;
  }
}
