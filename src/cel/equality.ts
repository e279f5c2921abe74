import { CelError, noSuchOverload } from './errors.ts';
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  isInt,
  type Value,
} from './values.ts';

/** True when two values are equal; numbers are compared across their types, other types never equal each other. */
export function equals(a: Value, b: Value): boolean {
  if (typeof a !== 'object' || a === null) {
    if (typeof a === typeof b || a === null) return a === b;
    return isInt(a) ? intEquals(a, b) : false;
  }
  return objectEquals(a, b);
}

function intEquals(a: number | bigint, b: Value): boolean {
  if (isInt(b)) return a === b;
  if (b instanceof CelUint) return BigInt(a) === b.value;
  return b instanceof CelDouble && numericCompare(a, b.value) === 0;
}

function objectEquals(a: object, b: Value): boolean {
  if (a instanceof CelMap) return b instanceof CelMap ? a.equals(b) : differs(a, b);
  if (a instanceof CelList) return b instanceof CelList ? a.equals(b) : differs(a, b);
  if (a instanceof CelDouble) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (a instanceof CelUint) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanoseconds === b.nanoseconds;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof CelOptional) return b instanceof CelOptional && optionalEquals(a, b);
  if (a instanceof CelOpaque) {
    if (!(b instanceof CelOpaque) || b.typeName !== a.typeName) throw noSuchOverload();
    return a.equals(b);
  }
  return false;
}

function differs({ isStrict }: CelList | CelMap, other: Value): false {
  if (isStrict && other !== null) throw noSuchOverload();
  return false;
}

function optionalEquals(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value);
}

/** Element by element, in order. */
export function listEquals(a: CelList, b: CelList): boolean {
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (!equals(a.get(i), b.get(i))) return false;
  return true;
}

type Numeric = number | bigint | CelDouble | CelUint;

function isNumeric(value: Value): value is Numeric {
  return isInt(value) || value instanceof CelDouble || value instanceof CelUint;
}

function plain(value: Numeric): { value: number | bigint; isDouble: boolean } {
  if (value instanceof CelDouble) return { value: value.value, isDouble: true };
  return { value: value instanceof CelUint ? value.value : value, isDouble: false };
}

/** Below, equal or above zero; NaN when a side is not a number. Comparing a number with a bigint is exact in JavaScript. */
function numericCompare(a: number | bigint, b: number | bigint): number {
  return a < b ? -1 : a > b ? 1 : a <= b ? 0 : Number.NaN;
}

function compareNumbers(a: Numeric, b: Numeric): number {
  return numericCompare(plain(a).value, plain(b).value);
}

/** Negative, zero or positive; throws for values that have no order. */
export function compare(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (isNumeric(a) && isNumeric(b)) {
    const order = compareNumbers(a, b);
    if (Number.isNaN(order)) throw new CelError('NaN values cannot be ordered');
    return order;
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return a.seconds - b.seconds || a.nanos - b.nanos;
  if (a instanceof CelDuration && b instanceof CelDuration) return numericCompare(a.nanoseconds, b.nanoseconds);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  throw noSuchOverload();
}

/** The order of the UTF-8 bytes, which is that of the code points; JavaScript's own differs past U+FFFF. */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const isXSurrogate = x >= 0xd800 && x <= 0xdfff;
    const isYSurrogate = y >= 0xd800 && y <= 0xdfff;
    if (isXSurrogate !== isYSurrogate) return isXSurrogate ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}
