import { CelError } from './errors.ts';

/** The largest and smallest numbers of each integer type. */
export const int64Max = 9_223_372_036_854_775_807n;
export const int64Min = -9_223_372_036_854_775_808n;
export const uint64Max = 18_446_744_073_709_551_615n;

/**
 * A value while an expression runs. An int is a number while it is a safe integer and a bigint beyond that; doubles
 * and uints are boxed, so that every value tells its type also where the checker knows only `dyn`.
 */
export type Value =
  | null
  | boolean
  | string
  | number
  | bigint
  | Uint8Array
  | CelDouble
  | CelUint
  | CelDuration
  | CelTimestamp
  | CelTypeValue
  | CelOptional
  | CelList
  | CelMap
  | CelOpaque;

/** A double. */
export class CelDouble {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** An unsigned integer. */
export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A span of time in nanoseconds. */
export class CelDuration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds;
  }
}

/** An instant: whole seconds since 1970 and the nanoseconds past them; the offset is only how it was written. */
export class CelTimestamp {
  readonly seconds: number;
  readonly nanos: number;
  readonly offset: number;

  constructor(seconds: number, nanos: number, offset = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A type as a value, as `type(x)` returns it. */
export class CelTypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value that may be absent. */
export class CelOptional {
  static readonly none: CelOptional = new CelOptional(undefined);
  readonly value: Value | undefined;

  private constructor(value: Value | undefined) {
    this.value = value;
  }

  static of(value: Value): CelOptional {
    return new CelOptional(value);
  }
}

/** A value of a type that a library brings: it knows its name and when it equals another of its type. */
export abstract class CelOpaque {
  abstract readonly typeName: string;
  abstract equals(other: CelOpaque): boolean;

  /** The size the cost counts; undefined for types that have none. */
  get size(): number | undefined {
    return undefined;
  }
}

/** A list, built or read lazily from JSON. */
export abstract class CelList {
  /** Read from an object: comparing it with what is no list is an error, not false. */
  readonly isStrict: boolean = false;
  abstract readonly size: number;
  abstract get(index: number): Value;
  abstract concat(other: CelList): CelList;
  abstract equals(other: CelList): boolean;

  *[Symbol.iterator](): Iterator<Value> {
    for (let i = 0; i < this.size; i++) yield this.get(i);
  }

  toArray(): Value[] {
    return [...this];
  }
}

/** A map or an object, built or read lazily from JSON. */
export abstract class CelMap {
  /** Read from an object: comparing it with what is no map is an error, not false. */
  readonly isStrict: boolean = false;
  abstract readonly size: number;
  abstract find(key: Value): Value | undefined;
  abstract has(key: Value): boolean;
  abstract keys(): Value[];
  abstract equals(other: CelMap): boolean;
}

/** An int as a number where that is exact, else as a bigint. */
export function normalizeInt(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** The int a computation gave, or the overflow error. */
export function checkedInt(value: bigint): number | bigint {
  if (value < int64Min || value > int64Max) throw new CelError('integer overflow');
  return normalizeInt(value);
}

/** The uint a computation gave, or the overflow error. */
export function checkedUint(value: bigint): CelUint {
  if (value < 0n || value > uint64Max) throw new CelError('unsigned integer overflow');
  return new CelUint(value);
}

/** True for both forms of an int. */
export function isInt(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** The name of the type a value has at run time. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
    case 'bigint':
      return 'int';
    case 'boolean':
      return 'bool';
    default:
      return objectTypeName(value);
  }
}

function objectTypeName(value: Exclude<Value, string | number | bigint | boolean>): string {
  if (value === null) return 'null_type';
  if (value instanceof CelMap) return 'map';
  if (value instanceof CelList) return 'list';
  if (value instanceof CelDouble) return 'double';
  if (value instanceof CelUint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof CelDuration) return 'google.protobuf.Duration';
  if (value instanceof CelTimestamp) return 'google.protobuf.Timestamp';
  if (value instanceof CelOptional) return 'optional_type';
  if (value instanceof CelTypeValue) return 'type';
  return value.typeName;
}
