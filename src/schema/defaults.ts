import { fieldSchema } from './correlate.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';

/** Fills defaults into one value, in place. */
export type DefaultsFiller = (value: Json) => void;

/** Compiles the defaults below a schema; undefined when there are none, so that the subtree is not walked. */
export function compileDefaults(schema: JsonSchema): DefaultsFiller | undefined {
  const object = compileObjectDefaults(schema);
  const array = schema.items === undefined ? undefined : compileListDefaults(schema.items);
  if (object === undefined && array === undefined) return undefined;
  return (value) => {
    if (Array.isArray(value)) array?.(value);
    else if (isJsonObject(value)) object?.(value);
  };
}

interface FieldDefault {
  readonly name: string;
  readonly create: () => Json;
  readonly isNullable: boolean;
}

function compileObjectDefaults(schema: JsonSchema): ((value: JsonObject) => void) | undefined {
  const own: FieldDefault[] = [];
  const nested: { name: string; fill: DefaultsFiller }[] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const create = defaultOf(property);
    if (create !== undefined) own.push({ name, create, isNullable: property.nullable === true });
    const fill = compileDefaults(property);
    if (fill !== undefined) nested.push({ name, fill });
  }
  const other = compileMapDefaults(schema);
  if (own.length === 0 && nested.length === 0 && other === undefined) return undefined;
  return (value) => {
    for (const { name, create, isNullable } of own) {
      if (!Object.hasOwn(value, name) || (value[name] === null && !isNullable)) setField(value, name, create());
    }
    for (const { name, fill } of nested) if (Object.hasOwn(value, name)) fill(value[name] as Json);
    other?.(value);
  };
}

function compileMapDefaults(schema: JsonSchema): ((value: JsonObject) => void) | undefined {
  if (!isJsonObject(schema.additionalProperties)) return undefined;
  const additional = schema.additionalProperties as JsonSchema;
  const create = additional.nullable === true ? undefined : defaultOf(additional);
  const fill = compileDefaults(additional);
  if (create === undefined && fill === undefined) return undefined;
  const known = new Set(Object.keys(schema.properties ?? {}));
  return (value) => {
    for (const key of Object.keys(value)) {
      if (known.has(key)) continue;
      if (value[key] === null && create !== undefined) setField(value, key, create());
      fill?.(value[key] as Json);
    }
  };
}

function compileListDefaults(items: JsonSchema): ((value: Json[]) => void) | undefined {
  const create = items.nullable === true ? undefined : defaultOf(items);
  const fill = compileDefaults(items);
  if (create === undefined && fill === undefined) return undefined;
  return (value) => {
    for (let i = 0; i < value.length; i++) {
      if (value[i] === null && create !== undefined) value[i] = create();
      fill?.(value[i] as Json);
    }
  };
}

// `default: null` counts as no default.
function defaultOf(schema: JsonSchema): (() => Json) | undefined {
  const value = schema.default;
  if (value === undefined || value === null) return undefined;
  return typeof value === 'object' ? () => structuredClone(value) : () => value;
}

// A plain assignment to `__proto__` would change the prototype instead of adding a field.
function setField(object: JsonObject, name: string, value: Json): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** True when a null is anywhere in the value. */
export function hasNull(value: Json): boolean {
  if (value === null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(hasNull);
  for (const key in value) {
    const field = value[key] as Json;
    if (field === null || (typeof field === 'object' && hasNull(field))) return true;
  }
  return false;
}

/** Removes fields that are null though their schema neither allows null nor has a default to put there. */
export function dropNulls(value: Json, schema: JsonSchema | undefined): void {
  if (Array.isArray(value)) {
    for (const element of value) dropNulls(element, schema?.items);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key of Object.keys(value)) {
    const field = schema === undefined ? undefined : fieldSchema(schema, key);
    if (value[key] !== null) dropNulls(value[key] as Json, field);
    else if (field !== undefined && field.nullable !== true && defaultOf(field) === undefined) delete value[key];
  }
}
