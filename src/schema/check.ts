import { goJson } from './go-text.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';
import { compileNumberCheck } from './number-bounds.ts';
import { lazyPattern } from './patterns.ts';
import { countCharacters, formatOf, isInEnum, typeMismatch } from './schema-types.ts';

/** Says whether a value is valid, without saying why not: the hot path. */
export type Check = (value: Json) => boolean;

/** Compiles a schema to a check; undefined when the schema accepts every value, so that callers can skip it. */
export function compileCheck(schema: JsonSchema): Check | undefined {
  const parts: (Check | undefined)[] = [compileType(schema), compileEnum(schema), compileJunctors(schema)];
  const string = compileString(schema);
  const number = compileNumberCheck(schema);
  const array = compileArray(schema);
  const object = compileObject(schema);
  if (string !== undefined) parts.push((value) => typeof value !== 'string' || string(value));
  if (number !== undefined) parts.push((value) => typeof value !== 'number' || number(value));
  if (array !== undefined) parts.push((value) => !Array.isArray(value) || array(value));
  if (object !== undefined) parts.push((value) => !isJsonObject(value) || object(value));
  return both(parts.filter((part) => part !== undefined));
}

function both(parts: readonly Check[]): Check | undefined {
  const [first, second, third, ...rest] = parts;
  if (first === undefined) return undefined;
  if (second === undefined) return first;
  if (third === undefined) return (value) => first(value) && second(value);
  const tail = both([third, ...rest]) as Check;
  return (value) => first(value) && second(value) && tail(value);
}

function compileType(schema: JsonSchema): Check | undefined {
  const isNullable = schema.nullable === true;
  const hasFormat = formatOf(schema) !== undefined;
  if (schema['x-kubernetes-int-or-string'] !== true && !hasFormat) {
    if (schema.type === undefined || schema.type === '') return undefined;
    if (schema.type === 'object') return (value) => (value === null ? isNullable : isJsonObject(value));
    if (schema.type === 'array') return (value) => (value === null ? isNullable : Array.isArray(value));
    if (schema.type === 'string') return (value) => typeof value === 'string' || (value === null && isNullable);
    if (schema.type === 'boolean') return (value) => typeof value === 'boolean' || (value === null && isNullable);
  }
  if (hasFormat && schema.type === 'string') {
    return (value) => typeof value === 'string' || typeMismatch(value, schema) === undefined;
  }
  return (value) => typeMismatch(value, schema) === undefined;
}

function compileEnum(schema: JsonSchema): Check | undefined {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0) return undefined;
  const strings = new Set(allowed.filter((value) => typeof value === 'string'));
  return (value) => (typeof value === 'string' ? strings.has(value) : isInEnum(value, allowed));
}

// Logical junctors never look at null: the API server checks only type and enum of it.
function compileJunctors(schema: JsonSchema): Check | undefined {
  const parts: Check[] = [];
  for (const part of schema.allOf ?? []) parts.push(compileCheck(part) ?? acceptAll);
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) {
    const any = schema.anyOf.map((part) => compileCheck(part) ?? acceptAll);
    parts.push((value) => any.some((check) => check(value)));
  }
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
    const one = schema.oneOf.map((part) => compileCheck(part) ?? acceptAll);
    parts.push((value) => countValid(one, value) === 1);
  }
  if (schema.not !== undefined) {
    const not = compileCheck(schema.not) ?? acceptAll;
    parts.push((value) => !not(value));
  }
  const all = both(parts);
  return all === undefined ? undefined : (value) => value === null || all(value);
}

function acceptAll(): boolean {
  return true;
}

function countValid(checks: readonly Check[], value: Json): number {
  let count = 0;
  for (const check of checks) if (check(value)) count++;
  return count;
}

function compileString(schema: JsonSchema): ((value: string) => boolean) | undefined {
  const { maxLength, minLength, pattern } = schema;
  const format = formatOf(schema);
  const matches = pattern === undefined || pattern === '' ? undefined : lazyPattern(pattern);
  if (maxLength === undefined && minLength === undefined && matches === undefined) return format;
  return (value) => {
    // A string has at most as many characters as UTF-16 units, and at least half as many.
    if (maxLength !== undefined && value.length > maxLength && countCharacters(value) > maxLength) return false;
    if (minLength !== undefined && value.length < 2 * minLength && countCharacters(value) < minLength) return false;
    return (matches === undefined || matches(value)) && (format === undefined || format(value));
  };
}

function compileArray(schema: JsonSchema): ((value: Json[]) => boolean) | undefined {
  const { maxItems, minItems } = schema;
  const isUnique = schema.uniqueItems === true;
  const item = schema.items === undefined ? undefined : compileCheck(schema.items);
  if (maxItems === undefined && minItems === undefined && !isUnique && item === undefined) return undefined;
  return (value) => {
    if (maxItems !== undefined && value.length > maxItems) return false;
    if (minItems !== undefined && value.length < minItems) return false;
    if (item !== undefined) for (const element of value) if (!item(element)) return false;
    return !isUnique || !hasDuplicates(value);
  };
}

/** True when two elements of the list are equal. */
export function hasDuplicates(value: readonly Json[]): boolean {
  const texts = new Set(value.map((element) => goJson(element)));
  return texts.size < value.length;
}

function compileObject(schema: JsonSchema): ((value: JsonObject) => boolean) | undefined {
  const fields = compileFields(schema);
  const required = schema.required ?? [];
  const { maxProperties, minProperties } = schema;
  const hasBounds = maxProperties !== undefined || minProperties !== undefined;
  if (fields === undefined && required.length === 0 && !hasBounds) return undefined;
  return (value) => {
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    if (hasBounds) {
      const count = Object.keys(value).length;
      if (count > (maxProperties ?? Number.POSITIVE_INFINITY) || count < (minProperties ?? 0)) return false;
    }
    return fields === undefined || fields(value);
  };
}

function compileFields(schema: JsonSchema): ((value: JsonObject) => boolean) | undefined {
  const additional = schema.additionalProperties;
  const properties = Object.entries(schema.properties ?? {});
  const checks = new Map(properties.map(([name, property]) => [name, compileCheck(property)] as const));
  if (additional === false) {
    return (value) => {
      for (const key in value) if (!checks.has(key) || checks.get(key)?.(value[key] as Json) === false) return false;
      return true;
    };
  }
  const other = isJsonObject(additional) ? compileCheck(additional as JsonSchema) : undefined;
  if (other === undefined) return compileKnownFields(checks);
  return (value) => {
    for (const key in value) {
      const check = checks.has(key) ? checks.get(key) : other;
      if (check !== undefined && !check(value[key] as Json)) return false;
    }
    return true;
  };
}

function compileKnownFields(
  checks: ReadonlyMap<string, Check | undefined>,
): ((value: JsonObject) => boolean) | undefined {
  const strict = new Map([...checks].filter((entry): entry is [string, Check] => entry[1] !== undefined));
  if (strict.size === 0) return undefined;
  return (value) => {
    for (const key in value) {
      const check = strict.get(key);
      if (check !== undefined && !check(value[key] as Json)) return false;
    }
    return true;
  };
}
