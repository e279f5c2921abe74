import { ValueList } from './collections.ts';
import { equals, listEquals } from './equality.ts';
import { CelError, noSuchOverload } from './errors.ts';
import { escapeFieldName, unescapeFieldName } from './field-names.ts';
import { parseFullDate, parseStrfmtDateTime, parseStrfmtDuration } from './schema-formats.ts';
import { type CelType, fieldType, type ListType, type MapType, type ObjectType } from './types.ts';
import { CelDouble, CelList, CelMap, CelOpaque, CelOptional, normalizeInt, type Value } from './values.ts';

/** JSON as it comes from an object. */
type JsonObject = Readonly<Record<string, unknown>>;

/** Reads plain JSON as a value of the given type; lists and objects stay as they are and are read where they are used. */
export function valueOfJson(json: unknown, type: CelType): Value {
  if (json === null) {
    if (type.nullable === true || type.kind === 'null' || isUntyped(type)) return null;
    throw new CelError('invalid data, got null for schema with nullable=false');
  }
  switch (type.kind) {
    case 'string':
      if (typeof json === 'string') return json;
      throw unexpected('string', json);
    case 'int':
      return intOfJson(json);
    case 'double':
      if (typeof json === 'number') return new CelDouble(json);
      throw unexpected('float', json);
    case 'bool':
      if (typeof json === 'boolean') return json;
      throw unexpected('bool', json);
    case 'list':
      if (Array.isArray(json)) return new JsonList(json, type);
      throw new CelError('invalid data, expected an array for the provided schema with type=array');
    case 'map':
    case 'object':
      if (typeof json !== 'object' || Array.isArray(json)) {
        throw new CelError('invalid data, expected a map for the provided schema with type=object');
      }
      return type.kind === 'map' ? new JsonMap(json as JsonObject, type) : new JsonFields(json as JsonObject, type);
    case 'optional':
      return json === undefined ? CelOptional.none : CelOptional.of(valueOfJson(json, type.value));
    case 'bytes':
    case 'duration':
    case 'timestamp':
      if (typeof json !== 'string') throw unexpected('string', json);
      return valueOfFormat(json, type);
    case 'opaque':
      if (json instanceof CelOpaque && json.typeName === type.name) return json;
      throw noSuchOverload();
    default:
      return type.intOrString === true ? intOrStringOfJson(json) : valueOfUntypedJson(json);
  }
}

function isUntyped(type: CelType): boolean {
  return (type.kind === 'dyn' || type.kind === 'any') && type.intOrString !== true;
}

const goTypeNames: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool', number: 'int64' };

function unexpected(wanted: string, json: unknown): CelError {
  const isFraction = typeof json === 'number' && !Number.isInteger(json);
  const found = isFraction
    ? 'float64'
    : (goTypeNames[typeof json] ?? (Array.isArray(json) ? '[]interface {}' : 'map[string]interface {}'));
  return new CelError(`invalid data, expected ${wanted}, got ${found}`);
}

function intOfJson(json: unknown): Value {
  if (typeof json === 'number' && Number.isInteger(json)) {
    return Number.isSafeInteger(json) ? json : normalizeInt(BigInt(json));
  }
  if (typeof json === 'bigint') return normalizeInt(json);
  throw unexpected('int', json);
}

function intOrStringOfJson(json: unknown): Value {
  if (typeof json === 'string') return json;
  if (typeof json === 'number' && Number.isInteger(json)) return json;
  throw new CelError('invalid data, expected XIntOrString value to be either a string or integer');
}

function valueOfFormat(text: string, type: CelType): Value {
  if (type.kind === 'bytes') return Buffer.from(text, 'base64');
  if (type.kind === 'duration') return parseStrfmtDuration(text);
  return type.dateOnly === true ? parseFullDate(text) : parseStrfmtDateTime(text);
}

const anyList: ListType = { kind: 'list', element: { kind: 'dyn' } };
const anyMap: MapType = { kind: 'map', key: { kind: 'string' }, value: { kind: 'dyn' } };

/** JSON that no schema describes: whole numbers are ints, as in an unstructured object. */
function valueOfUntypedJson(json: unknown): Value {
  switch (typeof json) {
    case 'string':
    case 'boolean':
      return json;
    case 'bigint':
      return normalizeInt(json);
    case 'number':
      return Number.isInteger(json) ? intOfJson(json) : new CelDouble(json);
    case 'object':
      return Array.isArray(json) ? new JsonList(json, anyList) : new JsonMap(json as JsonObject, anyMap);
    default:
      throw new CelError('no such attribute(s)');
  }
}

/** What a value read with a schema is without it: dates are strings again, a null is there. Other values stay as they are. */
export function withoutSchema(value: Value): Value {
  if (value instanceof JsonList || value instanceof JsonMap || value instanceof JsonFields) return value.untyped();
  return value;
}

/** A list as it stands in the object. */
class JsonList extends CelList {
  override readonly isStrict = true;
  readonly #items: readonly unknown[];
  readonly #type: ListType;

  constructor(items: readonly unknown[], type: ListType) {
    super();
    this.#items = items;
    this.#type = type;
  }

  override get size(): number {
    return this.#items.length;
  }

  override get(index: number): Value {
    return valueOfJson(this.#items[index], this.#type.element);
  }

  untyped(): Value {
    return new JsonList(this.#items, anyList);
  }

  override concat(other: CelList): CelList {
    return mergeLists(this, other, this.#type);
  }

  override equals(other: CelList): boolean {
    return equalsAs(this, other, this.#type);
  }
}

/** A list that came from adding to a set or a list-map: it still compares and merges as one. */
class KeyedList extends ValueList {
  override readonly isStrict = true;
  readonly #type: ListType;

  constructor(values: readonly Value[], type: ListType) {
    super(values);
    this.#type = type;
  }

  override concat(other: CelList): CelList {
    return mergeLists(this, other, this.#type);
  }

  override equals(other: CelList): boolean {
    return equalsAs(this, other, this.#type);
  }
}

function mergeLists(left: CelList, right: CelList, type: ListType): CelList {
  if (type.listType !== 'set' && type.listType !== 'map') return new ValueList([...left, ...right]);
  const merged = left.toArray();
  const places = new Map(merged.map((value, i) => [identity(value, type), i]));
  for (const value of right) {
    const id = identity(value, type);
    const place = places.get(id);
    if (place === undefined) {
      // A set remembers what it appended; a list-map keeps both of two new elements with one key.
      if (type.listType === 'set') places.set(id, merged.length);
      merged.push(value);
    } else if (type.listType === 'map') {
      merged[place] = value;
    }
  }
  return new KeyedList(merged, type);
}

function equalsAs(left: CelList, right: CelList, type: ListType): boolean {
  if (type.listType !== 'set' && type.listType !== 'map') return listEquals(left, right);
  if (left.size !== right.size) return false;
  const known = new Map(left.toArray().map((value) => [identity(value, type), value]));
  for (const value of right) {
    const match = known.get(identity(value, type));
    if (match === undefined || !equals(match, value)) return false;
  }
  return true;
}

/** What makes an element the same one: the whole value in a set, the key fields in a list-map. */
function identity(value: Value, type: ListType): string {
  if (type.listType === 'set') return scalarIdentity(value);
  return (type.keys ?? [])
    .map((key) => scalarIdentity(value instanceof CelMap ? (value.find(escapeFieldName(key) ?? key) ?? null) : null))
    .join('\0');
}

function scalarIdentity(value: Value): string {
  if (value instanceof CelDouble) return `number:${value.value}`;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : `${typeof value}:${String(value)}`;
}

/** An object with `additionalProperties`. */
class JsonMap extends CelMap {
  override readonly isStrict = true;
  readonly #entries: JsonObject;
  readonly #type: MapType;

  constructor(entries: JsonObject, type: MapType) {
    super();
    this.#entries = entries;
    this.#type = type;
  }

  override get size(): number {
    return Object.keys(this.#entries).length;
  }

  untyped(): Value {
    return new JsonMap(this.#entries, anyMap);
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== 'string') throw noSuchOverload();
    return Object.hasOwn(this.#entries, key) ? valueOfJson(this.#entries[key], this.#type.value) : undefined;
  }

  override has(key: Value): boolean {
    if (typeof key !== 'string') throw noSuchOverload();
    return Object.hasOwn(this.#entries, key);
  }

  override keys(): Value[] {
    return Object.keys(this.#entries);
  }

  override equals(other: CelMap): boolean {
    if (this.size !== other.size) return false;
    for (const key of Object.keys(this.#entries)) {
      const found = other.find(key);
      if (found === undefined || !equals(this.find(key) as Value, found)) return false;
    }
    return true;
  }
}

/** An object with `properties`: a null field is an absent one, and fields without a type only count in comparisons. */
export class JsonFields extends CelMap {
  override readonly isStrict = true;
  readonly #json: JsonObject;
  readonly #type: ObjectType;

  constructor(json: JsonObject, type: ObjectType) {
    super();
    this.#json = json;
    this.#type = type;
  }

  override get size(): number {
    return Object.keys(this.#json).length;
  }

  untyped(): Value {
    return new JsonMap(this.#json, anyMap);
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== 'string') throw noSuchOverload();
    const name = unescapeFieldName(key);
    return name === undefined ? undefined : this.field(name, fieldType(this.#type, key));
  }

  override has(key: Value): boolean {
    if (typeof key !== 'string') throw noSuchOverload();
    const name = unescapeFieldName(key);
    return name !== undefined && fieldType(this.#type, key) !== undefined && this.hasField(name);
  }

  /** True when the field of this JSON name is there and not null. */
  hasField(name: string): boolean {
    return Object.hasOwn(this.#json, name) && this.#json[name] !== null && this.#json[name] !== undefined;
  }

  /** The field of this JSON name, read as the given type; undefined when it is absent. */
  field(name: string, type: CelType | undefined): Value | undefined {
    return type === undefined || !this.hasField(name) ? undefined : valueOfJson(this.#json[name], type);
  }

  override keys(): Value[] {
    const names = Object.keys(this.#json).map((name) => escapeFieldName(name) ?? name);
    return names.filter((name) => this.#type.fields.has(name));
  }

  override equals(other: CelMap): boolean {
    if (this.size !== other.size) return false;
    for (const name of Object.keys(this.#json)) {
      const key = escapeFieldName(name);
      const isEqual =
        key !== undefined && this.#type.fields.has(key)
          ? this.#fieldEquals(key, other)
          : this.#unknownEquals(name, other);
      if (!isEqual) return false;
    }
    return true;
  }

  #fieldEquals(key: string, other: CelMap): boolean {
    const mine = this.find(key);
    const theirs = other.find(key);
    if (mine === undefined || theirs === undefined) return mine === theirs;
    return equals(mine, theirs);
  }

  #unknownEquals(name: string, other: CelMap): boolean {
    if (!(other instanceof JsonFields)) throw noSuchOverload();
    return !Object.hasOwn(other.#json, name) || isDeepEqual(this.#json[name], other.#json[name]);
  }
}

function isDeepEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  return (
    left.length === Object.keys(b).length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && isDeepEqual(value, (b as Record<string, unknown>)[key]))
  );
}
