import { ValueList, ValueMap } from '../collections.ts';
import type { Library } from '../declarations.ts';
import { CelError } from '../errors.ts';
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelUint,
  isInt,
  typeNameOf,
  type Value,
} from '../values.ts';

function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0) return true;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration) return value.nanoseconds === 0n;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  return value instanceof CelOptional && value.value === undefined;
}

/** The value of an optional, or the error of one that has none. */
export function unwrap(optional: Value): Value {
  const { value } = optional as CelOptional;
  if (value === undefined) throw new CelError('optional.none() dereference');
  return value;
}

function unwrapAll(list: Value): Value {
  const values: Value[] = [];
  for (const item of list as CelList) {
    if (!(item instanceof CelOptional)) throw new CelError(`value ${typeNameOf(item)} is not optional`);
    if (item.value !== undefined) values.push(item.value);
  }
  return new ValueList(values);
}

/** Adds entries to a map under construction; a key that is already there is an error. */
function insert(map: CelMap, entries: readonly (readonly [Value, Value])[]): Value {
  const all = map.keys().map((key) => [key, map.find(key) as Value] as const);
  for (const [key] of entries) {
    if (map.find(key) !== undefined) throw insertError(key);
  }
  return ValueMap.of([...all, ...entries]);
}

/** The error for a key that a map under construction already has. */
export function insertError(key: Value): CelError {
  const shown = typeof key === 'string' || typeof key === 'boolean' || isInt(key) ? String(key) : typeNameOf(key);
  return new CelError(`insert failed: key ${shown} already exists`);
}

/** Optional values. `or` and `orValue` are evaluated only as far as needed, so the evaluator does them itself. */
export const optionalLibrary: Library = {
  'optional.none': { optional_none: ['() -> optional(V)', () => CelOptional.none] },
  'optional.of': { optional_of: ['(V) -> optional(V)', (value) => CelOptional.of(value)] },
  'optional.ofNonZeroValue': {
    optional_ofNonZeroValue: [
      '(V) -> optional(V)',
      (value) => (isZero(value) ? CelOptional.none : CelOptional.of(value)),
    ],
  },
  'optional.unwrap': { optional_unwrap: ['(list(optional(V))) -> list(V)', unwrapAll] },
  unwrapOpt: { optional_unwrapOpt: ['list(optional(V)).() -> list(V)', unwrapAll] },
  hasValue: {
    optional_hasValue: ['optional(V).() -> bool', (optional) => (optional as CelOptional).value !== undefined],
  },
  value: { optional_value: ['optional(V).() -> V', unwrap] },
  or: {
    optional_or_optional: [
      'optional(V).(optional(V)) -> optional(V)',
      (first, second) => ((first as CelOptional).value === undefined ? second : first),
    ],
  },
  orValue: {
    optional_orValue_value: ['optional(V).(V) -> V', (first, second) => (first as CelOptional).value ?? second],
  },
  'cel.@mapInsert': {
    '@mapInsert_map_key_value': [
      '(map(K, V), K, V) -> map(K, V)',
      (map, key, value) => insert(map as CelMap, [[key, value]]),
    ],
    '@mapInsert_map_map': [
      '(map(K, V), map(K, V)) -> map(K, V)',
      (map, added) =>
        insert(
          map as CelMap,
          (added as CelMap).keys().map((key) => [key, (added as CelMap).find(key) as Value] as const),
        ),
    ],
  },
};
