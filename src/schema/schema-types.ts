import { type FormatTest, findFormat } from './formats.ts';
import { isJsonObject, type Json } from './json.ts';
import type { JsonSchema } from './json-schema.ts';

/** The JSON type of a value as the API server names it; `integer` for whole numbers that fit 64 bits. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** Names the type of a value. */
export function typeOf(value: Json): TypeName {
  if (value === null) return 'null';
  if (typeof value === 'number') return isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  return Array.isArray(value) ? 'array' : 'object';
}

/** True for numbers that Go decodes as an int64. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/** True for floats so close to a whole number that the API server takes them for one. */
export function isNearInteger(value: number): boolean {
  if (Math.abs(value) > 2 ** 53 - 1) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  if (value < 0 || whole === 0) return false;
  return (value - whole) / (value + whole) < 1e-9;
}

/** The types a schema names; none means any. */
export function typesOf(schema: JsonSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
}

/** The format of a schema when the API server enforces it. */
export function formatOf(schema: JsonSchema): FormatTest | undefined {
  return schema.format === undefined || schema.format === '' ? undefined : findFormat(schema.format);
}

/** How a value fails the type of a schema: what was asked for and what was found, or undefined when it does not. */
export function typeMismatch(value: Json, schema: JsonSchema): { wanted: string; found: string } | undefined {
  const types = typesOf(schema);
  const found = typeOf(value);
  if (found === 'null') {
    return types.length === 0 || schema.nullable === true ? undefined : { wanted: types.join(','), found };
  }
  const hasFormat = formatOf(schema) !== undefined;
  if (types.length === 0 && !hasFormat) return undefined;
  const isNumeric = types.includes('number') || types.includes('integer');
  const isMatch =
    types.includes(found) ||
    (found === 'integer' && types.includes('number')) ||
    (found === 'number' && types.includes('integer') && isNearInteger(value as number));
  if (hasFormat && found !== 'string' && found !== 'array' && !isMatch) {
    return { wanted: schema.format ?? '', found: found === 'integer' ? 'int64' : found === 'number' ? 'float64' : '' };
  }
  // The API server leaves strings and arrays to the format check, which looks at strings only.
  if (hasFormat && !isNumeric && (found === 'string' || found === 'array')) return undefined;
  return isMatch ? undefined : { wanted: types.join(','), found };
}

/** True when the value equals one of the enum's, by the API server's conversions (1.5 passes for 1). */
export function isInEnum(value: Json, allowed: readonly Json[]): boolean {
  return value !== null && allowed.some((candidate) => candidate !== null && equalsConverted(value, candidate));
}

function equalsConverted(value: Json, candidate: Json): boolean {
  if (typeof value === 'number' && typeof candidate === 'number') {
    return value === candidate || (isInteger(candidate) && Math.trunc(value) === candidate);
  }
  if (typeof value === 'number' && typeof candidate === 'string' && isInteger(value)) {
    return candidate === (value >= 0 && value <= 0x10ffff ? String.fromCodePoint(value) : '\ufffd');
  }
  return equalJson(value, candidate);
}

/** True when two JSON values are the same. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false;
    return true;
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  let count = 0;
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !equalJson(a[key], b[key])) return false;
    count++;
  }
  return count === Object.keys(b).length;
}

/** How many characters a string has, counting a surrogate pair as one. */
export function countCharacters(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      pairs++;
      i++;
    }
  }
  return text.length - pairs;
}
