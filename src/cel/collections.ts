import { equals, listEquals } from './equality.ts';
import { CelError, noSuchOverload } from './errors.ts';
import { CelDouble, CelList, CelMap, CelUint, isInt, normalizeInt, typeNameOf, type Value } from './values.ts';

/** A list that an expression built. */
export class ValueList extends CelList {
  readonly #values: readonly Value[];

  constructor(values: readonly Value[]) {
    super();
    this.#values = values;
  }

  override get size(): number {
    return this.#values.length;
  }

  override get(index: number): Value {
    return this.#values[index] as Value;
  }

  override concat(other: CelList): CelList {
    return new ValueList([...this.#values, ...other]);
  }

  override equals(other: CelList): boolean {
    return listEquals(this, other);
  }

  override toArray(): Value[] {
    return [...this.#values];
  }

  override [Symbol.iterator](): Iterator<Value> {
    return this.#values[Symbol.iterator]();
  }
}

type PlainKey = string | number | bigint | boolean | null;

/** The form in which a key is looked up: 1, 1u and 1.0 are one key. Undefined for what cannot be a key. */
export function plainKey(key: Value): PlainKey | undefined {
  if (typeof key !== 'object' || key === null) return key;
  if (key instanceof CelUint) return normalizeInt(key.value);
  return key instanceof CelDouble ? key.value : undefined;
}

/** A map that an expression built. */
export class ValueMap extends CelMap {
  readonly #entries: ReadonlyMap<PlainKey, readonly [Value, Value]>;

  private constructor(entries: ReadonlyMap<PlainKey, readonly [Value, Value]>) {
    super();
    this.#entries = entries;
  }

  static of(entries: Iterable<readonly [Value, Value]>): ValueMap {
    const map = new Map<PlainKey, readonly [Value, Value]>();
    for (const [key, value] of entries) {
      const plain = plainKey(key);
      if (plain === undefined) throw new CelError(`unsupported key type: ${typeNameOf(key)}`);
      map.set(plain, [key, value]);
    }
    return new ValueMap(map);
  }

  override get size(): number {
    return this.#entries.size;
  }

  override find(key: Value): Value | undefined {
    const plain = plainKey(key);
    return plain === undefined ? undefined : this.#entries.get(plain)?.[1];
  }

  override has(key: Value): boolean {
    return this.find(key) !== undefined;
  }

  override keys(): Value[] {
    return Array.from(this.#entries.values(), ([key]) => key);
  }

  override equals(other: CelMap): boolean {
    if (this.size !== other.size) return false;
    for (const [key, value] of this.#entries.values()) {
      const found = other.find(key);
      if (found === undefined || !equals(value, found)) return false;
    }
    return true;
  }
}

/** The element at an index, with the errors of an index that is out of bounds or no whole number. */
export function elementAt(list: CelList, index: Value): Value {
  const at = listIndex(index);
  if (at < 0 || at >= list.size) throw new CelError(`index out of bounds: ${isInt(index) ? index : at}`);
  return list.get(at);
}

function listIndex(index: Value): number {
  if (typeof index === 'number') return index;
  if (typeof index === 'bigint') return Number(index);
  if (index instanceof CelUint) return Number(index.value);
  if (index instanceof CelDouble) {
    if (!Number.isInteger(index.value)) throw new CelError(`unsupported index value ${index.value} in list`);
    return index.value;
  }
  throw new CelError(`unsupported index type '${typeNameOf(index)}' in list`);
}

/** The value under a key, with the error of a key that is not there. */
export function valueAt(map: CelMap, key: Value): Value {
  const found = map.find(key);
  if (found === undefined) throw noSuchKey(key);
  return found;
}

/** The error for a key that is not there. */
export function noSuchKey(key: Value): CelError {
  return new CelError(`no such key: ${printKey(key)}`);
}

function printKey(key: Value): string {
  if (typeof key === 'string' || typeof key === 'boolean' || isInt(key)) return String(key);
  if (key instanceof CelUint || key instanceof CelDouble) return String(key.value);
  throw noSuchOverload();
}
