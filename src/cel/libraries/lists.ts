import { ValueList } from '../collections.ts';
import type { Implementation, Library } from '../declarations.ts';
import { compare, equals } from '../equality.ts';
import { CelError } from '../errors.ts';
import { perCallCostLimit } from '../limits.ts';
import { CelDouble, CelDuration, CelList, type CelMap, CelOptional, CelUint, type Value } from '../values.ts';
import { operatorLibrary } from './operators.ts';

const ordered = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const;

/** One overload for each element type that has an order. */
function overloads(
  types: readonly string[],
  describe: (type: string) => readonly [string, string, Implementation],
): Library[string] {
  return Object.fromEntries(
    types.map((type) => {
      const [id, signature, implementation] = describe(type);
      return [id, [signature, implementation] as const];
    }),
  );
}

function isSorted(list: Value): Value {
  let previous: Value | undefined;
  for (const next of list as CelList) {
    if (previous !== undefined && compare(previous, next) > 0) return false;
    previous = next;
  }
  return true;
}

function extreme(name: string, isBetter: (order: number) => boolean): Implementation {
  return (list) => {
    let best: Value | undefined;
    for (const next of list as CelList) if (best === undefined || isBetter(compare(next, best))) best = next;
    if (best === undefined) throw new CelError(`${name} called on empty list`);
    return best;
  };
}

const zeros: Readonly<Record<string, Value>> = {
  int: 0,
  uint: new CelUint(0n),
  double: new CelDouble(0),
  duration: new CelDuration(0n),
};

const additions: Readonly<Record<string, string>> = {
  int: 'add_int64',
  uint: 'add_uint64',
  double: 'add_double',
  duration: 'add_duration_duration',
};

function sumOf(type: string): Implementation {
  const add = operatorLibrary['_+_']?.[additions[type] as string]?.[1] as Implementation;
  return (list) => (list as CelList).toArray().reduce((sum, next) => add(sum, next), zeros[type] as Value);
}

function indexOf(list: Value, item: Value): Value {
  return (list as CelList).toArray().findIndex((element) => equals(element, item));
}

function lastIndexOf(list: Value, item: Value): Value {
  return (list as CelList).toArray().findLastIndex((element) => equals(element, item));
}

function size(value: Value): Value {
  if (typeof value === 'string') return codePointCount(value);
  if (value instanceof Uint8Array) return value.length;
  return (value as CelList | CelMap).size;
}

/** How many code points a string has; what CEL calls its size. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}

const isPlain = (value: Value): boolean => typeof value === 'string' || typeof value === 'number';

/**
 * Says what is among the values. Texts and ints equal only themselves and are looked up; anything else, a double for
 * one, may equal a value of another type and is compared with every value.
 */
class Membership {
  readonly #plain = new Set<Value>();
  readonly #others: Value[] = [];
  readonly #all: Value[] = [];

  add(value: Value): void {
    this.#all.push(value);
    if (isPlain(value)) this.#plain.add(value);
    else this.#others.push(value);
  }

  has(item: Value): boolean {
    if (!isPlain(item)) return this.#all.some((value) => equals(value, item));
    return this.#plain.has(item) || this.#others.some((value) => equals(value, item));
  }
}

function membersOf(list: CelList): Membership {
  const members = new Membership();
  for (const value of list) members.add(value);
  return members;
}

const containsAll = (list: CelList, wanted: CelList): boolean => {
  const members = membersOf(list);
  return wanted.toArray().every((item) => members.has(item));
};

function intersects(a: Value, b: Value): Value {
  const members = membersOf(a as CelList);
  return (b as CelList).toArray().some((item) => members.has(item));
}

/** Sizes, and the functions on lists that Kubernetes has always had. */
export const listLibrary: Library = {
  size: {
    size_bytes: ['(bytes) -> int', size],
    bytes_size: ['bytes.() -> int', size],
    size_list: ['(list(A)) -> int', size],
    list_size: ['list(A).() -> int', size],
    size_map: ['(map(A, B)) -> int', size],
    map_size: ['map(A, B).() -> int', size],
    size_string: ['(string) -> int', size],
    string_size: ['string.() -> int', size],
  },
  isSorted: overloads(ordered, (t) => [`list_${t}_is_sorted_bool`, `list(${t}).() -> bool`, isSorted]),
  sum: overloads(['int', 'uint', 'double', 'duration'], (t) => [
    `list_${t}_sum_${t}`,
    `list(${t}).() -> ${t}`,
    sumOf(t),
  ]),
  max: overloads(ordered, (t) => [`list_${t}_max_${t}`, `list(${t}).() -> ${t}`, extreme('max', (order) => order > 0)]),
  min: overloads(ordered, (t) => [`list_${t}_min_${t}`, `list(${t}).() -> ${t}`, extreme('min', (order) => order < 0)]),
  indexOf: { list_a_index_of_int: ['list(A).(A) -> int', indexOf] },
  lastIndexOf: { list_a_last_index_of_int: ['list(A).(A) -> int', lastIndexOf] },
};

/** Lists taken as sets. */
export const setLibrary: Library = {
  'sets.contains': {
    list_sets_contains_list: ['(list(T), list(T)) -> bool', (a, b) => containsAll(a as CelList, b as CelList)],
  },
  'sets.equivalent': {
    list_sets_equivalent_list: [
      '(list(T), list(T)) -> bool',
      (a, b) => containsAll(a as CelList, b as CelList) && containsAll(b as CelList, a as CelList),
    ],
  },
  'sets.intersects': { list_sets_intersects_list: ['(list(T), list(T)) -> bool', intersects] },
};

function slice(list: Value, start: Value, end: Value): Value {
  const [from, to] = [Number(start), Number(end)];
  const { size: length } = list as CelList;
  const problem = `cannot slice(${from}, ${to}), `;
  if (from < 0 || to < 0) throw new CelError(`${problem}negative indexes not supported`);
  if (from > to) throw new CelError(`${problem}start index must be less than or equal to end index`);
  if (to > length) throw new CelError(`${problem}list is length ${length}`);
  return new ValueList((list as CelList).toArray().slice(from, to));
}

function flatten(list: CelList, depth: number): Value[] {
  return list.toArray().flatMap((item) => (item instanceof CelList && depth > 0 ? flatten(item, depth - 1) : [item]));
}

function flattenTo(list: Value, depth: Value): Value {
  if (Number(depth) < 0) throw new CelError('level must be non-negative');
  return new ValueList(flatten(list as CelList, Number(depth)));
}

function distinct(list: Value): Value {
  const unique: Value[] = [];
  const seen = new Membership();
  for (const item of list as CelList) {
    if (seen.has(item)) continue;
    seen.add(item);
    unique.push(item);
  }
  return new ValueList(unique);
}

function sortByKeys(list: Value, keys: Value): Value {
  const items = (list as CelList).toArray();
  const order = (keys as CelList).toArray();
  if (items.length !== order.length) {
    throw new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${items.length} and ${order.length} elements respectively`,
    );
  }
  const paired = items.map((item, i) => [item, order[i] as Value] as const);
  return new ValueList(paired.sort(([, a], [, b]) => compare(a, b)).map(([item]) => item));
}

function range(count: Value): Value {
  // The cost is known only afterwards, and a list of that length must not be built first.
  if (Number(count) > perCallCostLimit)
    throw new CelError('operation cancelled: actual cost limit exceeded', 'cost-limit');
  return new ValueList(Array.from({ length: Math.max(0, Number(count)) }, (_, i) => i));
}

const typeIds: Readonly<Record<string, string>> = {
  duration: 'google.protobuf.Duration',
  timestamp: 'google.protobuf.Timestamp',
};

/** The lists extension of 1.34: understood in stored expressions, not yet accepted in new ones. */
export const storedListLibrary: Library = {
  distinct: { list_distinct: ['list(T).() -> list(T)', distinct] },
  flatten: {
    list_flatten: ['list(list(T)).() -> list(T)', (list) => new ValueList(flatten(list as CelList, 1))],
    list_flatten_int: ['list(dyn).(int) -> list(dyn)', flattenTo],
  },
  'lists.range': { lists_range: ['(int) -> list(int)', range] },
  reverse: { list_reverse: ['list(T).() -> list(T)', (list) => new ValueList((list as CelList).toArray().reverse())] },
  slice: { list_slice: ['list(T).(int, int) -> list(T)', slice] },
  sort: overloads(ordered, (t) => [
    `list_${typeIds[t] ?? t}_sort`,
    `list(${t}).() -> list(${t})`,
    (list) => sortByKeys(list, list),
  ]),
  '@sortByAssociatedKeys': overloads(ordered, (t) => [
    `list_${typeIds[t] ?? t}_sortByAssociatedKeys`,
    `list(T).(list(${t})) -> list(T)`,
    sortByKeys,
  ]),
};

/** First and last element, absent on an empty list. */
export const listEndLibrary: Library = {
  first: { list_first: ['list(V).() -> optional(V)', (list) => endOf(list as CelList, 0)] },
  last: { list_last: ['list(V).() -> optional(V)', (list) => endOf(list as CelList, (list as CelList).size - 1)] },
};

function endOf(list: CelList, index: number): Value {
  return list.size === 0 ? CelOptional.none : CelOptional.of(list.get(index));
}
