import type { Check } from './check.ts';
import { duplicateError, type FieldError, invalidError } from './field-error.ts';
import { goJson } from './go-text.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';

/** Compiles the uniqueness rules of sets and list-maps; undefined when there are none below the schema. */
export function compileListTypes(schema: JsonSchema): Check | undefined {
  const fields = new Map<string, Check>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const check = compileListTypes(property);
    if (check !== undefined) fields.set(name, check);
  }
  const additional = schema.additionalProperties;
  const other = isJsonObject(additional) ? compileListTypes(additional as JsonSchema) : undefined;
  const items = schema.items === undefined ? undefined : compileListTypes(schema.items);
  const isKeyed = schema['x-kubernetes-list-type'] === 'set' || schema['x-kubernetes-list-type'] === 'map';
  if (fields.size === 0 && other === undefined && items === undefined && !isKeyed) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return true;
    if (!Array.isArray(value)) return isObjectUnique(value, fields, other);
    if (isKeyed && !isListUnique(value, schema)) return false;
    return items === undefined || value.every(items);
  };
}

function isObjectUnique(value: JsonObject, fields: ReadonlyMap<string, Check>, other: Check | undefined): boolean {
  for (const key in value) {
    if (other !== undefined && !other(value[key] as Json)) return false;
    const check = fields.get(key);
    if (check !== undefined && !check(value[key] as Json)) return false;
  }
  return true;
}

function isListUnique(value: readonly Json[], schema: JsonSchema): boolean {
  if (schema['x-kubernetes-list-type'] === 'set') return repeats(value).length === 0;
  if (value.some((element) => element !== null && !isJsonObject(element))) return false;
  return repeats(keysOf(value, schema['x-kubernetes-list-map-keys'] ?? [])).length === 0;
}

/** Every duplicate in sets and list-maps below the value. */
export function explainListTypes(value: Json, schema: JsonSchema, path = ''): FieldError[] {
  if (Array.isArray(value)) return explainList(value, schema, path);
  if (!isJsonObject(value)) return [];
  const errors: FieldError[] = [];
  const additional = schema.additionalProperties;
  if (isJsonObject(additional)) {
    for (const key of Object.keys(value)) {
      errors.push(...explainListTypes(value[key] as Json, additional as JsonSchema, `${path}[${key}]`));
    }
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(value, name)) continue;
    errors.push(...explainListTypes(value[name] as Json, property, path === '' ? name : `${path}.${name}`));
  }
  return errors;
}

function explainList(value: readonly Json[], schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-list-type'] === 'set') {
    for (const index of repeats(value)) errors.push(duplicateError(`${path}[${index}]`, value[index]));
  } else if (schema['x-kubernetes-list-type'] === 'map') {
    errors.push(...explainListMap(value, schema['x-kubernetes-list-map-keys'] ?? [], path));
  }
  if (schema.items !== undefined) {
    for (const [index, element] of value.entries()) {
      errors.push(...explainListTypes(element, schema.items, `${path}[${index}]`));
    }
  }
  return errors;
}

function explainListMap(value: readonly Json[], keys: readonly string[], path: string): FieldError[] {
  const stray = value.findIndex((element) => element !== null && !isJsonObject(element));
  if (stray >= 0) {
    return [invalidError(`${path}[${stray}]`, value[stray], 'must be an object for an array of list-type map')];
  }
  const found = keysOf(value, keys);
  return repeats(found).map((index) => duplicateError(`${path}[${index}]`, found[index]));
}

function keysOf(value: readonly Json[], keys: readonly string[]): Json[] {
  return value.map((element) => {
    const key: JsonObject = {};
    if (isJsonObject(element)) {
      for (const name of keys) if (Object.hasOwn(element, name)) key[name] = element[name] as Json;
    }
    return key;
  });
}

// The index of each value's second appearance; a third one is not reported again.
function repeats(values: readonly Json[]): number[] {
  if (values.length <= 1) return [];
  const counts = new Map<Json, number>();
  const indices: number[] = [];
  for (const [index, value] of values.entries()) {
    const key = typeof value === 'object' && value !== null ? `\u0000${goJson(value)}` : value;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    if (count === 1) indices.push(index);
  }
  return indices;
}
