import { formatTimestamp } from './time.ts';
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  isInt,
  type Value,
} from './values.ts';

/** A value as JSON that tells its type, for tests and messages: `int:3`, `["list", "string:a"]`, `{"string:k": true}`. */
export function showValue(value: Value): unknown {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return `string:${value}`;
  if (isInt(value)) return `int:${value}`;
  if (value instanceof CelDouble) return `double:${showDouble(value.value)}`;
  if (value instanceof CelUint) return `uint:${value.value}`;
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString('hex')}`;
  if (value instanceof CelDuration) return `duration:${value.nanoseconds}`;
  if (value instanceof CelTimestamp)
    return `timestamp:${formatTimestamp(new CelTimestamp(value.seconds, value.nanos))}`;
  if (value instanceof CelTypeValue) return `type:${value.name}`;
  if (value instanceof CelOptional)
    return value.value === undefined ? ['optional'] : ['optional', showValue(value.value)];
  if (value instanceof CelList) return ['list', ...value.toArray().map(showValue)];
  if (value instanceof CelMap) {
    return Object.fromEntries(value.keys().map((key) => [String(showValue(key)), showValue(value.find(key) as Value)]));
  }
  return `${value.typeName}:${String(value)}`;
}

function showDouble(value: number): string {
  if (Number.isFinite(value)) return JSON.stringify(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
