import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';
import { equalJson } from './schema-types.ts';

/**
 * A value beside what it was before the update, followed down through objects, maps and list-maps. Elements of other
 * lists have no before: Kubernetes replaces those lists as a whole.
 */
export class Correlation {
  readonly value: Json;
  readonly old: Json;
  readonly #schema: JsonSchema;
  #isEqual: boolean | undefined;
  #keyed: Map<string, JsonObject> | undefined;

  constructor(schema: JsonSchema, value: Json, old: Json) {
    this.#schema = schema;
    this.value = value;
    this.old = old;
  }

  /** True when the update leaves the value as it was. */
  get isUnchanged(): boolean {
    this.#isEqual ??= this.#compare();
    return this.#isEqual;
  }

  // List-maps are equal in any order; a field the schema does not know counts as changed.
  #compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (this.#schema['x-kubernetes-list-type'] !== 'map') return equalJson(value, old);
      return value.every((_, index) => this.element(index)?.isUnchanged === true);
    }
    if (!isJsonObject(value) || !isJsonObject(old)) return value === old;
    const names = Object.keys(value);
    return names.length === Object.keys(old).length && names.every((name) => this.field(name)?.isUnchanged === true);
  }

  /** The field of that name, when it was there before too. */
  field(name: string): Correlation | undefined {
    if (!isJsonObject(this.value) || !isJsonObject(this.old)) return undefined;
    if (!Object.hasOwn(this.value, name) || !Object.hasOwn(this.old, name)) return undefined;
    const schema = fieldSchema(this.#schema, name);
    if (schema === undefined) return undefined;
    return new Correlation(schema, this.value[name] as Json, this.old[name] as Json);
  }

  /** The list element at that index, when the list is a list-map and held an element of the same keys. */
  element(index: number): Correlation | undefined {
    const schema = this.#schema.items;
    if (schema === undefined || !Array.isArray(this.value) || !Array.isArray(this.old)) return undefined;
    if (this.#schema['x-kubernetes-list-type'] !== 'map') return undefined;
    this.#keyed ??= indexByKeys(this.old, this.#schema['x-kubernetes-list-map-keys'] ?? []);
    const element = this.value[index];
    const key = isJsonObject(element) ? mapKey(element, this.#schema['x-kubernetes-list-map-keys'] ?? []) : undefined;
    const old = key === undefined ? undefined : this.#keyed.get(key);
    return old === undefined ? undefined : new Correlation(schema, element as Json, old);
  }
}

/** The schema of a field: its property, or what additional properties must be. */
export function fieldSchema(schema: JsonSchema, name: string): JsonSchema | undefined {
  const properties = schema.properties;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  const additional = schema.additionalProperties;
  return isJsonObject(additional) ? (additional as JsonSchema) : undefined;
}

/** The items of a list-map by the values of their keys; of several with the same, the first. */
export function indexByKeys(items: readonly Json[], keys: readonly string[]): Map<string, JsonObject> {
  const index = new Map<string, JsonObject>();
  if (keys.length === 0) return index;
  for (const item of items) {
    const key = isJsonObject(item) ? mapKey(item, keys) : undefined;
    if (key !== undefined && !index.has(key)) index.set(key, item as JsonObject);
  }
  return index;
}

/** One text for the values of a list-map's keys; undefined when a key is missing or is not a scalar. */
export function mapKey(item: JsonObject, keys: readonly string[]): string | undefined {
  let text = '';
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    text += `\u0000${typeof value}${value}`;
  }
  return text;
}
