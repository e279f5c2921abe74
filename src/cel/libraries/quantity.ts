import type { Library } from '../declarations.ts';
import { CelError } from '../errors.ts';
import { CelDouble, CelOpaque, int64Max, int64Min, normalizeInt, type Value } from '../values.ts';

const formatProblem = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const suffixProblem = "unable to parse quantity's suffix";

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffixes: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** The finest fraction that is kept. */
const nano = -9;
/** An exponent beyond this is cut: no quantity of anything is larger, and the digits would fill the memory. */
const maxExponent = 400;
/** A text beyond this is no quantity: the digits are read in more than linear time, which the cost does not count. */
const maxLength = 1000;

/**
 * An amount: a whole number times a power of ten. Kubernetes keeps small amounts as an int64 and larger or finer ones as
 * a decimal of any size, and only the first kind can ever be an integer; `isBig` remembers which it would be.
 */
export class CelQuantity extends CelOpaque {
  override readonly typeName = 'kubernetes.Quantity';
  readonly unscaled: bigint;
  readonly scale: number;
  readonly isBig: boolean;

  constructor(unscaled: bigint, scale: number, isBig: boolean) {
    super();
    this.unscaled = unscaled;
    this.scale = scale;
    this.isBig = isBig;
  }

  override equals(other: CelOpaque): boolean {
    return other instanceof CelQuantity && this.compare(other) === 0;
  }

  compare(other: CelQuantity): number {
    const scale = Math.min(this.scale, other.scale);
    const [a, b] = [this.#at(scale), other.#at(scale)];
    return a < b ? -1 : a > b ? 1 : 0;
  }

  add(other: CelQuantity, sign: 1n | -1n): CelQuantity {
    const scale = Math.min(this.scale, other.scale);
    const sum = this.#at(scale) + sign * other.#at(scale);
    return new CelQuantity(sum, scale, this.isBig || other.isBig || sum > int64Max || sum < int64Min);
  }

  /** The amount as an int, where it is kept as one. */
  toInt(): bigint | undefined {
    if (this.isBig || this.scale < 0) return undefined;
    const value = this.#at(0);
    return value > int64Max || value < int64Min ? undefined : value;
  }

  toNumber(): number {
    return this.scale === 0 ? Number(this.unscaled) : Number(this.unscaled) * 10 ** this.scale;
  }

  #at(scale: number): bigint {
    return this.unscaled * 10n ** BigInt(this.scale - scale);
  }
}

/** Reads a quantity such as `1.5Gi`, `100m` or `1e3`. */
export function parseQuantity(text: string): CelQuantity {
  // Digits may be missing altogether: the reference reads a bare `k` as none of them.
  const match =
    text.length > maxLength ? null : /^(?=.)([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?\d*|[-+]\d*)?)$/.exec(text);
  if (match === null) throw new CelError(formatProblem);
  const [, sign = '', digits = '', fraction = '', suffix = ''] = match;
  const whole = digits.replace(/^0+/, '');
  const unsigned = BigInt(whole + fraction || '0');
  const binary = binarySuffixes[suffix];
  const amount =
    binary === undefined
      ? decimalAmount({ unsigned, digits: whole.length + fraction.length, scale: exponentOf(suffix) - fraction.length })
      : binaryAmount(unsigned, { exponent: binary, whole: whole.length, fraction: fraction.length });
  return sign === '-' ? new CelQuantity(-amount.unscaled, amount.scale, amount.isBig) : amount;
}

function exponentOf(suffix: string): number {
  const decimal = decimalSuffixes[suffix];
  if (decimal !== undefined) return decimal;
  const match = /^[eE]([+-]?\d+)$/.exec(suffix);
  if (match === null) throw new CelError(suffixProblem);
  return Math.max(-maxExponent, Math.min(maxExponent, Number(match[1])));
}

function decimalAmount({ unsigned, digits, scale }: { unsigned: bigint; digits: number; scale: number }): CelQuantity {
  if (digits <= 18 && scale >= nano) return new CelQuantity(unsigned, scale, false);
  return roundedToNano(unsigned, scale);
}

function roundedToNano(unsigned: bigint, scale: number): CelQuantity {
  if (scale >= nano) return new CelQuantity(unsigned, scale, true);
  const divisor = 10n ** BigInt(nano - scale);
  // Whoever asks for a little gets the smallest amount there is.
  return new CelQuantity((unsigned + divisor - 1n) / divisor, nano, true);
}

function binaryAmount(
  unsigned: bigint,
  { exponent, whole, fraction }: { exponent: number; whole: number; fraction: number },
): CelQuantity {
  const amount = unsigned * 2n ** BigInt(exponent);
  const isSmall = fraction === 0 && 15 - whole - Math.trunc((exponent * 3) / 10) - 1 >= 0;
  if (isSmall) return new CelQuantity(amount, 0, false);
  const rounded = roundedToNano(amount, -fraction);
  const max = new CelQuantity(int64Max, 0, true);
  return rounded.compare(max) > 0 ? max : rounded;
}

function toQuantity(text: Value): CelQuantity {
  return parseQuantity(text as string);
}

function isQuantity(text: Value): Value {
  try {
    parseQuantity(text as string);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

function asInteger(quantity: Value): Value {
  const value = (quantity as CelQuantity).toInt();
  if (value === undefined) throw new CelError('cannot convert value to integer');
  return normalizeInt(value);
}

const ofInt = (value: Value): CelQuantity => new CelQuantity(BigInt(value as number | bigint), 0, false);
const compare = (a: Value, b: Value): number => (a as CelQuantity).compare(b as CelQuantity);
const type = 'kubernetes.Quantity';

/** Quantities. */
export const quantityLibrary: Library = {
  quantity: { string_to_quantity: [`(string) -> ${type}`, toQuantity] },
  isQuantity: { is_quantity_string: ['(string) -> bool', isQuantity] },
  sign: {
    quantity_sign: [`(${type}) -> int`, (q) => compare(q, new CelQuantity(0n, 0, false))],
  },
  isGreaterThan: { quantity_is_greater_than: [`${type}.(${type}) -> bool`, (a, b) => compare(a, b) > 0] },
  isLessThan: { quantity_is_less_than: [`${type}.(${type}) -> bool`, (a, b) => compare(a, b) < 0] },
  compareTo: { quantity_compare_to: [`${type}.(${type}) -> int`, compare] },
  asApproximateFloat: {
    quantity_get_float: [`${type}.() -> double`, (q) => new CelDouble((q as CelQuantity).toNumber())],
  },
  asInteger: { quantity_get_int: [`${type}.() -> int`, asInteger] },
  isInteger: { quantity_is_integer: [`${type}.() -> bool`, (q) => (q as CelQuantity).toInt() !== undefined] },
  add: {
    quantity_add: [`${type}.(${type}) -> ${type}`, (a, b) => (a as CelQuantity).add(b as CelQuantity, 1n)],
    quantity_add_int: [`${type}.(int) -> ${type}`, (a, b) => (a as CelQuantity).add(ofInt(b), 1n)],
  },
  sub: {
    quantity_sub: [`${type}.(${type}) -> ${type}`, (a, b) => (a as CelQuantity).add(b as CelQuantity, -1n)],
    quantity_sub_int: [`${type}.(int) -> ${type}`, (a, b) => (a as CelQuantity).add(ofInt(b), -1n)],
  },
};
