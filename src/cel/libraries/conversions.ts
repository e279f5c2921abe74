import type { Library } from '../declarations.ts';
import { CelError } from '../errors.ts';
import { formatDouble } from '../number-format.ts';
import {
  formatDuration,
  formatTimestamp,
  maxTimestampSeconds,
  minTimestampSeconds,
  parseDuration,
  parseTimestamp,
} from '../time.ts';
import {
  CelDouble,
  type CelDuration,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  checkedInt,
  checkedUint,
  int64Max,
  int64Min,
  normalizeInt,
  typeNameOf,
  uint64Max,
  type Value,
} from '../values.ts';

const identity = (value: Value): Value => value;

function conversionError(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}

function stringToBool(text: Value): Value {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text as string)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text as string)) return false;
  throw conversionError('string', 'bool');
}

function stringToInt(text: Value): Value {
  if (!/^[+-]?\d+$/.test(text as string)) throw conversionError('string', 'int');
  const value = BigInt((text as string).replace(/^\+/, ''));
  if (value < int64Min || value > int64Max) throw conversionError('string', 'int');
  return normalizeInt(value);
}

function stringToUint(text: Value): Value {
  if (!/^\d+$/.test(text as string)) throw conversionError('string', 'uint');
  const value = BigInt(text as string);
  if (value > uint64Max) throw conversionError('string', 'uint');
  return new CelUint(value);
}

const specialDoubles: ReadonlyMap<string, number> = new Map([
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
]);

function stringToDouble(text: Value): Value {
  const word = (text as string).toLowerCase();
  const special = specialDoubles.get(word.replace(/^[+-]/, ''));
  if (special !== undefined) return new CelDouble(word.startsWith('-') ? -special : special);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(word)) throw conversionError('string', 'double');
  const value = Number(word);
  if (!Number.isFinite(value)) throw conversionError('string', 'double');
  return new CelDouble(value);
}

function doubleToInt(value: Value): Value {
  const double = (value as CelDouble).value;
  if (Number.isNaN(double) || double <= -(2 ** 63) || double >= 2 ** 63) {
    throw new CelError('integer overflow');
  }
  return checkedInt(BigInt(Math.trunc(double)));
}

function doubleToUint(value: Value): Value {
  const double = (value as CelDouble).value;
  if (Number.isNaN(double) || double < 0 || double >= 2 ** 64) throw new CelError('unsigned integer overflow');
  return checkedUint(BigInt(Math.trunc(double)));
}

function stringToDuration(text: Value): Value {
  const duration = parseDuration(text as string);
  if (duration === undefined) throw conversionError('string', 'google.protobuf.Duration');
  return duration;
}

function stringToTimestamp(text: Value): Value {
  const timestamp = parseTimestamp(text as string);
  if (timestamp === undefined) throw conversionError('string', 'google.protobuf.Timestamp');
  if (timestamp.seconds < minTimestampSeconds || timestamp.seconds > maxTimestampSeconds)
    throw new CelError('timestamp overflow');
  return timestamp;
}

function intToTimestamp(value: Value): Value {
  const seconds = Number(value);
  if (seconds < minTimestampSeconds || seconds > maxTimestampSeconds) throw new CelError('timestamp overflow');
  return new CelTimestamp(seconds, 0);
}

function bytesToString(value: Value): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value as Uint8Array);
  } catch (cause) {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string', 'evaluation', { cause });
  }
}

/** Conversions between types, `dyn` and `type`. */
export const conversionLibrary: Library = {
  bool: {
    bool_to_bool: ['(bool) -> bool', identity],
    string_to_bool: ['(string) -> bool', stringToBool],
  },
  bytes: {
    bytes_to_bytes: ['(bytes) -> bytes', identity],
    string_to_bytes: ['(string) -> bytes', (text) => Buffer.from(text as string)],
  },
  double: {
    double_to_double: ['(double) -> double', identity],
    int64_to_double: ['(int) -> double', (value) => new CelDouble(Number(value))],
    string_to_double: ['(string) -> double', stringToDouble],
    uint64_to_double: ['(uint) -> double', (value) => new CelDouble(Number((value as CelUint).value))],
  },
  duration: {
    duration_to_duration: ['(duration) -> duration', identity],
    int64_to_duration: [
      '(int) -> duration',
      () => {
        throw conversionError('int', 'google.protobuf.Duration');
      },
    ],
    string_to_duration: ['(string) -> duration', stringToDuration],
  },
  dyn: { to_dyn: ['(A) -> dyn', identity] },
  int: {
    int64_to_int64: ['(int) -> int', identity],
    double_to_int64: ['(double) -> int', doubleToInt],
    duration_to_int64: ['(duration) -> int', (value) => normalizeInt((value as CelDuration).nanoseconds)],
    string_to_int64: ['(string) -> int', stringToInt],
    timestamp_to_int64: ['(timestamp) -> int', (value) => (value as CelTimestamp).seconds],
    uint64_to_int64: ['(uint) -> int', (value) => checkedInt((value as CelUint).value)],
  },
  string: {
    string_to_string: ['(string) -> string', identity],
    bool_to_string: ['(bool) -> string', (value) => String(value)],
    bytes_to_string: ['(bytes) -> string', bytesToString],
    double_to_string: ['(double) -> string', (value) => formatDouble((value as CelDouble).value)],
    duration_to_string: ['(duration) -> string', (value) => formatDuration(value as CelDuration)],
    int64_to_string: ['(int) -> string', (value) => String(value)],
    timestamp_to_string: ['(timestamp) -> string', (value) => formatTimestamp(value as CelTimestamp)],
    uint64_to_string: ['(uint) -> string', (value) => String((value as CelUint).value)],
  },
  timestamp: {
    timestamp_to_timestamp: ['(timestamp) -> timestamp', identity],
    int64_to_timestamp: ['(int) -> timestamp', intToTimestamp],
    string_to_timestamp: ['(string) -> timestamp', stringToTimestamp],
  },
  type: { type: ['(A) -> type(A)', (value) => new CelTypeValue(typeNameOf(value))] },
  uint: {
    uint64_to_uint64: ['(uint) -> uint', identity],
    double_to_uint64: ['(double) -> uint', doubleToUint],
    int64_to_uint64: ['(int) -> uint', (value) => checkedUint(BigInt(value as number | bigint))],
    string_to_uint64: ['(string) -> uint', stringToUint],
  },
};
