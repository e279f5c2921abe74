import { elementAt, noSuchKey, valueAt } from '../collections.ts';
import type { Library } from '../declarations.ts';
import { compare, equals } from '../equality.ts';
import { CelError, noSuchOverload } from '../errors.ts';
import { maxTimestampSeconds, minTimestampSeconds, nanosPerSecond } from '../time.ts';
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelUint,
  checkedInt,
  checkedUint,
  int64Max,
  int64Min,
  isInt,
  type Value,
} from '../values.ts';

type Int = number | bigint;

/** Sum of two ints; the exact path through bigints is taken only when the fast one may have lost digits. */
function addInts(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return checkedInt(BigInt(a as Int) + BigInt(b as Int));
}

function subtractInts(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return checkedInt(BigInt(a as Int) - BigInt(b as Int));
}

function multiplyInts(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product === 0 ? 0 : product;
  }
  return checkedInt(BigInt(a as Int) * BigInt(b as Int));
}

function divideInts(a: Value, b: Value): Value {
  const divisor = BigInt(b as Int);
  if (divisor === 0n) throw new CelError('division by zero');
  return checkedInt(BigInt(a as Int) / divisor);
}

function moduloInts(a: Value, b: Value): Value {
  const divisor = BigInt(b as Int);
  if (divisor === 0n) throw new CelError('modulus by zero');
  return checkedInt(BigInt(a as Int) % divisor);
}

function doubles(operation: (a: number, b: number) => number): (a: Value, b: Value) => Value {
  return (a, b) => new CelDouble(operation((a as CelDouble).value, (b as CelDouble).value));
}

function uints(operation: (a: bigint, b: bigint) => bigint): (a: Value, b: Value) => Value {
  return (a, b) => checkedUint(operation((a as CelUint).value, (b as CelUint).value));
}

function divideUints(name: string, operation: (a: bigint, b: bigint) => bigint): (a: Value, b: Value) => Value {
  return (a, b) => {
    const divisor = (b as CelUint).value;
    if (divisor === 0n) throw new CelError(`${name} by zero`);
    return new CelUint(operation((a as CelUint).value, divisor));
  };
}

function checkedDuration(nanoseconds: bigint): CelDuration {
  if (nanoseconds < int64Min || nanoseconds > int64Max) throw new CelError('integer overflow');
  return new CelDuration(nanoseconds);
}

function shift(timestamp: Value, by: bigint): CelTimestamp {
  const { seconds, nanos, offset } = timestamp as CelTimestamp;
  const total = BigInt(seconds) * nanosPerSecond + BigInt(nanos) + by;
  const remainder = ((total % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  const whole = Number((total - remainder) / nanosPerSecond);
  if (whole < minTimestampSeconds || whole > maxTimestampSeconds) throw new CelError('timestamp overflow');
  return new CelTimestamp(whole, Number(remainder), offset);
}

function nanosOf(timestamp: Value): bigint {
  const { seconds, nanos } = timestamp as CelTimestamp;
  return BigInt(seconds) * nanosPerSecond + BigInt(nanos);
}

const spanOf = (duration: Value): bigint => (duration as CelDuration).nanoseconds;

function isIn(element: Value, container: Value): Value {
  if (container instanceof CelMap) return container.find(element) !== undefined;
  if (!(container instanceof CelList)) throw noSuchOverload();
  for (let i = 0; i < container.size; i++) if (equals(container.get(i), element)) return true;
  return false;
}

/** `container[key]`; on an optional container the result is optional too. */
export function indexInto(container: Value, key: Value): Value {
  if (container instanceof CelList) return elementAt(container, key);
  if (container instanceof CelMap) return valueAt(container, key);
  if (container instanceof CelOptional) return findIn(container, key);
  throw noSuchKey(key);
}

/** `container[?key]`: none where the key is not there. */
export function findIn(container: Value, key: Value): CelOptional {
  const inner = container instanceof CelOptional ? container.value : container;
  if (inner === undefined) return CelOptional.none;
  const found =
    inner instanceof CelMap ? inner.find(key) : inner instanceof CelList ? findElement(inner, key) : undefined;
  return found === undefined ? CelOptional.none : CelOptional.of(found);
}

function findElement(list: CelList, index: Value): Value | undefined {
  if (!isInt(index)) return elementAt(list, index);
  return index >= 0 && index < list.size ? list.get(Number(index)) : undefined;
}

const comparisons: readonly (readonly [string, string, (order: number) => boolean])[] = [
  ['_<_', 'less', (order) => order < 0],
  ['_<=_', 'less_equals', (order) => order <= 0],
  ['_>_', 'greater', (order) => order > 0],
  ['_>=_', 'greater_equals', (order) => order >= 0],
];

const comparable: readonly (readonly [string, string, string])[] = [
  ['bool', 'bool', 'bool'],
  ['int64', 'int', 'int'],
  ['int64_double', 'int', 'double'],
  ['int64_uint64', 'int', 'uint'],
  ['uint64', 'uint', 'uint'],
  ['uint64_double', 'uint', 'double'],
  ['uint64_int64', 'uint', 'int'],
  ['double', 'double', 'double'],
  ['double_int64', 'double', 'int'],
  ['double_uint64', 'double', 'uint'],
  ['string', 'string', 'string'],
  ['bytes', 'bytes', 'bytes'],
  ['timestamp', 'timestamp', 'timestamp'],
  ['duration', 'duration', 'duration'],
];

function comparisonLibrary(): Library {
  return Object.fromEntries(
    comparisons.map(([name, prefix, holds]) => [
      name,
      Object.fromEntries(
        comparable.map(([suffix, left, right]) => [
          `${prefix}_${suffix}`,
          [`(${left}, ${right}) -> bool`, (a: Value, b: Value) => holds(compare(a, b))] as const,
        ]),
      ),
    ]),
  );
}

// The logical operators and the conditional are not here as functions: the evaluator does not compute all their sides.
const unreachable = (): Value => {
  throw noSuchOverload();
};

/** The operators. */
export const operatorLibrary: Library = {
  ...comparisonLibrary(),
  '_&&_': { logical_and: ['(bool, bool) -> bool', unreachable] },
  '_||_': { logical_or: ['(bool, bool) -> bool', unreachable] },
  '_?_:_': { conditional: ['(bool, A, A) -> A', unreachable] },
  '@not_strictly_false': { not_strictly_false: ['(bool) -> bool', unreachable] },
  '!_': { logical_not: ['(bool) -> bool', (a) => !(a as boolean)] },
  '-_': {
    negate_double: ['(double) -> double', (a) => new CelDouble(-(a as CelDouble).value)],
    negate_int64: ['(int) -> int', (a) => subtractInts(0, a)],
  },
  '_==_': { equals: ['(A, A) -> bool', equals] },
  '_!=_': { not_equals: ['(A, A) -> bool', (a, b) => !equals(a, b)] },
  '@in': {
    in_list: ['(A, list(A)) -> bool', isIn],
    in_map: ['(A, map(A, B)) -> bool', isIn],
  },
  '_[_]': {
    index_list: ['(list(A), int) -> A', indexInto],
    index_map: ['(map(A, B), A) -> B', indexInto],
    optional_list_index_int: ['(optional(list(V)), int) -> optional(V)', indexInto],
    optional_map_index_value: ['(optional(map(K, V)), K) -> optional(V)', indexInto],
  },
  '_[?_]': {
    list_optindex_optional_int: ['(list(V), int) -> optional(V)', findIn],
    optional_list_optindex_optional_int: ['(optional(list(V)), int) -> optional(V)', findIn],
    map_optindex_optional_value: ['(map(K, V), K) -> optional(V)', findIn],
    optional_map_optindex_optional_value: ['(optional(map(K, V)), K) -> optional(V)', findIn],
  },
  '_+_': {
    add_bytes: ['(bytes, bytes) -> bytes', (a, b) => Buffer.concat([a as Uint8Array, b as Uint8Array])],
    add_double: ['(double, double) -> double', doubles((a, b) => a + b)],
    add_duration_duration: ['(duration, duration) -> duration', (a, b) => checkedDuration(spanOf(a) + spanOf(b))],
    add_duration_timestamp: ['(duration, timestamp) -> timestamp', (a, b) => shift(b, spanOf(a))],
    add_timestamp_duration: ['(timestamp, duration) -> timestamp', (a, b) => shift(a, spanOf(b))],
    add_int64: ['(int, int) -> int', addInts],
    add_list: ['(list(A), list(A)) -> list(A)', (a, b) => (a as CelList).concat(b as CelList)],
    add_string: ['(string, string) -> string', (a, b) => (a as string) + (b as string)],
    add_uint64: ['(uint, uint) -> uint', uints((a, b) => a + b)],
  },
  '_-_': {
    subtract_double: ['(double, double) -> double', doubles((a, b) => a - b)],
    subtract_duration_duration: ['(duration, duration) -> duration', (a, b) => checkedDuration(spanOf(a) - spanOf(b))],
    subtract_int64: ['(int, int) -> int', subtractInts],
    subtract_timestamp_duration: ['(timestamp, duration) -> timestamp', (a, b) => shift(a, -spanOf(b))],
    subtract_timestamp_timestamp: [
      '(timestamp, timestamp) -> duration',
      (a, b) => checkedDuration(nanosOf(a) - nanosOf(b)),
    ],
    subtract_uint64: ['(uint, uint) -> uint', uints((a, b) => a - b)],
  },
  '_*_': {
    multiply_double: ['(double, double) -> double', doubles((a, b) => a * b)],
    multiply_int64: ['(int, int) -> int', multiplyInts],
    multiply_uint64: ['(uint, uint) -> uint', uints((a, b) => a * b)],
  },
  '_/_': {
    divide_double: ['(double, double) -> double', doubles((a, b) => a / b)],
    divide_int64: ['(int, int) -> int', divideInts],
    divide_uint64: ['(uint, uint) -> uint', divideUints('division', (a, b) => a / b)],
  },
  '_%_': {
    modulo_int64: ['(int, int) -> int', moduloInts],
    modulo_uint64: ['(uint, uint) -> uint', divideUints('modulus', (a, b) => a % b)],
  },
};
